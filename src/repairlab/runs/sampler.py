"""Draw candidates of many bugs at the same time, in threads of the main process, since models make one wait."""

import contextlib
import dataclasses
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, Interrupted
from repairlab.core.score import Ended
from repairlab.repairers.repairer import Repairer, Unreachable
from repairlab.runs.loop import repair
from repairlab.runs.messages import Task
from repairlab.runs.store import Store
from repairlab.runs.suspects import seen_problem

GIVE_UP = 3
"""After this many bugs in a row for which the model could not be reached, no more are tried."""

_LOOK_AGAIN_S = 0.05
GRACE_S = 1.0
"""How long a stopped run waits for answers under way."""


class Sampler:
    """Hands out tasks as soon as all candidates of their bug are stored.

    The user's mistakes and our own end everything at once. A model that cannot be reached, or a cost limit, ends the sampling; what
    was drawn by then is still judged, and `ended_by` says what happened.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        sample: Callable[[Task], Task],
        *,
        threads: int,
        may_begin: Callable[[], bool] = lambda: True,
    ) -> None:
        """Take the bugs, and what draws all candidates of one and returns it ready to be judged.

        `may_begin` says whether to begin another bug. If it says no and no bug under way can change that, sampling ends.
        """
        self._waiting, self._ready = deque(tasks), deque[Task]()
        self._sample, self._n_threads = sample, min(threads, len(tasks))
        self._may_begin = may_begin
        self._n_working = self._n_sampling = 0
        self._lock = threading.Lock()
        self._fatal: Exception | None = None
        self._n_unreachable = 0
        self.ended_by: HarnessError | None = None

    def __enter__(self) -> Self:
        self.wakeup, self._wakeup_end = os.pipe()
        self._n_working = self._n_threads
        for _ in range(self._n_threads):
            threading.Thread(target=self._work, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Begin no more bugs and wait for answers under way, since they are paid for; at Ctrl-C only for a moment."""
        self._waiting.clear()
        is_stopped = kind is not None and issubclass(kind, Interrupted | KeyboardInterrupt)
        try:
            self._wait(GRACE_S if is_stopped else math.inf)
        except KeyboardInterrupt:
            return  # a second Ctrl-C means no waiting; the threads still have the pipe
        if self._n_working:
            return  # as above; the model is closed next, which ends them
        with self._lock:  # the last thread may still be writing
            os.close(self.wakeup)
            os.close(self._wakeup_end)

    def tasks(self) -> Iterator[Task | None]:
        """Yield tasks that are ready to be judged, if any; `wakeup` becomes readable when there are more."""
        while True:
            over = not self._n_working  # checked first: nothing is added after that
            if self._fatal:
                raise self._fatal
            if self._ready:
                yield self._ready.popleft()
            elif over:
                return
            else:
                yield None

    def _wait(self, limit_s: float) -> None:
        end = time.monotonic() + limit_s
        while self._n_working and time.monotonic() < end:
            time.sleep(0.05)  # unlike joining the threads, this can be interrupted

    def _work(self) -> None:
        while self._waiting:
            with self._lock:
                is_allowed = self._may_begin()
                if not is_allowed and not self._n_sampling:
                    self._waiting.clear()
                self._n_sampling += is_allowed
            if not is_allowed:
                time.sleep(_LOOK_AGAIN_S)
                continue
            with contextlib.suppress(IndexError):
                self._try(self._waiting.popleft())
            with self._lock:
                self._n_sampling -= 1
            os.write(self._wakeup_end, b".")
        with self._lock:
            self._n_working -= 1
            os.write(self._wakeup_end, b".")

    def _try(self, task: Task) -> None:
        try:
            sampled = self._sample(task)
        except Unreachable as error:
            with self._lock:
                self._n_unreachable += 1
                self.ended_by = error
                if self._n_unreachable >= GIVE_UP:
                    self._waiting.clear()
        except HarnessError as error:
            self.ended_by = error
            self._waiting.clear()
        except Exception as error:  # the user's mistake, or a bug of ours: raised again in the main thread
            self._waiting.clear()
            self._fatal = error
        else:
            with self._lock:
                self._n_unreachable = 0
            self._ready.append(sampled)


def sample(task: Task, repairer: Repairer) -> Task:
    """Draw and store all candidates of a bug; return the task to judge them."""
    places = dict(task.candidates)
    ended: Ended = "asked"
    if len(places) < task.experiment.n:  # else an earlier start of the run drew them
        run = Store(task.folder)

        def store(candidate: Candidate) -> Candidate:
            if candidate.rank in places:
                return run.at(Candidate, places[candidate.rank])
            places[candidate.rank] = run.append(candidate)
            return candidate

        problem = seen_problem(task.bug, task.experiment.visibility, task.spectrum)
        ended = repair(problem, repairer, task.experiment, store=store, judge=lambda candidate: None)  # noqa: ARG005
    return dataclasses.replace(task, given=None, examples=(), candidates=places, ended=ended)  # workers no longer need examples
