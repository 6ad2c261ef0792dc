"""HumanEvalFix's tasks become functions with a hidden test."""

import json
import shutil
from typing import Any

import pytest

from repairlab.building.importers.humanevalfix import read
from repairlab.building.importers.importer import ImportedBug, Settings
from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine
from tests.published import DATA

pytestmark = pytest.mark.imports

FIX = DATA / "humanevalfix"
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
JAVASCRIPT = {
    "task_id": "JavaScript/7",
    "prompt": "/* Return the largest number. */\nconst largest = (numbers) => {\n",
    "buggy_solution": "  return Math.min(...numbers);\n}\n",
    "canonical_solution": "  return Math.max(...numbers);\n}\n",
    "test": "const testLargest = () => {\n  console.assert(largest([1, 3, 2]) === 3)\n}\n\ntestLargest()\n",
    "entry_point": "largest",
}
GO = {
    "task_id": "Go/7",
    "import": 'import (\n    "sort"\n)\n',
    "prompt": 'import (\n    "sort"\n)\n\n// Largest returns the largest number.\nfunc Largest(numbers []int) int {\n',
    "buggy_solution": "    sort.Ints(numbers)\n    return numbers[0]\n}\n",
    "canonical_solution": "    sort.Ints(numbers)\n    return numbers[len(numbers)-1]\n}\n",
    "test_setup": 'package main\n\nimport (\n    "testing"\n    "github.com/stretchr/testify/assert"\n)\n',
    "test": "func TestLargest(t *testing.T) {\n    assert := assert.New(t)\n    assert.Equal(3, Largest([]int{1, 3, 2}))\n}\n",
    "entry_point": "Largest",
}
CPP = {
    "task_id": "CPP/7",
    "prompt": "#include<vector>\n#include<algorithm>\nusing namespace std;\nint largest(vector<int> numbers){\n",
    "buggy_solution": "    return *min_element(numbers.begin(), numbers.end());\n}\n",
    "canonical_solution": "    return *max_element(numbers.begin(), numbers.end());\n}\n",
    "test": "#undef NDEBUG\n#include<assert.h>\nint main(){\n    assert (largest({1, 3, 2}) == 3);\n}\n",
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


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("task", "bug_id", "tool", "target"),
    [
        (JAVASCRIPT, "javascript-7", "node", "largest"),
        (GO, "go-7", "go", "Largest"),
        (CPP, "cpp-7", "g++", "largest"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_languages_are_healthy(
    importing: Any, machine: Machine, task: dict[str, str], bug_id: str, tool: str, target: str
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    importing.write({"tasks.jsonl": lines(task)})
    assert importing.run("humanevalfix", "tasks.jsonl").bugs == (bug_id,)
    assert importing.benchmark.bug(bug_id).problem.target.name == target
    assert importing.problems(machine) == {bug_id: ()}


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


@pytest.mark.skipif(not FIX.is_dir(), reason="the data of HumanEvalFix is not here")
@pytest.mark.parametrize("language", ["python", "java", "js", "go", "cpp"])
def test_all_tasks_of_the_published_files_are_read(language: str) -> None:
    found = list(read([FIX / f"humanevalpack_{language}.jsonl"], Settings()).bugs)
    assert len(found) == 164 and all(isinstance(bug, ImportedBug) for bug in found)
