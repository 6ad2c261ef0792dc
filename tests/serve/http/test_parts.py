"""Parts of the service by themselves: the queue, the lanes, tokens, rates, numbers, stored jobs."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="the extra web is not installed")

from repairlab.core.errors import UserError
from repairlab.runs.validator_pool import CallHandle
from repairlab.serve.http.app import KeptAnswer, SameRequests
from repairlab.serve.http.clients import RateLimit, ServiceClient, client_of, new_token, read_tokens
from repairlab.serve.http.dispatcher import Dispatcher, FairQueue, QueueFullError
from repairlab.serve.http.jobs import FILE, Job, JobStore, open_job_store
from repairlab.serve.http.requests import RequestRefused
from repairlab.serve.http.served_bugs import ServedBenchmarks
from repairlab.serve.http.service import Counters


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 5)), max_size=20))
def test_clients_take_turns_and_nothing_is_lost_or_doubled(waiting: list[tuple[str, int]]) -> None:
    async def drawn() -> list[tuple[str, int]]:
        queue: FairQueue[tuple[str, int]] = FairQueue(1000)
        for number, (client, n) in enumerate(waiting):
            queue.put(client, [(client, 10 * number + place) for place in range(n)])
        return [await queue.get() for _ in range(len(queue))]

    found = asyncio.run(drawn())
    expected = {(client, 10 * number + place) for number, (client, n) in enumerate(waiting) for place in range(n)}
    assert set(found) == expected and len(found) == len(expected)
    for client in "abc":  # in the order of each client
        own = [value for name, value in found if name == client]
        assert own == sorted(own)
    left = {name: sum(n for who, n in waiting if who == name) for name in "abc"}
    for place in range(len(found) - 1):  # nobody is served twice while another waits
        left[found[place][0]] -= 1
        others = [name for name, n in left.items() if n and name != found[place][0]]
        assert not others or found[place + 1][0] != found[place][0]


def test_the_queue_is_bounded_for_all_and_for_each() -> None:
    async def fill() -> None:
        queue: FairQueue[int] = FairQueue(10)
        queue.put("a", [1, 2, 3, 4, 5])
        with pytest.raises(QueueFullError):
            queue.put("a", [6])
        queue.put("b", [7, 8, 9, 10])
        with pytest.raises(QueueFullError):
            queue.put("c", [11, 12])
        assert len(queue) == 9 and queue.discard("b", 8) and not queue.discard("b", 8) and len(queue) == 8
        queue.put("c", [11, 12])

    asyncio.run(fill())


def test_equal_calls_are_done_once_and_what_nobody_waits_for_is_not_done() -> None:
    done: list[str] = []
    go_on = threading.Event()

    def call(name: str) -> Any:
        def do(handle: CallHandle) -> str:
            go_on.wait(10)
            done.append(name)
            return name

        return do

    async def work() -> None:
        dispatcher = Dispatcher(1, 100)
        dispatcher.start()
        first, second = dispatcher.submit("a", [("x", call("x"))]), dispatcher.submit("b", [("x", call("x")), ("y", call("y"))])
        assert first[0] is second[0]
        await asyncio.sleep(0.05)
        dispatcher.leave(second[1])
        go_on.set()
        assert await first[0].done == "x"
        assert second[1].done.cancelled() and len(dispatcher.queue) == 0
        await dispatcher.close()

    asyncio.run(work())
    assert done == ["x"]


def test_tokens_are_kept_as_hashes_and_read_from_a_file_and_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, line = new_token("alice")
    bob, other = new_token("bob", is_read_only=True)
    assert alice not in line and len(alice) > 40
    (tmp_path / "tokens").write_text(f"# ours\n{line} rate=2.5\n\n", encoding="utf-8")
    monkeypatch.setenv("REPAIRLAB_TOKENS", other)
    clients = read_tokens(tmp_path / "tokens")
    assert client_of(clients, f"Bearer {alice}") == ServiceClient(name="alice", rate=2.5)
    assert client_of(clients, f"bearer {bob}") == ServiceClient(name="bob", is_read_only=True)
    assert client_of(clients, "Bearer x") is client_of(clients, alice) is client_of(clients, "") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [("rl-secret\n", "line 1: not NAME:SHA256"), (f"a:{'0' * 64} write\n", "'write' is unknown"), ("", "has no token")],
)
def test_a_wrong_file_of_tokens_is_told_and_a_token_in_it_is_not(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "tokens").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message) as error:
        read_tokens(tmp_path / "tokens")
    assert "rl-secret" not in str(error.value)


def test_a_rate_lets_a_burst_through_and_says_how_long_to_wait() -> None:
    now = [0.0]
    limit = RateLimit(lambda: now[0])
    assert limit.take("a", 100, 10) == 0
    assert limit.take("a", 5, 10) == 0.5
    assert limit.take("b", 5, 10) == 0
    now[0] = 0.5
    assert limit.take("a", 5, 10) == 0
    assert limit.take("a", 1, 0) == 0
    assert limit.take("c", 1000, 10) == 0 and limit.take("c", 1, 10) > 80


def test_numbers_have_the_form_of_prometheus() -> None:
    counters = Counters()
    counters.add("repairlab_requests_total", route="/v1/x", status="200")
    counters.add("repairlab_requests_total", route="/v1/x", status="200")
    counters.took("/v1/x", 0.05)
    text = counters.text({"repairlab_running": 2})
    assert 'repairlab_requests_total{route="/v1/x",status="200"} 2\n' in text
    assert 'repairlab_request_seconds_bucket{le="0.02",route="/v1/x"} 0\n' in text
    assert 'repairlab_request_seconds_bucket{le="+Inf",route="/v1/x"} 1\n' in text
    assert "# TYPE repairlab_running gauge\nrepairlab_running 2\n" in text


def job(name: str = "1") -> Job:
    return Job(id=name, client="alice", kind="validate", body=b"{}", n=2, state="running", created=9e9)


def test_jobs_and_answers_are_there_again_after_a_restart(tmp_path: Path) -> None:
    with open_job_store(tmp_path) as store:
        assert store.add(job()) and not store.add(job())
        store.put("1", 1, {"verdict": "WRONG"})
        with pytest.raises(UserError, match="another server uses"), open_job_store(tmp_path):
            pass
    with open_job_store(tmp_path) as store:
        assert store.unfinished() == [job()] and store.answers("1") == [(1, '{"verdict": "WRONG"}')]
        store.set_state("1", "done")
        assert store.unfinished() == [] and store.of_client("bob") == []


def test_a_store_that_cannot_be_written_refuses_and_loses_nothing(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    store.add(job())
    other = sqlite3.connect(tmp_path / FILE)
    other.execute("DROP TABLE answers")
    other.close()
    assert not store.put("1", 0, {})
    store.close()
    with pytest.raises(RequestRefused) as refusal:
        store.add(job("2"))
    assert refusal.value.status == 507


def test_a_bug_is_found_by_its_own_name_where_only_one_benchmark_has_it(tiny: Path) -> None:
    found = ServedBenchmarks([tiny, "starter"])
    assert found.place("sum") == found.place("tiny/sum") == ("tiny", "sum")
    for name, code in (("smu", "unknown_bug"), ("tiny/x", "unknown_bug"), ("tyni/sum", "unknown_benchmark")):
        with pytest.raises(RequestRefused) as refusal:
            found.place(name)
        assert refusal.value.code == code and refusal.value.status == 404
    with pytest.raises(UserError, match="two benchmarks are called 'tiny'"):
        ServedBenchmarks([tiny, tiny])


def test_kept_answers_make_room_for_newer_ones() -> None:
    kept = SameRequests(largest_mb=40 / 1024 / 1024)
    for name in (b"a", b"b", b"c"):
        kept.keep(name, KeptAnswer(body=b"x" * 9, verdicts=("WRONG",)))
    assert kept.find(b"a") is not None  # asked for again, so that b is the oldest
    kept.keep(b"d", KeptAnswer(body=b"x" * 9, verdicts=("WRONG",)))
    kept.keep(b"e", KeptAnswer(body=b"x" * 9, verdicts=("WRONG",)))
    assert [name for name in (b"a", b"b", b"c", b"d", b"e") if kept.find(name)] == [b"a", b"c", b"d", b"e"]
    kept.keep(b"f" * 50, KeptAnswer(body=b"", verdicts=()))
    assert not any(map(kept.find, (b"a", b"c", b"d", b"e", b"f" * 50)))
