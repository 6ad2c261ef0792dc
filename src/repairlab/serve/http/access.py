"""Who asks, whether they may, and how much: looked at before any route."""

import asyncio
from typing import Any, Literal

from repairlab.serve.http.http_error import RequestRefused, bad_request
from repairlab.serve.http.rate_limit import RateLimit
from repairlab.serve.http.service import Service
from repairlab.serve.http.settings import LOOPBACK
from repairlab.serve.http.tokens import ServiceClient, client_of

Right = Literal["open", "read", "write"]
"""Everybody; whoever has a token; whoever has one that is not only for reading."""


class AccessControl:
    """The tokens of a service; without any, everybody on this machine may ask."""

    def __init__(self, clients: dict[str, ServiceClient], service: Service) -> None:
        self._clients, self._service = clients, service
        self._limit = RateLimit()

    def admit(self, request: Any, right: Right) -> ServiceClient:
        """Return who asks, or refuse."""
        if right == "open":
            return ServiceClient(name="")
        if self._service.is_draining:
            raise RequestRefused(503, "draining", "the server is about to stop; try again later", retry_after_s=5)
        if not self._clients:
            return _neighbour(request)
        client = client_of(self._clients, request.headers.get("authorization", ""))
        if client is None:
            self._service.counters.add("repairlab_refusals_total", reason="token")
            raise RequestRefused(401, "no_token", "a valid token is needed, as the header Authorization: Bearer TOKEN")
        if right == "write" and client.is_read_only:
            raise RequestRefused(403, "read_only", f"the token of {client.name} is only for reading")
        return client

    def charge(self, client: ServiceClient, n: int) -> None:
        """Count candidates against the rate of a client, or refuse."""
        rate = self._service.settings.rate if client.rate is None else client.rate
        wait_s = self._limit.take(client.name, n, rate)
        if wait_s:
            self._service.counters.add("repairlab_refusals_total", reason="rate")
            raise RequestRefused(429, "rate_limit", f"no more than {rate:g} candidates per second", retry_after_s=wait_s)

    async def body(self, request: Any) -> bytes:
        """Read the JSON of a request, as far as it may be long."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":  # which also keeps pages of other sites out: browsers ask before they send it
            raise RequestRefused(415, "no_json", "send JSON, with the header Content-Type: application/json")
        most = int(self._service.settings.body_mb * 1024 * 1024)
        too_large = RequestRefused(413, "too_large", f"the request is larger than {self._service.settings.body_mb:g} MB")
        try:
            if int(request.headers.get("content-length", 0)) > most:
                raise too_large
        except ValueError:
            raise bad_request("Content-Length is no number") from None
        patience_s = self._service.settings.patience_s
        read = bytearray()
        try:
            async with asyncio.timeout(patience_s):
                async for chunk in request.stream():
                    read += chunk
                    if len(read) > most:
                        raise too_large
        except TimeoutError:
            raise RequestRefused(408, "too_slow", f"the request did not arrive within {patience_s:g} s") from None
        return bytes(read)


def _neighbour(request: Any) -> ServiceClient:
    """Return who asks without a token: a connection of this machine, by a name of this machine, so that no web page can."""
    host = request.headers.get("host", "").rpartition("]")[0].lstrip("[") or request.headers.get("host", "").partition(":")[0]
    if host.lower() not in LOOPBACK:
        raise RequestRefused(403, "wrong_host", "without tokens this server answers only as localhost")
    peer = request.client
    return ServiceClient(name="local", connection=f"{peer.host}:{peer.port}" if peer else "")
