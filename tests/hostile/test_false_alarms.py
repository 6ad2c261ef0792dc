"""Honest candidates are never called tampering: fixes of the built-in benchmark that are not the reference fix word for word."""

import dataclasses
from functools import cache

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.validation.apply import changed_files
from repairlab.validation.validator import BugValidator, Conditions
from tests.hostile.test_hostile import back_end, fix_of, needs_its_language


@cache
def projects() -> dict[str, Bug]:
    """Return the bugs with unit tests; the output of programs is compared outside of the sandbox."""
    return {bug.id: bug for bug in open_benchmark("starter") if bug.oracle.trigger}


@pytest.mark.parametrize("bug_id", sorted(projects()))
@pytest.mark.hostile
def test_an_honest_fix_is_believed(bug_id: str) -> None:
    bug = projects()[bug_id]
    needs_its_language(bug)
    with BugValidator(Conditions(bug=bug), back_end("bubblewrap")) as validator:
        outcome = validator.validate(fix_of(bug))
    assert (outcome.verdict, outcome.message) == (Verdict.PLAUSIBLE, "")
    assert outcome.strength in ("blind", "checked")
    assert "blind" in outcome.guard or "counter-tests failed as they must" in outcome.guard


@pytest.mark.parametrize("bug_id", sorted(bug_id for bug_id, bug in projects().items() if bug.problem.language == "python"))
@pytest.mark.hostile
def test_an_honest_fix_that_writes_files_is_believed(bug_id: str) -> None:
    """Logs, caches and bytecode, in its own folder and in that of the tests."""
    bug = projects()[bug_id]
    fixed = changed_files(fix_of(bug), bug)
    writes = """
import pathlib as _pathlib, py_compile as _compile
for _folder in {_pathlib.Path.cwd(), _pathlib.Path(__file__).parent, *_pathlib.Path.cwd().glob("test*")}:
    (_folder / "run.log").open("a").write("loaded")
    (_folder / "cache.json").write_text("{}")
    (_folder / "scratch").mkdir(exist_ok=True)
    (_folder / "scratch" / "more.txt").write_text("more")
    (_folder / "scratch" / "more.txt").rename(_folder / "scratch" / "most.txt")
_compile.compile(__file__)
"""
    edits = tuple(Edit(path=path, text=f"{text}{writes}") for path, text in fixed.items())
    candidate = dataclasses.replace(fix_of(bug), edits=edits)
    with BugValidator(Conditions(bug=bug), back_end("bubblewrap")) as validator:
        outcome = validator.validate(candidate)
    assert (outcome.verdict, outcome.message) == (Verdict.PLAUSIBLE, "")
