"""The service behind the routes: known verdicts are returned at once, all else waits for a worker; everything is counted."""

import asyncio
import contextlib
import dataclasses
import shutil
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Policy, Strength, Verdict
from repairlab.core.record import digest, record
from repairlab.core.storage.folders import scratch_folder
from repairlab.metrics.reward import RewardScale
from repairlab.runs.patch import Patch
from repairlab.runs.validator_pool import JudgedPatch, OpenBug, ValidatorPool
from repairlab.serve.http.clients import ServiceSettings
from repairlab.serve.http.dispatcher import Call, Dispatcher, QueueFullError, Ticket
from repairlab.serve.http.requests import InlineProblem, RequestRefused, ValidateRequest, bad_request
from repairlab.serve.http.served_bugs import OUR_FAILURE, ServedBenchmarks, answer, inline_bug, undecided_answer
from repairlab.validation.machine import Machine

_USUAL_SCALE = RewardScale()
_MOST_INLINE = 256
"""Problems of requests whose trees are kept."""


@record
class AskedPatch:
    """One patch of a request, for an open bug."""

    opened: OpenBug
    patch: Patch


@record
class AskedPatches:
    """All patches of a request, and how to answer them."""

    patches: tuple[AskedPatch, ...]
    scale: RewardScale
    deadline_s: float


@record
class PendingAnswers:
    """The answers to a request so far."""

    asked: AskedPatches
    known: dict[int, JudgedPatch]
    """Verdicts by place."""
    left: dict[int, Ticket]
    """What waits for a worker, by position; answered items are removed."""


class Service:
    """Benchmarks, workers and the queue of one server."""

    def __init__(self, benchmarks: ServedBenchmarks, machine: Machine, settings: ServiceSettings) -> None:
        self.benchmarks, self.settings, self.machine = benchmarks, settings, machine
        self.counters = Counters()
        self.pool = ValidatorPool(machine)
        self.dispatcher: Dispatcher
        self.started_at = time.time()
        self.is_draining = False
        self._inline: OrderedDict[str, Bug] = OrderedDict()
        self._stack = contextlib.ExitStack()
        self._folder = self._stack.enter_context(scratch_folder())

    def start(self) -> None:
        """Begin to work in the running event loop."""
        self.dispatcher = Dispatcher(self.machine.workers, self.settings.queue)
        self.dispatcher.start()

    async def close(self) -> None:
        """End all workers."""
        self.is_draining = True
        await self.dispatcher.close()
        await asyncio.to_thread(self.pool.close)
        self._stack.close()

    async def ask(self, request: ValidateRequest, *, most: int | None) -> AskedPatches:
        """Find the bugs of a request and read its candidates; `most` is how many it may have."""
        entries = list(request.entries())
        if most is not None and len(entries) > most:
            raise RequestRefused(
                413, "too_many", f"{count(len(entries), 'candidate')} in one request; at most {most} are possible, more as a job"
            )
        inline = await self._inline_bug(request.problem) if request.problem is not None else None
        patches = []
        for reference, patch in entries:
            opened = await self.opened(
                inline or str(reference), policy=request.policy, confirm=request.confirm, min_strength=request.min_strength
            )
            patches.append(AskedPatch(opened=opened, patch=self._clamped(patch)))
        deadline_s = min(request.deadline_s or self.settings.deadline_s, self.settings.deadline_s)
        scale = RewardScale(**request.scale.model_dump()) if request.scale is not None else _USUAL_SCALE
        return AskedPatches(patches=tuple(patches), scale=scale, deadline_s=deadline_s)

    async def opened(
        self, bug: Bug | str, *, policy: Policy = "first-failure", confirm: int = 0, min_strength: Strength = "unchecked"
    ) -> OpenBug:
        """Return a bug, perhaps given by name, ready to be asked about."""
        name = bug if isinstance(bug, str) else bug.digest
        found = self.pool.find_open(name, policy=policy, confirm=confirm, min_strength=min_strength)
        return await asyncio.to_thread(self._opened, bug, name, policy, confirm, min_strength) if found is None else found

    def _opened(self, bug: Bug | str, name: str, policy: Policy, confirm: int, min_strength: Strength) -> OpenBug:
        found = self.benchmarks.bug(bug) if isinstance(bug, str) else bug
        try:
            return self.pool.opened(found, policy=policy, confirm=confirm, min_strength=min_strength, name=name)
        except (HarnessError, UserError, OSError) as error:
            log(f"bug {found.id} cannot be opened: {error}")
            raise RequestRefused(
                503, "tools_missing", f"bug {found.id} cannot be judged on this server; its log says why"
            ) from None

    async def _inline_bug(self, problem: InlineProblem) -> Bug:
        name = digest(problem.model_dump())
        if name not in self._inline:
            try:
                self._inline[name] = await asyncio.to_thread(inline_bug, problem, self._folder)
            except UserError as error:
                raise bad_request(f"problem: {error}") from None
            except OSError as error:
                raise storage_failed(error) from error
            while len(self._inline) > _MOST_INLINE:
                _, old = self._inline.popitem(last=False)
                if all(bug.tree.source != old.tree.source for bug in self._inline.values()):
                    await asyncio.to_thread(shutil.rmtree, old.tree.source, ignore_errors=True)
        self._inline.move_to_end(name)
        return self._inline[name]

    def _clamped(self, patch: Patch) -> Patch:
        """Return a patch, read as if the client had been shown no more than it was."""
        if patch.strategy is None:
            return patch
        return dataclasses.replace(patch, localisation=self.benchmarks.finest(patch.localisation))  # type: ignore[arg-type]  # checked

    def submit(self, client: str, calls: Sequence[tuple[str, Call]]) -> list[Ticket]:
        """Let calls wait for a worker, all or none."""
        try:
            return self.dispatcher.submit(client, calls)
        except QueueFullError:
            self.counters.add("repairlab_refusals_total", reason="queue_full")
            waiting = len(self.dispatcher.queue)
            raise RequestRefused(
                429,
                "queue_full",
                f"the queue is full with {count(waiting, 'candidate')}; try again later",
                retry_after_s=self.dispatcher.wait_s,
            ) from None

    def begin(self, client: str, asked: AskedPatches) -> PendingAnswers:
        """Look up what is known of a request, and queue the rest or refuse."""
        found = {place: self.pool.known(item.opened, item.patch) for place, item in enumerate(asked.patches)}
        places = [place for place, judged in found.items() if judged is None]
        tickets = self.submit(client, [self._call(asked.patches[place]) for place in places]) if places else []
        known = {place: judged for place, judged in found.items() if judged is not None}
        return PendingAnswers(asked=asked, known=known, left=dict(zip(places, tickets, strict=True)))

    async def answers(self, pending: PendingAnswers) -> AsyncGenerator[tuple[int, dict[str, Any]], None]:
        """Yield the answers of a request with their places, as soon as each is known.

        Whoever stops asking for the next one takes the rest out of the queue.
        """
        asked, left = pending.asked, pending.left
        try:
            for place, judged in pending.known.items():
                yield place, self._told(judged, asked.patches[place], asked.scale)
            end = asyncio.get_running_loop().time() + asked.deadline_s
            while left:
                waiting = {ticket.done for ticket in left.values()}
                patience_s = max(0.0, end - asyncio.get_running_loop().time())
                done, _ = await asyncio.wait(waiting, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
                places = [place for place, ticket in left.items() if ticket.done in done] if done else list(left)
                for place in places:
                    ticket = left.pop(place)
                    patch = asked.patches[place]
                    if done:
                        yield place, self._settled(ticket, patch, asked.scale)
                    else:
                        self.dispatcher.leave(ticket)
                        late = f"not decided within the deadline of {asked.deadline_s:g} s"
                        yield place, undecided_answer(_name(patch), late)
        finally:
            for ticket in left.values():
                self.dispatcher.leave(ticket)

    def _told(self, judged: JudgedPatch, asked: AskedPatch, scale: RewardScale) -> dict[str, Any]:
        """Return the client's view of a verdict, and count it."""
        outcome = judged.outcome
        cached = "yes" if outcome.cached else "no"
        self.counters.add("repairlab_verdicts_total", verdict=outcome.verdict.value, cached=cached)
        if outcome.verdict is Verdict.UNDECIDED:
            log(f"bug {outcome.bug_id}: undecided: {outcome.message}\n{outcome.evidence}".rstrip())
        return answer(judged, asked.opened, scale)

    def _settled(self, ticket: Ticket, asked: AskedPatch, scale: RewardScale) -> dict[str, Any]:
        try:
            return self._told(ticket.done.result(), asked, scale)
        except asyncio.CancelledError:
            return undecided_answer(_name(asked), OUR_FAILURE)
        except Exception:
            log(traceback.format_exc())
            return undecided_answer(_name(asked), OUR_FAILURE)

    def _call(self, asked: AskedPatch) -> tuple[str, Call]:
        opened, patch = asked.opened, asked.patch
        return f"{opened.key}-{opened.name_of(patch)}", lambda handle: self.pool.judge(opened, patch, handle)

    def gauges(self) -> dict[str, float]:
        """Return the numbers of this moment."""
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return {
            "repairlab_queue_waiting": len(self.dispatcher.queue),
            "repairlab_queue_size": self.settings.queue,
            "repairlab_running": self.dispatcher.n_running,
            "repairlab_worker_processes": len(self.pool.pids()),
            "repairlab_memory_bytes": pages * 4096,
            "repairlab_uptime_seconds": round(time.time() - self.started_at, 1),
            "repairlab_draining": self.is_draining,
        }


def _name(asked: AskedPatch) -> str:
    problem = asked.opened.bug.problem
    return f"{problem.benchmark}/{problem.id}"


def storage_failed(error: OSError | None = None) -> RequestRefused:
    """Return the refusal when storing fails."""
    log(f"nothing can be written: {error or 'see above'}")
    return RequestRefused(507, "storage_failed", "the server cannot write to its disk, so this was not taken on", retry_after_s=60)


def log(text: str) -> None:
    """Say something to whoever runs the server."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201


_BUCKETS_S = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 600.0)
_HELP = {
    "repairlab_requests_total": "Requests by route and status.",
    "repairlab_verdicts_total": "Verdicts by name, and whether they were known.",
    "repairlab_refusals_total": "Requests that were refused, by reason.",
    "repairlab_request_seconds": "How long requests took.",
}
Labels = tuple[tuple[str, str], ...]


class Counters:
    """Numbers that only grow; current ones are given on request."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[Labels, float]] = {}
        self._durations: dict[str, list[float]] = {}

    def add(self, name: str, n: float = 1, **labels: str) -> None:
        """Count something."""
        found = self._counts.setdefault(name, {})
        key = tuple(sorted(labels.items()))
        found[key] = found.get(key, 0) + n

    def took(self, route: str, seconds: float) -> None:
        """Count a request by its duration."""
        buckets = self._durations.setdefault(route, [0.0] * (len(_BUCKETS_S) + 2))
        for place, limit in enumerate(_BUCKETS_S):
            buckets[place] += seconds <= limit
        buckets[-2] += 1
        buckets[-1] += seconds

    def text(self, now: Mapping[str, float]) -> str:
        """Return all numbers, with those of this moment."""
        lines = []
        for name, found in sorted(self._counts.items()):
            lines += [f"# HELP {name} {_HELP.get(name, name)}", f"# TYPE {name} counter"]
            lines += [f"{name}{_labels(key)} {value:g}" for key, value in sorted(found.items())]
        name = "repairlab_request_seconds"
        if self._durations:
            lines += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} histogram"]
        for route, buckets in sorted(self._durations.items()):
            limits = [*(f"{limit:g}" for limit in _BUCKETS_S), "+Inf"]
            counts = zip(limits, buckets[:-1], strict=True)
            lines += [f"{name}_bucket{_labels((('le', limit), ('route', route)))} {n:g}" for limit, n in counts]
            lines += [f"{name}_sum{_labels((('route', route),))} {buckets[-1]:.6g}"]
            lines += [f"{name}_count{_labels((('route', route),))} {buckets[-2]:g}"]
        for gauge, value in sorted(now.items()):
            lines += [f"# TYPE {gauge} gauge", f"{gauge} {value:g}"]
        return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    """Write labels, of which none holds a quote or a line break: they are routes, numbers and words of ours."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
