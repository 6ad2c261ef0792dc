"""Work for machines that share no files with this one: trees of bugs (once each, by digest) and known verdicts travel with it."""

import dataclasses
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repairlab.benchmarks.bug_files import TreeContext, read_tree
from repairlab.core.bug import Bug, remember_digest
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest
from repairlab.runs.executors.executor import Delivery, Parcel, Source
from repairlab.runs.messages import Event, Order, OutcomeKnown
from repairlab.runs.store import Disagreement
from repairlab.runs.worker import open_worker
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.cache import VerdictCache, open_verdict_cache, verdict_key
from repairlab.validation.preflight import lock_of, provide

_TREE = "bugs/bug/buggy"


def folders_of(bug: Bug) -> dict[str, dict[str, Path]]:
    """Return what a bug needs on another machine, by digest: its tree, and its environment's lock if it has one."""
    contents = {_TREE: Path(bug.tree.source)}
    if bug.oracle.build.environment:
        lock = lock_of(bug)
        contents[f"environments/{lock.name}"] = lock
    return {_key(bug): contents}


def departing(bug: Bug) -> Bug:
    """Return a bug that also holds the texts of its cases; if they cannot be read, whoever needs them reports that."""
    try:
        there = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=tuple(bug.oracle.cases)))
    except HarnessError:
        return bug
    return remember_digest(there, bug.digest)


def arrived(bug: Bug, folders: Mapping[str, Path]) -> Bug:
    """Return a bug as it is on the machine where its folder was unpacked, ready to be worked on."""
    tree = folders[_key(bug)] / _TREE
    if read_tree(tree).digest != bug.tree.digest:
        raise HarnessError(f"bug {bug.id}: {tree} is not the tree that was sent; remove that folder and go on")
    context = bug.problem.context
    assert isinstance(context, TreeContext)
    problem = dataclasses.replace(bug.problem, context=context.moved(tree))
    there = dataclasses.replace(bug, problem=problem, tree=dataclasses.replace(bug.tree, source=str(tree)))
    if bug.oracle.build.environment:
        provide(there)
    return remember_digest(there, bug.digest)


def _key(bug: Bug) -> str:
    return digest(bug.tree.digest, bug.oracle.build.environment)


class Dispatch(Source[Any]):
    """Sends a source's work away with what is known of it, and keeps the verdicts that come back."""

    def __init__(self, source: Source[Order], receive: Callable[[Event, int], None], verdicts: VerdictCache | None = None) -> None:
        """Take where work comes from, the receiver of events, and where verdicts of all machines are kept."""
        self._source, self._receive, self._verdicts = source, receive, verdicts
        self._keys: dict[str, str] = {}
        """The conditions under which each bug's verdicts must have been reached."""
        self._names: dict[int, dict[str, str]] = defaultdict(dict)
        """Keys in the verdict cache of the candidates that each worker has, by id."""

    def take(self, worker: int) -> Parcel | None:
        """Return an idle worker's next order, with everything it needs."""
        order = self._source.take(worker)
        if order is None:
            return None
        order = dataclasses.replace(order, verdicts=self._kept_verdicts(order, worker))
        if order.task is None:
            return Parcel(item=order, folders={})
        bug = order.task.bug
        order = dataclasses.replace(order, task=dataclasses.replace(order.task, bug=departing(bug)))
        return Parcel(item=order, folders=folders_of(bug))

    def _kept_verdicts(self, order: Order, worker: int) -> dict[str, bytes]:
        """Return the verdicts on an order's candidates that are known here."""
        if order.task is not None:
            self._keys[order.bug_id] = order.task.conditions.key
        if self._verdicts is None or order.proposes:
            return {}
        names = {entry.candidate_id: verdict_key(self._keys[order.bug_id], entry.form) for entry in order.entries}
        self._names[worker] = names
        found = {name: self._verdicts.body(name) for name in set(names.values())}
        return {name: body for name, body in found.items() if body is not None}

    def finish(self, worker: int) -> None:
        """Note that a worker finished its item."""
        self._source.finish(worker)

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        """Note that a worker died."""
        self._source.lose(worker, reason, machine=machine)

    def is_over(self) -> bool:
        """Return whether all work is finished or in progress."""
        return self._source.is_over()

    def receive(self, event: Event, worker: int) -> None:
        """Keep a verdict for all machines, or forget one that could not be repeated, and pass the event on."""
        name = self._names[worker].get(event.candidate_id) if isinstance(event, OutcomeKnown | Disagreement) else None
        if self._verdicts is not None and name is not None:
            if isinstance(event, Disagreement):
                self._verdicts.remove(name)
            elif isinstance(event, OutcomeKnown) and event.verdict is not Verdict.UNDECIDED and self._verdicts.body(name) is None:
                self._verdicts.put_body(name, event.body)
        self._receive(event, worker)


@contextmanager
def open_distant_worker(sandbox: Sandbox, emit: Callable[[Event], None]) -> Iterator[Callable[[Delivery], None]]:
    """Give what a worker does with each delivery; a repairer keeps its requests in a folder there."""
    temporary = tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True)
    with temporary as folder, open_worker(sandbox, emit) as do:
        yield lambda delivery: do(_unpacked(delivery, Path(folder)))


def _unpacked(delivery: Delivery, folder: Path) -> Order:
    """Return the order of a delivery as a worker here can do it."""
    order: Order = delivery.item
    if order.verdicts:
        with open_verdict_cache(delivery.machine.verdict_cache) as verdicts:
            for name, body in order.verdicts.items():
                if verdicts is not None and verdicts.body(name) is None:
                    verdicts.put_body(name, body)
    if order.task is None:
        return order
    bug = arrived(order.task.bug, delivery.folders)
    return dataclasses.replace(order, task=dataclasses.replace(order.task, bug=bug, folder=folder, machine=delivery.machine))
