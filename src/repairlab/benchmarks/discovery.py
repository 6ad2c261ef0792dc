"""Find the regression tests of an imported bug by running them: what counts passes on the fixed and on the buggy tree.

Called by `importing`, in worker processes, for bugs whose source names test classes or files instead of tests, and for stdin/stdout
programs, which are kept only if the right one is accepted here and the wrong one is not.
"""

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import find_target
from repairlab.benchmarks.folder import load_bug
from repairlab.benchmarks.importers.importer import Proof
from repairlab.benchmarks.writing import toml
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Policy, TestResult, TestVerdict
from repairlab.core.record import SCHEMA_VERSION, record
from repairlab.languages.language import Lister
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.test_run import TestRun
from repairlab.validation.time_limits import with_margin

_SHOWN = 5
"""How many tests a note names with their message."""
_LONGEST = 600
"""Characters of what is told of one test."""


@record
class Search:
    """A bug whose tests are to be found."""

    folder: Path
    benchmark: str
    bug_id: str
    digest: str
    """Of the bug as it was written."""
    language: str
    facts: Mapping[str, Any]
    places: tuple[str, ...]
    unsorted: bool = False
    """Whether the tests found are all there is to know, and those that fail on the buggy tree are the trigger tests."""
    proof: Proof = "none"


@record
class DiscoveredTests:
    """What came of it."""

    bug_id: str
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why the bug is of no use here; nothing when it is."""
    trigger: tuple[str, ...] = ()
    regression: tuple[str, ...] = ()
    cases_left_out: tuple[str, ...] = ()


@record
class _Seen:
    """How tests ended on a tree, each time they ran, and what could not be listed there."""

    tests: tuple[str, ...]
    results: tuple[TestResult, ...]
    error: str = ""

    @property
    def failing(self) -> Mapping[str, str]:
        """Return the tests that did not pass each time, and why."""
        failed = [result for result in reversed(self.results) if not result.passed]
        why = {result.id: result.message or str(result.verdict) for result in failed}
        return {name: why[name] for name in self.tests if name in why}

    @property
    def unsteady(self) -> Mapping[str, str]:
        """Return those of them that did pass once."""
        passed = {result.id for result in self.results if result.passed}
        return {name: why for name, why in self.failing.items() if name in passed}


def discover(search: Search, sandbox: Sandbox, notify: Callable[[DiscoveredTests], None]) -> None:
    """Find the tests of one bug."""
    bug = load_bug(search.folder, search.benchmark, find_target)
    try:
        notify(_discover(search, bug, sandbox) if search.proof == "none" else _prove(search, bug, sandbox))
    except (UserError, HarnessError) as error:
        notify(DiscoveredTests(bug_id=bug.id, problem=str(error)))


def _discover(search: Search, bug: Bug, sandbox: Sandbox) -> DiscoveredTests:
    named = () if search.unsorted else bug.oracle.trigger
    fixed = _run(bug, bug.oracle.reference, sandbox, search.places, named=named)
    named = expanded(named, fixed.tests)
    broken = fixed.failing
    good = [name for name in fixed.tests if name not in broken]
    buggy = _run(bug, (), sandbox, (), tests=tuple(good))
    failing, unsteady = buggy.failing, buggy.unsteady
    named = fixed.tests if search.unsorted else named
    trigger = [name for name in named if name in failing and name not in unsteady]
    if not trigger:
        told = [f"{name}: {_why_not(name, broken, unsteady)}" for name in named] or [fixed.error or "none is found"]
        told = [_shortened(" ".join(text.split())) for text in told]
        why = "; ".join([*told[:_SHOWN], *([f"{len(told) - _SHOWN} more"] if len(told) > _SHOWN else [])])
        return DiscoveredTests(bug_id=bug.id, problem=f"no trigger test fails on the buggy and passes on the fixed tree ({why})")
    too_many = {name: why for name, why in failing.items() if name not in named and name not in unsteady}
    regression = [name for name in good if name not in failing]
    notes = (
        *([f"not all tests could be listed: {fixed.error}"] if fixed.error else []),
        *_note("left out, not passing on the fixed tree each time", broken),
        *_note("left out, failing on the buggy tree without being trigger tests", too_many),
        *_note("left out, failing on the buggy tree only now and then", unsteady),
        *(
            f"trigger test {name} passes on the buggy tree and is a regression test here"
            for name in named
            if name in regression and not search.unsorted
        ),
    )
    return DiscoveredTests(bug_id=bug.id, notes=notes, trigger=tuple(trigger), regression=tuple(regression))


def expanded(named: Sequence[str], listed: Sequence[str]) -> tuple[str, ...]:
    """Return named tests, with all that is listed in place of classes, files and tests with parameters.

    >>> expanded(["a.py::f", "a.py::g", "m.C"], ["a.py::f[1]", "a.py::f[2]", "a.py::g", "m.C.t"])
    ('a.py::f[1]', 'a.py::f[2]', 'a.py::g', 'm.C.t')
    """
    known = set(listed)
    parts = {name: [test for test in listed if test.startswith((f"{name}[", f"{name}::", f"{name}."))] for name in named}
    return tuple(dict.fromkeys(test for name in named for test in ([name] if name in known else parts[name] or [name])))


def _shortened(text: str) -> str:
    """Return the beginning and the end of a long message: the way to an error in between is left out."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 3]} … {text[-_LONGEST * 2 // 3 :]}"


def _why_not(test: str, broken: Mapping[str, str], unsteady: Mapping[str, str]) -> str:
    """Say why a test shows nothing of the bug."""
    if test in unsteady:
        return f"fails on the buggy tree only now and then ({unsteady[test]})"
    return broken.get(test, "passes on the buggy tree")


def write_down(search: Search, found: DiscoveredTests) -> None:
    """Change the folder of a bug to what was found."""
    if found.trigger:
        test = {**search.facts["test"], "trigger": found.trigger, "regression": found.regression}
        (search.folder / "bug.toml").write_text(toml({"schema": SCHEMA_VERSION, **search.facts, "test": test}), encoding="utf-8")
    for case in found.cases_left_out:
        for ending in ("in", "out"):
            (search.folder / "cases" / f"{case}.{ending}").unlink()


def _prove(search: Search, bug: Bug, sandbox: Sandbox) -> DiscoveredTests:
    """Run the right and the wrong program; cases that the right one fails are dropped, or else the bug."""
    fixed = _run_cases(bug, bug.oracle.reference, sandbox, "full")
    broken = {result.id: f"{result.verdict}: {result.message}" for result in fixed if not result.passed}
    good = tuple(case for case in bug.oracle.cases if case.id not in broken)
    if broken and (search.proof == "all cases" or not good):
        case, why = next(iter(broken.items()))
        told = f"{len(broken)} of {len(fixed)} cases, the first: {case}: {' '.join(why.split())}"
        return DiscoveredTests(bug_id=bug.id, problem=f"the right program is not accepted here ({told})")
    left = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=good))
    if all(result.passed for result in _run_cases(left, (), sandbox, "first-failure")):
        return DiscoveredTests(bug_id=bug.id, problem=f"the wrong program passes every case ({len(good)})")
    notes = tuple(_note("left out, which the right program does not pass", broken, "case"))
    return DiscoveredTests(bug_id=bug.id, notes=notes, cases_left_out=tuple(broken))


def _run_cases(bug: Bug, edits: tuple[Edit, ...], sandbox: Sandbox, policy: Policy) -> list[TestResult]:
    """Return what came of the cases; a program that does not build has failed them all."""
    with _laid_out(bug, edits) as work, sandbox.slot(work) as slot:
        trial = TestRun(bug, slot, policy, work, judge=sandbox)
        if problem := trial.build():
            return [TestResult(id=case.id, verdict=TestVerdict.UNCOMPILABLE, message=problem) for case in bug.oracle.cases]
        trial.run((), bug.oracle.cases)
    return trial.tests


@contextlib.contextmanager
def _laid_out(bug: Bug, edits: tuple[Edit, ...]) -> Iterator[Path]:
    candidate = Candidate(bug_id=bug.id, edits=edits, rank=1, origin=Origin(repairer="import"))
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        lay_out(bug, changed_files(candidate, bug), Path(folder, "work"))
        yield Path(folder, "work")


def _run(
    bug: Bug,
    edits: tuple[Edit, ...],
    sandbox: Sandbox,
    places: Sequence[str],
    *,
    named: tuple[str, ...] = (),
    tests: tuple[str, ...] | None = None,
) -> _Seen:
    """Build a tree and run tests, and once more those that fail.

    Where no tests are given, they are those named and those listed for places, and all run twice, in both orders.
    """
    with _laid_out(bug, edits) as work:
        trial = TestRun(bug, sandbox, "full", work, judge=sandbox)
        if problem := trial.build():
            raise UserError(f"the {'fixed' if edits else 'buggy'} tree does not build: {problem}")
        error, again = "", None
        if tests is None:
            names, error = _list(bug, sandbox, work, places)
            tests = again = tuple(dict.fromkeys((*expanded(named, names), *names)))
        trial.run(tests, ())
        if again is None:
            failed = {result.id for result in trial.tests if not result.passed}
            again = tuple(name for name in tests if name in failed)
        trial.run(again[::-1], ())
    return _Seen(tests=tests, results=tuple(trial.tests), error=error)


def _list(bug: Bug, sandbox: Sandbox, work: Path, places: Sequence[str]) -> tuple[tuple[str, ...], str]:
    toolchain = language(bug.problem.language).toolchain
    if not isinstance(toolchain, Lister):
        raise UserError(f"tests in {bug.problem.language} cannot be listed; name them instead")
    batch = toolchain.listing(bug.oracle.build, bug.oracle.test, places)
    found = toolchain.listed(batch, sandbox.run(batch.command.under(with_margin(bug.oracle.limits)), work))
    return found.tests, found.error


def _note(what: str, tests: Mapping[str, str], kind: str = "test") -> list[str]:
    if not tests:
        return []
    told = [f"{name} ({why.splitlines()[0][:120] if why.strip() else 'no message'})" for name, why in tests.items()]
    rest = list(tests)[_SHOWN:]
    return [f"{len(tests)} {kind if len(tests) == 1 else f'{kind}s'} {what}: {', '.join([*told[:_SHOWN], *rest])}"]
