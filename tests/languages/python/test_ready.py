"""What fork servers get ready, found without running the tree."""

from pathlib import Path

import pytest

from repairlab.languages.python.runners.python_ready import imported

IMPORTS = """\
import json, os.path as p
from typing import (
    List,
)
from . import near
if True:
    import re
x = 'import ast'
"""


@pytest.mark.parametrize("text", [IMPORTS, f"'''A text that says:\nimport ast\n'''\n{IMPORTS}"])
def test_imported_modules_are_found_with_and_without_a_parser(text: str, tmp_path: Path) -> None:
    (tmp_path / "it.py").write_text(text)
    assert [*imported(tmp_path / "it.py")] == ["json", "os.path", "typing"]


def test_a_file_that_is_no_python_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "it.py").write_text('"""import\n')
    assert not [*imported(tmp_path / "it.py")]
