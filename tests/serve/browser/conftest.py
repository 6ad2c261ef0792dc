"""The three synthetic runs of the report's tests, open in a workbench and behind the application."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from repairlab.serve.browser.open_runs import Workbench
from tests.study.conftest import MakeRun, benchmark, bug_ids, make_run, three_runs

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Browser", "MakeRun", "benchmark", "bug_ids", "make_run", "three_runs"]


class Browser:
    """Asks an application as a browser does that keeps cookies."""

    def __init__(self, app: "FastAPI", *, base_url: str = "http://localhost") -> None:
        self._app, self._base_url = app, base_url
        self.cookies = httpx.Cookies()

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, data: Mapping[str, Any], **more: Any) -> httpx.Response:
        return self.request("POST", path, data=data, **more)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url=self._base_url, cookies=self.cookies) as client:
                answer = await client.request(method, path, **more)
                self.cookies.update(client.cookies)
                return answer

        return asyncio.run(ask())


@pytest.fixture(scope="session")
def bench(three_runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Open the runs and read them."""
    made = Workbench(tmp_path_factory.mktemp("cache"))
    made.open([str(path) for path in three_runs])
    made.open_all()
    made.catch_up()
    yield made
    made.close()


@pytest.fixture(scope="session")
def browser(bench: Workbench) -> Browser:
    """Ask the application as a browser on this machine does."""
    pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")
    from repairlab.serve.browser.app import ViewAccess, make_app  # noqa: PLC0415

    return Browser(make_app(bench, ViewAccess(hosts=("localhost",))))
