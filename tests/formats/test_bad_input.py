"""What is wrong with one entry is said with file, entry and field; the other entries count; nothing readable is an error."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.errors import HarnessError, UserError
from repairlab.formats.table import recognise
from repairlab.study.external_candidates import read_external_candidates
from tests.formats.conftest import COMMIT
from tests.formats.test_reading import DIFF, METHOD, clm_entry

OUT = {"patch": "return 0;", "correctness": "wrong"}


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("repairlab", {"bug": "sum", "verdict": "OK", "file": "x"}, "line 2: unknown verdict 'OK'"),
        ("repairlab", {"bug": "sum", "origin": {"x": 1}, "file": "x"}, "line 2: origin: unknown key 'x'"),
        ("swebench", {"instance_id": "sum"}, "line 2: the field 'model_patch' is missing"),
        ("swebench", {"instance_id": "nope", "model_patch": DIFF}, "line 2: unknown bug of tiny 'nope'"),
        (
            "swebench",
            {"instance_id": "sum", "model_patch": 3},
            "line 2: the field 'model_patch' should be text, not a whole number: '3'",
        ),
        ("evalplus", {"task_id": "sum"}, "line 2: the field 'solution' or 'completion' is missing"),
        ("evalplus", {"solution": "x"}, "line 2: the field 'task_id' is missing"),
        ("repairbench", {"identifier": "gcd", "generation": [{"odd": 1}]}, "line 2: generation: a reply with odd is not known"),
        ("repairbench", {"identifier": "gcd", "generation": [{"choices": [{}]}]}, "line 2: generation: the reply is not complete"),
        ("repairbench", {"identifier": "gcd", "evaluation": {"a": 1}}, "line 2: evaluation should be a list, not an object"),
        ("nl2fix", {"gcd": {"patches": [{"index": 1}]}}, "line 2, entry 'gcd': the field 'patch' is missing"),
        ("nl2fix", {"gcd": {"patches": "x"}}, "line 2, entry 'gcd': the field 'patches' should be a list"),
        ("nl2fix", {"nope": {"patches": []}}, "line 2, entry 'nope': unknown bug"),
        ("fixeval", {"src_id": "sum", "generations": [[1]]}, "line 2: a token of generations should be text, not a whole number"),
        ("fixeval", {"src_id": "sum"}, "line 2: the field 'generations' is missing"),
    ],
)
def test_a_bad_line_is_named_and_the_others_count(benchmark: Benchmark, tmp_path: Path, name: str, bad: Any, message: str) -> None:
    good = {
        "repairlab": {"bug": "sum", "file": "x"},
        "swebench": {"instance_id": "sum", "model_patch": DIFF},
        "evalplus": {"task_id": "sum", "solution": "x"},
        "repairbench": {"identifier": "gcd", "generation": [METHOD]},
        "nl2fix": {"gcd": {"patches": [{"patch": METHOD, "index": 0}]}},
        "fixeval": {"src_id": "sum", "generations": ["x"]},
    }[name]
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join([json.dumps(good), json.dumps(bad), "{", "[]", json.dumps(good)]))
    given = read_external_candidates(path, benchmark, name)
    assert given.format == recognise(path) == name
    assert sum(map(len, given.candidates.values())) == 2
    assert given.errors[0].startswith(f"c.jsonl, {message}"), given.errors[0]
    assert "line 3: not valid JSON" in given.errors[1] and "line 4: it should be an object, not a list" in given.errors[2]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "swebench",
            [{"instance_id": "sum", "model_patch": DIFF}, 3],
            "c.json, entry 2: it should be an object, not a whole number",
        ),
        ("swebench", {"sum": DIFF, "shop": 3}, "c.json, entry 'shop': it should be an object, not a whole number"),
        (
            "nl2fix",
            {"gcd": {"patches": [{"patch": METHOD}]}, "half": []},
            "c.json, entry 'half': it should be an object, not a list",
        ),
        ("npr4j-patches", {"gcd": {"1": METHOD}, "half": {"one": "x"}}, "c.json, entry 'half': 'one' is no rank"),
        ("npr4j-patches", {"gcd": {"1": METHOD}, "half": {"1": 3}}, "c.json, entry 'half': rank 1 should be text"),
        (
            "fixeval",
            [{"src_id": "sum", "generations": ["x"]}, {}],
            "c.json, entry 2: the field 'src_id' is missing; found are none",
        ),
        ("clm", {"config": "finetune", "data": {"gcd": clm_entry(OUT), "half": {"output": []}}}, "entry 'half': the field 'input'"),
        (
            "clm",
            {"config": "finetune", "data": {"gcd": clm_entry(OUT), "half": {"input": "x", "output": []}}},
            "not between two marks",
        ),
        (
            "clm",
            {"config": "finetune", "data": {"gcd": clm_entry(OUT), "half": clm_entry()}},
            "this function is not in src/half.c of bug half",
        ),
        ("clm", {"config": "finetune", "data": {"gcd": clm_entry(OUT, {"patch": 3})}}, "the field 'patch' should be text"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_count(
    benchmark: Benchmark, tmp_path: Path, name: str, value: Any, message: str
) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(value, indent=1))
    given = read_external_candidates(path, benchmark, name)
    assert sum(map(len, given.candidates.values())) == 1
    assert message in given.errors[0]


@pytest.mark.parametrize(
    ("file", "name", "message"),
    [
        (f"{'a' * 32}@{COMMIT}___other.c", "defects4c", "the file to fix of bug half is src/half.c, not other.c"),
        (f"{'a' * 32}@{'0' * 40}___half.c", "defects4c", "1 entry names no bug of tiny: '0000"),
        ("a@b___c", "defects4c", "the name is not MD5@COMMIT___FILE"),
        ("nope.diff", "diffs", "1 entry names no bug of tiny: 'nope'"),
        ("nope/1.py", "evalplus", "1 entry names no bug of tiny: 'nope'"),
    ],
)
def test_a_bad_file_of_a_folder_is_named(benchmark: Benchmark, tmp_path: Path, file: str, name: str, message: str) -> None:
    (tmp_path / "c" / file).parent.mkdir(parents=True)
    (tmp_path / "c" / file).write_text("x")
    with pytest.raises((UserError, HarnessError)) as caught:
        read_external_candidates(tmp_path / "c", benchmark, name)
    assert message in str(caught.value)
    assert isinstance(caught.value, HarnessError) == (message.startswith("1 entry names no bug of tiny"))


def test_bytes_that_are_no_text_are_named(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "sum.diff").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"sum\.diff is not UTF-8 text"):
        read_external_candidates(tmp_path / "sum.diff", benchmark)


@pytest.mark.parametrize("name", ["swebench", "nl2fix", "npr4j-patches", "npr4j-patchinfo", "fixeval", "clm"])
@pytest.mark.parametrize("text", ["{", "[" * 100_000, "3", '"x"', "[]", "{}", "null"])
def test_a_file_of_another_kind_is_an_error(benchmark: Benchmark, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(UserError):
        read_external_candidates(tmp_path / "c.json", benchmark, name)


def test_a_patch_list_that_is_no_json_is_named_among_others(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "a.x.patchinfo.json").write_text("{")
    (tmp_path / "b.x.patchinfo.json").write_text('[{"bug_id": "gcd", "patch_index": 1, "patch_contents": []}]')
    given = read_external_candidates(tmp_path, benchmark)
    assert given.candidates["gcd"][0].problem == "the answer is empty"
    assert given.errors[0].startswith("a.x.patchinfo.json: ") and "not valid JSON" in given.errors[0]


def test_unknown_formats_and_folders_are_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(UserError, match=r"unknown format 'clmm'.*Did you mean 'clm'"):
        read_external_candidates(tmp_path / "x.txt", benchmark, "clmm")
    with pytest.raises(UserError, match="is a folder in no format that is known"):
        read_external_candidates(tmp_path, benchmark)
    with pytest.raises(UserError, match="without the candidates' texts"):
        read_external_candidates(tmp_path / "x.txt", benchmark, "npr4j-results")
    with pytest.raises(UserError, match="No such file"):
        read_external_candidates(tmp_path / "none", benchmark, "diffs")


def test_a_folder_that_may_be_several_formats_is_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "a.x.patchinfo.json").write_text("[]")
    (tmp_path / "b-validated.jsonl").write_text("{}")
    with pytest.raises(UserError, match="may be any of nl2fix, npr4j-patchinfo; say which with --format"):
        read_external_candidates(tmp_path, benchmark)


def test_a_diff_of_a_file_that_is_no_text_does_not_apply(benchmark: Benchmark, mixed: Path, tmp_path: Path) -> None:
    (mixed / "bugs/sum/buggy/main.bin").write_bytes(b"\xff\n")
    (tmp_path / "sum.diff").write_text(DIFF.replace("main.py", "main.bin"))
    problem = read_external_candidates(tmp_path / "sum.diff", benchmark).candidates["sum"][0].problem
    assert problem == "the diff changes 'main.bin', which is not in the tree"


def test_a_diff_cannot_look_outside_the_tree(benchmark: Benchmark, mixed: Path, tmp_path: Path) -> None:
    (mixed / "bugs/sum/secret").write_text("    result = 1\n")
    (tmp_path / "sum.diff").write_text(DIFF.replace("main.py", "../secret"))
    problem = read_external_candidates(tmp_path / "sum.diff", benchmark).candidates["sum"][0].problem
    assert problem == "the diff changes '../secret', which is not in the tree"
