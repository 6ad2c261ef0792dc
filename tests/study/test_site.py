"""The static site: every link leads somewhere, data are in one file, and submissions say who sent them."""

import json
import struct
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.study.site import preview, write_site
from tests.study.conftest import HOSTILE

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
        if tag in ("a", "link") and found.get("href"):
            self.links.append(str(found["href"]))
        if found.get("src"):
            self.links.append(str(found["src"]))
        assert tag not in ("img", "iframe") and not any(name.startswith("on") for name in found)


@pytest.fixture(scope="module")
def site(three_runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the site of three runs on one benchmark."""
    folder = tmp_path_factory.mktemp("site")
    boards = write_site(three_runs, folder, title="Ours & <theirs>", candidates="first")
    assert [(board.name, len(board.matrix.bugs), len(board.submissions)) for board in boards] == [("toy", 12, 3)]
    return folder


def test_every_link_leads_to_a_page_and_a_place_in_it(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html")}
    assert len(pages) == 3 + 12
    for path, page in pages.items():
        for link in page.links:
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.is_file(), link
            assert not anchor or anchor in pages[target].ids, link


def test_a_site_does_not_say_where_its_runs_lie(site: Path, three_runs: list[Path]) -> None:
    folder = str(three_runs[0].parent)
    assert [path.name for path in site.rglob("*.*") if path.is_file() and folder.encode() in path.read_bytes()] == []
    rows = json.loads((site / "toy-1.0.0.json").read_text(encoding="utf-8"))["rows"]
    assert {row["run"] for row in rows} == {path.name for path in three_runs}


def test_one_file_has_the_leaderboard_and_the_matrix_whose_cells_lead_to_candidates(site: Path) -> None:
    data = json.loads((site / "toy-1.0.0.json").read_text(encoding="utf-8"))
    assert [row["rank"] for row in data["rows"]] == [1, 2, 3]
    matrix = data["matrix"]
    assert [len(cells) for cells in matrix["cells"]] == [12] * 3
    for system in matrix["systems"]:
        for bug in matrix["bugs"]:
            name, _, anchor = system["cell"].replace("%40bug%40", bug[1]).partition("#")
            assert anchor in Links(site / name).ids
    script = (site / "toy-1.0.0.js").read_text(encoding="utf-8")
    assert json.loads(script.removeprefix("repairlab.board(").removesuffix(");\n")) == data
    assert "\u202e" not in script and "</script>" not in (site / "index.html").read_text(encoding="utf-8").split("</head>")[1]


def test_the_index_ranks_and_escapes_and_a_picture_goes_along(site: Path) -> None:
    page = Links(site / "index.html")
    assert "Ours &amp; &lt;theirs&gt;" in page.text and "toy-1.0.0.html" in page.links
    assert "repairlab verify submission" in Links(site / "submit.html").text
    picture = (site / "toy-1.0.0.png").read_bytes()
    assert struct.unpack(">II", picture[16:24]) == (1200, 630) and len(picture) < 20_000
    assert preview([]).startswith(b"\x89PNG")


def test_each_system_stands_on_the_board_of_its_settings_and_equal_scores_share_a_rank(make_run: MakeRun, tmp_path: Path) -> None:
    names = ("copy", "templates", "reference")
    runs = [make_run(name, n=n, bugs=3, strength=0.0, folder=f"{name}-{n}") for n in (2, 3) for name in names]
    boards = write_site([*runs, make_run("reference", n=1, bugs=3, folder="elsewhere")], tmp_path / "site")
    for board in boards:
        (n,) = {item.system.scores.run.settings.n for item in board.submissions[:2]}
        folders = {item.system.scores.run.folder.name for item in board.submissions}
        assert folders == {"elsewhere", *(f"{name}-{n}" for name in names)} and len(board.submissions) == 4
        assert (board.n_systems, [item.row.rank for item in board.submissions[:2]]) == (2, [1, 1])
    assert len(boards) == 2
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert index.count('<li value="1">') == 4 and index.count("3 bugs, 2 systems") == 2


def test_who_submitted_a_run_and_what_was_verified_is_said(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("command", n=2, bugs=3)
    said = 'by = "Ada <b>"\nlink = "https://example.org/agent"\nopen = true\n'
    (folder / "submission.toml").write_text(said, encoding="utf-8")
    checks = [{"state": "same"}, {"state": "differs"}]
    (folder / "verified.json").write_text(json.dumps({"honest": True, "rechecks": checks}), encoding="utf-8")
    (board,) = write_site([folder, make_run("chat", n=2, bugs=3)], tmp_path / "site")
    sent = next(item for item in board.submissions if item.by)
    assert (sent.kind, sent.is_open, sent.verified) == ("agent", True, "2 verdicts made again, 1 differ")
    html = (tmp_path / "site" / "toy-1.0.0.html").read_text(encoding="utf-8")
    assert "Ada &lt;b&gt;" in html and 'href="https://example.org/agent"' in html


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("bye = 1", "unknown field"),
        ("open = 1", "open is 1; write true or false"),
        ('link = "javascript:alert(1)"', "begins with https://"),
        ("by = ", "not valid TOML"),
    ],
)
def test_a_submission_that_makes_no_sense_is_refused(make_run: MakeRun, tmp_path: Path, said: str, words: str) -> None:
    folder = make_run("chat", n=1, bugs=2)
    (folder / "submission.toml").write_text(said, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        write_site([folder], tmp_path / "site")


def test_hostile_candidates_stay_text(site: Path) -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (site / "toy-1.0.0").glob("*.html"))
    assert "&lt;script&gt;alert(" in pages and HOSTILE[:20] not in pages


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
    assert {path.name for path in (tmp_path / "site").glob("toy*.html")} == {"toy-1.0.0.html", "toy-1.0.0-2.html"}
    assert run(["site", str(runs[0]), str(runs[0]), "--to", str(tmp_path / "site")]) == 2
    assert "given twice" in capsys.readouterr().err
