"""The HTML report: complete, self-contained, and safe against hostile candidates."""

import dataclasses
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest

from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.model import Message, Prompt
from repairlab.core.outcome import TestResult as CaseResult
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.core.record import digest
from repairlab.repairers.llm.client.cached_model import RecordedModel
from repairlab.repairers.llm.client.model import Sampling, ScriptedModel
from repairlab.runs.store import Store
from repairlab.runs.transcripts import TranscriptWriter
from repairlab.study.bugs import Choice, view_bugs
from repairlab.study.diffs import changed_by, clip, diff_lines, raw
from repairlab.study.leaderboard import chart
from repairlab.study.matrix import ABSENT
from repairlab.study.page import ReportPage, make_report, store_report
from repairlab.study.scores import scores_of
from repairlab.study.systems import read_systems
from tests import builders
from tests.study.conftest import HOSTILE

MakeRun = Callable[..., Path]

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """Collects tags and text, and checks that tags are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        self.text += data


@pytest.fixture(scope="module")
def made(three_runs: list[Path]) -> ReportPage:
    return make_report(three_runs)


@pytest.fixture(scope="module")
def page(made: ReportPage) -> Page:
    return Page(made.html)


def test_the_page_is_well_formed_and_has_every_section(page: Page, bug_ids: tuple[str, ...]) -> None:
    assert page.open == []
    ids = [attrs["id"] for _, attrs in page.tags if attrs.get("id")]
    assert len(ids) == len(set(ids))
    assert {"leaderboard", "curves", "verdicts", "matrix-section", "bugs", "settings", "definitions"} <= set(ids)
    links = [attrs["href"] or "" for tag, attrs in page.tags if tag == "a"]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    for bug_id in bug_ids:
        assert bug_id in page.text
    for verdict in Verdict:
        assert verdict.value in page.text


def test_the_page_loads_nothing_from_elsewhere(page: Page) -> None:
    for tag, attrs in page.tags:
        assert tag not in ("img", "iframe", "object", "embed", "link", "base", "form")
        assert "src" not in attrs
        assert (attrs.get("href") or "#").startswith("#")
        assert not any(name.startswith("on") for name in attrs)
        assert "url(" not in (attrs.get("style") or "")
    policy = next(attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_hostile_text_stays_text(made: ReportPage, page: Page) -> None:
    assert len(page.scripts) == 3
    assert [isinstance(json.loads(text), dict) for text in page.scripts[:2]] == [True, True]
    assert "alert(" not in page.scripts[2]
    assert "<script>alert('owned')</script>" in page.text
    assert "{{ 7 * 7 }}⟦U+202E⟧⟦U+0000⟧⟦U+D800⟧" in page.text
    assert not re.search("[\x00-\x08\u202e\ud800]", made.html)
    assert "<b>not</b>" in page.text


def test_the_leaderboard_data_are_in_the_page(made: ReportPage, page: Page) -> None:
    assert json.loads(page.scripts[1]) == made.leaderboard.data()


def test_each_bug_shows_the_reference_fix_and_one_candidate_per_system(page: Page, bug_ids: tuple[str, ...]) -> None:
    assert page.text.count("Reference fix") == len(bug_ids)
    assert "same as the reference" in page.text
    assert "Failing test: 02 <b>bold</b>" in page.text
    assert "line 11 of the log" in page.text


def test_the_page_does_not_change_when_made_again(made: ReportPage, three_runs: list[Path]) -> None:
    assert make_report(three_runs).html == made.html


def test_a_changed_benchmark_is_named_and_its_texts_are_left_out(make_run: MakeRun, benchmark: Path) -> None:
    changed = Page(make_report([make_run("chat", n=2, bugs=3, benchmark=str(benchmark))]).html)
    assert "but the run used feedfacefeedface" in changed.text
    assert "Reference fix" not in changed.text
    assert "New text:" in changed.text


def test_an_absent_benchmark_is_named(make_run: MakeRun) -> None:
    absent = Page(make_report([make_run("chat", n=1, bugs=2, benchmark="no-such-benchmark")]).html)
    assert "Issue texts and diffs are left out: benchmark toy cannot be opened" in absent.text
    assert "curves" not in [attrs.get("id") for _, attrs in absent.tags]


def test_runs_over_different_bugs_stand_side_by_side(make_run: MakeRun) -> None:
    runs = [make_run("chat", n=2, bugs=2), make_run("neural", n=2, bugs=4), make_run("templates", n=2, bugs=1, digest="other")]
    page = Page(make_report(runs).html)
    assert "n/a" in page.text
    assert "Group A: bugs: " in page.text and "Systems are ranked within groups of equal settings." in page.text


def test_runs_of_the_same_repairer_are_told_apart_by_their_folders(make_run: MakeRun, tmp_path: Path) -> None:
    first = make_run("chat", n=2, bugs=2)
    first.rename(tmp_path / "first")
    board = make_report([tmp_path / "first", make_run("chat", n=2, bugs=2)]).leaderboard
    assert {row.system for row in board.rows} == {"chat (first)", "chat (chat)"}


def test_a_page_that_cannot_be_written_is_the_users_to_solve(made: ReportPage, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="choose another place with -o"):
        store_report(made, tmp_path / "file" / "report.html")
    store_report(made, tmp_path / "new" / "report.html")
    assert (tmp_path / "new" / "report.html").read_text(encoding="utf-8") == made.html


def test_curves_of_many_candidates_are_drawn_over_a_logarithmic_axis(make_run: MakeRun) -> None:
    figure = chart("pass@k", [("chat", 0, scores_of(make_run("chat", n=40, bugs=2)))])
    assert figure is not None
    ticks = {shape.text: shape.x for shape in figure.shapes if shape.kind == "text" and shape.anchor == "middle"}
    assert list(ticks)[:5] == ["1", "2", "5", "10", "20"]
    assert ticks["20"] - ticks["10"] == pytest.approx(ticks["2"] - ticks["1"], abs=0.2)
    (curve,) = (shape for shape in figure.shapes if shape.kind == "path")
    (band,) = (shape for shape in figure.shapes if shape.kind == "area")
    assert 20 <= len(curve.points) <= 28 and len(band.points) == 2 * len(curve.points)
    assert chart("TCA@k", [("one", 0, scores_of(make_run("one", n=1, bugs=1)))]) is None


def test_long_texts_are_cut_at_the_right_end() -> None:
    text = "\n".join(f"line {number}" for number in range(500))
    assert clip(text).startswith("line 0\n")
    assert clip(text).endswith("… 340 more lines …")
    assert clip(text, tail=True).startswith("… 340 more lines …")
    assert clip(text, tail=True).endswith("line 499")
    assert len(clip("x" * 10_000)) < 500


def test_a_diff_knows_its_kinds_of_lines_and_deleted_files() -> None:
    lines = diff_lines({"a.c": "one\ntwo\n"}, {"a.c": "one\n2\n"})
    assert [line.kind for line in lines] == ["file", "file", "hunk", "same", "del", "add"]
    assert [line.kind for line in diff_lines({"a.c": "one\n"}, {"a.c": None})][-1] == "del"
    assert diff_lines({"a.c": "one\n"}, {"a.c": "one\n"}) == ()


def test_edits_that_do_not_apply_are_shown_as_they_are() -> None:
    edits = (Edit(path="gone.c", text="x"), Edit(path="gone.c", text=None))
    assert changed_by(edits, {}) is None
    candidate = builders.candidate("a", *edits, repairer="chat")
    assert raw(candidate) == "gone.c:\nx\ngone.c:\n(deleted)"


@pytest.mark.parametrize(("choice", "n"), [("first", 1), ("plausible", 4), ("all", 12)])
def test_the_page_holds_the_candidates_that_are_asked_for(make_run: MakeRun, choice: str, n: int) -> None:
    folder = make_run("chat", n=12, bugs=1, strength=0.5)
    store = Store(folder)
    ids = {item.rank: item.id for item in store.candidates()}
    plausible = {item.candidate_id for item in store.outcomes() if item.verdict is Verdict.PLAUSIBLE}
    html = make_report([folder], evidence=cast(Choice, choice)).html
    listed = [[int(text) for text in found.split(", ")] for found in re.findall(r"rank ([\d, ]+) of 12", html)]
    ranks = [rank for found in listed for rank in found]
    expected = {
        "first": [min(rank for rank, name in ids.items() if name in plausible)],
        "plausible": [rank for rank, name in ids.items() if name in plausible],
        "all": list(ids),
    }[choice]
    assert sorted(ranks) == sorted(expected)
    assert n >= len(listed), "equal candidates are shown once"


def test_a_large_page_leaves_candidates_to_the_browser_unless_they_are_asked_for(make_run: MakeRun) -> None:
    folder = make_run("chat", n=1, bugs=1001)
    page = Page(made := make_report([folder]).html)
    assert "left to repairlab view" in page.text and "compare candidates with the code are left out" in page.text
    data = json.loads(page.scripts[0])
    assert (len(data["bugs"]), data["bug"], data["systems"][0]["cell"]) == (1001, "", "")
    assert page.open == [] and len(made) < 1_000_000
    assert 'id="bug-1001"' in make_report([folder], evidence="first").html


def test_without_a_choice_no_candidate_is_shown(make_run: MakeRun) -> None:
    systems = read_systems([make_run("a", n=2, bugs=2)])
    assert any(attempt.candidates for bug in view_bugs(systems, {}) for attempt in bug.attempts)
    assert not any(attempt.candidates for bug in view_bugs(systems, {}, None) for attempt in bug.attempts)


def test_tests_that_were_not_run_are_not_told_as_failed(make_run: MakeRun) -> None:
    ran = (CaseResult(id="1", verdict=TestVerdict.PASSED), CaseResult(id="2", verdict=TestVerdict.WRONG))
    outcome = builders.outcome(Verdict.WRONG, policy="first-failure", n_tests=14, tests=ran)
    assert outcome.tests_in_words == "stopped at the first failure: 1 of 2 tests run passed, 12 were not run"
    built = dataclasses.replace(outcome, tests=(), stage="build", verdict=Verdict.UNCOMPILABLE)
    assert built.tests_in_words == "no test was run"
    folder = make_run("chat", n=1, bugs=1)
    Store(folder).append(
        dataclasses.replace(next(Store(folder).outcomes()), tests=outcome.tests, n_tests=14, policy="first-failure")
    )
    assert "stopped at the first failure: 1 of 2 tests run passed" in make_report([folder]).html


def test_the_oracle_fixes_nothing_as_far_as_the_page_counts(make_run: MakeRun) -> None:
    folders = [make_run("reference", n=3, bugs=3, strength=2.0), make_run("copy", n=1, bugs=3, strength=0.0)]
    page = Page(make_report(folders).html)
    data = json.loads(page.scripts[0])
    assert [system["oracle"] for system in data["systems"]] == [True, False]
    assert "0bugs with a plausible fix by some system" in page.text
    assert "system and the oracle" in page.text


def test_the_matrix_has_every_cell_and_stands_as_a_table_without_a_script(make_run: MakeRun) -> None:
    folders = [make_run("with", n=3, bugs=2, strength=99.0), make_run("without", n=1, bugs=3, strength=0.0)]
    page = Page(make_report(folders).html)
    data = json.loads(page.scripts[0])
    assert [len(row) for row in data["cells"]] == [3, 3] and len(data["bugs"]) == 3
    assert data["cells"][0][2] == ABSENT
    number = data["cells"][0][1]
    assert data["verdicts"][number % 100 - 1] == ["PLAUSIBLE", "AC"]
    assert (number // 100 % 10_000, number // 10**6) == (3, 1)
    assert all(0 < cell < 10**6 for cell in data["cells"][1])
    cells = [attrs for tag, attrs in page.tags if tag == "a" and (attrs.get("class") or "").startswith("cell")]
    assert [attrs["href"] for attrs in cells if "v-plausible" in str(attrs["class"])] == ["#bug-2"]


def test_a_partial_page_says_what_is_missing(make_run: MakeRun) -> None:
    folder = make_run("chat", n=2, bugs=5, unfinished=2)
    with pytest.raises(UserError, match="--partial"):
        make_report([folder])
    made = make_report([folder], partial=True)
    assert made.missing == (f"{folder}: 2 of 5 bugs are unfinished and left out",)
    assert f"Partial: {made.missing[0]}" in Page(made.html).text


def test_the_page_shows_what_a_model_was_asked_and_answered(make_run: MakeRun) -> None:
    folder = make_run("chat", n=1, bugs=1)
    store = Store(folder)
    prompt = Prompt(messages=(Message(role="system", content="Be brief."), Message(role="user", content=f"Mend it. {HOSTILE}")))
    RecordedModel(ScriptedModel([f"Sure: {HOSTILE}"]), TranscriptWriter(store).keep).complete(prompt, Sampling())
    first = next(store.candidates())
    origin = dataclasses.replace(first.origin, prompt=digest(prompt), answer=digest(f"Sure: {HOSTILE}"))
    other = dataclasses.replace(first, origin=origin, rank=2, answer="another")
    store.append(other)
    store.append(dataclasses.replace(next(store.outcomes()), candidate_id=other.id))
    page = Page(make_report([folder], evidence="all").html)
    assert "[system]\nBe brief.\n\n[user]\nMend it. </pre></script><script>alert" in page.text
    assert "Sure: </pre></script><script>alert" in page.text
    assert page.open == []
