"""ITSP: pairs of C programs by lab and problem, cases of a problem in one folder."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

PROGRAM = '#include <stdio.h>\nint main() {{ int n; scanf("%d", &n); printf("%d", {}); return 0; }}\n'
REPORT = '/*numPass=0, numTotal=1\nVerdict:WRONG_ANSWER, Visibility:0, Input:"1", ExpOutput:"2", Output:"1"\n*/\n'
FILES = {
    "dataset/Lab-3/2810/1_buggy.c": REPORT + PROGRAM.format("n"),
    "dataset/Lab-3/2810/1_correct.c": PROGRAM.format("n + 1"),
    "dataset/Lab-3/2810/2_buggy.c": PROGRAM.format("n + n"),
    "dataset/Lab-3/2810/2_correct.c": PROGRAM.format("1 + n"),
    "dataset/Lab-3/2810/Main.c": PROGRAM.format("n + 1"),
    "dataset/Lab-4/2811/3_buggy.c": PROGRAM.format("n"),
    "dataset/Lab-4/2811/3_correct.c": PROGRAM.format("n + 1"),
    "dataset/test/in.2810.1.txt": "1\n",
    "dataset/test/out.2810.1.txt": "2\n",
    "dataset/test/in.2810.2.txt": "5\n",
    "dataset/test/out.2810.2.txt": "6 ",
    "dataset/test/in.2810.3.txt": "5\n",
    "dataset/test/out.2810.3.txt": "7",
}


@pytest.mark.timeout(300)
def test_pairs_are_healthy_and_bad_cases_are_left_out(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("itsp", machine=machine)
    assert sorted(made.bugs) == ["Lab-3-2810-1", "Lab-3-2810-2"]
    assert [(bug.id, bug.reason) for bug in made.dropped] == [("Lab-4-2811-3", "there is no test case for it")]
    bug = importing.benchmark.bug("Lab-3-2810-2")
    assert [case.id for case in bug.oracle.cases] == ["1", "2"] and bug.problem.source == PROGRAM.format("n + n")
    assert importing.benchmark.bug("Lab-3-2810-1").problem.source == PROGRAM.format("n"), "the judge's report tells hidden cases"
    assert importing.problems(machine) == {"Lab-3-2810-1": (), "Lab-3-2810-2": ()}


def test_what_holds_no_programs_is_an_error(importing: Any) -> None:
    importing.write({"dataset/README": "x"})
    with pytest.raises(UserError, match="holds no program Lab-NUMBER"):
        importing.run("itsp")
