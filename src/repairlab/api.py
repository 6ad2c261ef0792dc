"""The Python API, which `import repairlab` offers name by name. docs/reference/api.md shows how to use it.

It is a thin layer: the command line runs the same code. Nothing is loaded before it is used.
"""

import dataclasses
import glob
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from numbers import Integral
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Protocol, Self, TypedDict, Unpack, cast, get_type_hints

from repairlab.benchmarks.catalog import Benchmark, benchmark_names, open_benchmark, open_bug
from repairlab.benchmarks.health import Health
from repairlab.building.check import check_bugs
from repairlab.core.arguments import check_value, checked
from repairlab.core.bug import Bug
from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.errors import HarnessError, Interrupted, UserError, unknown
from repairlab.core.model import Access
from repairlab.core.option import settings_of
from repairlab.core.outcome import Outcome, Policy, Strength, TestResult, Verdict
from repairlab.core.problem import Problem, Visibility
from repairlab.core.record import record
from repairlab.core.score import Score
from repairlab.formats.patch_forms import PatchForm, candidate_of
from repairlab.metrics.metric import Duplicates
from repairlab.metrics.reward import RewardScale
from repairlab.repairers.plain import is_reference
from repairlab.repairers.repairer import NoSettings
from repairlab.repairers.table import find_factory, make_settings
from repairlab.runs.executors.forking import start_server
from repairlab.runs.experiment import Experiment, Feedback, make_experiment
from repairlab.runs.messages import Step
from repairlab.runs.own_object import OwnRepairer, Patches
from repairlab.runs.repairing import repairer_names
from repairlab.runs.reward import Reward
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.validator_pool import ValidatorPool
from repairlab.study.comparison import Comparison, compare_runs
from repairlab.study.scores import RunScores
from repairlab.study.stored_run import Records, Run
from repairlab.validation.machine import Isolation, local_machine

__all__ = [
    "Access",
    "Attempt",
    "Benchmark",
    "Bug",
    "Candidate",
    "Comparison",
    "Edit",
    "HarnessError",
    "Health",
    "Origin",
    "Outcome",
    "Problem",
    "Records",
    "RepairerChoice",
    "Reward",
    "RewardScale",
    "Run",
    "RunScores",
    "Score",
    "TestResult",
    "UserError",
    "Validator",
    "Verdict",
    "Visibility",
    "benchmark_names",
    "check",
    "compare",
    "load",
    "open_run",
    "repairer",
    "repairer_names",
    "run",
    "score",
    "validate",
]

BugReference = Annotated[Bug | str | Path, "a bug, or BENCHMARK/BUG with the benchmark's name or folder"]
BenchmarkReference = Annotated[Benchmark | str | Path, "the name or folder of a benchmark, or what load() returned"]
RunReference = Annotated[Run | str | os.PathLike[str], "a run or the path of its folder"]
_AHEAD = 4
"""How many patches wait for each worker: a slow answer delays only those behind it."""


class MachineOptions(TypedDict, total=False):
    """How this machine does the work; none of it changes a verdict."""

    workers: int | None
    """Worker processes; by default one for each core that this process may use."""
    isolation: Isolation
    """`warm`: candidates of a bug share what they have in common. `process`: a clean build and fresh processes for each."""
    sandbox: str
    """`auto`, or the name of a back end."""
    allow_unsafe: bool
    """Allow running candidates without isolation."""
    cache: Annotated[bool | str | Path, "True, False or a folder"]
    """False: neither use earlier verdicts nor keep new ones. A path: the folder for what is kept."""
    recheck: int
    """One in this many earlier verdicts is reached again and must agree; 0: none."""
    access: Access
    """How language models are reached."""


class ValidationOptions(MachineOptions, total=False):
    """How candidates are judged."""

    policy: Policy
    """`first-failure`, or `full`: run every test."""
    confirm: int
    """Rerun a failing test this often, alone, before it counts."""
    min_strength: Strength
    """The weakest pass that counts: `blind`, `checked` or `unchecked`; a weaker one is UNDECIDED."""


class RunOptions(ValidationOptions, total=False):
    """Settings of a run; docs/reference/cli.md says what each means. Those of a repairer may also be given to `repairer`."""

    n: int
    k: Annotated[int | tuple[int, ...], "whole numbers, such as (1, 5)"]
    visibility: Visibility | Mapping[str, Any]
    feedback: Feedback
    rounds: int
    stop_when_fixed: bool
    limit: int | None
    skip_unfit: bool
    seed: int
    keep_going: bool
    accept_changes: bool


class Proposer(Protocol):
    """A repairer of your own: an object with a name and this method, as `docs/guides/extend-repairers.md` describes it."""

    name: str

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterable[object]:
        """Yield patches of any form, best first."""
        ...


@record
class RepairerChoice:
    """A repairer by name, with settings; `repairer` makes it."""

    name: str
    settings: dict[str, Any]


@checked()
def load(benchmark: BenchmarkReference) -> Benchmark:
    """Open a built-in benchmark by name, or any other by its folder; bugs are read when they are asked for.

    >>> bench = load("starter")
    >>> bench["python-version-order"].problem.path
    'packages/version.py'
    >>> len(bench.filter("c-*", limit=3))
    3
    """
    return benchmark if isinstance(benchmark, Benchmark) else open_benchmark(benchmark)


@checked()
def validate(bug: BugReference, patch: object, *, form: PatchForm | None = None, **options: Unpack[ValidationOptions]) -> Outcome:
    """Return the verdict on one patch; for several patches of a bug a `Validator` is much faster.

    The bug may be given as `BENCHMARK/BUG`, where the benchmark is a name or a folder.
    """
    with Validator(bug, **options) as validator:
        return validator.validate(patch, form=form)


class Validator:
    """Validates patches of one bug, in worker processes that stay until it is closed.

    It may be used from any thread, and in processes that are forked from this one or that it is sent to: each has its own workers.
    """

    @checked()
    def __init__(self, bug: BugReference, **options: Unpack[ValidationOptions]) -> None:
        """Prepare for a bug, which may be given as `BENCHMARK/BUG`; HarnessError names what is missing on this machine."""
        bug = _bug(bug)
        policy, confirm = options.pop("policy", "first-failure"), options.pop("confirm", 0)
        min_strength = options.pop("min_strength", "unchecked")
        if confirm < 0:
            raise UserError(f"confirm is {confirm}: it says how often a failing test is run again, 0 or more")
        machine = local_machine(**cast(MachineOptions, options))
        start_server()  # it loads while we look at the tools
        self.bug = bug
        self._pool = ValidatorPool(machine)
        self._opened = self._pool.opened(bug, policy=policy, confirm=confirm, min_strength=min_strength)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all workers of this process; garbage collection and the end of the process do so, too."""
        self._pool.close()

    @checked()
    def validate(self, patch: object, *, form: PatchForm | None = None) -> Outcome:
        """Return the outcome of a patch, whatever its form; docs/reference/api.md lists what is understood."""
        return self._validate(patch, form=form)

    def _validate(self, patch: object, *, form: PatchForm | None) -> Outcome:
        candidate = candidate_of(patch, self.bug, form=form)
        plain = Candidate(
            bug_id=candidate.bug_id,
            edits=candidate.edits,
            rank=1,
            origin=Origin(repairer="api"),
            problem=candidate.problem,
            answer=candidate.answer,
        )
        judged = self._pool.ask(self._opened, plain)
        if judged.earlier is not None:
            warnings.warn(
                f"bug {self.bug.id}: an earlier run found {judged.earlier}, now it is {judged.outcome.verdict}; is a test flaky?",
                stacklevel=4,
            )
        return judged.outcome

    @checked()
    def map(self, patches: Patches, *, form: PatchForm | None = None, workers: int | None = None) -> list[Outcome]:
        """Return the verdicts on patches, in order."""
        return list(self.imap(patches, form=form, workers=workers))

    @checked()
    def imap(self, patches: Patches, *, form: PatchForm | None = None, workers: int | None = None) -> Iterator[Outcome]:
        """Yield the verdicts on patches, in order, as soon as they are known; patches are taken on demand."""
        n = self._pool.machine.workers if workers is None else workers
        if n < 1:
            raise UserError(f"workers is {n}: at least 1 worker is needed")
        judge = partial(self._validate, form=form)
        return map(judge, patches) if n == 1 else _ordered(judge, patches, n)


def _ordered(function: Callable[[object], Outcome], items: Iterable[object], n: int) -> Iterator[Outcome]:
    """Call a function for each item in n threads, which only wait for worker processes, and yield the results in order."""
    pool = ThreadPoolExecutor(n, thread_name_prefix="repairlab")
    waiting: deque[Future[Outcome]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) >= _AHEAD * n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _bug(bug: BugReference) -> Bug:
    return bug if isinstance(bug, Bug) else open_bug(str(bug))


def _settings_of(repairer: str) -> tuple[str, ...]:
    """Return the names of a repairer's own settings, and of those that say how it is reached."""
    made = find_factory(repairer)
    return tuple(setting.name for kind in (made.settings, made.access) for setting in settings_of(kind)) if made else ()


def _repairer_options(given: Mapping[str, Any]) -> Iterable[str]:
    return {*Experiment.__dataclass_fields__, *_settings_of(str(given.get("name")))} - {
        "benchmark",
        "repairer",
        "settings",
        "include",
        "repairer_digest",
    }


def _run_options(given: Mapping[str, Any]) -> Iterable[str]:
    chosen = given.get("repairer")
    return _settings_of(chosen.name if isinstance(chosen, RepairerChoice) else str(chosen))


@checked(_repairer_options)
def repairer(name: str, **settings: Any) -> RepairerChoice:
    """Choose a repairer and its settings: those of a run, such as `n` and `seed`, and its own, such as `model` of `llm`.

    >>> repairer("templates", n=50).settings
    {'n': 50}
    """
    if name not in repairer_names() and not is_reference(name):
        raise unknown("repairer", name, repairer_names())
    hints = get_type_hints(RunOptions, include_extras=True)
    for key, value in settings.items():
        check_value("repairer()", key, value, hints.get(key, Any))
    return RepairerChoice(name=name, settings=settings)


@checked(_run_options)
def run(
    benchmark: BenchmarkReference,
    repairer: Annotated[
        RepairerChoice | Proposer | Callable[[Problem], Iterable[object]] | str,
        "a name of repairer_names(), FILE.py:NAME, what repairer() returned, a function, or an object with propose",
    ],
    *,
    to: str | os.PathLike[str],
    progress: Callable[[Step], None] = lambda step: None,  # noqa: ARG005
    **options: Unpack[RunOptions],
) -> Run:
    """Ask a repairer for fixes to every bug and validate them; the same call again goes on with a run that was stopped.

    A repairer is one that was chosen by name or file (`my.py:MyRepairer`), or your own: an object with `propose`, or a function
    that takes a problem and returns patches of any form. Workers get a copy of an object that they can load; any other is called
    in threads of this process. `progress` is called, in this process, with each step.
    """
    if isinstance(repairer, type):
        raise UserError(f"run(): repairer is the class {repairer.__name__}; hand over an object of it: {repairer.__name__}(…)")
    bench = load(benchmark)
    settings: dict[str, Any] = dict(options)
    here = {key: settings.pop(key) for key in (*MachineOptions.__annotations__, "keep_going", "accept_changes") if key in settings}
    machine = local_machine(**here)
    folder = Path(to)
    start_server()
    if isinstance(repairer, str):
        repairer = RepairerChoice(name=repairer, settings={})
    experiment, local = _experiment(bench, repairer, settings)
    if local is not None:
        if machine.access is not None:
            raise UserError("how a model is reached is said both by `access` and by settings of the repairer: use one of the two")
        machine = dataclasses.replace(machine, access=local)
    own = None if isinstance(repairer, RepairerChoice) else OwnRepairer(repairer, experiment.repairer)
    start_run(experiment, bench.whole, folder, machine, own=own)
    try:
        finish_run(bench.whole, folder, machine, progress, own=own)
    except Interrupted:
        raise KeyboardInterrupt(f"stopped; all so far is in {folder}, and the same call goes on") from None
    return Run(folder)


def _experiment(bench: Benchmark, chosen: Any, options: dict[str, Any]) -> tuple[Experiment, object | None]:
    """Return the settings of a run, and local ones if any; those unknown to a run belong to its repairer."""
    settings: dict[str, Any] = {"benchmark": bench.source, "repairer": _name(chosen)}
    if bench.whole is not bench:
        settings["include"] = tuple(map(glob.escape, bench.ids))
    own: dict[str, Any] = {}
    for key, value in {**(chosen.settings if isinstance(chosen, RepairerChoice) else {}), **options}.items():
        (settings if key in Experiment.__dataclass_fields__ else own)[key] = (
            (value,) if key == "k" and isinstance(value, Integral) else value
        )
    name = settings["repairer"]
    found = find_factory(name)
    access = found.access if found else NoSettings
    local = {setting.name: own.pop(setting.name) for setting in settings_of(access) if setting.name in own}
    made = make_settings(access, local, name) if local else None
    return make_experiment({**settings, "settings": own} if own else settings), made


def _name(chosen: object) -> str:
    if isinstance(chosen, RepairerChoice):
        return repairer(chosen.name).name
    name = str(getattr(chosen, "name", None) or getattr(chosen, "__name__", type(chosen).__name__))
    if name in repairer_names():
        raise UserError(f"a repairer of your own is called {name!r}, as one of ours is; give it another name")
    return name


@checked()
def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run folder, which the command line may have made."""
    return Run(path)


@checked()
def score(
    run: RunReference,
    *,
    k: Annotated[int | tuple[int, ...] | None, "a whole number, or whole numbers such as (1, 5)"] = None,
    partial: bool = False,
    duplicates: Duplicates = "counted",
) -> RunScores:
    """Return all scores that a run supports; `score(run)["pass@1"].value` is one of them."""
    return Run(run).score(k=k, partial=partial, duplicates=duplicates)


@checked()
def compare(a: RunReference, b: RunReference, *, k: int = 1, partial: bool = False) -> Comparison:
    """Compare two runs over the same bugs, bug by bug."""
    return compare_runs(Path(a), Path(b), k=k, partial=partial)


@checked()
def check(
    bugs: Annotated[Iterable[BugReference], "a list of bugs, such as [bug], or a benchmark, such as load('starter')"],
    *,
    repeat: int = 1,
    progress: Callable[[Health], None] = lambda health: None,  # noqa: ARG005
    **options: Unpack[MachineOptions],
) -> list[Health]:
    """Report for each bug, in order, whether it fails unpatched and passes with its reference fix."""
    if repeat < 1:
        raise UserError(f"repeat is {repeat}: a check needs at least 1")
    wanted = []
    for bug in bugs:
        check_value("check()", "a bug", bug, BugReference)
        wanted.append(_bug(bug))
    found: dict[str, Health] = {}

    def receive(health: Health) -> None:
        found[health.bug_id] = health
        progress(health)

    check_bugs(wanted, local_machine(**options), receive, repeats=repeat)
    return [found[bug.id] for bug in wanted]
