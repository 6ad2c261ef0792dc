import json
import re
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.formats.table import RESULT_FORMATS, recognise_results, result_format
from repairlab.metrics.published import DatasetStatistics, PublishedResults, PublishedVerdict

DATA = Path(__file__).parent / "data"
CLM = {
    "config": "x",
    "data": {"GCD": {"loc": "1-2", "output": [{"patch": "a", "correctness": "wrong"}, {"correctness": "plausible"}]}},
}
BUG = {
    "commit_after": "ab",
    "type": {"name": "x", "id": "A.2", "type": "bug"},
    "files": {"src0_location": {"line_is_single": False, "hunk_is_single": True}},
}
NL2FIX = {
    "Cli_4_src/A_B.java_3_9": {
        "src": "int f() {\n  return 1;\n}",
        "fixed_src": "int f() {\n  check();\n  return 2;\n}",
        "src_wo_comments": "int f ( ) { return 1 ; }",
        "fixed_src_wo_comments": "int f ( ) { check ( ) ; return 2 ; }",
        "summary": "f() is wrong!",
        "Description": None,
    }
}


def results_of(name: str, *paths: Path) -> PublishedResults:
    found = result_format(name).read_results(paths)
    assert isinstance(found, PublishedResults)
    return found


def statistics_of(name: str, *paths: Path) -> DatasetStatistics:
    found = result_format(name).read_results(paths)
    assert isinstance(found, DatasetStatistics)
    return found


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_npr4j_takes_text_ranks_both_names_of_the_system_and_bugs_without_a_patch() -> None:
    found = results_of("npr4j", DATA / "all_result.json")
    assert found.systems == ("Alpha", "beta", "Gamma")
    assert found.bugs == ("defects4j/Lang-1", "defects4j/Lang-2", "defects4j/Math-3", "quixbugs/sieve", "bears/Bears-5")
    assert {(item.rank, item.written) for item in found.outcomes if item.written} == {(101, "101"), (12, "12"), (11, "11")}
    assert found.count == "correct"


def test_repeated_and_contradictory_verdicts_are_reported() -> None:
    notes = "\n".join(results_of("npr4j", DATA / "all_result.json").notes)
    assert "3 ranks are written as text" in notes
    assert "2 candidates (system, bug, rank) listed more than once" in notes
    assert notes.count("contradiction") == 1
    assert "contradiction: Alpha, defects4j/Lang-2, rank 1 is correct and rejected" in notes


def test_apr_fixes_have_no_ranks_and_the_bug_names_of_other_formats() -> None:
    found = results_of("apr-fixes", DATA / "APR_fixes_all.json")
    assert {(item.system, item.bug, item.rank, item.verdict) for item in found.outcomes} == {
        ("Old", "defects4j/Lang-1", None, PublishedVerdict.CORRECT),
        ("Old", "defects4j/Math-3", None, PublishedVerdict.CORRECT),
        ("Old", "defects4j/Chart-9", None, PublishedVerdict.CORRECT),
        ("Old", "defects4j/Lang-2", None, PublishedVerdict.REJECTED),
        ("Older", "defects4j/Math-3", None, PublishedVerdict.REJECTED),
    }


def test_clm_files_are_named_by_model_and_benchmark(tmp_path: Path) -> None:
    one = write(tmp_path / "quixbugs" / "small_validate.json", CLM)
    located = {"config": "x", "data": {"Lang_5_src/A.java_3-4": {"output": [{"correctness": None}, {"correctness": "timeout"}]}}}
    other = write(tmp_path / "defects4j" / "small_validate.json", located)
    found = results_of("clm", one.parent, other)
    assert [(item.system, item.bug, item.rank, item.verdict) for item in found.outcomes] == [
        ("small", "quixbugs/GCD", 1, PublishedVerdict.WRONG),
        ("small", "quixbugs/GCD", 2, PublishedVerdict.PLAUSIBLE),
        ("small", "defects4j/Lang-5", 1, PublishedVerdict.UNDECIDED),
        ("small", "defects4j/Lang-5", 2, PublishedVerdict.TIMEOUT),
    ]
    assert found.count == "plausible"


def verdicts(*patches: dict[str, Any]) -> dict[str, Any]:
    return {"Compress_34_src/X7875_NewUnix.java_10_20": {"patches": list(patches)}}


@pytest.mark.parametrize(("first", "ranks"), [(0, [1, 3]), (1, [1, 3])])
def test_nl2fix_ranks_begin_with_1_whatever_the_index_begins_with(tmp_path: Path, first: int, ranks: list[int]) -> None:
    entry = verdicts(
        {"index": first, "correctness": "wrong"}, {"index": first + 2, "correctness": "plausible", "failing_relevant": 0}
    )
    found = results_of("nl2fix", write(tmp_path / "model" / "Compress_34-validated.jsonl", entry).parent)
    assert [item.rank for item in found.outcomes] == ranks
    assert {(item.system, item.bug) for item in found.outcomes} == {("model", "defects4j/Compress-34")}


def test_nl2fix_calls_a_patch_wrong_that_fails_a_relevant_test(tmp_path: Path) -> None:
    entry = verdicts(
        {"index": 1, "correctness": "plausible", "failing_relevant": 2},
        {"index": 2, "correctness": "plausible"},
        {"index": 3, "correctness": "init-error"},
        {"index": 4, "correctness": None},
    )
    found = results_of("nl2fix", write(tmp_path / "Compress_34-validated.jsonl", entry))
    assert [item.verdict for item in found.outcomes] == [
        PublishedVerdict.WRONG,
        PublishedVerdict.PLAUSIBLE,
        PublishedVerdict.UNDECIDED,
        PublishedVerdict.UNDECIDED,
    ]


def test_nl2fix_statistics_measure_fix_and_issue(tmp_path: Path) -> None:
    table = statistics_of("nl2fix", write(tmp_path / "dataset.json", NL2FIX)).tables[0]
    # One hunk: line 2 becomes two lines. Tokens: "check ( ) ;" put in, 1 replaced by 2. Title: f () is wrong !
    assert table.by_row == {"Cli": (1, 1, 1.0, 2.0, 5.0, 5.0, 0.0), "Overall": (1, 1, 1.0, 2.0, 5.0, 5.0, 0.0)}


def test_defects4c_counts_labels_and_locations(tmp_path: Path) -> None:
    bugs = write(tmp_path / "bugs.csv", "project,sha8,commit_url,status,label\na,1,u,1,A.1\nb,2,u,2,A.1\nc,3,u,1,D.2\n")
    flaws = write(tmp_path / "flaws.csv", "cve,commit_url,vul,label\nCVE-1,u,1,C.3\nCVE-2,u,Duplicate,C.3\nCVE-3,u,1,\n")
    found = statistics_of("defects4c", bugs, flaws)
    rows = {name: cells for name, cells in found.tables[0].by_row.items() if any(cells)}
    assert rows == {"A.1": (2, 0, 2), "C.3": (0, 1, 1), "D.2": (1, 0, 1), "no label": (0, 1, 1), "all": (3, 2, 5)}
    assert "1 of 3 rows are not marked 1" in found.notes[0]

    cve = BUG | {"type": {"name": "CVE-1", "id": "CVE-1", "type": "cve"}}
    write(tmp_path / "projects" / "a___b" / "bugs_list_new.json", [BUG, cve])
    records = statistics_of("defects4c", tmp_path / "projects")
    assert records.tables[1].by_row["hunk"] == (1, 1, 2)


def test_formats_are_recognised(tmp_path: Path) -> None:
    cases = {
        "npr4j": DATA / "all_result.json",
        "apr-fixes": DATA / "APR_fixes_all.json",
        "clm": write(tmp_path / "q" / "a_validate.json", json.dumps(CLM, indent=2)),
        "nl2fix": write(tmp_path / "d.json", json.dumps(NL2FIX, indent=4)),
        "swebench": write(tmp_path / "m.first.json", json.dumps(report_of(resolved=["a__a-1"]), indent=4)),
        "defects4c": write(tmp_path / "p" / "x" / "bugs_list_new.json", [BUG]),
    }
    assert cases.keys() == RESULT_FORMATS.keys()
    assert {name: recognise_results(path) for name, path in cases.items()} == {name: name for name in cases}
    assert recognise_results(tmp_path / "q") == "clm"
    assert recognise_results(tmp_path / "p") == "defects4c"
    assert recognise_results(write(tmp_path / "v" / "Cli_1-validated.jsonl", verdicts()).parent) == "nl2fix"
    with pytest.raises(UserError, match="the format is not obvious"):
        recognise_results(write(tmp_path / "foreign.json", '{"a": 1}'))


ENTRY = {"accepted": [{"sys": "A", "index": 1}], "rejected": []}
BAD: list[tuple[str, str, Any, str]] = [
    ("npr4j", "a.json", '{"b<SEP>c": {"accepted": [\n', "a.json, line 2: not valid JSON"),
    ("npr4j", "a.json", [], "the file should be an object, not a list"),
    ("npr4j", "a.json", {"Time-4": ENTRY}, "entry 'Time-4': the key should be BENCHMARK<SEP>BUG"),
    ("npr4j", "a.json", {"d<SEP>b": []}, "entry 'd<SEP>b': it should be an object"),
    ("npr4j", "a.json", {"d<SEP>b": {"accepted": []}}, "the field 'rejected' is missing; found are accepted"),
    ("npr4j", "a.json", {"d<SEP>b": ENTRY | {"maybe": []}}, "unknown field 'maybe'"),
    (
        "npr4j",
        "a.json",
        {"d<SEP>b": ENTRY | {"rejected": [{"index": 1}]}},
        "rejected, item 1: the field 'sys' or 'tool' is missing",
    ),
    ("npr4j", "a.json", {"d<SEP>b": ENTRY | {"rejected": [{"sys": "A"}]}}, "the field 'index' is missing"),
    (
        "npr4j",
        "a.json",
        {"d<SEP>b": ENTRY | {"rejected": [{"sys": "A", "index": "1a"}]}},
        "'index' should be a whole number, not text: '1a'",
    ),
    (
        "npr4j",
        "a.json",
        {"d<SEP>b": ENTRY | {"rejected": [{"sys": "A", "index": True}]}},
        "'index' should be a whole number, not true",
    ),
    ("npr4j", "a.json", {"d<SEP>b": ENTRY | {"rejected": [{"sys": "A", "index": 0}]}}, "ranks begin with 1"),
    ("npr4j", "a.json", {"d<SEP>b": ENTRY | {"rejected": [{"sys": "A", "index": "9" * 5000}]}}, "'index' should be a whole number"),
    ("npr4j", "a.json", '{"d<SEP>b": ' + "9" * 5000 + "}", "not valid JSON"),
    ("npr4j", "a.json", "[" * 100000, "not valid JSON"),
    ("npr4j", "a.json", '{"d<SEP>b": {"accepted": [], "rejected": []}, "d<SEP>b": {}}', "the key 'd<SEP>b' twice"),
    ("npr4j", "a.json", "\ufffe\x00", "not valid JSON"),
    ("apr-fixes", "a.json", {"T": {"correct": ["Lang 1"], "overfit": []}}, "correct, item 1: 'Lang 1' is no bug of Defects4J"),
    ("apr-fixes", "a.json", {"T": {"correct": [1], "overfit": []}}, "should be text, not a whole number"),
    ("apr-fixes", "a.json", {"T": {"correct": []}}, "the field 'overfit' is missing"),
    ("apr-fixes", "a.json", {"T": {"correct": [], "overfit": [], "x": 1}}, "unknown field 'x'"),
    ("clm", "a.json", {"config": "x"}, "the field 'data' is missing"),
    ("clm", "a.json", {"data": {"GCD": 1}}, "entry 'GCD': it should be an object"),
    (
        "clm",
        "a.json",
        {"data": {"GCD": {"output": [{"correctness": "good"}]}}},
        "item 1: the field 'correctness' is 'good'; known are",
    ),
    ("clm", "a.json", {"data": {"GCD": {"output": [{}]}}}, "the field 'correctness' is missing"),
    ("nl2fix", "a.jsonl", '{"x": 1}', "line 1, entry 'x': the key should be PROJECT_BUG_PATH_FIRST_LAST"),
    ("nl2fix", "a.jsonl", "\n{}\n{", "a.jsonl, line 3: not valid JSON"),
    ("nl2fix", "a.jsonl", json.dumps(verdicts({"correctness": "wrong"})), "item 1: the field 'index' is missing"),
    ("nl2fix", "a.jsonl", json.dumps(verdicts({"index": -1, "correctness": "wrong"})), "'index' is -1"),
    ("nl2fix", "a.json", {"Cli_4": {}}, "the key should be PROJECT_BUG_PATH_FIRST_LAST"),
    ("nl2fix", "a.json", {"Cli_4_a_1_2": {"src": ""}}, "entry 'Cli_4_a_1_2': the field 'fixed_src' is missing"),
    ("nl2fix", "a.json", {}, "has no bugs"),
    ("defects4c", "a.csv", "project,label\nx,A.1\n", "line 1: the columns status are missing"),
    ("defects4c", "a.csv", "project,status,label\nx,1,Z\n", "line 2: the column 'label' is 'Z'"),
    ("defects4c", "a.csv", "project,status,label\nx\n", "line 2: the row is too short"),
    ("defects4c", "a.json", [BUG | {"type": {"type": "bug", "id": "Q"}}], "item 1: the field 'type.id' is 'Q'"),
    ("defects4c", "a.json", [BUG | {"files": {}}], "the field 'src0_location' is missing"),
]


@pytest.mark.parametrize(("name", "file", "content", "message"), BAD)
def test_a_bad_file_is_one_message_with_file_place_and_field(
    name: str, file: str, content: Any, message: str, tmp_path: Path
) -> None:
    path = write(tmp_path / file, content)
    with pytest.raises(UserError) as error:
        result_format(name).read_results([path])
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_a_file_of_other_bytes_or_none_at_all_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not UTF-8"):
        result_format("npr4j").read_results([path])
    with pytest.raises(UserError, match="is missing"):
        result_format("npr4j").read_results([tmp_path / "none.json"])
    with pytest.raises(UserError, match="has no file"):
        result_format("clm").read_results([tmp_path])
    with pytest.raises(UserError, match="give the dataset alone"):
        result_format("nl2fix").read_results([path, tmp_path / "x-validated.jsonl"])


def report_of(**lists: list[str]) -> dict[str, Any]:
    return {
        "schema_version": 2,
        "resolved_ids": [],
        "submitted_ids": sorted({name for names in lists.values() for name in names}),
    } | {f"{kind}_ids": names for kind, names in lists.items()}


def test_reports_of_swebench_say_what_is_resolved(tmp_path: Path) -> None:
    report = report_of(resolved=["a__a-1"], unresolved=["a__a-2"], empty_patch=["a__a-3"], error=["a__a-4", "a__a-5"])
    path = write(tmp_path / "some__model.first.json", {**report, "infra_failure_ids": ["a__a-5"], "incomplete_ids": ["a__a-6"]})
    assert recognise_results(path) == "swebench"
    found = results_of("swebench", path)
    assert {(item.bug, item.verdict) for item in found.outcomes} == {
        ("swebench/a__a-1", PublishedVerdict.PLAUSIBLE),
        ("swebench/a__a-2", PublishedVerdict.WRONG),
        ("swebench/a__a-3", PublishedVerdict.UNCOMPILABLE),
        ("swebench/a__a-4", PublishedVerdict.WRONG),
        ("swebench/a__a-5", PublishedVerdict.UNDECIDED),
    }
    assert found.systems == ("some/model.first",) and "swebench/a__a-6" in found.bugs
    assert "2 instances ended with an error" in found.notes[0]


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (report_of(resolved=["a"], unresolved=["a"]), "a is both in resolved_ids and in unresolved_ids"),
        ({"resolved_ids": ["a"], "submitted_ids": ["a", "b"]}, "b is in submitted_ids, but in none of resolved_ids"),
        ({"resolved_ids": 3, "submitted_ids": []}, "'resolved_ids' should be a list"),
        ({"resolved_ids": [3], "submitted_ids": []}, "an item of 'resolved_ids' should be text"),
        ({"resolved_ids": []}, "'submitted_ids' is missing"),
        ({"resolved_ids": [], "submitted_ids": [], "benchmark": 1}, "'benchmark' should be text"),
    ],
)
def test_reports_of_swebench_that_contradict_themselves_are_refused(tmp_path: Path, report: Any, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        results_of("swebench", write(tmp_path / "r.json", report))
