"""Whether trigger tests run what a fix changes, in any language: a statement there ends the process, and a test must fail.

A test that passes all the same did not come by. Nothing is instrumented or reported by the
code under test, so what a framework catches or hides makes no difference.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from repairlab.core.bug import Bug
from repairlab.core.diff import changed_lines
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.text import line_of, line_span
from repairlab.languages.facts import facts
from repairlab.languages.parser import Parsed
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import calling, run_each
from repairlab.runs.instrument import step_at, with_stop
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.machine import Machine
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import temporary_folder

_MOST = 8
"""Places of one fix that are tried."""


@record
class CoveragePlace:
    """A place that the fix changes, and whether a trigger test comes by."""

    path: str
    line: int
    """Of the fixed file."""
    covered: bool


@record
class FixCoverage:
    """What is known of one bug."""

    bug_id: str
    places: tuple[CoveragePlace, ...] = ()
    skipped: str = ""
    """Why nothing was measured."""


@record
class _Stopped:
    """A fixed file with a statement that ends the process."""

    path: str
    line: int
    text: str


def measure_coverage(bugs: Sequence[Bug], machine: Machine, receive: Callable[[FixCoverage], None]) -> None:
    """Measure all bugs in parallel."""

    def lost(bug: Bug, reason: str) -> None:
        receive(FixCoverage(bug_id=bug.id, skipped=reason))

    with open_pool(machine) as pool:
        run_each(calling(_measure), iter(bugs), pool, receive, lost)


def _measure(bug: Bug, sandbox: Sandbox, notify: Callable[[FixCoverage], None]) -> None:
    try:
        notify(coverage_of(bug, sandbox))
    except HarnessError as error:
        notify(FixCoverage(bug_id=bug.id, skipped=str(error)))


def coverage_of(bug: Bug, sandbox: Sandbox) -> FixCoverage:
    """Say for each place that a fix changes whether the trigger tests, or the cases, come by."""
    if not facts(bug.problem.language).idioms.stop:
        return FixCoverage(bug_id=bug.id, skipped="not known how a program of this language is ended")
    fixed = changed_files(bug.fix, bug)
    triggers = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, regression=()))
    found = []
    for stopped in _stopped_files(bug, fixed):
        with temporary_folder() as folder:
            trial = TestRun(triggers, sandbox, "first-failure", folder / "work", checker_sandbox=sandbox)
            lay_out(bug, {**fixed, stopped.path: stopped.text}, trial.work)
            verdict = trial.judge().verdict
        if verdict is not Verdict.UNCOMPILABLE:
            found.append(CoveragePlace(path=stopped.path, line=stopped.line, covered=verdict is not Verdict.PLAUSIBLE))
    return FixCoverage(bug_id=bug.id, places=tuple(found), skipped="" if found else "the fix adds no statement")


def _stopped_files(bug: Bug, fixed: dict[str, str | None]) -> Iterator[_Stopped]:
    """Yield a version for each run of lines that the fix adds or changes."""
    seen: set[tuple[str, int]] = set()
    for path, text in fixed.items():
        if text is None or not path.endswith((*facts(bug.problem.language).extensions, *facts(bug.problem.language).headers)):
            continue
        before = _source(bug, path)
        parsed = Parsed(bug.problem.language, text)
        for lines in changed_lines(path, text, before):
            if lines.last < lines.first:
                continue  # the fix only takes away here
            span = line_span(text, lines.first, lines.last)
            node = step_at(parsed, span.start, span.end)
            if node is None or (path, node.start_byte) in seen or len(seen) == _MOST:
                continue
            seen.add((path, node.start_byte))
            start = parsed.span(node).start
            yield _Stopped(path=path, line=line_of(text, start), text=with_stop(parsed, node))


def _source(bug: Bug, path: str) -> str:
    if path == bug.problem.path:
        return bug.problem.source
    return next((file.text for file in bug.problem.context if file.path == path), "")
