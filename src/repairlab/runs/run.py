"""Start a run or go on with one: settings in, a finished run folder out. Called by the verbs `run`, `validate` and `demo`."""

import datetime
import fcntl
import platform
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import repairlab
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest, to_data
from repairlab.languages.table import language
from repairlab.runs.execute import Progress, Task, execute
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.pool import Machine, run_pool
from repairlab.runs.store import Store


def environment_of(languages: Sequence[str], machine: Machine) -> dict[str, str]:
    """Return the tools that decide verdicts on this machine; HarnessError names one that is missing."""
    sandbox = machine.open_sandbox().name
    versions = {"repairlab": repairlab.__version__, "machine": platform.machine(), "sandbox": sandbox}
    for name in sorted(set(languages)):
        versions.update(language(name).toolchain.versions())
    return versions


def begin(experiment: Experiment, benchmark: Benchmark, folder: Path, machine: Machine) -> Manifest:
    """Write run.json of a new run, or check that the folder's run is this one and go on with it."""
    bugs = benchmark.select(experiment.include, limit=experiment.limit)
    environment = environment_of([bug.problem.language for bug in bugs], machine)
    manifest = Manifest(
        experiment=experiment,
        benchmark_name=benchmark.name,
        benchmark_version=benchmark.version,
        benchmark_digest=benchmark.digest,
        bug_ids=tuple(bug.id for bug in bugs),
        languages=tuple(bug.problem.language for bug in bugs),
        repairlab=repairlab.__version__,
        environment=environment,
        environment_digest=digest(environment),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    store = Store(folder)
    if not store.manifest_path.exists():
        store.create(manifest)
        return manifest
    old = store.manifest()
    if old.benchmark_digest != manifest.benchmark_digest:
        raise UserError(
            f"{folder} is a run on {old.benchmark_name} {old.benchmark_version} ({old.benchmark_digest}), but the one here is "
            f"{benchmark.name} {benchmark.version} ({benchmark.digest}). Choose another folder with --to."
        )
    was, now = to_data(old.experiment), to_data(experiment)
    changed = [f"{key} was {was[key]!r}, now {now[key]!r}" for key in was if was[key] != now[key] and key not in ("k", "benchmark")]
    if changed:
        raise UserError(f"{folder} holds a run with other settings: {'; '.join(changed)}. Choose another folder with --to.")
    return old


def complete(
    benchmark: Benchmark,
    folder: Path,
    machine: Machine,
    step: Callable[[Progress], None],
    *,
    given: Mapping[str, Sequence[Candidate]] | None = None,
) -> None:
    """Do what is left of a run; a finished run is left as it is."""
    store = Store(folder)
    manifest = store.manifest()
    finished = {end.bug_id for end in store.ends()} - _undecided(store)
    bugs = [benchmark.bug(bug_id) for bug_id in manifest.bug_ids if bug_id not in finished]
    for bug_id in finished:
        step(Progress(bug_id=bug_id, verdict=None))
    if bugs:
        with _locked(folder):
            run_pool(execute, _tasks(bugs, manifest, store, given), machine, step)


def _undecided(store: Store) -> set[str]:
    """Return the bugs with a candidate on which our own machinery failed: going on with a run tries them again."""
    verdicts = {outcome.candidate_id: (outcome.bug_id, outcome.verdict) for outcome in store.outcomes()}
    return {bug_id for bug_id, verdict in verdicts.values() if verdict is Verdict.UNDECIDED}


def _tasks(
    bugs: Sequence[Bug], manifest: Manifest, store: Store, given: Mapping[str, Sequence[Candidate]] | None
) -> Iterator[Task]:
    open_ids = {bug.id for bug in bugs}
    candidates: dict[str, dict[int, Candidate]] = defaultdict(dict)
    for candidate in store.candidates():
        if candidate.bug_id in open_ids:
            candidates[candidate.bug_id][candidate.rank] = candidate
    outcomes: dict[str, dict[str, Outcome]] = defaultdict(dict)
    for outcome in store.outcomes():
        if outcome.bug_id in open_ids and outcome.verdict is not Verdict.UNDECIDED:
            outcomes[outcome.bug_id][outcome.candidate_id] = outcome
    for bug in bugs:
        yield Task(
            bug=bug,
            experiment=manifest.experiment,
            folder=store.folder,
            environment=manifest.environment_digest,
            given=None if given is None else tuple(given.get(bug.id, ())),
            candidates=candidates[bug.id],
            outcomes=outcomes[bug.id],
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another process is working on the run in {folder}; wait for it or stop it") from None
        yield
