"""The examples in docstrings are right."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src"
MODULES = [
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in sorted(SOURCES.glob("repairlab/**/*.py"))
    if "/data/" not in path.as_posix() and re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_are_right(name: str) -> None:
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("repairlab"):
            raise
        pytest.skip(f"{error.name} is not installed")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
