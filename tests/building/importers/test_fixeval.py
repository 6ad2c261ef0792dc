"""FixEval's tokens become programs again."""

import json
from collections import Counter
from typing import Any

import pytest

from repairlab.building.importers.codenet import letters
from repairlab.building.importers.fixeval import program_of
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv
from repairlab.validation.machine import Machine
from tests.published import DATA

pytestmark = pytest.mark.imports

SAMPLE, LISTED = DATA / "fixeval" / "sample_split_records.json", DATA / "fixeval" / "problem_list.csv"
WRONG = "n = int ( input ( ) ) NEW_LINE if n > 0 : NEW_LINE INDENT print ( n ) NEW_LINE DEDENT print ( 'end' ) NEW_LINE"
PYTHON = {
    "src_id": "p00001_s1",
    "src": WRONG.split(),
    "src_verdict": "Wrong Answer",
    "tgt": WRONG.replace("( n )", "( 2 * n )").split(),
    "tgt_id": "p00001_s2",
}
JAVA_TEXT = "class Main { public static void main ( String [ ] a ) { System . out . println ( {} ) ; } }"
JAVA = {
    "src_id": "p00001_s3",
    "src": [*JAVA_TEXT.split("{}", maxsplit=1)[0].split(), '" 4 STRNEWLINE end ▁ "', *JAVA_TEXT.split("{}")[1].split()],
    "src_verdict": "Runtime Error",
    "tgt": [*JAVA_TEXT.split("{}", maxsplit=1)[0].split(), '" 4 \\n end "', *JAVA_TEXT.split("{}")[1].split()],
    "tgt_id": "p00001_s4",
}
FILES = {"tests/p00001/in/a": "2\n", "tests/p00001/out/a": "4\nend\n"}


@pytest.mark.timeout(300)
def test_pairs_are_healthy(importing: Any, machine: Machine) -> None:
    state = {**PYTHON, "src_id": "p00001_s9", "src_verdict": "Judge Not Available"}
    importing.write({**FILES, "split.jsonl": json.dumps([PYTHON, state])})
    made = importing.run("fixeval", "split.jsonl", "tests")
    assert made.bugs == ("p00001-s1",)
    assert [(bug.id, "state of the judge" in bug.reason) for bug in made.dropped] == [("p00001-s9", True)]
    bug = importing.benchmark[0]
    assert bug.oracle.cases[0].checker.absolute == 1e-6 and bug.oracle.limits.cpu_s == 15.0
    assert importing.problems(machine) == {"p00001-s1": ()}


def test_java_is_recognised_and_the_tolerance_may_be_the_papers(importing: Any) -> None:
    titles = "id,name\np00001,Some Contest - Two\n"
    importing.write({**FILES, "split.jsonl": json.dumps(JAVA) + "\n", "problem_list.csv": titles})
    importing.run("fixeval", "split.jsonl", "tests", "problem_list.csv", checker="float-1e-8")
    bug = importing.benchmark[0]
    assert bug.problem.language == "java" and bug.oracle.cases[0].checker.absolute == 1e-8
    assert 'System . out . println ( "4\nend " )' in bug.problem.source
    assert bug.problem.title.startswith("Some Contest - Two")


def test_a_walrus_that_was_taken_apart_is_put_together() -> None:
    assert program_of(
        "python",
        ["if", "(", "j", ":", "=", "d", "[", "s", "]", ")", ":", "NEW_LINE", "INDENT", "x", "[", ":", "]", "=", "1", "NEW_LINE"],
    ) == ("if ( j := d [ s ] ) :\n    x [ : ] = 1\n")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({**PYTHON, "src": "print"}, "line 1: the field 'src' should be a list"),
        ({**PYTHON, "src": [1]}, "line 1: the field 'src' should be a list of strings"),
        ({**PYTHON, "src_id": "17"}, "line 1: the field 'src_id' should look like"),
        ({**PYTHON, "src_verdict": "Perhaps"}, "line 1: unknown status 'Perhaps'"),
        ({**PYTHON, "src_id": "p00007_s1"}, "no test cases for p00007"),
    ],
)
def test_a_wrong_entry_is_told_with_line_and_field(importing: Any, entry: dict[str, Any], message: str) -> None:
    importing.write({**FILES, "split.jsonl": json.dumps(entry) + "\n"})
    with pytest.raises(UserError, match=message):
        importing.run("fixeval", "split.jsonl", "tests")


def test_an_unknown_checker_is_an_error(importing: Any) -> None:
    importing.write({**FILES, "split.jsonl": json.dumps(PYTHON) + "\n"})
    with pytest.raises(UserError, match="unknown checker 'fuzzy'"):
        importing.run("fixeval", "split.jsonl", "tests", checker="fuzzy")


@pytest.mark.skipif(not SAMPLE.is_file(), reason="the published sample is not here")
def test_the_published_records_are_valid_programs() -> None:
    for entry in json.loads(SAMPLE.read_text(encoding="utf-8")):
        for side in ("src", "tgt"):
            compile(program_of("python", entry[side]), side, "exec")


@pytest.mark.skipif(not LISTED.is_file(), reason="the published list is not here")
def test_the_published_list_gives_tasks_their_letters() -> None:
    names = {row["id"]: row["name"] for _, row in read_csv(LISTED, ("id", "name"))}
    found = letters(names)
    assert found["p02684"] == "D", "AtCoder Beginner Contest 167 - Teleporter"
    regular = Counter(found[name] for name, title in names.items() if title.startswith("AtCoder Regular"))
    assert regular == Counter(dict.fromkeys("CDEF", 46)), "they share C and D with a beginners' contest, in which these are last"
