"""IntroClass: versions of students' programs; the fix is the assignment's own solution."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.runs.pool import Machine

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
    assert [case.id for case in importing.benchmark.bugs[0].oracle.cases] == ["blackbox-1", "whitebox-1"]
    assert importing.problems(machine) == {"smallest-01234567-000": ()}


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
