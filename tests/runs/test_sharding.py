"""How shards are cut: equal candidates together, about the right amount of work, nothing lost and nothing twice."""

import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import Experiment
from repairlab.runs.messages import Entry, Order, OutcomeKnown, Task
from repairlab.runs.sharding import Backlog
from repairlab.validation.machine import Machine


@pytest.fixture
def task(tiny: Path, tmp_path: Path) -> Task:
    return Task(
        bug=open_benchmark(str(tiny)).bug("sum"),
        experiment=Experiment(benchmark="tiny", repairer="file"),
        folder=tmp_path,
        machine=Machine(cache=tmp_path),
        environment="",
        tools="",
        given=None,
        candidates={},
        outcomes={},
        given_up={},
    )


def entry(number: int, form: str | None = None, *, name: str | None = None) -> Entry:
    return Entry(candidate_id=name or f"c{number}", place=number, form=form or f"f{number}")


def judged(item: Entry, *, verdict: Verdict = Verdict.WRONG, seconds: float = 0.1) -> OutcomeKnown:
    return OutcomeKnown(bug_id="sum", candidate_id=item.candidate_id, verdict=verdict, message="", seconds=seconds, body=b"")


def test_equal_forms_are_in_one_shard_and_equal_candidates_are_judged_once(task: Task) -> None:
    backlog = Backlog(task)
    for item in (entry(1, "a"), entry(2, "b"), entry(3, "a"), entry(4, "a", name="c1")):
        assert backlog.add(item, known=None) is None
    shard = backlog.cut(0, 0.25, {})
    assert [item.candidate_id for item in shard.entries] == ["c1", "c3"]
    assert backlog.judge(judged(shard.entries[0]), 1000 + shard.entries[0].place, 0) == 2, "two ranks"


def test_what_joins_a_group_at_work_waits_for_its_outcome(task: Task) -> None:
    backlog = Backlog(task)
    backlog.add(entry(1, "a"), known=None)
    first = backlog.cut(0, 1.0, {})
    backlog.add(entry(2, "a"), known=None)
    assert not backlog.is_ready
    backlog.judge(judged(first.entries[0]), 1000 + first.entries[0].place, 0)
    backlog.put_back(first, {})
    second = backlog.cut(1, 1.0, {})
    assert ([item.candidate_id for item in second.entries], second.decided) == (["c2"], {"a": 1001})
    assert (first.task, second.task) == (task, task), "each worker opens the bug itself"


def test_a_worker_that_has_the_bug_open_is_not_sent_it_again(task: Task) -> None:
    backlog = Backlog(task)
    for number in range(10):
        backlog.add(entry(number), known=None)
    assert backlog.cut(0, 0.1, {}).task is task
    assert backlog.cut(0, 0.1, {}).task is None
    backlog.forget(0)
    assert backlog.cut(0, 0.1, {}).task is task


def test_shards_grow_when_candidates_turn_out_to_be_cheap(task: Task) -> None:
    backlog = Backlog(task)
    for number in range(200):
        backlog.add(entry(number), known=None)
    sizes = [judge_shard(backlog, 0.01) for _ in range(30)]
    assert sizes == sorted(sizes) and sizes[0] == 1 and 10 < sizes[-1] < 30
    assert backlog.cost_s < 0.02


def judge_shard(backlog: Backlog, seconds: float) -> int:
    """Have a worker judge the next shard, and return how many candidates it had."""
    shard = backlog.cut(0, 0.3, {})
    for item in shard.entries:
        backlog.begin(0)
        backlog.judge(judged(item, seconds=seconds), 1000 + item.place, 0)
    backlog.put_back(shard, {})
    return len(shard.entries)


def test_where_one_candidate_took_long_no_worker_gets_several(task: Task) -> None:
    backlog = Backlog(task)
    for number in range(200):
        backlog.add(entry(number), known=None)
    assert [judge_shard(backlog, 0.01) for _ in range(20)][-1] > 1
    judge_shard(backlog, 4.0)
    assert judge_shard(backlog, 0.01) == 1


def test_a_validation_that_goes_on_and_on_counts_before_it_ends(task: Task) -> None:
    backlog = Backlog(task)
    for number in range(20):
        backlog.add(entry(number), known=None)
    for _ in range(4):
        judge_shard(backlog, 0.001)
    assert backlog.cost_s == 0.001
    backlog.begin(0)
    time.sleep(0.1)
    assert backlog.cost_s > 0.02
    backlog.forget(0)
    assert backlog.cost_s == 0.001


def test_one_more_worker_comes_only_where_there_is_more_to_do_than_to_open_the_bug(task: Task) -> None:
    backlog = Backlog(task)
    for number in range(30):
        backlog.add(entry(number), known=None)
    for number in range(8):
        judge_shard(backlog, 0.1 if number else 3.0)  # the first one includes a build
    assert backlog.is_ready and not backlog.is_worth_opening()
    backlog.forget(0)
    assert backlog.is_worth_opening(), "nobody has it open"


def test_what_a_dead_worker_stored_counts_and_the_rest_is_judged_again(task: Task) -> None:
    backlog = Backlog(task)
    for number in range(3):
        backlog.add(entry(number, "a"), known=None)
    shard = backlog.cut(0, 2.0, {})
    backlog.judge(judged(shard.entries[0]), 1000 + shard.entries[0].place, 0)
    assert backlog.put_back(shard, {"c0": (1000, Verdict.WRONG), "c1": (1001, Verdict.CRASH)}) == [(Verdict.CRASH, 1)]
    assert [item.candidate_id for item in backlog.cut(1, 2.0, {"c2": "deadly"}).entries] == ["c2"]


def test_a_candidate_proposed_again_by_another_worker_is_the_same_one(task: Task) -> None:
    backlog = Backlog(task)
    for item in (entry(1), entry(2), entry(1), entry(2), entry(3)):
        backlog.add(item, known=None)
    shards = [backlog.cut(0, 2.0, {}).entries for _ in range(3)]
    assert [item.candidate_id for items in shards for item in items] == ["c1", "c2", "c3"]
    assert not backlog.is_ready


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    forms=st.lists(st.integers(0, 8), min_size=1, max_size=40),
    moves=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["add", "work", "die"]), st.booleans()), max_size=200),
)
def test_whatever_happens_each_candidate_is_judged_once_and_each_form_validated_once(
    task: Task, forms: list[int], moves: list[tuple[int, str, bool]]
) -> None:
    backlog = Backlog(task)
    waiting = [entry(number, f"f{form}") for number, form in enumerate(forms)]
    at_work: dict[int, Order] = {}
    outcomes: Counter[str] = Counter()
    validated: Counter[str] = Counter()

    def do(shard: Order, worker: int, *, n: int) -> dict[str, tuple[int, Verdict]]:
        known, stored = set(shard.decided), dict[str, tuple[int, Verdict]]()
        for item in shard.entries[:n]:
            validated[item.form] += item.form not in known
            known.add(item.form)
            outcomes[item.candidate_id] += 1
            stored[item.candidate_id] = (1000 + item.place, Verdict.WRONG)
        return stored

    def finish(worker: int) -> None:
        shard = at_work.pop(worker)
        do(shard, worker, n=len(shard.entries))
        for item in shard.entries:
            backlog.judge(judged(item), 1000 + item.place, worker)
        backlog.put_back(shard, {})

    for worker, move, heard in moves:
        if move == "add" and waiting:
            backlog.add(waiting.pop(0), known=None)
        elif worker in at_work and move == "work":
            finish(worker)
        elif worker in at_work and move == "die":
            shard = at_work.pop(worker)
            stored = do(shard, worker, n=len(shard.entries) // 2)
            for item in shard.entries if heard else ():
                if item.candidate_id in stored:
                    backlog.judge(judged(item), 1000 + item.place, worker)
            backlog.forget(worker)
            backlog.put_back(shard, stored)
        elif worker not in at_work and backlog.is_ready:
            at_work[worker] = backlog.cut(worker, 0.6, {})
    for item in waiting:
        backlog.add(item, known=None)
    for worker in list(at_work):
        finish(worker)
    backlog.ended = "asked"
    while backlog.is_ready:
        at_work[0] = backlog.cut(0, 2.0, {})
        finish(0)
    assert backlog.is_done
    assert outcomes == Counter(f"c{number}" for number in range(len(forms)))
    assert validated == Counter({f"f{form}": 1 for form in forms})
