"""Workers on the machines of a Ray cluster (`--executor ray`): the pool's processes, each behind an actor.

Ray starts actors, moves what they need and notices deaths; as for the pool, the source of the items decides who does what. A
machine gets work once it has proved that it reaches the same verdicts as this one.
"""

import os
import socket
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from repairlab.core.bug import ToolNeed
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.installation import adding
from repairlab.core.record import record
from repairlab.languages.language import default_cache
from repairlab.runs.executors.executor import Event, Parcel, Source, Work, is_readable, was_pressed, watch_ctrl_c
from repairlab.runs.executors.pool import Said, Stopping
from repairlab.runs.executors.ray_worker import NodeProof, RayWorker, pack, prove
from repairlab.validation.machine import Machine, environment_of

PROOF_S = 300.0
"""Time for a machine to prove itself, which may include compiling what it needs."""
_WAIT_S = 0.2
_CLOSE_S = 10.0


@record
class ClusterNode:
    """A machine of a cluster that can do the work."""

    id: str
    name: str
    cores: int


class RayCluster:
    """Up to `workers` processes on the machines of a cluster; `open_ray` makes it."""

    is_remote = True

    def __init__(self, ray: Any, machine: Machine, nodes: Collection[ClusterNode], stopping: Stopping, *, own_cache: bool) -> None:
        self._ray, self._machine, self._stopping, self._own_cache = ray, machine, stopping, own_cache
        places = [node for node in nodes for _ in range(node.cores)]
        self._nodes = places if machine.workers == 0 else _spread(places, machine.workers)
        """The machine of each worker."""
        self._lost: set[str] = set()
        """Machines that left the cluster, by id."""
        self.workers = len(self._nodes)
        self._actors: dict[int, Any] = {}
        self._at_work: dict[int, Any] = {}
        """What each busy worker is about to report."""
        self._folders: dict[str, Any] = {}
        """Folders in the cluster's store, by digest."""

    def run(
        self,
        work: Work[Event, Any],
        source: Source[Any],
        receive: Callable[[Event, int], None],
        *,
        wakeup: int | None = None,
    ) -> None:
        """Have all parcels of a source done; what workers emit reaches `receive`, with the worker's number.

        Ctrl-C raises Interrupted once the workers have stopped, each at the next event it emits.
        """
        self._at_work.clear()
        with watch_ctrl_c() as ctrl_c:
            try:
                while self._hand_out(work, source):
                    for number, said in self._ready(ctrl_c, wakeup):
                        for event in said.events:
                            receive(event, number)
                        if said.death:
                            source.lose(number, said.death, machine=self._gone(number))
                        elif said.error:
                            raise said.error
                        elif said.is_done:
                            source.finish(number)
                        else:
                            self._at_work[number] = self._actors[number].listen.remote()
            except KeyboardInterrupt:
                self._stopping.notify(len(self._at_work))
                self._stop(receive, ctrl_c)
                raise Interrupted from None

    def _hand_out(self, work: Work[Event, Any], source: Source[Any]) -> bool:
        """Give parcels to idle workers, starting new ones where needed; return whether anything more will happen."""
        numbers = [number for number, node in enumerate(self._nodes) if node.id not in self._lost]
        for number in numbers:
            if number in self._at_work or (parcel := source.take(number)) is None:
                continue
            actor = self._actors.get(number) or self._start(number)
            self._at_work[number] = actor.do.remote(work, parcel.item, self._shared(parcel))
        if not numbers and not source.is_over():
            raise HarnessError("no machine of the cluster is left; nothing that was stored is lost")
        return bool(self._at_work) or not source.is_over()

    def _start(self, number: int) -> Any:
        actor = self._ray.remote(RayWorker)
        where = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(self._nodes[number].id, soft=False)
        made = actor.options(scheduling_strategy=where, num_cpus=1, max_concurrency=2)
        self._actors[number] = made.remote(self._machine, own_cache=self._own_cache)
        return self._actors[number]

    def _shared(self, parcel: Parcel) -> dict[str, Any]:
        """Put the folders of a parcel into the cluster's store, each once."""
        for digest, contents in parcel.folders.items():
            if digest not in self._folders:
                self._folders[digest] = self._ray.put(pack(contents))
        return {digest: self._folders[digest] for digest in parcel.folders}

    def _ready(self, ctrl_c: int, wakeup: int | None = None) -> Iterator[tuple[int, Said]]:
        """Wait a moment for reports of workers, which are then idle; raises KeyboardInterrupt."""
        numbers = {ref: number for number, ref in self._at_work.items()}
        ready: list[Any] = []
        if numbers:
            ready, _ = self._ray.wait(list(numbers), num_returns=1, timeout=_WAIT_S)
            more, _ = self._ray.wait(list(numbers), num_returns=len(numbers), timeout=0)
            ready = [*ready, *(ref for ref in more if ref not in ready)]
        else:
            time.sleep(_WAIT_S)
        if was_pressed(ctrl_c):
            raise KeyboardInterrupt
        if wakeup is not None and is_readable(wakeup):
            os.read(wakeup, 4096)
        for ref in ready:
            number = numbers[ref]
            del self._at_work[number]
            yield number, self._heard(number, ref)

    def _heard(self, number: int, ref: Any) -> Said:
        try:
            said: Said = self._ray.get(ref)
        except self._ray.exceptions.RayActorError as error:
            del self._actors[number]
            return Said(events=(), death=self._mourn(number, error))
        except self._ray.exceptions.RayTaskError as error:  # our own code failed there
            raise RuntimeError(f"on {self._nodes[number].name}: {error}") from error
        return said

    def _mourn(self, number: int, error: Exception) -> str:
        """Say how a worker ended; machines that are gone get no more work."""
        node = self._nodes[number]
        if node.id in {item["NodeID"] for item in self._ray.nodes() if item["Alive"]}:
            return f"a worker on {node.name} died ({type(error).__name__})"
        self._lost.add(node.id)
        return f"the machine {node.name} left the cluster"

    def _gone(self, number: int) -> str | None:
        """Return the machine of a worker if it left the cluster."""
        machine = self._nodes[number].id
        return machine if machine in self._lost else None

    def _stop(self, receive: Callable[[Event, int], None], ctrl_c: int) -> None:
        """Ask the workers to stop, and take what they still report until they do or Ctrl-C is pressed again."""
        for number in self._at_work:
            self._actors[number].stop.remote()
        end = None if self._stopping.grace_s is None else time.monotonic() + self._stopping.grace_s
        with suppress(KeyboardInterrupt):
            while self._at_work and (end is None or time.monotonic() < end):
                for number, said in self._ready(ctrl_c):
                    for event in said.events:
                        receive(event, number)
                    if not said.is_done and not said.death:
                        self._at_work[number] = self._actors[number].listen.remote()

    def close(self) -> None:
        """End all workers; busy ones are killed."""
        ends = [actor.close.remote() for actor in self._actors.values()]
        if ends:
            with suppress(Exception):  # they are killed then
                self._ray.wait(ends, num_returns=len(ends), timeout=_CLOSE_S)
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors.clear()


@contextmanager
def open_ray(
    machine: Machine, needs: Collection[ToolNeed], stopping: Stopping | None, notify: Callable[[str], None]
) -> Iterator[RayCluster]:
    """Give the workers of a cluster, all gone after the block; report and leave out machines that cannot do the work."""
    ray = _connect(machine.executor)
    try:
        own_cache = machine.cache == default_cache()
        cluster = RayCluster(
            ray,
            machine,
            proven_nodes(ray, machine, needs, notify, own_cache=own_cache),
            stopping or Stopping(),
            own_cache=own_cache,
        )
        try:
            yield cluster
        finally:
            cluster.close()
    finally:
        ray.shutdown()


def proven_nodes(
    ray: Any, machine: Machine, needs: Collection[ToolNeed], notify: Callable[[str], None], *, own_cache: bool
) -> list[ClusterNode]:
    """Return the machines of a cluster that reach the same verdicts as this one; report the others."""
    here = environment_of([need.language for need in needs], machine)
    ask = ray.remote(prove)
    asked = {}
    for node in ray.nodes():
        cores = int(node["Resources"].get("CPU", 0))
        if node["Alive"] and cores:
            found = ClusterNode(
                id=node["NodeID"], name=f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})", cores=cores
            )
            where = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(found.id, soft=False)
            ref = ask.options(scheduling_strategy=where, num_cpus=0, max_retries=0).remote(machine, needs, own_cache=own_cache)
            asked[ref] = found
    if not asked:
        raise UserError("the Ray cluster has no machine with a core to work on; start one with: ray start --address HOST:PORT")
    answered, _ = ray.wait(list(asked), num_returns=len(asked), timeout=PROOF_S)
    fit = []
    for ref, node in asked.items():
        problem = _problem(ray, ref, here) if ref in answered else f"it did not prove itself within {PROOF_S:.0f} s"
        if problem:
            notify(f"left out: {node.name}: {problem}")
        else:
            fit.append(node)
    if not fit:
        raise HarnessError("no machine of the cluster can do the work; each was named with its reason")
    return fit


def _problem(ray: Any, ref: Any, here: Mapping[str, str]) -> str:
    """Return why a machine cannot do the work, or nothing."""
    try:
        proof: NodeProof = ray.get(ref)
    except ray.exceptions.RayError as error:
        return str(error).strip().splitlines()[-1]
    if proof.problem:
        return proof.problem
    differing = [name for name in here if proof.environment.get(name) != here[name]]
    return "; ".join(f"{name} is {proof.environment.get(name, 'not there')}, here {here[name]}" for name in differing)


def _connect(executor: str) -> Any:
    try:
        import ray  # noqa: PLC0415  # an extra
        import ray.util.scheduling_strategies  # noqa: PLC0415
    except ModuleNotFoundError:
        raise UserError(f"--executor {executor} needs Ray; install it with: {adding('ray')}") from None
    address = os.environ.get("RAY_ADDRESS", "auto") if executor == "ray" else executor
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        said = str(error).strip().splitlines()[0]
        raise UserError(
            f"--executor {executor}: no Ray cluster answers at {address} ({said}); start one with `ray start --head`, or name "
            "one, such as ray://HOST:10001"
        ) from None
    return ray


def _knock(address: str) -> None:
    """Raise OSError when nothing listens at an address, for which Ray would try for minutes; ValueError if it is malformed."""
    if address != "auto":
        host, _, port = address.removeprefix("ray://").rpartition(":")
        socket.create_connection((host, int(port)), timeout=_CLOSE_S).close()


def _spread(places: list[ClusterNode], workers: int) -> list[ClusterNode]:
    """Take this many places, evenly from all machines."""
    by_node: dict[str, list[ClusterNode]] = {}
    for place in places:
        by_node.setdefault(place.id, []).append(place)
    taken: list[ClusterNode] = []
    while len(taken) < workers and any(by_node.values()):
        taken += [left.pop() for left in by_node.values() if left][: workers - len(taken)]
    return taken
