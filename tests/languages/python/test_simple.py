"""Tests that are called without a session of pytest end as they do in one."""

from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build
from repairlab.languages.language import Tools
from repairlab.languages.python.toolchain import PythonToolchain

SOLUTION = """
import pytest

@pytest.fixture(autouse=True)
def fail():
    raise ValueError
"""
FILES = {
    "equal": "def test_x():\n    assert [1, 2] == [1, 3], 'told'\ndef test_y(): pass\n",
    "raised": "def test_x(): {}['a']\ndef test_y(): print('y')\n",
    "left": "def test_x(): raise SystemExit(0)\ndef test_y(): pass\n",
    "input": "def test_x(): input()\ndef test_y(): pass\n",
    "memory": "def test_x(): raise MemoryError\ndef test_y(): pass\n",
    "skipped": "import solution\ndef test_x(): solution.pytest.skip('why')\ndef test_y(): pass\n",
    "xfailed": "import solution\ndef test_x(): solution.pytest.xfail('why')\ndef test_y(): pass\n",
    "interrupted": "def test_x(): raise KeyboardInterrupt\ndef test_y(): pass\n",
    "replaced": "def test_x(): test_y.__code__ = test_x.__code__\ndef test_y(): assert False\n",
    "broken": "import nowhere\ndef test_x(): pass\ndef test_y(): pass\n",
    "fixture": "from solution import *\ndef test_x(): pass\ndef test_y(): pass\n",
    "setup": "def setup_module(): raise ValueError\ndef test_x(): pass\ndef test_y(): pass\n",
    "marked": "def mark(f): f.pytestmark = []; return f\n@mark\ndef test_x(): pass\ndef test_y(): assert 1 > 2\n",
    "argument": "def test_x(capsys): pass\ndef test_y(): pass\n",
    "gone": "def test_y(): pass\n",
    "generator": "def test_x(): yield\ndef test_y(): pass\n",
}


@pytest.fixture
def tree(project: Any, tools: Tools) -> Any:
    return project(PythonToolchain(tools), Build(), recipe.Test(framework="pytest", files=("test_it.py",)))


@pytest.mark.parametrize("name", FILES)
def test_outcomes_are_those_of_a_session(name: str, tree: Any) -> None:
    tests = ["test_it.py::test_x", "test_it.py::test_y"]
    tree.write({"test_it.py": FILES[name], "solution.py": SOLUTION})
    called = tree.report(tests)
    tree.write({"pytest.ini": "[pytest]\n"})  # who has settings gets a session
    session = tree.report(tests)
    assert _outcomes(called) == _outcomes(session)
    assert called.unfinished == session.unfinished


def _outcomes(report: Any) -> list[tuple[str, TestVerdict, list[str]]]:
    return [(result.id, result.verdict, result.message.splitlines()[:1]) for result in report.results]


def test_nothing_runs_after_a_failure_where_that_is_the_end(tree: Any) -> None:
    tree.write({"test_it.py": "def test_x(): assert False\ndef test_y(): pass\n"})
    report = tree.report(["test_it.py::test_x", "test_it.py::test_y"], stop=True)
    assert [result.id for result in report.results] == ["test_it.py::test_x"]
    assert report.unfinished is None
