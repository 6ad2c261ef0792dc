"""HumanEvalFix's tasks become functions with a hidden test."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.importers.humanevalfix import read
from repairlab.benchmarks.importers.importer import ImportedBug, Settings
from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

DATA = Path(__file__).parents[3] / "shared" / "data" / "humanevalfix"
PYTHON = {
    "task_id": "Python/7",
    "prompt": 'from typing import List\n\n\ndef largest(numbers: List[int]) -> int:\n    """ Return the largest number.\n    """\n',
    "buggy_solution": "    return min(numbers)\n",
    "canonical_solution": "    return max(numbers)\n",
    "test": "\ndef check(largest):\n    assert largest([1, 3, 2]) == 3\n\ncheck(largest)",
    "entry_point": "largest",
    "docstring": "Return the largest number.",
}
JAVA = {
    "task_id": "Java/7",
    "prompt": "import java.util.*;\n\nclass Solution {\n    public int largest(List<Integer> numbers) {\n",
    "buggy_solution": "        return Collections.min(numbers);\n    }\n}",
    "canonical_solution": "        return Collections.max(numbers);\n    }\n}",
    "test": (
        "public class Main {\n    public static void main(String[] args) {\n"
        "        if (new Solution().largest(Arrays.asList(1, 3, 2)) != 3) {\n            throw new AssertionError();\n"
        "        }\n    }\n}"
    ),
    "entry_point": "largest",
}


def lines(*tasks: dict[str, str]) -> str:
    return "".join(json.dumps(task) + "\n" for task in tasks)


@pytest.mark.timeout(300)
def test_both_languages_are_healthy(importing: Any, machine: Machine) -> None:
    importing.write({"tasks.jsonl": lines(PYTHON, JAVA, {**PYTHON, "task_id": "Rust/7"})})
    made = importing.run("humanevalfix", "tasks.jsonl")
    assert made.bugs == ("python-7", "java-7")
    python = importing.benchmark.bug("python-7")
    assert python.problem.description == "Return the largest number." and python.problem.target.name == "largest"
    assert not python.problem.context
    assert importing.benchmark.bug("java-7").problem.target.name == "Solution.largest"
    assert importing.problems(machine) == {"java-7": (), "python-7": ()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"task_id": "Python/7"\n', "line 1: not valid JSON"),
        (lines({"prompt": "x"}), "line 1: the field 'task_id' is missing"),
        (lines({**PYTHON, "task_id": "Rust/7"}), "none of its 1 tasks is in a language at hand"),
        (lines({key: value for key, value in PYTHON.items() if key != "test"}), "line 1: the field 'test' is missing"),
        (lines({**PYTHON, "buggy_solution": PYTHON["canonical_solution"]}), "line 1: buggy_solution and canonical_solution are"),
    ],
)
def test_a_wrong_file_is_told_with_line_and_field(importing: Any, text: str, message: str) -> None:
    importing.write({"tasks.jsonl": text})
    with pytest.raises(UserError, match=message):
        importing.run("humanevalfix", "tasks.jsonl")


@pytest.mark.skipif(not DATA.is_dir(), reason="the data of HumanEvalFix is not here")
@pytest.mark.parametrize("language", ["python", "java"])
def test_all_tasks_of_the_published_files_are_read(language: str) -> None:
    found = list(read([DATA / f"humanevalpack_{language}.jsonl"], Settings()).bugs)
    assert len(found) == 164 and all(isinstance(bug, ImportedBug) for bug in found)
