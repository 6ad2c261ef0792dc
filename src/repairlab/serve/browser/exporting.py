"""Write all pages as files that a browser shows without a server.

Pages are the same as those that are served: the exporter asks the application for the first one, and for all that it leads to.
"""

import asyncio
import os
import re
from collections import deque
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import httpx

from repairlab.core.errors import HarnessError
from repairlab.core.storage.folders import new_folder
from repairlab.serve.browser.app import Link, ViewAccess, address, make_app
from repairlab.serve.browser.bug_pages import Plan
from repairlab.serve.browser.open_runs import Workbench

_BASE = "http://repairlab"


class StaticSite:
    """Which pages there are to write, and where each of them goes."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._left: deque[str] = deque()

    def add(self, place: str) -> None:
        """Take note of a page that is to be written once."""
        if place not in self._seen:
            self._seen.add(place)
            self._left.append(place)

    def next(self) -> str | None:
        """Return a page that is not written yet."""
        return self._left.popleft() if self._left else None

    def plan_from(self, here: str) -> Plan:
        """Return what names the file of an address, relative to a page, that some other page leads to."""
        folder = os.path.dirname(file_of(here)) or "."  # noqa: PTH120  # no file of this machine
        return lambda path: quote(os.path.relpath(file_of(path), folder))

    def link_from(self, here: str) -> Link:
        """Return what leads from a page to another, relative to where both are."""
        plan = self.plan_from(here)

        def link(path: str, **query: object) -> str:
            place = address(path, **query)
            self.add(place)
            return plan(place)

        return link


def file_of(place: str) -> str:
    """Return the file of an address.

    >>> file_of("/"), file_of("/run/a/candidates?verdict=WRONG&page=2"), file_of("/static/view.js")
    ('index.html', 'run/a/candidates,verdict=WRONG,page=2.html', 'static/view.js')
    """
    parts = urlsplit(place)
    path = unquote(parts.path).strip("/")
    if path.startswith("static/"):
        return path
    query = "".join(f",{_plain(item)}" for item in parts.query.split("&") if item)
    return "/".join(map(_plain, (path or "index").split("/"))) + query + ".html"


def _plain(text: str) -> str:
    """Return a text as part of a file name, which never leads elsewhere."""
    if not text.strip("."):
        return "~2e" * len(text)
    return re.sub(r"[^\w.=@+-]", lambda found: "".join(f"~{byte:02x}" for byte in found[0].encode("utf-8", "surrogatepass")), text)


def export_site(bench: Workbench, folder: Path) -> int:
    """Write the pages of all that is open to a new folder, and return how many there are."""
    bench.open_all()
    bench.catch_up()
    site = StaticSite()
    app = make_app(bench, ViewAccess(hosts=()), site=site)
    with new_folder(folder) as aside:
        return asyncio.run(_write(app, site, aside))


async def _write(app: object, site: StaticSite, folder: Path) -> int:
    site.add("/")
    n = 0
    transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type]  # an application
    async with httpx.AsyncClient(transport=transport, base_url=_BASE, follow_redirects=True) as client:
        while (place := site.next()) is not None:
            answer = await client.get(place)
            if answer.status_code not in (200, 400):  # 400: a page that says why, such as two runs that cannot be compared
                raise HarnessError(f"the page {place} could not be made: {answer.status_code}")
            path = folder / file_of(place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(answer.content)
            n += path.suffix == ".html"
    return n
