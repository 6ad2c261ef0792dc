"""Measure whether trigger tests run what a fix changes, in every language whose statements can be instrumented."""

from collections.abc import Callable, Iterator, Sequence

from repairlab.core.bug import Bug
from repairlab.core.diff import changed_lines
from repairlab.core.errors import HarnessError
from repairlab.core.record import record
from repairlab.core.text import line_of, line_span
from repairlab.languages.facts import facts
from repairlab.languages.parser import Parsed
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import calling, run_each
from repairlab.runs.instrument import step_at
from repairlab.runs.spectrum import visits
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files
from repairlab.validation.machine import Machine


@record
class CoveragePlace:
    """A place that the fix changes and whether a trigger test runs it."""

    path: str
    line: int
    """In the fixed file."""
    covered: bool


@record
class FixCoverage:
    """Coverage of one bug's fix."""

    bug_id: str
    places: tuple[CoveragePlace, ...] = ()
    skipped: str = ""
    """Why nothing was measured."""


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
    """Return, for each place that a fix changes, whether the trigger tests or cases run it on the fixed tree."""
    fixed = changed_files(bug.fix, bug)
    wanted = list(dict.fromkeys(_places(bug, fixed)))
    if not wanted:
        return FixCoverage(bug_id=bug.id, skipped="the fix adds no statement")
    found = visits(bug, sandbox, bug.oracle.cases or bug.oracle.trigger, fixed)
    if isinstance(found, str):
        return FixCoverage(bug_id=bug.id, skipped=found)
    seen = {place for run in found.runs for place in run.places}
    known = [place for place in wanted if place[0] in found.lines]
    places = tuple(CoveragePlace(path=path, line=line, covered=(path, line) in seen) for path, line in known)
    return FixCoverage(bug_id=bug.id, places=places, skipped="" if places else f"not built with notes: {wanted[0][0]}")


def _places(bug: Bug, fixed: dict[str, str | None]) -> Iterator[tuple[str, int]]:
    """Yield the first statement of each run of lines that the fix adds or changes, by path and line."""
    before = bug.problem.files
    for path, text in fixed.items():
        if text is None or not path.endswith((*facts(bug.problem.language).extensions, *facts(bug.problem.language).headers)):
            continue
        parsed = Parsed(bug.problem.language, text)
        for lines in changed_lines(path, text, before.get(path, "")):
            if lines.last < lines.first:
                continue  # the fix only removes lines here
            span = line_span(text, lines.first, lines.last)
            if node := step_at(parsed, span.start, span.end):
                yield path, line_of(text, parsed.span(node).start)
