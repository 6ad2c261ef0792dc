import json
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import UserError
from repairlab.study.external_candidates import ExternalCandidates, read_external_candidates


def read(tiny: Path, *lines: object) -> ExternalCandidates:
    file = tiny.parent / "candidates.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return read_external_candidates(file, open_benchmark(str(tiny)))


def test_functions_files_patches_and_edits_are_understood(tiny: Path) -> None:
    patch = (tiny / "bugs/sum/fix.patch").read_text()
    span = {"start": 0, "end": 3}
    given = read(
        tiny,
        {"bug": "sum", "function": "def total(numbers):\n    return sum(numbers)"},
        {"bug": "tiny/sum", "file": "print(3)"},
        {"bug": "sum", "patch": patch, "model": "m"},
        "",
        {"bug": "sum", "edits": [{"path": "main.py", "text": "DEF", "span": span}]},
    )
    assert given.errors == ()
    one, two, three, four = given.candidates["sum"]
    assert [item.rank for item in (one, two, three, four)] == [1, 2, 3, 4]
    assert one.edits[0].span is not None and two.edits[0].span is None
    assert three.origin.model == "m" and three.edits[0].text == "    result = 0\n"
    assert four.edits[0].text == "DEF"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not valid JSON"),
        ("[]", "line 2: it should be an object, not a list"),
        ('{"function": "x"}', "line 2: the key 'bug' must be there"),
        ('{"bug": "shop", "edits": "x"}', "line 2: edits"),
        ("[" * 100_000, "line 2: not valid JSON"),
        ('{"bug": "smu", "function": "x"}', "line 2: unknown bug of tiny 'smu'"),
        ('{"bug": "sum"}', "line 2: exactly one of function, file, patch, edits, answer, text is needed, found none"),
        ('{"bug": "sum", "file": "x", "patch": "y"}', "found file, patch"),
        ('{"bug": "sum", "fiel": "x"}', "unknown key 'fiel'"),
        ('{"bug": "sum", "file": 3}', "should be text, not a whole number"),
        ('{"bug": "sum", "edits": [{"path": 3}]}', "line 2: edits"),
    ],
)
def test_a_malformed_line_is_named_and_the_others_count(tiny: Path, line: str, message: str) -> None:
    given = read(tiny, {"bug": "sum", "file": "print(3)"}, line)
    assert {bug: len(found) for bug, found in given.candidates.items()} == {"sum": 1}
    assert message in given.errors[0]


def test_an_answer_that_cannot_be_used_is_a_candidate_that_does_not_apply(tiny: Path) -> None:
    empty, prose = read(tiny, {"bug": "sum", "function": " \n"}, {"bug": "sum", "patch": "I am sorry"}).candidates["sum"]
    assert (empty.problem, empty.edits) == ("the answer is empty", ())
    assert prose.problem is not None and "no unified diff" in prose.problem and prose.answer == "I am sorry"


def test_a_file_without_any_candidate_is_an_error(tiny: Path) -> None:
    with pytest.raises(UserError, match="line 1: not valid JSON"):
        read(tiny, "{")
    with pytest.raises(UserError, match="holds no usable candidate"):
        read(tiny, "")
    with pytest.raises(UserError, match="No such file"):
        read_external_candidates(tiny / "none", open_benchmark(str(tiny)))
