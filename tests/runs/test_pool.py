from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.runs.pool import DEATHS, Machine, open_pool, run_pool

WORK = """
import os, signal, tempfile
from pathlib import Path
from repairlab.core.errors import UserError

def square(item, sandbox, tell):
    tell(item * item)

def die_at_first(item, sandbox, tell):
    mark = Path(item)
    tell(f"begun {mark.name}")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    tell(f"done {mark.name}")

def die(item, sandbox, tell):
    os._exit(5)

def refuse(item, sandbox, tell):
    raise UserError(f"no {item}")

def break_down(item, sandbox, tell):
    raise ZeroDivisionError(item)

def temporary(item, sandbox, tell):
    tell((os.getpid(), tempfile.mkdtemp()))

def endless(item, sandbox, tell):
    while True:
        tell(item)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return functions that worker processes can import."""
    name = f"work_for_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    return __import__(name)


def alive(pid: int) -> bool:
    return Path("/proc", str(pid)).exists()


def test_every_item_is_worked_on_once(machine: Machine, work: ModuleType) -> None:
    found: list[int] = []
    run_pool(work.square, range(20), machine, found.append)
    assert sorted(found) == [n * n for n in range(20)]


def test_a_pool_serves_one_kind_of_work_after_the_other(machine: Machine, work: ModuleType) -> None:
    found: list[object] = []
    with open_pool(machine) as pool:
        pool.run(work.square, [3], found.append)
        pool.run(work.temporary, [0], found.append)
    assert found[0] == 9 and len(found) == 2


def test_items_of_dead_workers_are_done_by_others(machine: Machine, work: ModuleType, tmp_path: Path) -> None:
    told: Counter[str] = Counter()
    run_pool(work.die_at_first, [str(tmp_path / f"item-{n}") for n in range(3)], machine, lambda news: told.update([news]))
    assert all(told[f"done item-{n}"] == 1 and told[f"begun item-{n}"] == 2 for n in range(3))


def test_work_that_kills_every_worker_is_our_failure(machine: Machine, work: ModuleType) -> None:
    with pytest.raises(HarnessError, match=rf"exit code 5, {DEATHS} times"):
        run_pool(work.die, [1], machine, print)


def test_the_caller_may_say_what_to_do_instead_of_deadly_work(machine: Machine, work: ModuleType) -> None:
    reasons: list[str] = []

    def again(item: int, reason: str) -> int | None:
        reasons.append(reason)
        return item + 1 if item < 3 else None

    with open_pool(machine) as pool:
        pool.run(work.die, [1], print, again=again)
    assert reasons == ["a worker process ended with exit code 5"] * 3


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
def test_an_interruption_stops_workers_at_the_next_thing_they_tell(
    machine: Machine, work: ModuleType, raised: type[BaseException]
) -> None:
    told: list[object] = []

    def receive(news: object) -> None:
        told.append(news)
        if len(told) == 1:
            raise raised

    with pytest.raises(Interrupted if raised is KeyboardInterrupt else HarnessError):
        run_pool(work.endless, [1, 2, 3], machine, receive)


def test_a_full_pipe_is_no_reason_to_hang(machine: Machine, work: ModuleType) -> None:
    sizes: list[int] = []
    run_pool(work.square, [10**5000] * 4, machine, lambda news: sizes.append(news.bit_length()))
    assert len(sizes) == 4
