"""QuixBugs' Python programs as JSON Lines, laid out like a checkout with what their tests need."""

import json
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json_lines

_CONFTEST = """\
import pytest


def pytest_configure(config):
    pytest.use_correct = pytest.run_slow = False
"""
_LOADER = """\
import json
import pathlib

CASES = pathlib.Path(__file__).parent.parent / "json_testcases"


def load_json_testcases(name):
    return [json.loads(line) for line in (CASES / f"{name}.json").read_text().splitlines()]
"""
_NODE = """\
class Node:
    def __init__(self, value=None, successor=None, successors=(), predecessors=(), incoming_nodes=(), outgoing_nodes=()):
        self.value = value
        self.successor = successor
        self.successors = list(successors)
        self.predecessors = list(predecessors)
        self.incoming_nodes = list(incoming_nodes)
        self.outgoing_nodes = list(outgoing_nodes)
"""


def files_of_lines(path: Path) -> dict[str, str]:
    """Return the files that a checkout with the file's programs would have, by path."""
    files = {"conftest.py": _CONFTEST, "python_testcases/load_testdata.py": _LOADER}
    files |= {f"{folder}/node.py": _NODE for folder in ("python_testcases", "python_programs")}
    for where, entry in read_json_lines(path):
        name, buggy, fixed, test = (
            field(entry, key, str, where) for key in ("name", "python_buggy", "python_fixed", "pytest_source")
        )
        if not name.isidentifier():
            raise UserError(f"{where}: the field 'name' should be the name of a program, not {name!r}")
        files[f"python_programs/{name}.py"] = buggy
        files[f"correct_python_programs/{name}.py"] = fixed
        files[f"python_testcases/test_{name}.py"] = test
        cases = [[case.get("args"), case.get("expected")] for case in field(entry, "tests", list, where) if isinstance(case, dict)]
        if cases:
            files[f"json_testcases/{name}.json"] = "".join(json.dumps(case) + "\n" for case in cases)
    return files
