"""Find the regression tests of an imported bug by running them: what counts passes on the fixed and on the buggy tree."""

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repairlab.benchmarks.folder import load_bug
from repairlab.benchmarks.writing import toml
from repairlab.building.amending import first_message
from repairlab.building.bug_trees import (
    BugTrees,
    BuildFolder,
    DoesNotBuildError,
    generate,
    laid_out,
    opened_build_folder,
    opened_trees,
)
from repairlab.building.importers.importer import Generator, Proof
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Limits
from repairlab.core.outcome import Policy, TestResult, TestVerdict
from repairlab.core.record import SCHEMA_VERSION, record
from repairlab.languages.language import Lister, language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.time_limits import with_margin
from repairlab.validation.tree_tester import MOST_LATE, TreeTester

_SHOWN = 5
"""How many tests a note names with their messages."""
_LONGEST = 600
"""Characters kept of each test's message."""
_ROOM = 4
"""Time allowed to each test run alone, as a multiple of what all tests together took."""
_CPU_STEPS_S, _WALL_STEPS_S = (5.0, 10.0, 20.0, 40.0), (60.0, 120.0, 240.0)
"""Limits found by running tests: a short list, so that most machines choose the same."""


@record
class Search:
    """A bug whose tests are to be found."""

    folder: Path
    benchmark: str
    bug_id: str
    digest: str
    """The facts of the bug as written."""
    language: str
    facts: Mapping[str, Any]
    places: tuple[str, ...]
    unsorted: bool = False
    """Whether the tests found are complete and those that fail on the buggy tree are the trigger tests."""
    proof: Proof = "none"
    repeat: int = 1
    """How often tests run on each tree."""
    generator: Generator | None = None
    """Run first, to make files of the tree."""
    older_release: int | None = None
    """A `build.release` to fall back on if the tree does not build with the facts' own."""
    other_env: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Variables to add for the tests if trigger tests pass on the buggy tree without them."""
    generous: bool = False
    """Whether the facts' time limits are only upper bounds."""


@record
class DiscoveredTests:
    """What the search found."""

    bug_id: str
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why the bug cannot be used here; empty when it can."""
    trigger: tuple[str, ...] = ()
    regression: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    """Tests that both passed and failed on one tree."""
    symptom: str = dataclasses.field(default="", compare=False)
    """What the first trigger tests say on the buggy tree."""
    error: str = dataclasses.field(default="", compare=False)
    """The first failing message of the buggy tree."""
    cases_left_out: tuple[str, ...] = ()
    verdict: str = ""
    """How the wrong program of a stdin/stdout bug fails."""
    release: int | None = None
    """The `build.release` with which the tree builds, if it is not the facts' own."""
    unseen: bool = False
    """Whether the bug is unusable because its trigger tests also pass on the buggy tree."""
    env: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """`test.env`, if it is not the facts' own."""
    limits: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Time limits by name, where the facts' own are higher than needed."""
    cpu_s: float = dataclasses.field(default=0.0, compare=False)
    """What it cost, without things that serve many bugs, such as a compiler still running."""


@record
class DiscoveryStage:
    """The state of one bug's search."""

    bug_id: str
    stage: str


@record
class _Seen:
    """How tests ended on a tree in each run, and what could not be listed there."""

    tests: tuple[str, ...]
    results: tuple[TestResult, ...]
    error: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    """Return the time of all tests together, for each run."""

    @property
    def longest_s(self) -> float:
        """Return the CPU time of the longest test that passed."""
        return max((result.cpu_s for result in self.results if result.passed), default=0.0)

    @property
    def failing(self) -> Mapping[str, str]:
        """Return the tests that did not pass every time, and why."""
        failed = [result for result in reversed(self.results) if not result.passed]
        why = {result.id: result.message or str(result.verdict) for result in failed}
        return {name: why[name] for name in self.tests if name in why}

    @property
    def unsteady(self) -> Mapping[str, str]:
        """Return those of them that passed at least once."""
        passed = {result.id for result in self.results if result.passed}
        return {name: why for name, why in self.failing.items() if name in passed}


@contextmanager
def discovering(sandbox: Sandbox, notify: Callable[[DiscoveredTests | DiscoveryStage], None]) -> Iterator[Callable[[Search], None]]:
    """Give a function that finds the tests of one bug after another; neighbours share what is built."""
    with opened_build_folder(sandbox) as folder:
        yield lambda search: _tell_found(search, sandbox, folder, notify)


def _tell_found(
    search: Search, sandbox: Sandbox, folder: BuildFolder, notify: Callable[[DiscoveredTests | DiscoveryStage], None]
) -> None:
    began = cpu_s_so_far()

    def tell(stage: str) -> None:
        notify(DiscoveryStage(bug_id=search.bug_id, stage=stage))

    try:
        found = _found(search, sandbox, folder, tell)
        if found.unseen and search.other_env:
            found = _found_in_other_environment(search, sandbox, folder, tell) or found
    except (UserError, HarnessError) as error:
        found = DiscoveredTests(bug_id=search.bug_id, problem=str(error))
        if search.older_release and isinstance(error, DoesNotBuildError):
            older = _found_with_older_release(search, search.older_release, sandbox, folder, tell)
            found = found if older is None else older
    notify(dataclasses.replace(found, cpu_s=round(cpu_s_so_far() - began, 2)))


def _found_with_older_release(
    search: Search, release: int, sandbox: Sandbox, folder: BuildFolder, tell: Callable[[str], None]
) -> DiscoveredTests | None:
    """Search with the tree built for an older release of the language; return nothing if that does not build either."""
    _write_facts(search, release=release)
    try:
        found = _found(search, sandbox, folder, tell)
    except (UserError, HarnessError):
        return None
    note = f"built as release {release} of the language, for as {search.facts['build']['release']} it does not build"
    return dataclasses.replace(found, release=release, notes=(note, *found.notes))


def _found_in_other_environment(
    search: Search, sandbox: Sandbox, folder: BuildFolder, tell: Callable[[str], None]
) -> DiscoveredTests | None:
    """Search with the extra variables; return nothing if the bug does not show with them either."""
    env = {**search.facts["test"].get("env", {}), **search.other_env}
    _write_facts(search, release=None, env=env)
    try:
        found = _found(search, sandbox, folder, tell)
    except (UserError, HarnessError):
        return None
    told = " ".join(f"{name}={value}" for name, value in search.other_env.items())
    note = f"tested with {told}, for without it trigger tests pass on the buggy tree"
    return None if found.problem else dataclasses.replace(found, env=env, notes=(note, *found.notes))


def _found(search: Search, sandbox: Sandbox, folder: BuildFolder, tell: Callable[[str], None]) -> DiscoveredTests:
    bug = load_bug(search.folder, search.benchmark)
    failed = ""
    if search.generator:
        tell(f"running {search.generator.program}")
        failed = generate(search.generator, bug, sandbox)
        bug = load_bug(search.folder, search.benchmark)
    found = _prove(search, bug, sandbox) if search.proof != "none" else _discover(search, bug, sandbox, folder, tell)
    if failed and found.problem:
        return dataclasses.replace(found, problem=f"{failed}; then {found.problem}")
    return dataclasses.replace(found, notes=(failed, *found.notes)) if failed else found


def cpu_s_so_far() -> float:
    """Return the CPU time of this process and of all children it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _discover(search: Search, bug: Bug, sandbox: Sandbox, folder: BuildFolder, tell: Callable[[str], None]) -> DiscoveredTests:
    named = () if search.unsorted else bug.oracle.trigger
    with opened_trees(bug, sandbox, folder) as trees:
        tell("building")
        fixed = _run_fixed(trees, search, named, tell)
        named = expanded(named, fixed.tests)
        broken = fixed.failing
        good = [name for name in fixed.tests if name not in broken]
        first = [name for name in named if name not in broken]
        limits = needed_limits(bug.oracle.limits, fixed.cpu_s, fixed.wall_s, fixed.longest_s) if search.generous else {}
        trees.limit(limits)
        tell(f"running {count(len(good), 'test')} on the buggy tree")
        # Trigger tests first, as always; the rest backwards, which reveals tests that depend on those before them.
        buggy = _run(trees, (), list(dict.fromkeys((*first, *good[::-1]))), search.repeat)
    failing, unsteady = buggy.failing, buggy.unsteady
    flipped = tuple(dict.fromkeys((*fixed.unsteady, *unsteady)))
    named = fixed.tests if search.unsorted else named
    trigger = [name for name in named if name in failing and name not in unsteady]
    if not trigger:
        told = [f"{name}: {_why_not(name, broken, unsteady)}" for name in named] or [fixed.error or "none is found"]
        told = [_shortened(" ".join(text.split())) for text in told]
        why = "; ".join([*told[:_SHOWN], *([f"{len(told) - _SHOWN} more"] if len(told) > _SHOWN else [])])
        return DiscoveredTests(
            bug_id=bug.id,
            problem=f"no trigger test fails on the buggy and passes on the fixed tree ({why})",
            unseen=any(name in good and name not in failing for name in named),
            unsteady=flipped,
        )
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
    symptom = "\n".join(f"{name}: {_shortened(failing[name])}" for name in trigger[:_SHOWN])
    return DiscoveredTests(
        bug_id=bug.id,
        notes=notes,
        trigger=tuple(trigger),
        regression=tuple(regression),
        unsteady=flipped,
        symptom=symptom,
        error=first_message(f"{trigger[0]}: {failing[trigger[0]]}"),
        limits=limits,
    )


def needed_limits(most: Limits, cpu_s: float, wall_s: float, longest_s: float) -> Mapping[str, float]:
    """Return the time limits of tests that took so long all together: a candidate that runs forever is to be found out soon.

    No test is near its limit, for on another day it would pass it: more than `most` is allowed where the longest one needs that.

    >>> needed_limits(Limits(cpu_s=60, wall_s=240), 1.0, 2.5, 0.5), needed_limits(Limits(cpu_s=60, wall_s=240), 12.0, 20.0, 2.0)
    ({'cpu_s': 5.0, 'wall_s': 60.0}, {'cpu_s': 60, 'wall_s': 240})
    >>> needed_limits(Limits(cpu_s=60, wall_s=240), 150.0, 160.0, 50.0)
    {'cpu_s': 240, 'wall_s': 960}
    """
    if _ROOM * longest_s > most.cpu_s:
        times = 2 if _ROOM * longest_s <= 2 * most.cpu_s else _ROOM
        return {"cpu_s": times * most.cpu_s, "wall_s": times * most.wall_s}
    cpu_limit_s = _step(_CPU_STEPS_S, cpu_s, most.cpu_s)
    return {"cpu_s": cpu_limit_s, "wall_s": _step(_WALL_STEPS_S, max(cpu_limit_s, wall_s), most.wall_s)}


def _step(steps: Sequence[float], taken_s: float, most_s: float) -> float:
    return min(most_s, next((step for step in steps if step >= _ROOM * taken_s), most_s))


def expanded(named: Sequence[str], listed: Sequence[str]) -> tuple[str, ...]:
    """Return named tests, with all that is listed in place of classes, files and tests with parameters.

    >>> expanded(["a.py::f", "a.py::g", "m.C"], ["a.py::f[1]", "a.py::f[2]", "a.py::g", "m.C.t"])
    ('a.py::f[1]', 'a.py::f[2]', 'a.py::g', 'm.C.t')
    """
    known = set(listed)
    parts = {name: [test for test in listed if test.startswith((f"{name}[", f"{name}::", f"{name}."))] for name in named}
    return tuple(dict.fromkeys(test for name in named for test in ([name] if name in known else parts[name] or [name])))


def _shortened(text: str) -> str:
    """Return the beginning and the end of a long message, without the middle."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 3]} … {text[-_LONGEST * 2 // 3 :]}"


def _why_not(test: str, broken: Mapping[str, str], unsteady: Mapping[str, str]) -> str:
    """Say why a test does not show the bug."""
    if test in unsteady:
        return f"fails on the buggy tree only now and then ({unsteady[test]})"
    return broken.get(test, "passes on the buggy tree")


def write_down(search: Search, found: DiscoveredTests) -> None:
    """Write what was found into the folder of a bug."""
    if found.trigger or found.error:
        listed = {"trigger": found.trigger, "regression": found.regression} if found.trigger else {}
        tests = {**listed, **({"env": found.env} if found.env else {})}
        _write_facts(search, release=found.release, limits=found.limits, error=found.error, **tests)
    for case in found.cases_left_out:
        for ending in ("in", "out"):
            (search.folder / "cases" / f"{case}.{ending}").unlink()


def _write_facts(
    search: Search, *, release: int | None, limits: Mapping[str, float] | None = None, error: str = "", **tests: Any
) -> None:
    build = {"build": {**search.facts["build"], "release": release}} if release else {}
    needed = {"limits": {**search.facts["limits"], **limits}} if limits else {}
    message = {"error": search.facts.get("error") or error or None}
    facts = {**search.facts, **message, **build, **needed, "test": {**search.facts["test"], **tests}}
    (search.folder / "bug.toml").write_text(toml({"schema": SCHEMA_VERSION, **facts}), encoding="utf-8")


def _prove(search: Search, bug: Bug, sandbox: Sandbox) -> DiscoveredTests:
    """Run the right and the wrong program; drop cases that the right one fails, or the bug if none is left."""
    cases, fixed = bug.oracle.cases, {result.id: result for result in _run_cases(bug, bug.oracle.reference, sandbox, "full")}
    results = [fixed[case.id] for case in cases if case.id in fixed]
    broken = {result.id: f"{result.verdict}: {result.message}" for result in results if not result.passed}
    good = tuple(case for case in cases if case.id in fixed and case.id not in broken)
    if broken and (search.proof == "all cases" or not good):
        case, why = next(iter(broken.items()))
        told = f"{len(broken)} of {count(len(fixed), 'case')}, the first: {case}: {' '.join(why.split())}"
        return DiscoveredTests(bug_id=bug.id, problem=f"the right program is not accepted here ({told})")
    left = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=good))
    failed = [result for result in _run_cases(left, (), sandbox, "first-failure") if not result.passed]
    if not failed:
        return DiscoveredTests(bug_id=bug.id, problem=f"the wrong program passes every case ({len(good)})")
    not_run = {case.id: f"{len(case.input)} characters" for case in cases if case.id not in fixed}
    notes = (
        *_note("left out, which the right program does not pass", broken, "case"),
        *_note(f"left out, not run after {MOST_LATE} that took the right program too long", not_run, "case"),
    )
    first = failed[0]
    built = first.verdict is not TestVerdict.UNCOMPILABLE
    return DiscoveredTests(
        bug_id=bug.id,
        notes=notes,
        cases_left_out=(*broken, *not_run),
        verdict=first.verdict.value,
        error=first_message(f"{first.id}: {first.message}" if built else first.message),
    )


def _run_cases(bug: Bug, edits: tuple[Edit, ...], sandbox: Sandbox, policy: Policy) -> list[TestResult]:
    """Return the results of the cases; a program that does not build fails them all.

    Short inputs come first, and after the first few time-outs the rest is not run: most often a program loops over inputs that were
    cut short, and those are the longest.
    """
    with laid_out(bug, edits) as work, sandbox.slot(work) as slot:
        trial = TreeTester(bug, slot, policy, work, checker_sandbox=sandbox)
        if problem := trial.build():
            return [TestResult(id=case.id, verdict=TestVerdict.UNCOMPILABLE, message=problem) for case in bug.oracle.cases]
        cases, n_more = sorted(bug.oracle.cases, key=lambda case: len(case.input)), MOST_LATE
        while len(trial.log.tests) < len(cases) and n_more:
            trial.run((), cases[len(trial.log.tests) :][:n_more])
            n_more = MOST_LATE - sum(result.verdict is TestVerdict.TIMEOUT for result in trial.log.tests)
            if policy == "first-failure" and not trial.log.tests[-1].passed:
                break
    return trial.log.tests


def _run_fixed(trees: BugTrees, search: Search, named: tuple[str, ...], tell: Callable[[str], None]) -> _Seen:
    """Run the tests that are named, or listed for places, on the fixed tree."""
    trial = trees.built(trees.bug.oracle.reference)
    names, error = list_tests(trial, search.places)
    tests = tuple(dict.fromkeys((*expanded(named, names), *names)))
    tell(f"running {count(len(tests), 'test')} on the fixed tree")
    cpu_s, wall_s = trial.log.cpu_s, trial.log.wall_s
    for turn in range(search.repeat):
        late = {result.id for result in trial.log.tests if result.verdict is TestVerdict.TIMEOUT}
        again = [name for name in tests[:: -1 if turn % 2 else 1] if name not in late]
        trial.run(again, (), hurried=not search.unsorted)  # any of the unsorted tests may be a trigger test
    taken = {"cpu_s": (trial.log.cpu_s - cpu_s) / search.repeat, "wall_s": (trial.log.wall_s - wall_s) / search.repeat}
    return _Seen(tests=tests, results=tuple(trial.log.tests), error=error, **taken)


def _run(trees: BugTrees, edits: tuple[Edit, ...], tests: Sequence[str], repeat: int) -> _Seen:
    """Run tests on a tree and repeat those that fail, except those that ran into their time limit, which take longest."""
    trial = trees.built(edits)
    for turn in range(repeat):
        late = {result.id for result in trial.log.tests if result.verdict is TestVerdict.TIMEOUT}
        trial.run([name for name in tests[:: -1 if turn % 2 else 1] if name not in late], ())
    failed = {result.id for result in trial.log.tests if not result.passed and result.verdict is not TestVerdict.TIMEOUT}
    trial.run([name for name in tests if name in failed], ())
    return _Seen(tests=tuple(tests), results=tuple(trial.log.tests))


def list_tests(trial: TreeTester, places: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the tests of some places of a built tree, and why any could not be listed."""
    bug = trial.bug
    toolchain = language(bug.problem.language).toolchain
    if not isinstance(toolchain, Lister):
        raise UserError(f"tests in {bug.problem.language} cannot be listed; name them instead")
    batch = toolchain.listing(bug.oracle.build, bug.oracle.test, places)
    found = toolchain.listed(batch, trial.sandbox.run(batch.command.under(with_margin(bug.oracle.limits)), trial.work))
    return found.tests, found.error


def _note(what: str, tests: Mapping[str, str], kind: str = "test") -> list[str]:
    if not tests:
        return []
    told = [f"{name} ({why.splitlines()[0][:120] if why.strip() else 'no message'})" for name, why in tests.items()]
    rest = list(tests)[_SHOWN:]
    return [f"{len(tests)} {kind if len(tests) == 1 else f'{kind}s'} {what}: {', '.join([*told[:_SHOWN], *rest])}"]
