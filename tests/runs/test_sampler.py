import dataclasses
import os
import select
import threading
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import HarnessError, UserError
from repairlab.repairers.repairer import OverBudget, Unreachable
from repairlab.runs.experiment import Experiment
from repairlab.runs.messages import Task
from repairlab.runs.sampler import GIVE_UP, Sampler
from repairlab.validation.machine import Machine


@pytest.fixture
def tasks(tiny: Path, tmp_path: Path) -> list[Task]:
    """Return ten tasks that differ in their environment."""
    task = Task(
        bug=open_benchmark(str(tiny)).bug("sum"),
        experiment=Experiment(benchmark="tiny", repairer="llm"),
        folder=tmp_path,
        machine=Machine(cache=tmp_path),
        environment="",
        tools="",
        given=None,
        candidates={},
        outcomes={},
        given_up={},
    )
    return [dataclasses.replace(task, environment=str(number)) for number in range(10)]


def taken(sampler: Sampler) -> set[str]:
    """Return what comes out, waiting as a pool does."""
    found = set()
    for task in sampler.tasks():
        if task is not None:
            found.add(task.environment)
        else:
            assert select.select([sampler.wakeup], [], [], 30)[0], "nobody woke us up"
            os.read(sampler.wakeup, 4096)
    return found


@pytest.mark.parametrize("threads", [1, 3, 50])
def test_every_bug_comes_out_once_when_it_is_drawn(tasks: list[Task], threads: int) -> None:
    drawn: list[str] = []

    def draw(task: Task) -> Task:
        drawn.append(task.environment)
        return task

    with Sampler(tasks, draw, threads=threads) as sampler:
        assert taken(sampler) == {task.environment for task in tasks}
    assert sorted(drawn) == sorted(task.environment for task in tasks)
    assert sampler.ended_by is None


def test_bugs_are_drawn_at_the_same_time(tasks: list[Task]) -> None:
    meeting = threading.Barrier(len(tasks), timeout=30)

    def draw(task: Task) -> Task:
        meeting.wait()
        return task

    with Sampler(tasks, draw, threads=len(tasks)) as sampler:
        assert len(taken(sampler)) == len(tasks)


@pytest.mark.parametrize("error", [UserError("no key"), RuntimeError("ours")])
def test_a_mistake_ends_everything(tasks: list[Task], error: Exception) -> None:
    def draw(task: Task) -> Task:
        raise error

    with pytest.raises(type(error), match=str(error)), Sampler(tasks, draw, threads=2) as sampler:
        taken(sampler)


def test_what_was_drawn_before_the_budget_ended_is_still_judged(tasks: list[Task]) -> None:
    def draw(task: Task) -> Task:
        if task.environment == "4":
            raise OverBudget("too much")
        return task

    with Sampler(tasks, draw, threads=1) as sampler:
        assert taken(sampler) == {"0", "1", "2", "3"}
    assert isinstance(sampler.ended_by, OverBudget)


def test_a_bug_for_which_the_model_was_out_of_reach_does_not_keep_others_from_being_drawn(tasks: list[Task]) -> None:
    def draw(task: Task) -> Task:
        if task.environment in ("2", "5"):
            raise Unreachable("gone")
        return task

    with Sampler(tasks, draw, threads=1) as sampler:
        assert taken(sampler) == {"0", "1", "3", "4", "6", "7", "8", "9"}
    assert isinstance(sampler.ended_by, HarnessError)


def test_a_model_that_stays_out_of_reach_is_given_up(tasks: list[Task]) -> None:
    tried: list[str] = []

    def draw(task: Task) -> Task:
        tried.append(task.environment)
        raise Unreachable("gone")

    with Sampler(tasks, draw, threads=1) as sampler:
        assert taken(sampler) == set()
    assert len(tried) == GIVE_UP
    assert isinstance(sampler.ended_by, Unreachable)


def test_leaving_early_begins_no_more_bugs(tasks: list[Task]) -> None:
    drawn: list[str] = []

    def draw(task: Task) -> Task:
        drawn.append(task.environment)
        first.wait(30)
        return task

    first = threading.Event()
    with Sampler(tasks, draw, threads=1):
        threading.Timer(0.2, first.set).start()
    assert len(drawn) <= 1
