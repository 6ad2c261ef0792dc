"""The static site: every link leads somewhere, and every candidate has a page."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.runs.store import Store
from repairlab.study.site import write_site

MakeRun = Callable[..., Path]


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.add(str(found["id"]))
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        assert tag not in ("link", "img", "iframe") and not found.get("src")


@pytest.fixture(scope="module")
def site(three_runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the site of three runs on one benchmark."""
    folder = tmp_path_factory.mktemp("site")
    boards = write_site(three_runs, folder, title="Ours & <theirs>")
    assert [(board.name, board.n_bugs, len(board.links)) for board in boards] == [("toy", 12, 3)]
    return folder


def test_every_link_leads_to_a_page_and_a_place_in_it(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html")}
    assert len(pages) == 5
    for path, page in pages.items():
        for link in page.links:
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target in pages, link
            assert not anchor or anchor in pages[target].ids, link


def test_the_board_links_every_bug_of_every_run_to_its_candidates(site: Path, three_runs: list[Path]) -> None:
    board = Links(site / "toy-1.0.0.html")
    assert sum("#bug-" in link for link in board.links) == 12 * len(three_runs)
    assert not any(name.startswith("bug-") for name in board.ids)
    for folder in three_runs:
        page = (site / "runs" / f"{folder.name}.html").read_text(encoding="utf-8")
        assert all(item.bug_id in page for item in Store(folder).candidates())
        assert page.count("stage ") >= len({item.id for item in Store(folder).candidates()}) * 0.9


def test_the_index_ranks_and_escapes(site: Path) -> None:
    page = Links(site / "index.html")
    assert "Ours &amp; &lt;theirs&gt;" in page.text and "<script" not in page.text
    assert page.links[:2] == ["#boards", "toy-1.0.0.html"]
    data = json.loads((site / "toy-1.0.0.json").read_text(encoding="utf-8"))
    assert [row["rank"] for row in data["rows"]] == [1, 2, 3]


def test_runs_on_two_benchmarks_get_two_boards_and_unfinished_ones_are_named(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        make_run("chat", n=2, bugs=3),
        make_run("neural", n=2, bugs=3, digest="0" * 16),
        make_run("late", n=2, bugs=3, unfinished=1),
    ]
    assert run(["site", *map(str, runs), "--to", str(tmp_path / "site")]) == 0
    said = capsys.readouterr()
    assert "2 leaderboards of 2 runs" in said.err and "late is skipped" in said.err
    assert {path.name for path in (tmp_path / "site").glob("*.html")} == {"index.html", "toy-1.0.0.html", "toy-1.0.0-2.html"}
    assert run(["site", str(runs[0]), str(runs[0]), "--to", str(tmp_path / "site")]) == 2
    assert "given twice" in capsys.readouterr().err
