"""Check that a benchmark works here: unpatched bugs must fail and reference fixes must pass, every time."""

import dataclasses
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from repairlab.benchmarks.health import BUILD, Cause, Flips, Health, TreeName
from repairlab.benchmarks.protection import advice_for, unprotected_expectations
from repairlab.building.amending import first_message
from repairlab.building.bug_trees import laid_out
from repairlab.building.discovery import list_tests
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError, nearest
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.core.record import record
from repairlab.languages.language import Loading, language
from repairlab.languages.reports import is_missing
from repairlab.runs.executors.executor import Delivery, Parcel
from repairlab.runs.executors.work_queue import calling, open_executor, run_each
from repairlab.runs.transfer import arrived, departing, folders_of
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import check_tools
from repairlab.validation.tree_tester import NOT_REPORTED, TreeTester
from repairlab.validation.validator import BugValidator, Conditions, validate


@record
class _Check:
    bug: Bug
    repeats: int
    counter_tests: bool
    limits: bool


@record
class _Seen:
    """One repeat: how its tests were run and what came of it."""

    order: str
    verdict: Verdict
    message: str
    built: bool
    tests: tuple[TestResult, ...]


def check_bugs(
    bugs: Sequence[Bug],
    machine: Machine,
    receive: Callable[[Health], None],
    *,
    repeats: int = 1,
    counter_tests: bool = True,
    limits: bool = False,
    notify: Callable[[str], None] = lambda text: None,  # noqa: ARG005
) -> None:
    """Check bugs in parallel, yielding each result as soon as it is known; `notify` gets what users should know.

    `limits` also measures the time that the reference fix needs.
    """
    check_tools(bugs, machine)
    checks = [_Check(bug=bug, repeats=repeats, counter_tests=counter_tests, limits=limits) for bug in bugs]
    with open_executor(machine, {bug.tool_need for bug in bugs}, notify=notify) as executor:
        if executor.is_remote:
            leaving = (dataclasses.replace(check, bug=departing(check.bug)) for check in checks)
            parcels: Iterable[Any] = (Parcel(item=check, folders=folders_of(check.bug)) for check in leaving)
            run_each(
                calling(_check_there), parcels, executor, receive, lambda parcel, reason: receive(_unfinished(parcel.item, reason))
            )
        else:
            run_each(calling(_check), checks, executor, receive, lambda check, reason: receive(_unfinished(check, reason)))


def _check_there(delivery: Delivery, sandbox: Sandbox, notify: Callable[[Health], None]) -> None:
    check: _Check = delivery.item
    _check(dataclasses.replace(check, bug=arrived(check.bug, delivery.folders)), sandbox, notify)


def _check(check: _Check, sandbox: Sandbox, notify: Callable[[Health], None]) -> None:
    """Check one bug; any exception concerns this bug only."""
    try:
        found = check_bug(check.bug, sandbox, repeats=check.repeats, counter_tests=check.counter_tests)
        if check.limits and found.healthy:
            found = dataclasses.replace(found, needed_s=_needed_s(check.bug, sandbox))
    except MemoryError:
        raise  # the worker has died: another may succeed
    except Exception as error:
        found = _unfinished(check, f"{type(error).__name__}: {error}")
    notify(found)


def _unfinished(check: _Check, reason: str) -> Health:
    """Return the health of a bug that could not be checked."""
    return Health(
        bug_id=check.bug.id,
        digest=check.bug.digest,
        problems=(f"the check could not be finished: {reason}",),
        flaky=(),
        excluded=check.bug.oracle.excluded,
        buggy_verdict=Verdict.UNDECIDED,
        undecided=True,
        repeats=check.repeats,
        cpu_s=0.0,
        n_tests=len(check.bug.oracle.trigger) + len(check.bug.oracle.regression),
        unguarded=None,
    )


def check_bug(bug: Bug, sandbox: Sandbox, *, repeats: int = 1, counter_tests: bool = True) -> Health:
    """Validate the unpatched tree and the reference fix `repeats` times each, running every test.

    The first time, both trees share a build as candidates of a run do. Repeats are built from scratch and run the tests in turn as
    listed, in reverse, and each alone, which reveals tests that depend on others.
    """
    with BugValidator(Conditions(bug=bug, policy="full", blind=counter_tests), sandbox) as validator:
        first, fixed = (validator.validate(tree) for tree in (bug.unpatched, bug.fix))
        looked_for = counter_tests and fixed.verdict is Verdict.PLAUSIBLE
        unguarded = _unguarded(bug, validator) if looked_for else None
        not_survived = validator.luck.not_survived() if looked_for else ()
        exposed = _exposed(bug, validator) if fixed.verdict is Verdict.PLAUSIBLE else ()
    before = [_seen("listed", first), *_repeat(bug, bug.unpatched, sandbox, repeats - 1)]
    after = [_seen("listed", fixed), *_repeat(bug, bug.fix, sandbox, repeats - 1)]
    flips = (*_flips("buggy", before), *_flips("fixed", after))
    flaky = tuple(dict.fromkeys(flip.test for flip in flips))
    failures = [seen.message for seen in (*before[1:], *after[1:]) if seen.verdict is Verdict.UNDECIDED]
    absent = _absent(first, fixed)
    unfit = [test.id for test in fixed.tests if not test.passed]
    unfit += [test.id for test in first.tests if not test.passed and test.runs and test.id in bug.oracle.regression]
    return Health(
        bug_id=bug.id,
        digest=bug.digest,
        problems=(
            *_absences(bug, absent, sandbox),
            *_problems_before(bug, first, absent),
            *_problems_after(fixed, absent),
            *exposed,
            *(f"a repeat could not be validated: {message}" for message in dict.fromkeys(failures)),
        ),
        flaky=flaky,
        flips=flips,
        failing=tuple(name for name in dict.fromkeys(unfit) if name not in flaky and name not in absent),
        absent=absent,
        excluded=bug.oracle.excluded,
        buggy_verdict=first.verdict,
        error="" if first.verdict in (Verdict.PLAUSIBLE, Verdict.UNDECIDED) else first_message(first.message),
        undecided=any(seen.verdict is Verdict.UNDECIDED for seen in (*before, *after)),
        repeats=repeats,
        n_tests=len(bug.oracle.trigger) + len(bug.oracle.regression),
        unguarded=unguarded,
        strength=fixed.strength if looked_for else None,
        not_survived=not_survived,
        cpu_s=round(fixed.cpu_s, 3),
        limit_share=round(max((test.cpu_s for seen in after for test in seen.tests), default=0.0) / bug.oracle.limits.cpu_s, 3),
    )


def _needed_s(bug: Bug, sandbox: Sandbox) -> float | None:
    """Return the CPU time of the reference fix's tests, each in its own process, or of its longest case."""
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        work = Path(folder, "work")
        lay_out(bug, changed_files(bug.fix, bug), work)
        trial = TreeTester(bug, sandbox, "full", work, checker_sandbox=sandbox)
        if trial.build():
            return None
        trial.run((), bug.oracle.cases)
        longest_s, before_s = max((case.cpu_s for case in trial.log.tests), default=0.0), trial.log.cpu_s
        trial.run((*bug.oracle.trigger, *bug.oracle.regression), ())
    passed = all(test.passed for test in trial.log.tests)
    return round(max(longest_s, trial.log.cpu_s - before_s), 3) if passed else None


def _exposed(bug: Bug, validator: BugValidator) -> list[str]:
    """Report the files that a candidate could change to make tests pass."""
    found = unprotected_expectations(bug, lambda candidate: validator.validate(candidate, policy="first-failure").verdict)
    return [f"tests depend on {', '.join(found)}, which candidates may edit; {advice_for(found)}"] if found else []


def _unguarded(bug: Bug, validator: BugValidator) -> tuple[str, ...]:
    """Return the tests of a healthy bug that are not blind and have no counter-test."""
    if not bug.oracle.trigger and not bug.oracle.regression:
        return ()
    try:
        return validator.counter_tests.unguarded()
    except HarnessError:
        return (*bug.oracle.trigger, *bug.oracle.regression)


def _repeat(bug: Bug, candidate: Candidate, sandbox: Sandbox, times: int) -> list[_Seen]:
    """Validate a tree repeatedly, each time with its tests in another order."""
    tests = (*bug.oracle.trigger, *bug.oracle.regression)
    oracle = dataclasses.replace(bug.oracle, trigger=(), regression=tests[::-1], cases=bug.oracle.cases[::-1])
    backwards = dataclasses.replace(bug, oracle=oracle)
    ways: Mapping[str, Callable[[], _Seen]] = {
        "reversed": lambda: _seen("reversed", validate(candidate, backwards, sandbox, policy="full")),
        "alone": lambda: _run_each_alone(bug, candidate, sandbox),
        "listed": lambda: _seen("listed", validate(candidate, bug, sandbox, policy="full")),
    }
    return [run() for run in islice(cycle(ways.values()), times)]


def _seen(order: str, outcome: Outcome) -> _Seen:
    built = outcome.verdict is not Verdict.UNCOMPILABLE
    return _Seen(order=order, verdict=outcome.verdict, message=outcome.message, built=built, tests=outcome.tests)


def _run_each_alone(bug: Bug, candidate: Candidate, sandbox: Sandbox) -> _Seen:
    """Build a tree and run each of its tests in its own process."""
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        work = Path(folder, "work")
        try:
            lay_out(bug, changed_files(candidate, bug), work)
            # Each is forked from a process that has loaded its file and run no test: starting one costs most of the time.
            with sandbox.slot(work) as slot:
                problem = TreeTester(bug, slot, "full", work).build()
                toolchain = language(bug.problem.language).toolchain
                loading = toolchain.loading() if isinstance(toolchain, Loading) else None
                trial = TreeTester(bug, slot, "full", work, checker_sandbox=sandbox, other_toolchain=loading)
                for test in () if problem else (*bug.oracle.trigger, *bug.oracle.regression):
                    trial.run((test,), ())
                if not problem:
                    trial.run((), bug.oracle.cases)
        except HarnessError as error:
            return _Seen(order="alone", verdict=Verdict.UNDECIDED, message=str(error), built=True, tests=())
    verdict = next((Verdict(test.verdict) for test in trial.log.tests if not test.passed), Verdict.PLAUSIBLE)
    verdict = Verdict.UNCOMPILABLE if problem else verdict
    return _Seen(order="alone", verdict=verdict, message=problem, built=not problem, tests=tuple(trial.log.tests))


def _absent(first: Outcome, fixed: Outcome) -> tuple[str, ...]:
    """Return the tests that neither tree has; a tree that does not build tells nothing."""
    found = {test.id for test in first.tests if not _is_not_there(test)}
    return tuple(test.id for test in fixed.tests if _is_not_there(test) and test.id not in found)


def _is_not_there(test: TestResult) -> bool:
    """Return whether a test is missing from a tree, which some test frameworks say by saying nothing."""
    return is_missing(test) or test.message == NOT_REPORTED


def _absences(bug: Bug, absent: Sequence[str], sandbox: Sandbox) -> list[str]:
    """Report tests that do not exist, with the ones that were probably meant."""
    listed = _listed(bug, absent, sandbox) if absent else ()
    meant = [nearest(name, listed) for name in absent]
    return [
        f"bug.toml names a test that does not exist: {name}{f'. Did you mean {near}?' if near else ''}"
        for name, near in zip(absent, meant, strict=True)
    ]


def _listed(bug: Bug, absent: Sequence[str], sandbox: Sandbox) -> tuple[str, ...]:
    """Return the tests of the fixed tree near those that bug.toml names, as far as they can be listed."""
    named = (*bug.oracle.trigger, *bug.oracle.regression)
    # Some listers stop at a place that does not exist, so places of existing tests come first.
    inner = [_place(name) for name in sorted(named, key=lambda name: name in absent)]
    places = dict.fromkeys((*inner, *(place.rpartition("/")[0] for place in inner), "*"))
    try:
        with laid_out(bug, bug.oracle.reference) as work, sandbox.slot(work) as slot:
            trial = TreeTester(bug, slot, "full", work, checker_sandbox=sandbox)
            return () if trial.build() else list_tests(trial, [place for place in places if place])[0]
    except (UserError, HarnessError):
        return ()


def _place(test: str) -> str:
    """Return where a test is by its name.

    >>> _place("tests/test_a.py::TestA::test_b"), _place("shop.CartTest.total"), _place("total")
    ('tests/test_a.py', 'shop.CartTest', '')
    """
    return test.partition("::")[0] if "::" in test else test.rpartition(".")[0]


def _problems_before(bug: Bug, outcome: Outcome, absent: Sequence[str]) -> list[str]:
    if outcome.verdict is Verdict.UNDECIDED:
        return [f"the buggy tree could not be validated: {outcome.message}"]
    if outcome.verdict is Verdict.PLAUSIBLE:
        return ["the buggy tree passes every test"]
    problems = []
    wanted = bug.problem.submission_verdict
    if wanted is not None and outcome.verdict is not wanted:
        problems.append(f"the buggy program is {outcome.verdict}, not {wanted} as its record says ({outcome.message})")
    if outcome.verdict is Verdict.UNCOMPILABLE:
        return problems
    passed = {test.id for test in outcome.tests if test.passed}
    problems += [f"trigger test {name} passes on the buggy tree" for name in bug.oracle.trigger if name in passed]
    failed = [name for name in bug.oracle.regression if name not in passed and name not in absent]
    return problems + [f"regression test {name} fails on the buggy tree" for name in failed]


def _problems_after(outcome: Outcome, absent: Sequence[str]) -> list[str]:
    failed = [test for test in outcome.tests if not test.passed and test.id not in absent]
    if outcome.verdict is Verdict.PLAUSIBLE or (absent and not failed and outcome.verdict is not Verdict.UNDECIDED):
        return []
    outcome_said = f"fails {len(failed)} of {count(outcome.n_tests, 'test')}" if failed else f"is {outcome.verdict}"
    message = f"{failed[0].id}: {failed[0].message}" if absent and failed else outcome.message
    return [f"the reference fix {outcome_said} ({message})"]


def _flips(tree: TreeName, repeats: Sequence[_Seen]) -> list[Flips]:
    """Return the tests of a tree whose verdict differed between repeats; or the build, if that did."""
    decided = [seen for seen in repeats if seen.verdict is not Verdict.UNDECIDED]
    if len({seen.built for seen in decided}) > 1:
        found = [(seen.order, TestVerdict.PASSED if seen.built else TestVerdict.UNCOMPILABLE) for seen in decided]
        return [_flips_of(BUILD, tree, found)]
    seen_of: dict[str, list[tuple[str, TestVerdict]]] = {}
    for seen in decided:
        for test in seen.tests:
            seen_of.setdefault(test.id, []).append((seen.order, test.verdict))
            # A time-out that the second run forgave is a flip, too.
            seen_of[test.id] += [(seen.order, TestVerdict.TIMEOUT)] * (test.flips if test.passed else 0)
    return [_flips_of(test, tree, found) for test, found in seen_of.items() if len({verdict for _, verdict in found}) > 1]


def _flips_of(test: str, tree: TreeName, found: Sequence[tuple[str, TestVerdict]]) -> Flips:
    counts = Counter(str(verdict) for _, verdict in found)
    by_order: dict[str, list[TestVerdict]] = {}
    for order, verdict in found:
        by_order.setdefault(order, []).append(verdict)
    cause: Cause = "chance"
    if all(len(set(verdicts)) == 1 for verdicts in by_order.values()):
        cause = "order" if all(len(verdicts) > 1 for verdicts in by_order.values()) else "order or chance"
    return Flips(
        test=test,
        tree=tree,
        runs=len(found),
        flips=len(found) - max(counts.values()),
        verdicts=dict(sorted(counts.items())),
        cause=cause,
    )
