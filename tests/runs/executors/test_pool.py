import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.runs.executors.executor import DEATHS, Source
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import calling, run_each
from repairlab.validation.machine import Machine

WORK = """
import os, signal, tempfile
from contextlib import contextmanager
from pathlib import Path
from repairlab.core.errors import UserError

def square(item, sandbox, emit):
    emit(item * item)

def die_at_first(item, sandbox, emit):
    mark = Path(item)
    emit(f"begun {mark.name}")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    emit(f"done {mark.name}")

def die(item, sandbox, emit):
    os._exit(5)

def die_over_odd_ones(item, sandbox, emit):
    if item % 2:
        os._exit(5)
    emit(item)

def refuse(item, sandbox, emit):
    raise UserError(f"no {item}")

def break_down(item, sandbox, emit):
    raise ZeroDivisionError(item)

def temporary(item, sandbox, emit):
    emit((os.getpid(), tempfile.mkdtemp()))

@contextmanager
def opened(sandbox, emit):
    emit(("opened", os.getpid()))
    yield lambda item: emit(("did", os.getpid()))

def endless(item, sandbox, emit):
    while True:
        emit(item)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return functions that worker processes can import."""
    name = f"work_for_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    return __import__(name)


def run_pool(
    function: Callable[..., None],
    items: Iterable[Any],
    machine: Machine,
    receive: Callable[[Any], None],
    lost: Callable[[Any, str], None] | None = None,
) -> None:
    """Call a function for every item in a pool."""
    with open_pool(machine) as pool:
        run_each(calling(function), items, pool, receive, lost)


def alive(pid: int) -> bool:
    return Path("/proc", str(pid)).exists()


def test_every_item_is_worked_on_once(machine: Machine, work: ModuleType) -> None:
    found: list[int] = []
    run_pool(work.square, range(20), machine, found.append)
    assert sorted(found) == [n * n for n in range(20)]


def test_items_of_dead_workers_are_done_by_others(machine: Machine, work: ModuleType, tmp_path: Path) -> None:
    told: Counter[str] = Counter()
    run_pool(work.die_at_first, [str(tmp_path / f"item-{n}") for n in range(3)], machine, lambda event: told.update([event]))
    assert all(told[f"done item-{n}"] == 1 and told[f"begun item-{n}"] == 2 for n in range(3))


def test_work_that_kills_every_worker_is_our_failure(machine: Machine, work: ModuleType) -> None:
    with pytest.raises(HarnessError, match=rf"exit code 5, {DEATHS} times"):
        run_pool(work.die, [1], machine, print)


def test_work_that_kills_every_worker_is_told_and_the_rest_is_done(machine: Machine, work: ModuleType) -> None:
    found: list[int] = []
    lost: list[tuple[int, str]] = []
    run_pool(work.die_over_odd_ones, range(4), machine, found.append, lambda item, reason: lost.append((item, reason)))
    assert (sorted(found), sorted(item for item, _ in lost)) == ([0, 2], [1, 3])
    assert f"exit code 5, {DEATHS} times" in lost[0][1]


def test_equal_items_are_counted_apart_when_workers_die_over_them(machine: Machine, work: ModuleType, tmp_path: Path) -> None:
    told: list[str] = []
    marks = [str(tmp_path / "same")] * 4  # the first one dies once, whichever it is
    run_pool(work.die_at_first, marks, machine, told.append)
    assert told.count("done same") == 4


def test_what_a_worker_has_open_serves_its_items_until_the_pool_ends(machine: Machine, work: ModuleType, tmp_path: Path) -> None:
    events: list[tuple[str, int, int]] = []

    class Numbers(Source[int]):
        """Gives every worker three numbers."""

        def __init__(self) -> None:
            self.given: Counter[int] = Counter()
            self.finished: Counter[int] = Counter()

        def take(self, worker: int) -> int | None:
            if self.given[worker] == 3:
                return None
            self.given[worker] += 1
            return self.given[worker]

        def finish(self, worker: int) -> None:
            self.finished[worker] += 1

        def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
            raise AssertionError(reason)

        def is_over(self) -> bool:
            return all(self.given[worker] == 3 for worker in range(machine.workers))

    numbers = Numbers()
    with open_pool(machine) as pool:
        pool.run(work.opened, numbers, lambda event, worker: events.append((*event, worker)))
        pool.run(work.opened, Numbers(), lambda event, worker: None)
    assert numbers.finished == dict.fromkeys(range(machine.workers), 3)
    pids = {worker: {pid for _, pid, who in events if who == worker} for worker in range(machine.workers)}
    assert all(len(found) == 1 for found in pids.values())
    assert sum(kind == "opened" for kind, _, _ in events) == machine.workers


def test_errors_come_back_from_workers(machine: Machine, work: ModuleType) -> None:
    with pytest.raises(UserError, match="no luck"):
        run_pool(work.refuse, ["luck"], machine, print)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: 7"):
        run_pool(work.break_down, [7], machine, print)


def test_workers_and_their_temporary_files_are_gone_afterwards(machine: Machine, work: ModuleType) -> None:
    found: list[tuple[int, str]] = []
    run_pool(work.temporary, [1, 2, 3], machine, found.append)
    assert len(found) == 3
    assert not any(alive(pid) or Path(folder).exists() for pid, folder in found)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, HarnessError])
def test_an_interruption_stops_workers_at_the_next_thing_they_emit(
    machine: Machine, work: ModuleType, raised: type[BaseException]
) -> None:
    told: list[object] = []

    def receive(event: object) -> None:
        told.append(event)
        if len(told) == 1:
            raise raised

    with pytest.raises(Interrupted if raised is KeyboardInterrupt else HarnessError):
        run_pool(work.endless, [1, 2, 3], machine, receive)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_making_of_items_at_once(machine: Machine, work: ModuleType, number: signal.Signals) -> None:
    def items() -> Iterator[int]:
        yield 1
        signal.raise_signal(number)
        pytest.fail("the next item was made all the same")

    with pytest.raises(Interrupted):
        run_pool(work.square, items(), machine, print)


def test_a_full_pipe_is_no_reason_to_hang(machine: Machine, work: ModuleType) -> None:
    sizes: list[int] = []
    run_pool(work.square, [10**5000] * 4, machine, lambda event: sizes.append(event.bit_length()))
    assert len(sizes) == 4
