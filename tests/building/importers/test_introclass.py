"""IntroClass: versions of students' programs; the fix is the assignment's own solution."""

import re
from typing import Any

import pytest

from repairlab.building.importers.introclass import _ANSWERS
from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

PROGRAM = '#include <stdio.h>\nint main() {{ int a, b; scanf("%d %d", &a, &b); printf("%d is the smallest\\n", {}); return 0; }}\n'
STUDENT = "0123456789abcdef" * 8
FILES = {
    f"smallest/{STUDENT}/000/smallest.c": PROGRAM.format("a"),
    f"smallest/{STUDENT}/000/metadata.json": "{}",
    f"smallest/{STUDENT}/001/notes.txt": "",
    "smallest/tests/smallest.c": PROGRAM.format("a < b ? a : b"),
    "smallest/tests/blackbox/1.in": "3 2\n",
    "smallest/tests/blackbox/1.out": "2 is the smallest\n",
    "smallest/tests/whitebox/1.in": "1 2\n",
    "smallest/tests/whitebox/1.out": "1 is the smallest\n",
    "bin/tool.py": "",
}


@pytest.mark.timeout(300)
def test_a_version_is_healthy(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    assert importing.run("introclass").bugs == ("smallest-01234567-000",)
    assert importing.benchmark[0].oracle.build.flags[0] == "-O0"
    assert [case.id for case in importing.benchmark[0].oracle.cases] == ["blackbox-1", "whitebox-1"]
    assert importing.problems(machine) == {"smallest-01234567-000": ()}


@pytest.mark.timeout(300)
def test_the_answer_counts_and_not_the_talk_around_it(importing: Any, machine: Machine) -> None:
    talk = PROGRAM.format("a < b ? a : b").replace("%d is", "Give two numbers > %d is")
    twice = PROGRAM.format("a < b ? a : b").replace("return 0", 'printf("%d is the smallest", a)')
    other = {f"smallest/{STUDENT}/002/smallest.c": talk, f"smallest/{STUDENT}/003/smallest.c": twice}
    importing.write({**FILES, **other})
    done = importing.run("introclass", machine=machine)
    assert done.bugs == ("smallest-01234567-000", "smallest-01234567-003")
    assert [(bug.id, bug.reason) for bug in done.dropped] == [("smallest-01234567-002", "the wrong program passes every case (2)")]
    assert set(importing.problems(machine).values()) == {()}


@pytest.mark.timeout(300)
def test_an_expected_output_without_answer_drops_the_version(importing: Any, machine: Machine) -> None:
    importing.write({**FILES, "smallest/tests/whitebox/1.out": "nothing to say\n"})
    with pytest.raises(UserError, match="smallest-01234567-000: the checker failed on case whitebox-1: exit code 3"):
        importing.run("introclass", machine=machine)


def test_a_version_that_passes_all_its_tests_is_no_bug(importing: Any) -> None:
    good = '{"blackbox": {"pass": ["1"], "fail": []}, "whitebox": {"pass": ["1"], "fail": []}}'
    importing.write(
        {**FILES, f"smallest/{STUDENT}/002/smallest.c": PROGRAM.format("b"), f"smallest/{STUDENT}/002/metadata.json": good}
    )
    done = importing.run("introclass")
    assert done.bugs == ("smallest-01234567-000",)
    assert [dropped.reason for dropped in done.dropped] == ["it passes all of its tests, says metadata.json"]


@pytest.mark.parametrize("text", ["[1]", "{", '{"blackbox": 1}'])
def test_metadata_of_another_form_is_told(importing: Any, text: str) -> None:
    importing.write({**FILES, f"smallest/{STUDENT}/000/metadata.json": text})
    with pytest.raises(UserError, match=r"metadata\.json: no metadata of a version"):
        importing.run("introclass")


def test_two_students_whose_names_begin_alike_stay_apart(importing: Any) -> None:
    other = STUDENT[:8] + "f" * 120
    importing.write({**FILES, f"smallest/{other}/000/smallest.c": PROGRAM.format("b")})
    assert importing.run("introclass").bugs == ("smallest-01234567-000", f"smallest-{other}-000")


def test_without_a_solution_there_is_no_bug(importing: Any) -> None:
    importing.write({path: text for path, text in FILES.items() if path != "smallest/tests/smallest.c"})
    with pytest.raises(UserError, match=r"tests/smallest\.c is missing"):
        importing.run("introclass")


def test_another_folder_is_told_so(importing: Any) -> None:
    importing.write({"a/b/c/d.c": ""})
    with pytest.raises(UserError, match="holds no program ASSIGNMENT/STUDENT"):
        importing.run("introclass")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7 is the median", ["7"]),
        ("5-12 is the median", ["-12"]),
        ("--12 is the median, 3 is the median", ["-12", "3"]),
        ("1" * 200_000 + " is no median", []),  # from each digit to the last one: hours
    ],
)
def test_an_answer_is_found_at_one_look_at_each_number(text: str, found: list[str]) -> None:
    assert re.findall(_ANSWERS["median"], text) == found
