import json
import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.repairers.ledger import Ledger, Request, asking_for, current_bug, read_requests
from repairlab.repairers.repairer import OverBudget


def request(cost: float = 0.0, **more: object) -> Request:
    return Request(bug_id="b", model="m/x", kind="chat", prompt="p", cost_usd=cost, **more)  # type: ignore[arg-type]  # any fields


def add_many(path: Path) -> None:
    ledger = Ledger(path)
    for _ in range(50):
        ledger.add(request(0.01))


def test_lines_come_back_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    ledger = Ledger(path)
    made = [
        request(0.5, first=1, n=2, tokens_in=3, tokens_out=4, seconds=0.1, retries=1),
        request(problem="\ud800 no", from_cache=True),
    ]
    for one in made:
        ledger.add(one)
    assert list(read_requests(path)) == made
    assert all(json.loads(line)["schema"] == 1 for line in path.read_bytes().splitlines()[:1])


def test_without_a_file_nothing_was_asked(tmp_path: Path) -> None:
    assert list(read_requests(tmp_path / "none")) == []
    assert Ledger(tmp_path / "none").spent() == 0.0


def test_a_torn_last_line_is_left_out_and_built_on(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    ledger = Ledger(path, limit_usd=10)
    ledger.add(request(1.0))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    assert ledger.spent() == 1.0
    ledger.add(request(2.0))
    assert ledger.spent() == 3.0
    assert [one.cost_usd for one in read_requests(path)] == [1.0, 2.0]


def test_what_other_processes_spend_counts(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    ledger = Ledger(path)
    ledger.add(request(1.0))
    assert ledger.spent() == 1.0
    Ledger(path).add(request(0.25))
    assert ledger.spent() == 1.25


def test_processes_and_threads_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    others = [multiprocessing.get_context("spawn").Process(target=add_many, args=(path,)) for _ in range(2)]
    for other in others:
        other.start()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: add_many(path), range(4)))
    for other in others:
        other.join()
    assert len(list(read_requests(path))) == 300
    assert Ledger(path).spent() == pytest.approx(3.0)


def test_a_limit_that_is_reached_stops_asking(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl", limit_usd=1.0)
    ledger.check()
    ledger.add(request(0.6))
    ledger.check()
    ledger.add(request(0.6))
    with pytest.raises(OverBudget, match=r"has cost \$1\.2000 and its limit is \$1\.0000"):
        ledger.check()


def test_a_limit_of_nothing_allows_nothing(tmp_path: Path) -> None:
    with pytest.raises(OverBudget):
        Ledger(tmp_path / "requests.jsonl", limit_usd=0.0).check()


def test_a_ledger_that_cannot_be_written_is_our_failure(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="cannot write"):
        Ledger(tmp_path / "missing" / "requests.jsonl").add(request())


def test_each_thread_asks_for_its_own_bug() -> None:
    seen: list[str | None] = []
    with asking_for("one"):
        thread = threading.Thread(target=lambda: seen.append(current_bug()))
        thread.start()
        thread.join()
        with asking_for("two"):
            seen.append(current_bug())
        seen.append(current_bug())
    assert [*seen, current_bug()] == [None, "two", "one", None]
