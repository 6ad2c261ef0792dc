"""A run in workers that share no files with it: here the processes of the pool, behind archives of what they were sent."""

import dataclasses
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.health import Health
from repairlab.building.check import check_bugs
from repairlab.core.errors import HarnessError, UserError
from repairlab.runs.executors.executor import Delivery, Parcel, Source, Work
from repairlab.runs.executors.pool import Pool, Stopping, open_pool
from repairlab.runs.executors.ray_worker import pack, unpack
from repairlab.runs.store import Store
from repairlab.runs.transfer import arrived, departing, folders_of
from repairlab.validation.machine import Machine
from tests.runs.test_run import contents, run


class _Post(Source[Any]):
    """Lays out the folders of each parcel in a place of its own."""

    def __init__(self, source: Source[Parcel], place: Path, machine: Machine) -> None:
        self._source, self._place, self._machine = source, place, machine

    def take(self, worker: int) -> Delivery | None:
        parcel = self._source.take(worker)
        if parcel is None:
            return None
        for digest, contents_ in parcel.folders.items():
            if not (self._place / digest).exists():
                unpack(pack(contents_), self._place / digest)
        folders = {digest: self._place / digest for digest in parcel.folders}
        return Delivery(item=parcel.item, folders=folders, machine=self._machine)

    def finish(self, worker: int) -> None:
        self._source.finish(worker)

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        self._source.lose(worker, reason, machine=machine)

    def is_over(self) -> bool:
        return self._source.is_over()


class _FarPool:
    is_remote = True

    def __init__(self, pool: Pool, place: Path, machine: Machine, *, n_kills: int) -> None:
        self._pool, self._place, self._machine, self._n_kills = pool, place, machine, n_kills
        self.workers = pool.workers

    def run(
        self, work: Work[Any, Any], source: Source[Any], receive: Callable[[Any, int], None], *, wakeup: int | None = None
    ) -> None:
        def receive_and_kill(event: Any, worker: int) -> None:
            receive(event, worker)
            if self._n_kills and worker in self._pool._workers:
                self._n_kills -= 1
                self._pool._workers[worker].kill()

        self._pool.run(work, _Post(source, self._place, self._machine), receive_and_kill, wakeup=wakeup)


@pytest.fixture
def far(tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine whose workers are elsewhere; the first of them are killed at what they say first."""

    @contextmanager
    def open_far(machine: Machine, needs: object, stopping: Stopping | None = None, notify: object = None) -> Iterator[_FarPool]:
        local = dataclasses.replace(machine, executor="local")
        with open_pool(local, stopping) as pool:
            yield _FarPool(pool, tmp_path / "elsewhere", local, n_kills=2)

    for user in ("runs.run", "building.check"):
        monkeypatch.setattr(f"repairlab.{user}.open_executor", open_far)
    return dataclasses.replace(machine, executor="ray")


@pytest.mark.parametrize("settings", [pytest.param({}, marks=pytest.mark.slow), {"stop_when_fixed": True}])
def test_a_run_elsewhere_is_the_same_run(
    tiny: Path, tmp_path: Path, machine: Machine, far: Machine, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tiny, tmp_path / "far", far, repairer="templates", n=8, **settings)
    monkeypatch.undo()
    run(tiny, tmp_path / "near", machine, repairer="templates", n=8, **settings)
    assert contents(tmp_path / "far") == contents(tmp_path / "near")


@pytest.mark.slow
def test_verdicts_of_all_machines_are_merged_and_known_to_all(
    tiny: Path, tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = dataclasses.replace(machine, cache=tmp_path / "here", use_verdicts=True, recheck=0, executor="ray")
    there = dataclasses.replace(here, executor="local")

    @contextmanager
    def open_far(machine: Machine, needs: object, stopping: Stopping | None = None, notify: object = None) -> Iterator[_FarPool]:
        with open_pool(there, stopping) as pool:
            yield _FarPool(pool, tmp_path / "elsewhere", there, n_kills=0)

    monkeypatch.setattr("repairlab.runs.run.open_executor", open_far)
    for name, is_known in (("one", False), ("two", True)):
        there = dataclasses.replace(there, cache=tmp_path / f"cache-{name}")  # other machines each time
        run(tiny, tmp_path / name, here, repairer="templates", n=8)
        assert {outcome.cached for outcome in Store(tmp_path / name).outcomes()} == {is_known}
    monkeypatch.undo()
    run(tiny, tmp_path / "near", dataclasses.replace(here, executor="local"), repairer="templates", n=8)
    assert all(outcome.cached for outcome in Store(tmp_path / "near").outcomes())
    assert contents(tmp_path / "near") == contents(tmp_path / "two")


@pytest.mark.slow
def test_a_run_begun_here_goes_on_elsewhere(tiny: Path, tmp_path: Path, far: Machine) -> None:
    run(tiny, tmp_path / "whole", far, repairer="templates", n=8)
    run(tiny, tmp_path / "cut", far, repairer="templates", n=8)
    cut = tmp_path / "cut"
    (cut / "seal.json").unlink()
    for name, keep in (("candidates.jsonl", 7), ("outcomes.jsonl", 5), ("bugs.jsonl", 0)):
        (cut / name).write_bytes(b"".join((cut / name).read_bytes().splitlines(keepends=True)[:keep]))
    run(tiny, cut, far, repairer="templates", n=8)
    assert contents(cut) == contents(tmp_path / "whole")


def test_a_check_elsewhere_finds_the_same(tiny: Path, machine: Machine, far: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def problems(where: Machine) -> dict[str, tuple[str, ...]]:
        found: list[Health] = []
        check_bugs(list(open_benchmark(str(tiny))), where, found.append, counter_tests=False)
        return {health.bug_id: health.problems for health in found}

    there = problems(far)
    monkeypatch.undo()
    assert there == problems(machine) == {"shop": (), "sum": ()}


def test_a_tree_that_is_not_what_was_sent_is_refused(tiny: Path, tmp_path: Path) -> None:
    bug = open_benchmark(str(tiny)).bug("shop")
    ((digest, contents_),) = folders_of(bug).items()
    unpack(pack(contents_), tmp_path / digest)
    there = arrived(bug, {digest: tmp_path / digest})
    assert there == dataclasses.replace(bug, tree=there.tree) and there.digest == bug.digest
    assert Path(there.tree.source).is_relative_to(tmp_path / digest)
    (Path(there.tree.source) / "more.py").touch()
    with pytest.raises(HarnessError, match=r"bug shop: .* is not the tree that was sent"):
        arrived(bug, {digest: tmp_path / digest})


def test_a_bug_takes_the_texts_of_its_cases_along(tiny: Path, tmp_path: Path) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    ((digest, contents_),) = folders_of(bug).items()
    unpack(pack(contents_), tmp_path / digest)
    sent = pickle.dumps(departing(bug))
    shutil.rmtree(tiny)
    there = arrived(pickle.loads(sent), {digest: tmp_path / digest})
    assert [(case.id, case.input, case.expected) for case in there.oracle.cases] == [("01", "1 2\n", "3\n"), ("02", "5\n", "5\n")]
    assert there.digest == bug.digest


def test_repairers_that_workers_ask_stay_here(tiny: Path, tmp_path: Path, far: Machine) -> None:
    with pytest.raises(UserError, match=r"command is asked by workers here.* leave --executor ray out"):
        run(tiny, tmp_path / "run", far, repairer="command", settings={"command": "true"})
