"""Working copies of bugs, as in Defects4J: check out, compile, test, export."""

import json
import shutil
import tempfile
from pathlib import Path

from repairlab.benchmarks.catalog import BUILT_IN, open_bug
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError, unknown
from repairlab.core.outcome import TestResult
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.tree_tester import TreeTester

MARK = ".repairlab.json"
"""File in a working copy that names its bug."""


@record
class CheckoutResult:
    """The result of running tests in a working copy."""

    build_error: str
    """Why the tree does not build; empty when it does."""
    results: tuple[TestResult, ...]
    log: str

    @property
    def failing(self) -> tuple[TestResult, ...]:
        """Return the tests that did not pass."""
        return tuple(result for result in self.results if not result.passed)


def check_out(reference: str, bug: Bug, folder: Path, *, fixed: bool = False, tests: bool = True) -> None:
    """Write a bug's tree to a new folder: buggy or fixed, with or without its tests."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not an empty folder; name a new folder")
    if folder.exists():
        folder.rmdir()
    lay_out(bug, changed_files(bug.fix if fixed else bug.unpatched, bug), folder)
    if not tests:
        files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
        for path in matching(files, bug.oracle.test.files):
            (folder / path).unlink()
    name = reference.rpartition("/")[0]
    benchmark = name if (BUILT_IN / name).is_dir() else str(Path(name).resolve())
    (folder / MARK).write_text(json.dumps({"benchmark": benchmark, "bug": bug.id}) + "\n", encoding="utf-8")


def bug_of(folder: Path) -> Bug:
    """Return the bug that a working copy belongs to."""
    for place in (folder.resolve(), *folder.resolve().parents):
        if (place / MARK).is_file():
            try:
                mark = json.loads((place / MARK).read_text(encoding="utf-8"))
                benchmark, bug_id = mark["benchmark"], mark["bug"]
            except (ValueError, KeyError, TypeError):
                raise UserError(f"{place / MARK} was not written by repairlab; check the bug out again") from None
            return open_bug(f"{benchmark}/{bug_id}")
    raise UserError(f"{folder} is no working copy: it has no {MARK}. Make one with: repairlab work checkout BENCHMARK/BUG DIR")


def test_names(bug: Bug, chosen: str | None, *, trigger_only: bool = False) -> list[str]:
    """Return the tests to run: one by name, the trigger tests, or all."""
    cases = list(bug.oracle.case_ids)
    known = [*bug.oracle.trigger, *bug.oracle.regression, *cases]
    if chosen is not None:
        if chosen not in known:
            raise unknown(f"test of {bug.id}", chosen, known)
        return [chosen]
    return list(bug.oracle.trigger) or cases if trigger_only else known


def build_and_test(folder: Path, bug: Bug, sandbox: Sandbox, names: list[str]) -> CheckoutResult:
    """Build a copy of a working copy in the sandbox, with its own tests, and run tests in it; the folder itself stays as it is."""
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as temporary:
        work = Path(temporary) / "work"
        shutil.copytree(folder, work, symlinks=True, ignore=shutil.ignore_patterns(".git", MARK, "failing_tests"))
        trial = TreeTester(bug, sandbox, "full", work, checker_sandbox=sandbox)
        if problem := trial.build():
            return CheckoutResult(build_error=problem, results=(), log=trial.log.evidence)
        cases = {case.id: case for case in bug.oracle.cases}
        trial.run([name for name in names if name not in cases], [cases[name] for name in names if name in cases])
        return CheckoutResult(build_error="", results=tuple(trial.log.tests), log=trial.log.evidence)


def properties(bug: Bug) -> dict[str, list[str]]:
    """Return the properties for `export -p`, under Defects4J's names where they exist."""
    oracle = bug.oracle
    cases = list(oracle.case_ids)
    changed = dict.fromkeys(edit.path for edit in oracle.reference)
    everything = [*oracle.trigger, *oracle.regression, *cases]
    return {
        "bug.id": [bug.id],
        "language": [bug.problem.language],
        "classes.modified": list(changed),
        "dir.src.classes": [str(Path(bug.problem.path).parent)],
        "dir.src.tests": sorted({pattern.split("/")[0] for pattern in oracle.test.files if "/" in pattern}),
        "cp.compile": list(oracle.build.class_path),
        "tests.all": everything,
        "tests.relevant": everything,
        "tests.trigger": list(oracle.trigger) or cases,
        "target": [bug.problem.target.name or ""],
        "path": [bug.problem.path],
    }


def export(bug: Bug, name: str) -> list[str]:
    """Return one property of a bug."""
    known = properties(bug)
    if name not in known:
        raise unknown("property", name, known)
    return known[name]
