"""Start or continue a run, from settings to a finished run folder, and report what makes its verdicts doubtful."""

import dataclasses
import datetime
import fcntl
import shlex
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.amounts import count, dollars
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.installation import VERSION
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest, record
from repairlab.repairers.plain import is_reference
from repairlab.runs.executors.pool import Stopping
from repairlab.runs.executors.work_queue import open_executor
from repairlab.runs.experiment import Coverage, Experiment, Manifest, at_hand, identity, require_benchmark
from repairlab.runs.first_starts import FirstStarts, forget, has_only_failures
from repairlab.runs.integrity import read_seal, require_intact, write_seal
from repairlab.runs.messages import Notice, Progress, Step, Task
from repairlab.runs.own_object import OwnRepairer
from repairlab.runs.repairing import (
    check_program,
    check_repairer,
    factory_of,
    higher_limit,
    limit_of,
    read_examples,
    reason_unfit,
    repair_context,
    store_prices,
    waits_in_workers,
    wanted_examples,
    with_budget,
    works_on_tree,
)
from repairlab.runs.sampler import GRACE_S
from repairlab.runs.scheduler import Scheduler, read_stored
from repairlab.runs.spectrum import Spectrum, spectra_of
from repairlab.runs.store import Store
from repairlab.runs.suspects import seen_problem
from repairlab.validation.machine import LOCAL, Machine, environment_of
from repairlab.validation.preflight import check_needs, install_environments
from repairlab.validation.validator import validate

_SHOWN = 5
"""How many bugs are named that were left unfinished for the same reason."""


def start_run(
    experiment: Experiment,
    benchmark: Benchmark,
    folder: Path,
    machine: Machine,
    *,
    coverage: Coverage | None = None,
    own: OwnRepairer | None = None,
) -> Manifest:
    """Write run.json of a new run, or check that the folder's run is this one and continue it."""
    store = Store(folder)
    old = None
    if store.manifest_path.exists():
        require_intact(store)
        old = store.manifest()
    machine = with_budget(experiment, store, machine)
    check_repairer(experiment, machine)
    chosen = benchmark.select(experiment.include, limit=experiment.limit)
    spectra = spectra_of(chosen, machine) if experiment.visibility.is_computed else None
    bugs = askable(experiment, chosen, own, spectra=spectra)
    if works_on_tree(experiment) and (old is None or bugs_left(store)):
        check_program(experiment, bugs, folder, machine)
    environment = environment_of([bug.problem.language for bug in bugs], machine)
    asked = Manifest(
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
    manifest = asked if old is None else _continued(store, old, asked, benchmark, machine)
    if manifest != old:
        store.create(manifest)
    store_prices(folder, machine)
    return manifest


def _continued(store: Store, old: Manifest, asked: Manifest, benchmark: Benchmark, machine: Machine) -> Manifest:
    """Return the manifest of the continued run; UserError if a different one was requested.

    A run whose first bugs all failed starts again, even with other settings.
    """
    changed = changes_of(old, asked.experiment, benchmark, store.folder, accept_file=machine.accept_changes)
    is_empty = not machine.keep_going and _forget_failures(store, old)
    if changed and is_empty:
        return dataclasses.replace(asked, id=old.id)
    if changed:
        raise UserError(changed)
    if old.coverage is not None and old.coverage != asked.coverage:
        raise UserError(f"{store.folder} holds a run of other candidates than the file has now. Choose another folder with --to.")
    settings = old.experiment.settings if asked.experiment.settings is None else asked.experiment.settings
    experiment = dataclasses.replace(old.experiment, settings=settings, repairer_digest=asked.experiment.repairer_digest)
    return dataclasses.replace(old, experiment=experiment, cost_limit_usd=asked.cost_limit_usd)


def changes_of(old: Manifest, experiment: Experiment, benchmark: Benchmark, folder: Path, *, accept_file: bool = False) -> str:
    """Say how a run in a folder differs from the requested one; empty if it is the same. Another benchmark is a UserError."""
    require_benchmark(old, benchmark, folder, advice=". Choose another folder with --to.")
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
    """Return settings with nested tables flattened, so that only differences are named."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        flat.update({f"{key}.{name}": item for name, item in value.items()} if isinstance(value, Mapping) else {key: value})
    return flat


def _forget_failures(store: Store, manifest: Manifest) -> bool:
    """Forget the candidates of a run that stopped because its first bugs all failed alike; return whether it did."""
    if not has_only_failures(store, factory_of(manifest.experiment)):
        return False
    with locked(store.folder):
        forget(store)
    return True


def askable(
    experiment: Experiment, bugs: Sequence[Bug], own: OwnRepairer | None = None, spectra: Mapping[str, Spectrum] | None = None
) -> Sequence[Bug]:
    """Return the bugs that the repairer can work on; UserError if that excludes some and nobody allowed it."""
    says = reason_unfit(experiment, own)
    if says is None and spectra is None:
        return bugs
    asked: dict[str, str | None] = {}
    for bug in bugs:
        try:
            problem = seen_problem(bug, experiment.visibility, spectra[bug.id] if spectra else None)
        except UserError as error:
            asked[bug.id] = str(error)
        else:
            asked[bug.id] = says(problem) if says else None
    reasons = {bug_id: reason for bug_id, reason in asked.items() if reason is not None}
    if not reasons or (experiment.skip_unfit and len(reasons) < len(bugs)):
        return [bug for bug in bugs if bug.id not in reasons]
    which = "any of the bugs" if len(reasons) == len(bugs) else f"{len(reasons)} of {count(len(bugs), 'bug')}"
    others = "" if len(reasons) == len(bugs) else "; choose others with -i, or leave these out with --skip-unfit"
    raise UserError(f"{experiment.repairer} cannot be asked about {which}: {next(iter(reasons.values()))}{others}")


def finish_run(
    benchmark: Benchmark,
    folder: Path,
    machine: Machine,
    step: Callable[[Step], None],
    *,
    given: Mapping[str, Sequence[Candidate]] | None = None,
    own: OwnRepairer | None = None,
) -> None:
    """Do what is left of a run; a finished run stays as it is. What our own machinery failed on is tried again."""
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
    # A bug with nothing left to run needs no tools.
    to_run = left if given is None else [bug_id for bug_id in left if any(item.edits for item in given.get(bug_id, ()))]
    bugs = [benchmark.bug(bug_id) for bug_id in to_run]
    needs = {bug.tool_need for bug in bugs}
    install_environments(bug for bug in bugs if bug.oracle.build.environment)
    check_needs(needs, machine)
    _check_executor(manifest.experiment, machine, own)
    stopping = _stopping(manifest.experiment, step, how_to_go_on(folder, is_given=given is not None or own is not None))
    notify: Callable[[str], None] = lambda text: step(Notice(text=text))  # noqa: E731
    with locked(folder), ExitStack() as stack, open_executor(machine, needs, stopping, notify) as executor:
        factory = None if given is not None else factory_of(manifest.experiment)
        first_starts = FirstStarts(store, factory, keep_going=machine.keep_going)
        tasks = _tasks(benchmark, left, store, machine, given, {})
        sent = None
        if own is not None:
            sent = stack.enter_context(own.opened(repair_context(own.factory, tasks[0], notify), benchmark.bug))
            tasks = [dataclasses.replace(task, own=sent) for task in tasks]
        scheduler = Scheduler(store, step, first_starts, given_up={})
        scheduler.run(tasks, executor)
        again = _undecided(store, without=scheduler.given_up) - set(scheduler.failed) if scheduler.n_undecided else set()
        if again:
            # These steps were counted already.
            later = Scheduler(store, lambda event: None, first_starts, given_up=scheduler.given_up)  # noqa: ARG005
            tasks = _tasks(benchmark, sorted(again), store, machine, given, scheduler.given_up)
            later.run([dataclasses.replace(task, own=sent) for task in tasks], executor)
            scheduler.failed.update(later.failed)
            scheduler.internal_errors = later.internal_errors
        if {end.bug_id for end in store.ends()}.issuperset(manifest.bug_ids):
            write_seal(store)
    _raise_failures(scheduler, first_starts.failure(len(manifest.bug_ids)))


def _check_executor(experiment: Experiment, machine: Machine, own: OwnRepairer | None) -> None:
    """Raise UserError when workers on other machines could not ask the repairer."""
    if machine.executor != LOCAL and waits_in_workers(experiment):
        raise UserError(
            f"{experiment.repairer} is asked by workers here, of which only those of one machine know what the others "
            f"asked and spent: leave --executor {machine.executor} out"
        )
    if machine.executor != LOCAL and (own or is_reference(experiment.repairer)):
        raise UserError(
            f"the repairer {experiment.repairer} is of no package that other machines could have: "
            f"leave --executor {machine.executor} out"
        )


def bugs_left(store: Store) -> list[str]:
    """Return the bugs of a run for which something is left to do, in its order."""
    ended = {end.bug_id for end in store.ends()} - _undecided(store)
    return [bug_id for bug_id in store.manifest().bug_ids if bug_id not in ended]


def how_to_go_on(folder: Path, *, is_given: bool) -> str:
    """Say how to continue a run that was stopped; one of external candidates needs them again."""
    name = shlex.quote(str(folder))
    if is_given:
        return f"the same command and --to {name}"
    higher = higher_limit(folder)
    return f"repairlab run --resume {name}" + ("" if higher is None else f" --cost-limit {dollars(higher)}")


def _stopping(experiment: Experiment, step: Callable[[Step], None], go_on: str) -> Stopping:
    """Return the message for Ctrl-C and how long to wait then.

    Validation is waited for. A model, or a program of the repairer command, is not: it may take minutes.
    """
    is_asking = waits_in_workers(experiment)

    def notify(n_workers: int) -> None:
        text = "stopping: answers that are under way are waited for a moment"
        if n_workers and not is_asking:
            which = "the candidate" if n_workers == 1 else f"the {n_workers} candidates"
            text = f"stopping: waiting for {which} under way, Ctrl-C again does not wait"
        step(Notice(text=f"{text}; go on with: {go_on}"))

    return Stopping(notify=notify, grace_s=GRACE_S if is_asking else None)


def _raise_failures(scheduler: Scheduler, first_failure: str | None) -> None:
    """Raise a HarnessError that says what our own machinery could not do, each reason once."""
    bugs_by_reason: dict[str, list[str]] = defaultdict(list)
    for bug_id, reason in scheduler.failed.items():
        bugs_by_reason[reason].append(bug_id)
    parts = [
        f"{'bug' if len(bugs) == 1 else f'{len(bugs)} bugs'} not finished ({', '.join(bugs[:_SHOWN])}"
        f"{', …' if len(bugs) > _SHOWN else ''}): {reason}"
        for reason, bugs in bugs_by_reason.items()
    ]
    if scheduler.internal_errors:
        first = next(iter(scheduler.internal_errors.values()))
        parts.append(
            f"{count(len(scheduler.internal_errors), 'candidate')} UNDECIDED because of an error in repairlab itself ({first}); "
            "please report it with the evidence of these outcomes"
        )
    if first_failure:
        parts.append(first_failure)
    if parts:
        raise HarnessError("; ".join(parts))


def _undecided(store: Store, *, without: Collection[str] = ()) -> set[str]:
    """Return the bugs with a candidate on which our own machinery failed, ignoring the candidates `without`."""
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
    wanted = wanted_examples(at_hand(manifest.experiment))
    examples = read_examples(wanted, benchmark) if wanted else ()
    bugs = [benchmark.bug(bug_id) for bug_id in bug_ids]
    spectra = spectra_of(bugs, machine) if manifest.experiment.visibility.is_computed else {}
    tasks = []
    for bug in bugs:
        task = Task(
            bug=bug,
            experiment=manifest.experiment,  # a class in a file has its settings as JSON: workers have not loaded it yet
            folder=store.folder,
            machine=machine,
            environment=environment,
            tools=digest(environment_of([bug.problem.language], machine)),
            given=None if given is None else tuple(given.get(bug.id, ())),
            candidates=stored.candidates[bug.id],
            outcomes=stored.outcomes[bug.id],
            given_up=given_up,
            examples=examples,
            spectrum=spectra.get(bug.id),
        )
        tasks.append(task)
    return tasks


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from working on the run inside the block."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another process is working on the run in {folder}; wait for it or stop it") from None
        yield


_NEVER_TESTED = frozenset({Verdict.UNCOMPILABLE, Verdict.CRASH})


@record
class Doubt:
    """A bug whose reference fix does no better than the candidates, and how many more bugs may have the same fault."""

    bug_id: str
    verdict: Verdict
    message: str
    n_others: int


def doubts(benchmark: Benchmark, store: Store, machine: Machine) -> Iterator[Doubt]:
    """Yield what is wrong with this machine; of bugs built and tested by the same tools, the first is tried."""
    verdicts = defaultdict(set)
    for bug_id, verdict in store.facts(Outcome, lambda data: (data["bug_id"], Verdict(data["verdict"]))):
        verdicts[bug_id].add(verdict)
    kinds = defaultdict(list)
    for bug_id, seen in verdicts.items():
        if seen <= _NEVER_TESTED:
            bug = benchmark.bug(bug_id)
            kinds[bug.tool_need].append(bug)
    for first, *others in kinds.values():
        outcome = validate(first.fix, first, machine.open_sandbox())
        if outcome.verdict in _NEVER_TESTED:
            yield Doubt(bug_id=first.id, verdict=outcome.verdict, message=outcome.message, n_others=len(others))
