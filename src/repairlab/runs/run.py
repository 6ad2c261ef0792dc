"""Start a run or go on with one, settings in and a finished run folder out; or say what that would do."""

import dataclasses
import datetime
import fcntl
import shlex
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from repairlab.core.amounts import count, dollars
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.installation import VERSION
from repairlab.core.model import Access
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import shown
from repairlab.core.record import digest, record
from repairlab.repairers.llm.client.providers import Prices, cost_of
from repairlab.repairers.plain import is_reference
from repairlab.runs.executors.pool import Stopping
from repairlab.runs.executors.work_queue import open_executor
from repairlab.runs.experiment import Coverage, Experiment, Manifest, at_hand, identity
from repairlab.runs.integrity import read_seal, require_intact, write_seal
from repairlab.runs.messages import Notice, Progress, Step, Task
from repairlab.runs.misconfiguration import FirstStarts, forget, has_only_failures
from repairlab.runs.own_object import OwnRepairer
from repairlab.runs.repairing import (
    asks_model,
    check_program,
    check_repairer,
    factory_of,
    higher_limit,
    limit_of,
    read_examples,
    repair_context,
    store_prices,
    unfit,
    waits_in_workers,
    with_budget,
)
from repairlab.runs.sampler import GRACE_S
from repairlab.runs.scheduler import Scheduler, read_stored
from repairlab.runs.store import Store
from repairlab.validation.machine import LOCAL, Machine, environment_of
from repairlab.validation.preflight import check_needs, check_tools, needs_of

_SHOWN = 5
"""How many bugs are named that were not finished for the same reason."""


def begin(
    experiment: Experiment,
    benchmark: Benchmark,
    folder: Path,
    machine: Machine,
    *,
    coverage: Coverage | None = None,
    own: OwnRepairer | None = None,
) -> Manifest:
    """Write run.json of a new run, or check that the folder's run is this one and go on with it."""
    store = Store(folder)
    if store.manifest_path.exists():
        require_intact(store)
    machine = with_budget(experiment, store, machine)
    check_repairer(experiment, machine)
    bugs = askable(experiment, benchmark.select(experiment.include, limit=experiment.limit), own)
    if not store.manifest_path.exists() or bugs_left(store):
        check_program(experiment, bugs, folder, machine)
    environment = environment_of([bug.problem.language for bug in bugs], machine)
    manifest = Manifest(
        experiment=experiment,
        benchmark_name=benchmark.name,
        benchmark_version=benchmark.version,
        benchmark_digest=benchmark.digest,
        bug_ids=tuple(bug.id for bug in bugs),
        languages=tuple(bug.problem.language for bug in bugs),
        repairlab=VERSION,
        environment=environment,
        environment_digest=digest(environment),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        isolation=machine.isolation,
        coverage=coverage,
        cost_limit_usd=limit_of(machine),
    )
    if not store.manifest_path.exists():
        store.create(manifest)
        store_prices(folder, machine)
        return manifest
    old = store.manifest()
    changed = changes_of(old, experiment, benchmark, folder, accept_file=machine.accept_changes)
    is_empty = not machine.keep_going and _forget_failures(store, old)
    if changed and is_empty:
        manifest = dataclasses.replace(manifest, id=old.id)
        store.create(manifest)
        store_prices(folder, machine)
        return manifest
    if changed:
        raise UserError(changed)
    if old.coverage is not None and old.coverage != coverage:
        raise UserError(f"{folder} holds a run of other candidates than the file has now. Choose another folder with --to.")
    settings = old.experiment.settings if experiment.settings is None else experiment.settings
    new = dataclasses.replace(
        old,
        experiment=dataclasses.replace(old.experiment, settings=settings, repairer_digest=experiment.repairer_digest),
        cost_limit_usd=manifest.cost_limit_usd,
    )
    if new != old:
        store.create(new)
    store_prices(folder, machine)
    return new


def changes_of(old: Manifest, experiment: Experiment, benchmark: Benchmark, folder: Path, *, accept_file: bool = False) -> str:
    """Say what a run in a folder was asked otherwise; nothing when it is the same. Another benchmark is a UserError."""
    if old.benchmark_digest != benchmark.digest:
        raise UserError(
            f"{folder} is a run on {old.benchmark_name} {old.benchmark_version} ({old.benchmark_digest}), but the one here is "
            f"{benchmark.name} {benchmark.version} ({benchmark.digest}). Choose another folder with --to."
        )
    was, now = _flat(identity(at_hand(old.experiment))), _flat(identity(experiment))
    before = old.experiment.repairer_digest
    if before and not accept_file and was == now and before != experiment.repairer_digest and _has_candidates(Store(folder)):
        return (
            f"{experiment.repairer} has changed since the run in {folder} began (was {before}, now {experiment.repairer_digest}). "
            "Choose another folder with --to, or go on with the changed file: --accept-changes"
        )
    changed = [f"{key} was {was.get(key)!r}, now {now.get(key)!r}" for key in {**was, **now} if was.get(key) != now.get(key)]
    return f"{folder} holds a run with other settings: {'; '.join(changed)}. Choose another folder with --to." if changed else ""


def _has_candidates(store: Store) -> bool:
    """Return whether a run holds what its repairer proposed, or that it proposed nothing for a bug."""
    return next(store.candidates(), None) is not None or next(store.ends(), None) is not None


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those of tables by themselves, so that only what differs is named."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        flat.update({f"{key}.{name}": item for name, item in value.items()} if isinstance(value, Mapping) else {key: value})
    return flat


def _forget_failures(store: Store, manifest: Manifest) -> bool:
    """Forget the candidates of a run that stopped because its first bugs all failed in the same way; returns whether it did."""
    if not has_only_failures(store, factory_of(manifest.experiment)):
        return False
    with locked(store.folder):
        forget(store)
    return True


def askable(experiment: Experiment, bugs: Sequence[Bug], own: OwnRepairer | None = None) -> Sequence[Bug]:
    """Return the bugs that the repairer can be asked about; a UserError when that is not all of them and nobody said so."""
    reasons = unfit(experiment, bugs, own)
    if not reasons or (experiment.skip_unfit and len(reasons) < len(bugs)):
        return [bug for bug in bugs if bug.id not in reasons]
    which = "any of the bugs" if len(reasons) == len(bugs) else f"{len(reasons)} of {count(len(bugs), 'bug')}"
    others = "" if len(reasons) == len(bugs) else "; choose others with -i, or leave these out with --skip-unfit"
    raise UserError(f"{experiment.repairer} cannot be asked about {which}: {next(iter(reasons.values()))}{others}")


def complete(
    benchmark: Benchmark,
    folder: Path,
    machine: Machine,
    step: Callable[[Step], None],
    *,
    given: Mapping[str, Sequence[Candidate]] | None = None,
    own: OwnRepairer | None = None,
) -> None:
    """Do what is left of a run; a finished run is left as it is. What our own machinery failed on is tried once more."""
    store = Store(folder)
    manifest = store.manifest()
    machine = with_budget(manifest.experiment, store, machine)
    left = bugs_left(store)
    for bug_id in manifest.bug_ids:
        if bug_id not in left:
            step(Progress(bug_id=bug_id, verdict=None))
    if not left:
        if read_seal(store) is None:
            write_seal(store)
        return
    # A bug for which nothing is to be run needs no tools.
    to_run = left if given is None else [bug_id for bug_id in left if any(item.edits for item in given.get(bug_id, ()))]
    bugs = [benchmark.bug(bug_id) for bug_id in to_run]
    check_tools(bugs, machine)
    if machine.executor != LOCAL and waits_in_workers(manifest.experiment):
        raise UserError(
            f"{manifest.experiment.repairer} is asked by workers here, of which only those of one machine know what the others "
            f"asked and spent: leave --executor {machine.executor} out"
        )
    if machine.executor != LOCAL and (own or is_reference(manifest.experiment.repairer)):
        raise UserError(
            f"the repairer {manifest.experiment.repairer} is of no package that other machines could have: "
            f"leave --executor {machine.executor} out"
        )
    stopping = _stopping(manifest.experiment, step, how_to_go_on(folder, is_given=given is not None or own is not None))
    with (
        locked(folder),
        ExitStack() as stack,
        open_executor(machine, needs_of(bugs), stopping, lambda text: step(Notice(text=text))) as executor,
    ):
        first_starts = FirstStarts(
            store, None if given is not None else factory_of(manifest.experiment), keep_going=machine.keep_going
        )
        tasks = _tasks(benchmark, left, store, machine, given, {})
        sent = None
        if own is not None:
            context = repair_context(own.factory, tasks[0], lambda text: step(Notice(text=text)))
            sent = stack.enter_context(own.opened(context, benchmark.bug))
            tasks = [dataclasses.replace(task, own=sent) for task in tasks]
        schedule = Scheduler(store, step, first_starts, given_up={})
        schedule.run(tasks, executor)
        again = _undecided(store, without=schedule.given_up) - set(schedule.failed) if schedule.n_undecided else set()
        if again:
            # These steps were counted already.
            later = Scheduler(store, lambda event: None, first_starts, given_up=schedule.given_up)  # noqa: ARG005
            tasks = _tasks(benchmark, sorted(again), store, machine, given, schedule.given_up)
            later.run([dataclasses.replace(task, own=sent) for task in tasks], executor)
            schedule.failed.update(later.failed)
            schedule.internal_errors = later.internal_errors
        if {end.bug_id for end in store.ends()}.issuperset(manifest.bug_ids):
            write_seal(store)
    _raise_failures(schedule, first_starts.failure(len(manifest.bug_ids)))


def bugs_left(store: Store) -> list[str]:
    """Return the bugs of a run for which something is left to do, in its order."""
    ended = {end.bug_id for end in store.ends()} - _undecided(store)
    return [bug_id for bug_id in store.manifest().bug_ids if bug_id not in ended]


def how_to_go_on(folder: Path, *, is_given: bool) -> str:
    """Say how a run that was stopped goes on; one of candidates made elsewhere needs these again."""
    name = shlex.quote(str(folder))
    if is_given:
        return f"the same command and --to {name}"
    higher = higher_limit(folder)
    return f"repairlab run --resume {name}" + ("" if higher is None else f" --cost-limit {dollars(higher)}")


def _stopping(experiment: Experiment, step: Callable[[Step], None], go_on: str) -> Stopping:
    """Return what to say at Ctrl-C, at once, and how long to wait then.

    Validation is waited for. A model is not, nor a program of the repairer command: workers may have to wait for them for minutes.
    """
    is_asking = waits_in_workers(experiment)

    def notify(n_workers: int) -> None:
        text = "stopping: answers that are under way are waited for a moment"
        if n_workers and not is_asking:
            which = "the candidate" if n_workers == 1 else f"the {n_workers} candidates"
            text = f"stopping: waiting for {which} under way, Ctrl-C again does not wait"
        step(Notice(text=f"{text}; go on with: {go_on}"))

    return Stopping(notify=notify, grace_s=GRACE_S if is_asking else None)


def _raise_failures(schedule: Scheduler, first_failure: str | None) -> None:
    """Raise a HarnessError that says what our own machinery could not do, each reason once."""
    bugs_by_reason: dict[str, list[str]] = defaultdict(list)
    for bug_id, reason in schedule.failed.items():
        bugs_by_reason[reason].append(bug_id)
    parts = [
        f"{'bug' if len(bugs) == 1 else f'{len(bugs)} bugs'} not finished ({', '.join(bugs[:_SHOWN])}"
        f"{', …' if len(bugs) > _SHOWN else ''}): {reason}"
        for reason, bugs in bugs_by_reason.items()
    ]
    if schedule.internal_errors:
        first = next(iter(schedule.internal_errors.values()))
        parts.append(
            f"{count(len(schedule.internal_errors), 'candidate')} UNDECIDED because of an error in repairlab itself ({first}); "
            "please report it with the evidence of these outcomes"
        )
    if first_failure:
        parts.append(first_failure)
    if parts:
        raise HarnessError("; ".join(parts))


def _undecided(store: Store, *, without: Collection[str] = ()) -> set[str]:
    """Return the bugs with a candidate on which our own machinery failed, but those for candidates `without`."""
    found: dict[str, str] = {}
    for _, data in store.scan_data(Outcome):
        if data["verdict"] == Verdict.UNDECIDED and data["candidate_id"] not in without:
            found[data["candidate_id"]] = data["bug_id"]
        else:
            found.pop(data["candidate_id"], None)
    return set(found.values())


def _tasks(
    benchmark: Benchmark,
    bug_ids: Sequence[str],
    store: Store,
    machine: Machine,
    given: Mapping[str, Sequence[Candidate]] | None,
    given_up: Mapping[str, str],
) -> list[Task]:
    """Return one task for each bug."""
    manifest = store.manifest()
    stored = read_stored(store, set(bug_ids), given_up)
    environment = digest(environment_of(manifest.languages, machine))
    examples = read_examples(at_hand(manifest.experiment), benchmark)
    tasks = []
    for bug in map(benchmark.bug, bug_ids):
        task = Task(
            bug=bug,
            experiment=manifest.experiment,  # with the settings of a class in a file as JSON: workers have not loaded it yet
            folder=store.folder,
            machine=machine,
            environment=environment,
            tools=digest(environment_of([bug.problem.language], machine)),
            given=None if given is None else tuple(given.get(bug.id, ())),
            candidates=stored.candidates[bug.id],
            outcomes=stored.outcomes[bug.id],
            given_up=given_up,
            examples=examples,
        )
        tasks.append(task)
    return tasks


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let no other process work on the run inside the block."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another process is working on the run in {folder}; wait for it or stop it") from None
        yield


@record
class RunPlan:
    """What a run would do; numbers of requests, tokens and dollars are the most that they can be, but for retries."""

    benchmark: str
    n_bugs: int
    n_left: int
    """Bugs for which something is left to do."""
    n_candidates: int
    """Per bug."""
    model: str | None
    """None when no model is asked."""
    requests: int | None = None
    """None when nobody knows before."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    cost_limit_usd: float | None = None
    missing: tuple[str, ...] = ()
    """Tools that do not work here, with the reasons."""


def plan_run(experiment: Experiment, benchmark: Benchmark, folder: Path, machine: Machine) -> RunPlan:
    """Return what a run, or what is left of the one in the folder, would do; a UserError is what the run would raise itself."""
    store = Store(folder)
    machine = with_budget(experiment, store, machine)
    check_repairer(experiment, machine)
    bugs = askable(experiment, benchmark.select(experiment.include, limit=experiment.limit))
    left = bugs
    if store.manifest_path.exists():
        old = store.manifest()
        changed = changes_of(old, experiment, benchmark, folder, accept_file=machine.accept_changes)
        if changed and not has_only_failures(store, factory_of(old.experiment)):
            raise UserError(changed)
        ids = set(bugs_left(store))
        left = [bug for bug in bugs if bug.id in ids]
    made = factory_of(experiment)
    model = getattr(experiment.settings, "model", None) if asks_model(experiment) else None
    known: dict[str, int | float | None] = {}
    if made and made.estimate and experiment.settings is not None:
        of_problem = made.estimate(experiment.settings, experiment.n, read_examples(experiment, benchmark))
        asked = [of_problem(shown(bug.problem, experiment.visibility)) for bug in left]
        tokens_in, tokens_out = sum(item.tokens_in for item in asked), sum(item.tokens_out for item in asked)
        access = machine.access
        prices = Prices(Path(access.prices) if isinstance(access, Access) and access.prices else None)
        known = {
            "requests": sum(item.requests for item in asked),
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cost_usd": cost_of(prices.of(model) if model else None, tokens_in, tokens_out),
        }
    missing = []
    for need in sorted(needs_of(left), key=str):
        try:
            check_needs([need], machine)
        except HarnessError as error:
            missing.append(str(error))
    return RunPlan(
        benchmark=f"{benchmark.name} {benchmark.version}",
        n_bugs=len(bugs),
        n_left=len(left),
        n_candidates=experiment.n,
        model=model,
        cost_limit_usd=limit_of(machine),
        missing=tuple(dict.fromkeys(missing)),
        **known,  # type: ignore[arg-type]  # by name
    )
