"""The code of the API's documentation does what the documentation says."""

import doctest
import runpy
from pathlib import Path

import pytest

from repairlab.sandbox.sandbox import Sandbox

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.slow
def test_the_page_says_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF
    found = doctest.testfile(str(DOCS / "reference" / "api.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert (found.failed, found.attempted > 20) == (0, True)


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(DOCS / "examples/api.py"))
    assert (tmp_path / "runs/to-numbers/run.json").is_file()
