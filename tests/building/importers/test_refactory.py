"""Refactory: functions of students, called by small scripts whose output counts."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

PROGRAM = "def top_k(lst, k):\n    return {}\n"
FILES = {
    "question_1/ans/input_001.txt": "top_k([1, 3, 2], ONE)\n",  # most are no more than a call: its value counts
    "question_1/ans/output_001.txt": "[3]",
    "question_1/ans/input_002.txt": "print(set(top_k([1, 3, 2], 3)))",
    "question_1/ans/output_002.txt": "{3, 1, 2}",
    "question_1/code/global.py": "ONE = 1\n",
    "question_1/code/reference/reference.py": PROGRAM.format("sorted(lst, reverse=True)[:k]"),
    "question_1/code/correct/correct_1_001.py": PROGRAM.format("sorted(lst)[::-1][:k]"),
    "question_1/code/wrong/wrong_1_001.py": PROGRAM.format("sorted(lst)[:k]"),
}


@pytest.mark.timeout(300)
def test_a_wrong_program_is_healthy(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    assert importing.run("refactory", machine=machine).bugs == ("question_1-wrong_1_001",)
    bug = importing.benchmark[0]
    assert bug.oracle.trigger == ("test_solution.py::test_case[001]",)
    assert bug.oracle.regression == ("test_solution.py::test_case[002]",)
    assert bug.problem.target.name == "top_k" and not bug.problem.context
    assert importing.problems(machine) == {"question_1-wrong_1_001": ()}


def test_a_case_without_output_is_told(importing: Any) -> None:
    importing.write({path: text for path, text in FILES.items() if not path.endswith("output_001.txt")})
    with pytest.raises(UserError, match=r"output_001\.txt is missing"):
        importing.run("refactory")


def test_another_folder_is_told_so(importing: Any) -> None:
    importing.write({"a/b.txt": ""})
    with pytest.raises(UserError, match="holds no program QUESTION/code/wrong"):
        importing.run("refactory")
