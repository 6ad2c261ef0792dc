"""Workers that stay: which one gets an item, and what becomes of those that die or are ended."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from repairlab.core.errors import Interrupted
from repairlab.runs.validator_pool import CallHandle, ValidatorPool, WorkerLostError
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine


@contextmanager
def opened(name: str, sandbox: Sandbox, emit: Callable[[Any], None]) -> Iterator[Callable[[Any], None]]:
    del sandbox

    def do(item: Any) -> None:
        if item == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "sleep":
            time.sleep(60)
        emit((name, os.getpid()))

    yield do


@pytest.fixture
def workers(machine: Machine) -> Iterator[ValidatorPool]:
    made = ValidatorPool(machine, most_workers=2)
    yield made
    made.close()


def test_an_item_goes_to_the_worker_that_has_its_work_open(workers: ValidatorPool) -> None:
    works = {name: partial(opened, name) for name in "abc"}
    first = {name: workers.call(works[name], 1)[0] for name in "ab"}
    assert [workers.call(works[name], 2)[0] for name in "abab"] == [first[name] for name in "abab"]
    assert workers.call(works["c"], 1)[0] == ("c", first["a"][1])  # the one that was idle for the longest time
    assert workers.call(works["b"], 1)[0] == first["b"] and len(workers.pids()) == 2


def test_a_worker_that_dies_while_idle_is_nobodys_fault(workers: ValidatorPool) -> None:
    work = partial(opened, "a")
    for _ in range(4):
        _, pid = workers.call(work, 1)[0]
        os.kill(pid, signal.SIGKILL)
    assert workers.call(work, 1)[0][1] != pid
    with pytest.raises(WorkerLostError, match="3 times over this candidate"):
        workers.call(work, "die")


def test_a_call_can_be_ended_by_another_thread(workers: ValidatorPool) -> None:
    work, handle = partial(opened, "a"), CallHandle()
    workers.call(work, 1)
    threading.Timer(0.3, handle.end).start()
    with pytest.raises(Interrupted):
        workers.call(work, "sleep", handle)
    with pytest.raises(Interrupted):
        workers.call(work, "sleep", handle)  # it stays ended
    assert workers.call(work, 1)
