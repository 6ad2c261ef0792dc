"""Requests that no browser of good will sends, to every page that there is: one answer each, and none is a failure of ours."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.browser.conftest import Browser
from tests.study.conftest import _maker

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")

from repairlab.serve.browser.app import ViewAccess, make_app
from tests.serve.browser.test_annotation import Desk, make_tasks

ODD = (
    "%00", "%ff%fe", "é", "%F0%9F%90%9B", "..%2f..", "%2e%2e", "-1", "0", "99999999999999999999", "1e5", "%E2%80%AE", "a" * 3000,
    "%25s", "{}", "%3Cscript%3E", "%0d%0aX:1",
)  # fmt: skip


@pytest.fixture(scope="module")
def desk(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = _maker(tmp_path_factory.mktemp("runs"))("chat", n=2, bugs=3, strength=0.9, benchmark=str(benchmark))
    make_tasks(folder)
    made = Desk(folder, tmp_path_factory.mktemp("cache"))
    yield made
    made.store.close()
    made.bench.close()


@pytest.fixture(scope="module")
def pages(desk: Desk) -> list[tuple[str, str]]:
    """Return method and address of every page; parameters are in braces."""
    app = make_app(desk.bench, ViewAccess(hosts=()))
    found = [(method, route.path) for route in app.routes for method in getattr(route, "methods", ())]
    assert len(found) > 25
    return found


def filled(path: str, desk: Desk, odd: str) -> Iterator[str]:
    """Yield an address with one parameter after the other odd, and those before it as they should be."""
    good = {"slug": "chat", "a": "chat", "b": "chat", "rank": "1", "token": desk.tokens["ada"], "task": "task0000", "rater": "ada"}
    good["bug_id"] = desk.bench.run("chat").index.page(n=1)[0].bug_id
    for wrong in re.findall(r"\{(\w+)", path):
        values = {**good, wrong: odd}
        yield re.sub(r"\{(\w+)[^}]*\}", lambda found: values.get(found[1], "x"), path)  # noqa: B023  # used at once


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:12])
def test_parameters_of_any_characters_are_no_failure(desk: Desk, pages: list[tuple[str, str]], odd: str) -> None:
    for method, path in pages:
        for address in filled(path, desk, odd):
            answer = desk.browser.request(method, address, content=b"")
            assert answer.status_code < 500, (method, address)
    for query in ("q", "page", "verdict", "benchmark", "language", "label", "k", "after", "judge", "token"):
        for path in ("/search", "/run/chat/candidates", "/compare/chat/chat", f"/rate/{desk.tokens['ada']}"):
            assert desk.browser.get(f"{path}?{query}={odd}&{query}={odd}").status_code < 500, (path, query)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "BREW"])
def test_methods_that_are_none_are_told(desk: Desk, method: str) -> None:
    for path in ("/", "/run/chat", "/annotation", "/nowhere"):
        assert desk.browser.request(method, path).status_code in (404, 405)


@pytest.mark.parametrize(
    "content", [b"&".join(b"a=1" for _ in range(500)), b"\xff" * 5000, b"label=%00&note=%ff", b"[" * 10_000, b"seconds=1e999"]
)
def test_forms_and_sheets_of_any_bytes_are_no_failure(desk: Desk, pages: list[tuple[str, str]], content: bytes) -> None:
    for method, path in pages:
        if method in ("POST", "PUT"):
            address = next(filled(path, desk, "chat" if "{slug}" in path else desk.tokens["ada"]))
            answer = desk.browser.request(method, address, content=content)
            assert answer.status_code < 500, (method, address)


@pytest.mark.parametrize("given", ["é", "\u202e", "x" * 10_000])
def test_a_token_of_any_characters_is_wrong(desk: Desk, given: str) -> None:
    visitor = Browser(make_app(desk.bench, ViewAccess(hosts=(), token="secret-one")))
    assert visitor.request("GET", "/", params={"token": given}).status_code == 403
    assert visitor.request("GET", "/", headers={"Cookie": f"repairlab_view={given}".encode()}).status_code == 403


@pytest.mark.parametrize("length", ["-1", "²", "1" * 5000, "x"])
def test_a_length_that_is_none_is_refused(desk: Desk, length: str) -> None:
    answer = desk.browser.request("POST", "/annotation", headers={"Content-Length": length.encode("latin-1")})
    assert answer.status_code in (413, 405, 404)
