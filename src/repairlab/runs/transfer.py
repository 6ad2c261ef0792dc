"""A run whose workers share no files with this machine: records travel with the work, and come back.

Each worker has a run folder of its own, with the records it was sent and those it made. Places in it are told from places in the
run's own files by their sign: those of records that are only there are negative.
"""

import dataclasses
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repairlab.benchmarks.transfer import arrived, departing, folders_of
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.runs.executors.executor import Delivery, Parcel, Source
from repairlab.runs.judge import Judged, conditions_of
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Shard, Task
from repairlab.runs.worker import Event, Proposed, open_worker
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.cache import VerdictCache, open_verdict_cache

_Key = tuple[type, int]
_KINDS = (Candidate, Outcome, Disagreement)


@record
class WorkLoad:
    """Work with the records that it speaks of, by kind and place; nobody on the way reads what is in them."""

    work: Task | Shard
    records: Mapping[_Key, bytes]
    verdicts: Mapping[str, bytes]
    """Of earlier runs, by their names in the verdict cache."""


@record
class Carried:
    """An event with the records that were made since the last one, by kind and place."""

    event: Event
    records: tuple[tuple[type, int, bytes], ...]


class Dispatch(Source[Any]):
    """Sends the work of a source away with what is known of it, and stores what comes back."""

    def __init__(
        self,
        source: Source[Task | Shard],
        store: Store,
        receive: Callable[[Event, int], None],
        verdicts: VerdictCache | None = None,
    ) -> None:
        """Take where work comes from, the run's files, who is told of events, and where verdicts of all machines are kept."""
        self._source, self._store, self._receive, self._verdicts = source, store, receive, verdicts
        self._keys: dict[str, str] = {}
        """What verdicts of each bug must have been made under."""
        self._names: dict[int, dict[str, str]] = defaultdict(dict)
        """Names in the verdict cache of the candidates that each worker is at, by id."""
        self._sent: dict[int, set[_Key]] = defaultdict(set)
        """What each worker has in its folder."""
        self._made: dict[int, dict[_Key, int]] = defaultdict(dict)
        """Our places of what each worker made, by its own."""

    def take(self, worker: int) -> Parcel | None:
        """Return what an idle worker shall do, with all that it needs."""
        work = self._source.take(worker)
        if work is None:
            return None
        needed = _needed(work) - self._sent[worker]
        self._sent[worker] |= needed
        records = {(kind, place): self._store.body_at(kind, place) for kind, place in needed}
        task = work if isinstance(work, Task) else work.task
        load = WorkLoad(work=_departing(work), records=records, verdicts=self._known(work, task, worker))
        return Parcel(item=load, folders={} if task is None else folders_of(task.bug))

    def _known(self, work: Task | Shard, task: Task | None, worker: int) -> dict[str, bytes]:
        """Return the verdicts on candidates that are known here."""
        if task is not None:
            self._keys[task.bug.id] = conditions_of(task).key
        if self._verdicts is None or isinstance(work, Task):
            return {}
        names = {entry.candidate_id: f"{self._keys[work.bug_id]}-{entry.form}" for entry in work.entries}
        self._names[worker] = names
        found = {name: self._verdicts.body(name) for name in set(names.values())}
        return {name: body for name, body in found.items() if body is not None}

    def finish(self, worker: int) -> None:
        """Take note that a worker did its item."""
        self._source.finish(worker)

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        """Take note that a worker died, with its folder."""
        self._sent.pop(worker, None)
        self._made.pop(worker, None)
        self._source.lose(worker, reason, machine=machine)

    def is_over(self) -> bool:
        """Return whether nothing is left but what is at work."""
        return self._source.is_over()

    def receive(self, carried: Carried, worker: int) -> None:
        """Store what a worker made, and tell of the event."""
        for kind, place, made in carried.records:
            self._made[worker][kind, place] = self._store.append_body(kind, made)
        self._learn(carried, self._names[worker])
        self._receive(_placed(carried.event, lambda kind, place: self._made[worker].get((kind, place), place)), worker)

    def _learn(self, carried: Carried, names: Mapping[str, str]) -> None:
        """Keep a verdict for all machines, or forget one that did not come out again."""
        event = carried.event
        name = names.get(event.candidate_id) if isinstance(event, Judged | Disagreement) else None
        if self._verdicts is None or name is None:
            return
        if isinstance(event, Disagreement):
            self._verdicts.remove(name)
        elif isinstance(event, Judged) and event.verdict is not Verdict.UNDECIDED and self._verdicts.body(name) is None:
            for body in [made for kind, _, made in carried.records if kind is Outcome]:
                self._verdicts.put_body(name, body)


class _Mirror:
    """The run folder of one worker."""

    def __init__(self, folder: Path, emit: Callable[[Carried], None]) -> None:
        self._store, self._send = Store(folder), emit
        self._here: dict[_Key, int] = {}
        """Where records lie that came from the run's own files."""
        self._origins: dict[_Key, int] = {}
        """The other way round."""
        self._read: dict[type, int] = defaultdict(int)
        """Up to where the files hold nothing new."""

    def unpacked(self, delivery: Delivery) -> Task | Shard:
        """Return the work of a delivery as a worker here can do it."""
        load: WorkLoad = delivery.item
        if load.verdicts:
            with open_verdict_cache(delivery.machine.verdict_cache) as verdicts:
                for name, body in load.verdicts.items():
                    if verdicts is not None and verdicts.body(name) is None:
                        verdicts.put_body(name, body)
        for (kind, place), item in load.records.items():
            self._here[kind, place] = self._store.append_body(kind, item)
            self._origins[kind, self._here[kind, place]] = place
        for kind in _KINDS:
            self._read[kind] = self._store.size(kind)
        if isinstance(load.work, Task):
            return self._task(load.work, delivery)
        return dataclasses.replace(
            load.work,
            entries=tuple(dataclasses.replace(entry, place=self._here[Candidate, entry.place]) for entry in load.work.entries),
            twins={form: self._here[Outcome, place] for form, place in load.work.twins.items()},
            task=load.work.task and self._task(load.work.task, delivery),
        )

    def emit(self, event: Event) -> None:
        """Send an event with all that was stored since the last one."""
        made: list[tuple[type, int, bytes]] = []
        for kind in _KINDS:
            made += [(kind, -1 - place, item) for place, item in self._store.bodies(kind, start=self._read[kind])]
            self._read[kind] = self._store.size(kind)
        placed = _placed(event, lambda kind, place: self._origins.get((kind, place), -1 - place))
        self._send(Carried(event=placed, records=tuple(made)))

    def _task(self, task: Task, delivery: Delivery) -> Task:
        return dataclasses.replace(
            task,
            bug=arrived(task.bug, delivery.folders),
            folder=self._store.folder,
            machine=delivery.machine,
            candidates={rank: self._here[Candidate, place] for rank, place in task.candidates.items()},
            outcomes={name: self._here[Outcome, place] for name, place in task.outcomes.items()},
        )


@contextmanager
def open_distant_worker(sandbox: Sandbox, emit: Callable[[Carried], None]) -> Iterator[Callable[[Delivery], None]]:
    """Give what a worker does with each delivery."""
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        mirror = _Mirror(Path(folder), emit)
        with open_worker(sandbox, mirror.emit) as do:
            yield lambda delivery: do(mirror.unpacked(delivery))


def _needed(work: Task | Shard) -> set[_Key]:
    """Return the records that work speaks of."""
    if isinstance(work, Task):
        return {(Candidate, place) for place in work.candidates.values()} | {(Outcome, place) for place in work.outcomes.values()}
    needed: set[_Key] = {(Candidate, entry.place) for entry in work.entries} | {(Outcome, place) for place in work.twins.values()}
    return needed | (_needed(work.task) if work.task else set())


def _departing(work: Task | Shard) -> Task | Shard:
    """Return work with a bug that holds all that its folder does not take along."""
    if isinstance(work, Task):
        return dataclasses.replace(work, bug=departing(work.bug))
    return dataclasses.replace(work, task=work.task and dataclasses.replace(work.task, bug=departing(work.task.bug)))


def _placed(event: Event, place: Callable[[type, int], int]) -> Event:
    """Return an event with other places of the records that it speaks of."""
    match event:
        case Proposed():
            return dataclasses.replace(event, entry=dataclasses.replace(event.entry, place=place(Candidate, event.entry.place)))
        case Judged():
            return dataclasses.replace(event, place=place(Outcome, event.place))
        case _:
            return event
