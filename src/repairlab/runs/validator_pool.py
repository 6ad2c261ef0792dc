"""Worker processes that judge patches and candidates of any bugs and stay between calls, one for each call at the same time.

Calls may come from any thread, and from processes that were forked from this one: each process has its own workers. They end with
`close`, when nobody holds the pool any more, or with the process. What was asked before is answered from the verdict cache,
without a worker; a patch is read by the worker, so that whoever asks is never kept by a strange text.
"""

import dataclasses
import json
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.outcome import Outcome, Policy, Strength, Verdict
from repairlab.core.recipe import Build
from repairlab.core.record import digest, record
from repairlab.core.storage.folders import scratch_folder
from repairlab.runs.executors.executor import DEATHS, Event, Item, Work
from repairlab.runs.executors.pool import Worker
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.cache import VerdictCache, code_digest, engine_digest, verdict_key
from repairlab.validation.machine import Machine, environment_of
from repairlab.validation.preflight import check_tools
from repairlab.validation.validator import BugValidator, Conditions, is_sampled

if TYPE_CHECKING:  # reading patches loads all strategies, which callers with candidates do without
    from repairlab.runs.patch import Patch

_MOST_OPEN = 512
"""Names of bugs that are found without a search; reading each again takes a moment."""
_MOST_RECENT_TESTS = 200_000
"""Test results kept in memory with the latest verdicts, not all of which workers have written yet."""
_READING = ("formats", "metrics", "repairers/llm", "runs")
"""Folders of this package whose code can change how a patch is read."""


@record
class JudgedPatch:
    """The verdict on a patch or a candidate."""

    outcome: Outcome
    earlier: Verdict | None = None
    """What an earlier run found, if that was another verdict."""
    similarity: float | None = None
    """Of the buggy file and what the patch makes of it, 1 when only comments and layout differ.

    None when it does not apply, and for candidates."""


class OpenBug:
    """A bug under its conditions, ready to be asked about."""

    def __init__(self, conditions: Conditions, cache: Path | None) -> None:
        """Take the folder of the verdict cache, if verdicts of earlier runs count."""
        self.conditions = conditions
        self.bug = conditions.bug
        self.key = conditions.key
        self.work = partial(open_judging, conditions, cache)
        self._readers = digest(code_digest(*_READING), engine_digest(), conditions.bug.digest)

    @cached_property
    def numbers(self) -> dict[str, tuple[str, int]]:
        """The kind and the number of each test or case, by its id."""
        oracle = self.bug.oracle
        kinds = (("trigger", oracle.trigger), ("regression", oracle.regression), ("case", oracle.case_ids))
        named = [(name, kind) for kind, names in kinds for name in names]
        return {name: (kind, number) for number, (name, kind) in enumerate(named, start=1)}

    def name_of(self, patch: "Patch") -> str:
        """Return the key of a patch in the verdict cache before it is read."""
        return digest("patch", self._readers, patch.form, patch.strategy, patch.localisation, patch.text)


class WorkerLostError(HarnessError):
    """Several workers died over the same item."""


class CallHandle:
    """Lets another thread end a call in progress: its worker is killed, and the call raises Interrupted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self.is_ended = False

    def end(self) -> None:
        """End the call, now or when it begins."""
        with self._lock:
            self.is_ended = True
            if self._worker is not None:
                self._worker.kill()

    def hold(self, worker: Worker | None) -> None:
        """Note which worker the call has; None: no longer any."""
        with self._lock:
            self._worker = worker
            if worker is not None and self.is_ended:
                worker.kill()


class ValidatorPool:
    """Judges patches and candidates of any bugs; it can be pickled down to where and how many workers there may be."""

    def __init__(self, machine: Machine, *, most_workers: int | None = None) -> None:
        """Take how many processes there may be before idle ones turn to other bugs."""
        self.machine = machine
        self._most = most_workers or 4 * machine.workers
        self._by_process: dict[int, _LocalWorkers] = {}
        self._is_closed = False
        self._open: OrderedDict[tuple[str, Policy, int, Strength], OpenBug] = OrderedDict()
        self._recent: OrderedDict[tuple[str, str], JudgedPatch] = OrderedDict()
        self._n_recent_tests = 0
        self._lock = threading.Lock()
        self._tried: set[tuple[str, Build]] = set()
        self._cache: VerdictCache | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(ValidatorPool, most_workers=self._most), (self.machine,)

    def find_open(
        self, name: str, *, policy: Policy = "first-failure", confirm: int = 0, min_strength: Strength = "unchecked"
    ) -> OpenBug | None:
        """Return a bug that was opened by this name or has this digest."""
        with self._lock:
            if (key := (name, policy, confirm, min_strength)) not in self._open:
                return None
            self._open.move_to_end(key)
            return self._open[key]

    def opened(
        self, bug: Bug, *, policy: Policy = "first-failure", confirm: int = 0, min_strength: Strength = "unchecked", name: str = ""
    ) -> OpenBug:
        """Return a bug ready to be asked about; HarnessError names what is missing on this machine."""
        terms = (policy, confirm, min_strength)
        made = self.find_open(bug.digest, policy=policy, confirm=confirm, min_strength=min_strength) or self._new(bug, *terms)
        with self._lock:
            made = self._open.setdefault((bug.digest, *terms), made)  # the first caller's object: workers know it by identity
            if name:
                self._open[name, *terms] = made
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return made

    def _new(self, bug: Bug, policy: Policy, confirm: int, min_strength: Strength) -> OpenBug:
        tools = digest(environment_of([bug.problem.language], self.machine))
        if (tools, bug.oracle.build) not in self._tried:
            check_tools([bug], self.machine)
            self._tried.add((tools, bug.oracle.build))
        conditions = Conditions(
            bug=bug,
            policy=policy,
            confirm=confirm,
            min_strength=min_strength,
            isolation=self.machine.isolation,
            environment=tools,
            tools=tools,
            recheck=self.machine.recheck,
        )
        return OpenBug(conditions, self.machine.verdict_cache)

    @property
    def _verdicts(self) -> VerdictCache | None:
        """The verdict cache, opened by the process that asks for it."""
        with self._lock:
            if self._cache is None and self.machine.verdict_cache:
                self._cache = VerdictCache(self.machine.verdict_cache)
            return self._cache

    def known(self, opened: OpenBug, patch: "Patch") -> JudgedPatch | None:
        """Return the verdict of an earlier run or a moment ago; None when a worker has to find it."""
        if (verdicts := self._verdicts) is None:
            return None
        name = opened.name_of(patch)
        with self._lock:
            recent = self._recent.get((opened.key, name))
        if recent is not None:
            return _demanded(opened, recent)
        remembered = verdicts.form(name)
        if remembered is None:
            return None
        form, candidate_id, similarity = json.loads(remembered)
        key = verdict_key(opened.key, form)
        outcome = None if is_sampled(key, self.machine.recheck) else verdicts.get(key)
        if outcome is None:
            return None
        outcome = dataclasses.replace(outcome, candidate_id=candidate_id, cached=True, environment=opened.conditions.environment)
        return _demanded(opened, self._remember((opened.key, name), JudgedPatch(outcome=outcome, similarity=similarity)))

    def judge(self, opened: OpenBug, item: "Patch | Candidate", handle: CallHandle | None = None) -> JudgedPatch:
        """Have a worker find the verdict; our own failures are UNDECIDED; Interrupted means that the call was ended."""
        try:
            judged = self.ask(opened, item, handle)
        except (HarnessError, RuntimeError) as error:
            return _undecided(opened, item, str(error))
        if self.machine.verdict_cache and not isinstance(item, Candidate) and judged.outcome.verdict is not Verdict.UNDECIDED:
            self._remember((opened.key, opened.name_of(item)), judged)
        return judged

    def ask(self, opened: OpenBug, item: "Patch | Candidate", handle: CallHandle | None = None) -> JudgedPatch:
        """Have a worker find the verdict; a HarnessError says that there can be no worker here."""
        try:
            judged: JudgedPatch = self.call(opened.work, item, handle)[-1]
        except WorkerLostError as error:
            return _undecided(opened, item, str(error))
        return judged

    def call(self, work: Work[Event, Item], item: Item, handle: CallHandle | None = None) -> list[Event]:
        """Have one item done and return everything emitted; if DEATHS workers die over it, raise WorkerLostError."""
        reason, handle = "", handle or CallHandle()
        for _ in range(DEATHS):
            opened = self._local()
            worker = opened.take(self.machine, work, self._most)
            handle.hold(worker)
            try:
                events = worker.ask(work, item)
            except (UserError, HarnessError):
                handle.hold(None)
                opened.put_back(worker)
                raise
            except BaseException:  # Ctrl-C: its answer is half read, or nobody listens any more
                handle.hold(None)
                worker.kill()
                opened.end(worker)
                raise
            handle.hold(None)
            if events is not None:
                opened.put_back(worker)
                return events
            reason = opened.end(worker)
            if handle.is_ended:
                raise Interrupted("nobody waits for this any more")
        raise WorkerLostError(f"{reason}, {DEATHS} times over this candidate")

    def pids(self) -> list[int]:
        """Return the ids of the worker processes of this process."""
        opened = self._by_process.get(os.getpid())
        return opened.pids() if opened else []

    def close(self) -> None:
        """End the workers of this process; busy ones are killed."""
        self._is_closed = True
        if workers := self._by_process.get(os.getpid()):
            workers.close()
        if self._cache is not None:
            self._cache.close()

    def _remember(self, key: tuple[str, str], judged: JudgedPatch) -> JudgedPatch:
        kept = dataclasses.replace(judged, outcome=dataclasses.replace(judged.outcome, cached=True))
        with self._lock:
            replaced = self._recent.pop(key, None)
            self._recent[key] = kept
            self._n_recent_tests += _weight(kept) - (_weight(replaced) if replaced else 0)
            while self._n_recent_tests > _MOST_RECENT_TESTS and len(self._recent) > 1:
                self._n_recent_tests -= _weight(self._recent.popitem(last=False)[1])
        return kept

    def _local(self) -> "_LocalWorkers":
        if self._is_closed:
            raise UserError("this validator is closed; open another one")
        pid = os.getpid()
        if pid not in self._by_process:
            made = _LocalWorkers()
            if self._by_process.setdefault(pid, made) is made:
                weakref.finalize(self, _close_aside, made).atexit = False  # `Finalize` does it then
            else:
                made.close()  # another thread was faster
        return self._by_process[pid]


def _weight(judged: JudgedPatch) -> int:
    return 10 + len(judged.outcome.tests)


def _demanded(opened: OpenBug, judged: JudgedPatch) -> JudgedPatch:
    return dataclasses.replace(judged, outcome=judged.outcome.at_least(opened.conditions.min_strength))


def _undecided(opened: OpenBug, item: "Patch | Candidate", reason: str) -> JudgedPatch:
    nameless = Candidate(bug_id=opened.bug.id, edits=(), rank=1, origin=Origin(repairer="api"))
    return JudgedPatch(outcome=opened.conditions.undecided(item if isinstance(item, Candidate) else nameless, reason))


@contextmanager
def open_judging(
    conditions: Conditions, cache: Path | None, sandbox: Sandbox, emit: Callable[[JudgedPatch], None]
) -> Iterator[Callable[["Patch | Candidate"], None]]:
    """Give a function that judges one patch or candidate after another in a worker."""
    opened, earlier = OpenBug(conditions, cache), list[Verdict]()
    with BugValidator(conditions, sandbox, cache, disagree=lambda known, now: earlier.append(known.verdict)) as validator:  # noqa: ARG005

        def judge(item: "Patch | Candidate") -> None:
            earlier.clear()
            if isinstance(item, Candidate):
                name = item.id
                outcome = validator.judge(item, name, validator.form(item, name))
                emit(JudgedPatch(outcome=outcome, earlier=earlier[0] if earlier else None))
                return
            from repairlab.runs.patch import candidate_of_patch, similarity_of  # noqa: PLC0415  # as above

            candidate = candidate_of_patch(item, conditions.bug)
            name = candidate.id
            form = validator.form(candidate, name)
            outcome = validator.judge(candidate, name, form)
            similarity = similarity_of(candidate, conditions.bug)
            validator.remember(opened.name_of(item), json.dumps([form, name, similarity]))
            emit(JudgedPatch(outcome=outcome, earlier=earlier[0] if earlier else None, similarity=similarity))

        yield judge


class _LocalWorkers:
    """The workers of one process."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._at_work: set[Worker] = set()
        self._stack = ExitStack()
        self._scratch = self._stack.enter_context(scratch_folder())
        self.is_closed = False
        self._at_exit = Finalize(None, self.close, exitpriority=10)

    def take(self, machine: Machine, work: object, most: int | None) -> Worker:
        """Return an idle worker that has this work open; else a new one, or the one that has been idle longest."""
        with self._lock:
            if self.is_closed:
                raise UserError("this validator is closed; open another one")
            self._drop_dead()
            worker = next((worker for worker in reversed(self._idle) if worker.work is work), None)
            if worker is None and self._idle and most is not None and len(self._idle) + len(self._at_work) >= most:
                worker = self._idle[0]
            if worker is not None:
                self._idle.remove(worker)
            else:
                worker = Worker(machine, self._scratch)
            self._at_work.add(worker)
        return worker

    def pids(self) -> list[int]:
        """Return the ids of all workers."""
        with self._lock:
            return [worker.pid for worker in (*self._idle, *self._at_work)]

    def _drop_dead(self) -> None:
        """Forget workers that died while idle, so that nobody's item is blamed for it."""
        dead = [worker for worker in self._idle if worker.pipe.poll()]  # an idle worker has nothing to say
        self._idle = [worker for worker in self._idle if worker not in dead]
        for worker in dead:
            worker.end()

    def put_back(self, worker: Worker) -> None:
        """Take a worker back for the next item."""
        with self._lock:
            if worker in self._at_work:
                self._at_work.remove(worker)
                self._idle.append(worker)

    def end(self, worker: Worker) -> str:
        """Take a worker that died or was killed, and say how it ended."""
        with self._lock:
            self._at_work.discard(worker)
        return worker.end()

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            if self.is_closed or self._pid != os.getpid():
                return
            self.is_closed = True
            for worker in self._at_work:
                worker.kill()  # the thread that waits for it learns that it died
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.hang_up()  # all of them first: closing what they have open takes a while
        for worker in idle:
            worker.end()
        self._stack.close()
        self._at_exit.cancel()


def _close_aside(opened: _LocalWorkers) -> None:
    """End workers that nobody holds any more, in a thread: the garbage collector runs at any moment, whatever is locked then."""
    if not opened.is_closed:
        threading.Thread(target=opened.close).start()
