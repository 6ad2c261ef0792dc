"""What is written is read again: trees, ranks, models and verdicts survive where a format has a place for them."""

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import Benchmark
from repairlab.cli.contracts.scoring import new_tree, wrong_with_round_trip
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.core.text import Span
from repairlab.formats.format import JudgedCandidate
from repairlab.formats.npr4j_results import read_results
from repairlab.formats.swebench_report import read_results as read_report
from repairlab.formats.table import FORMATS, recognise
from repairlab.study.external_candidates import judged
from tests import builders
from tests.conftest import PROGRAM
from tests.formats.conftest import read

PLACES = {
    "repairlab": "c.jsonl",
    "swebench": "c.jsonl",
    "evalplus": "c.jsonl",
    "repairbench": "c.jsonl",
    "nl2fix": "c.jsonl",
    "npr4j-patches": "c.patches",
    "npr4j-patchinfo": "c",
    "fixeval": "generation.json",
    "clm": "c.json",
    "diffs": "c",
}
"""All that can be read again for every bug; defects4c needs commits and is tested by itself."""
VERDICTS = {"repairlab", "repairbench", "nl2fix", "clm"}
"""Formats that have a place for verdicts; fixeval counts cases."""
MODELS = {"repairlab", "swebench", "npr4j-patchinfo"}

FUNCTIONS = {
    "sum": ["def total(numbers):\n    return sum(numbers)", "def total(numbers):\n    return 0\n"],
    "shop": ["def total(self):\n        return sum(self.prices)"],
    "gcd": ["public static int gcd(int a, int b) {\n        return b == 0 ? a : gcd(b, a % b);\n    }"],
}


def candidate(bug_id: str, rank: int, edits: tuple[Edit, ...], model: str | None = "m") -> Candidate:
    return builders.candidate(bug_id, *edits, rank=rank, model=model)


def samples(benchmark: Benchmark) -> list[JudgedCandidate]:
    """Return functions of several bugs with all verdicts, and an answer that was empty."""
    made = []
    for number, (bug_id, texts) in enumerate(FUNCTIONS.items()):
        problem = benchmark.bug(bug_id).problem
        for rank, text in enumerate(texts, start=1):
            edits = (Edit(path=problem.path, text=text, span=problem.target.span),)
            made.append(
                JudgedCandidate(
                    candidate=candidate(bug_id, rank, edits), verdict=list(Verdict)[number + rank - 1], n_passed=0, n_tests=2
                )
            )
    empty = builders.candidate("gcd", rank=2, problem="the answer is empty", answer="", model="m")
    return [*made, JudgedCandidate(candidate=empty, verdict=Verdict.UNAPPLICABLE, n_passed=0, n_tests=1)]


@pytest.mark.parametrize("name", PLACES)
def test_what_is_written_is_recognised_and_read_again(benchmark: Benchmark, tmp_path: Path, name: str) -> None:
    path = tmp_path / "out" / PLACES[name]
    before = samples(benchmark)
    assert not wrong_with_round_trip(name, before, benchmark, path)
    after, _ = read(name, path, benchmark)
    by_place = {(item.candidate.bug_id, item.candidate.rank): item for item in after}
    for sample in before:
        again = by_place[sample.candidate.bug_id, sample.candidate.rank]
        if name in MODELS and sample.candidate.problem is None:
            assert again.candidate.origin.model == "m"
        if name in VERDICTS:
            assert again.known is not None and sample.verdict in again.known.verdicts
    assert list((tmp_path / "out").glob(".*")) == []


@pytest.mark.parametrize(("name", "path"), [("swebench", "c.json"), ("evalplus", "c"), ("nl2fix", "c.json")])
def test_other_forms_of_a_format_are_chosen_by_the_ending(benchmark: Benchmark, tmp_path: Path, name: str, path: str) -> None:
    before = samples(benchmark)
    FORMATS[name].write(iter(before), benchmark, tmp_path / path)
    assert recognise(tmp_path / path) == name
    after, _ = read(name, tmp_path / path, benchmark)
    trees = {(item.candidate.bug_id, item.candidate.rank): new_tree(item.candidate, benchmark) for item in after}
    assert trees == {(item.candidate.bug_id, item.candidate.rank): new_tree(item.candidate, benchmark) for item in before}


def test_files_of_defects4c_are_written_once_and_named_after_the_commit(benchmark: Benchmark, tmp_path: Path) -> None:
    texts = ["int half(int n) { return n / 2; }\n", "int half(int n) { return n >> 1; }\n"]
    edits = [(Edit(path="src/half.c", text=text),) for text in (*texts, texts[0])]
    before = [JudgedCandidate(candidate=candidate("half", rank, edit)) for rank, edit in enumerate(edits, start=1)]
    notes = FORMATS["defects4c"].write(before, benchmark, tmp_path / "c")
    assert notes == ("1 candidate left out, being equal to another",)
    after, errors = read("defects4c", tmp_path / "c", benchmark)
    assert not errors and recognise(tmp_path / "c") == "defects4c"
    assert {item.candidate.edits[0].text for item in after} == set(texts)
    with pytest.raises(UserError, match="bug sum has no commit"):
        FORMATS["defects4c"].write(samples(benchmark), benchmark, tmp_path / "d")
    assert not (tmp_path / "d").exists()


def test_results_of_npr4j_accept_what_is_the_developers_fix_but_for_white_space(benchmark: Benchmark, tmp_path: Path) -> None:
    fixed = PROGRAM.replace("= 1", "=  0")
    kinds = [(fixed, Verdict.PLAUSIBLE), ("print(3)", Verdict.PLAUSIBLE), ("x", Verdict.WRONG), ("y", None)]
    before = [
        JudgedCandidate(candidate=candidate("sum", rank, (Edit(path="main.py", text=text),)), verdict=verdict)
        for rank, (text, verdict) in enumerate(kinds, start=1)
    ]
    notes = FORMATS["npr4j-results"].write(before, benchmark, tmp_path / "all_result.json")
    assert notes == ("1 candidate without a verdict left out",)
    found = read_results([tmp_path / "all_result.json"])
    assert [(item.bug, item.rank, item.verdict, item.system) for item in found.outcomes] == [
        ("tiny/sum", 1, "correct", "m"),
        ("tiny/sum", 2, "plausible", "m"),
    ]
    with pytest.raises(UserError, match="no candidate is known to be plausible"):
        FORMATS["npr4j-results"].write(before[2:], benchmark, tmp_path / "b.json")


def test_a_report_in_the_manner_of_swebench_is_read_again_as_published_verdicts(benchmark: Benchmark, tmp_path: Path) -> None:
    edits = (Edit(path="main.py", text="x"),)
    unread = builders.candidate("half", problem="it is empty", answer="", model="m")
    before = [
        JudgedCandidate(candidate=candidate("sum", 1, edits), verdict=Verdict.PLAUSIBLE),
        JudgedCandidate(candidate=candidate("sum", 2, edits), verdict=Verdict.WRONG),
        JudgedCandidate(candidate=candidate("shop", 1, edits), verdict=Verdict.TIMEOUT),
        JudgedCandidate(candidate=candidate("gcd", 1, edits), verdict=Verdict.UNDECIDED),
        JudgedCandidate(candidate=unread, verdict=Verdict.UNAPPLICABLE),
    ]
    path = tmp_path / "report.json"
    notes = FORMATS["swebench-report"].write(before, benchmark, path)
    assert notes == ("1 candidate left out: a report has one of each bug, the first",)
    assert recognise(path) == "swebench-report"
    report = json.loads(path.read_text())
    assert report["resolved_ids"] == ["sum"] and report["unresolved_ids"] == ["shop"] and report["error_ids"] == ["gcd"]
    assert report["infra_failure_ids"] == ["gcd"] and report["empty_patch_ids"] == ["half"]
    assert (report["total_instances"], report["submitted_instances"], report["completed_instances"]) == (len(benchmark), 4, 2)
    assert {*report["submitted_ids"], *report["incomplete_ids"]} == set(benchmark.ids)
    found = read_report([path])
    assert {(item.system, item.bug, item.rank, item.verdict) for item in found.outcomes} == {
        ("m", "tiny/sum", 1, "plausible"),
        ("m", "tiny/shop", 1, "wrong"),
        ("m", "tiny/gcd", 1, "undecided"),
        ("m", "tiny/half", 1, "uncompilable"),
    }
    assert set(found.bugs) == {f"tiny/{bug}" for bug in benchmark.ids}
    with pytest.raises(UserError, match="no candidate has a verdict"):
        FORMATS["swebench-report"].write([JudgedCandidate(candidate=unread)], benchmark, tmp_path / "b.json")


def test_counts_of_cases_are_written_only_when_all_were_run(benchmark: Benchmark, tmp_path: Path) -> None:
    tests = (TestResult(id="01", verdict=TestVerdict.PASSED), TestResult(id="02", verdict=TestVerdict.WRONG))
    mine = candidate("sum", 1, (Edit(path="main.py", text="x"),))
    common = {"candidate_id": mine.id, "bug_id": "sum", "stage": "cases", "n_tests": 2}
    full = Outcome(verdict=Verdict.WRONG, policy="full", tests=tests, **common)  # type: ignore[arg-type]  # one dict for all
    cut = Outcome(verdict=Verdict.WRONG, policy="first-failure", tests=tests[1:], **common)  # type: ignore[arg-type]
    path = tmp_path / "generation.json"
    FORMATS["fixeval"].write([judged(mine, full), judged(mine, cut), judged(mine, None)], benchmark, path)
    entry = json.loads(path.read_text())[0]
    assert entry["total_test_cases"] == 2 and entry["test_cases_run_by_generations"] == [1, None, None]
    assert entry["src_verdict"] == "Wrong Answer" and entry["detokenized_tgt"] == PROGRAM.replace("= 1", "= 0")
    assert [item.known.word if item.known else None for item in read("fixeval", path, benchmark)[0]] == ["fail", None, None]


@pytest.mark.parametrize("name", sorted(set(PLACES) - {"repairlab", "swebench", "diffs", "npr4j-patchinfo"}))
def test_a_candidate_that_a_format_cannot_say_is_left_out_with_a_note(benchmark: Benchmark, tmp_path: Path, name: str) -> None:
    outside = candidate("sum", 2, (Edit(path="other.py", text="x"),))
    good = samples(benchmark)[0]
    notes = FORMATS[name].write([good, JudgedCandidate(candidate=outside)], benchmark, tmp_path / PLACES[name])
    assert notes[0].startswith("bug sum, rank 2: left out, since it changes or deletes files besides main.py: other.py")
    with pytest.raises(UserError, match="this format can say none of the candidates"):
        FORMATS[name].write([JudgedCandidate(candidate=outside)], benchmark, tmp_path / "none.json")
    assert not (tmp_path / "none.json").exists()


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Edit(path="main.py", text=PROGRAM), "it changes nothing, which a diff cannot say"),
        (Edit(path="main.py", text=PROGRAM.replace("\n", "\r\n")), "a diff cannot say its line endings"),
        (Edit(path="empty.py", text=""), "it changes nothing"),
    ],
)
def test_what_a_diff_cannot_say_is_left_out_with_a_note(benchmark: Benchmark, tmp_path: Path, edit: Edit, reason: str) -> None:
    mine = [samples(benchmark)[0], JudgedCandidate(candidate=candidate("sum", 2, (edit,)))]
    notes = FORMATS["diffs"].write(mine, benchmark, tmp_path / "d")
    assert notes[0].startswith(f"bug sum, rank 2: left out, since {reason}")


def test_a_change_outside_the_function_is_left_out_of_functions(benchmark: Benchmark, tmp_path: Path) -> None:
    mine = [samples(benchmark)[0], JudgedCandidate(candidate=candidate("sum", 2, (Edit(path="main.py", text="print(3)"),)))]
    notes = FORMATS["npr4j-patches"].write(mine, benchmark, tmp_path / "c.patches")
    assert notes == ("bug sum, rank 2: left out, since it changes main.py outside of total",)


def test_an_answer_that_could_not_be_read_is_written_as_an_empty_one(benchmark: Benchmark, tmp_path: Path) -> None:
    prose = builders.candidate("sum", problem="it is prose", answer="I am sorry")
    notes = FORMATS["swebench"].write([JudgedCandidate(candidate=prose)], benchmark, tmp_path / "c.jsonl")
    assert notes == ("bug sum, rank 1: written as an empty answer, since it is prose",)
    assert read("swebench", tmp_path / "c.jsonl", benchmark)[0][0].candidate.problem == "the answer is empty"


def test_undecided_has_no_evaluation_in_repairbench(benchmark: Benchmark, tmp_path: Path) -> None:
    one, two = (
        dataclasses.replace(item, verdict=verdict)
        for item, verdict in zip(samples(benchmark), (Verdict.UNDECIDED, Verdict.WRONG), strict=False)
    )
    FORMATS["repairbench"].write([one, two], benchmark, tmp_path / "c.jsonl")
    found, _ = read("repairbench", tmp_path / "c.jsonl", benchmark)
    assert [item.known.word if item.known else None for item in found] == [None, "fail"]


def test_a_file_that_would_be_read_as_a_function_is_left_out_of_evalplus(benchmark: Benchmark, tmp_path: Path) -> None:
    alone = candidate("sum", 2, (Edit(path="main.py", text=FUNCTIONS["sum"][0]),))
    notes = FORMATS["evalplus"].write([samples(benchmark)[0], JudgedCandidate(candidate=alone)], benchmark, tmp_path / "c.jsonl")
    assert "would be read as the function" in notes[0]


def test_files_that_are_created_and_deleted_survive_in_diffs(benchmark: Benchmark, tmp_path: Path) -> None:
    edits = (Edit(path="shop/new.py", text="a = 1\n"), Edit(path="shop/cart.py", text=None))
    for name in ("diffs", "swebench", "repairlab"):
        FORMATS[name].write([JudgedCandidate(candidate=candidate("shop", 1, edits))], benchmark, tmp_path / name)
        after, _ = read(name, tmp_path / name, benchmark)
        assert new_tree(after[0].candidate, benchmark) == {"shop/new.py": "a = 1\n", "shop/cart.py": None}
    notes = FORMATS["npr4j-patchinfo"].write(
        [samples(benchmark)[0], JudgedCandidate(candidate=candidate("shop", 1, edits))], benchmark, tmp_path / "p"
    )
    assert "it deletes a file" in notes[0]
    with pytest.raises(UserError, match="this format can say none"):
        FORMATS["npr4j-patchinfo"].write([JudgedCandidate(candidate=candidate("shop", 1, edits))], benchmark, tmp_path / "q")


def test_nothing_that_exists_is_overwritten(benchmark: Benchmark, tmp_path: Path) -> None:
    for name in FORMATS:
        path = tmp_path / name
        path.mkdir()
        (path / "x").write_text("mine")
        one = JudgedCandidate(candidate=samples(benchmark)[0].candidate, verdict=Verdict.PLAUSIBLE)
        with pytest.raises(UserError, match="exists"):
            FORMATS[name].write([one], benchmark, path)
        assert (path / "x").read_text() == "mine"


lines = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8), max_size=4)
texts = lines.map("\n".join)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.parametrize("name", ["repairlab", "npr4j-patches", "nl2fix", "repairbench", "clm", "fixeval", "swebench", "diffs"])
def test_any_text_survives(benchmark: Benchmark, tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    bug = benchmark.bug(data.draw(st.sampled_from(["gcd", "Csv-4", "half"])))
    found = data.draw(st.lists(texts, min_size=1, max_size=3))
    before = [
        JudgedCandidate(candidate=candidate(bug.id, rank, (Edit(path=bug.problem.path, text=text, span=bug.problem.target.span),)))
        for rank, text in enumerate(found, start=1)
    ]
    path = tmp_path_factory.mktemp("any") / PLACES[name]
    try:
        notes = FORMATS[name].write(before, benchmark, path)
    except UserError as error:
        assert name in ("swebench", "diffs") and "can say none" in str(error)
        return
    kept = [sample for sample in before if not any(f"rank {sample.candidate.rank}: left out" in note for note in notes)]
    after, errors = read(name, path, benchmark)
    assert not errors and len(after) == len(kept)
    for sample, again in zip(kept, after, strict=True):
        text = sample.candidate.edits[0].text or ""
        if again.candidate.problem is None:
            assert new_tree(again.candidate, benchmark) == new_tree(sample.candidate, benchmark)
        else:  # formats of functions cannot tell an empty function from no answer, nor code from a fenced answer
            assert not text.strip() or ("```" in text and name == "repairbench")


edit = st.builds(
    lambda start, size, text: Edit(path="main.py", text=text, span=Span(start=start, end=min(start + size, len(PROGRAM)))),
    st.integers(0, len(PROGRAM)),
    st.integers(0, 20),
    texts,
)
origins = st.builds(
    Origin,
    repairer=st.text(min_size=1, max_size=5),
    model=st.none() | st.text(min_size=1, max_size=5),
    settings=st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=2).map(tuple),
    seed=st.none() | st.integers(1, 9),
    tokens_in=st.integers(0, 9),
    cost_usd=st.floats(0, 1),
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(edit, min_size=1, max_size=3).map(tuple), origin=origins, problem=st.none() | st.text(max_size=5))
def test_our_own_form_loses_nothing(
    benchmark: Benchmark, tmp_path_factory: pytest.TempPathFactory, edits: tuple[Edit, ...], origin: Origin, problem: str | None
) -> None:
    made = Candidate(
        bug_id="sum",
        edits=edits if problem is None else (),
        rank=1,
        origin=origin,
        problem=problem,
        answer=None if problem is None else "prose",
    )
    path = tmp_path_factory.mktemp("own") / "c.jsonl"
    FORMATS["repairlab"].write([JudgedCandidate(candidate=made, verdict=Verdict.CRASH)], benchmark, path)
    after, errors = read("repairlab", path, benchmark)
    assert not errors and after[0].candidate == made
    assert after[0].known is not None and after[0].known.verdicts == (Verdict.CRASH,)
