import dataclasses
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.outcome import TestResult, TestVerdict, Verdict
from repairlab.runs.experiment import make_experiment
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.store import Disagreement, Store
from repairlab.validation.cache import FILE, VerdictCache
from repairlab.validation.machine import Machine
from tests import builders

TESTS = (TestResult(id="01", verdict=TestVerdict.WRONG, message="\ud800 é"),)
OUTCOME = builders.outcome(Verdict.WRONG, tests=TESTS, evidence="x" * 4000)


def run(tiny: Path, folder: Path, machine: Machine, **settings: Any) -> list[object]:
    benchmark = open_benchmark(str(tiny))
    start_run(make_experiment({"benchmark": str(tiny), "repairer": "templates", "n": 6, **settings}), benchmark, folder, machine)
    steps: list[object] = []
    finish_run(benchmark, folder, machine, steps.append)
    return steps


def keep(folder: Path) -> None:
    """Put one outcome into the file."""
    kept = VerdictCache(folder)
    kept.put("k", OUTCOME)
    kept.close()


def verdicts(folder: Path) -> Counter[tuple[object, ...]]:
    return Counter((outcome.candidate_id, outcome.verdict, outcome.equivalent_to) for outcome in Store(folder).outcomes())


def n_cached(folder: Path) -> int:
    return sum(outcome.cached for outcome in Store(folder).outcomes())


@pytest.fixture
def remembering(machine: Machine, own_cache: Path) -> Machine:
    return dataclasses.replace(machine, cache=own_cache, use_verdicts=True, recheck=0)


def test_what_was_put_comes_back_in_another_process_too(tmp_path: Path) -> None:
    one, other = VerdictCache(tmp_path), VerdictCache(tmp_path)
    one.put("k", OUTCOME)
    one.put_form("raw", "form")
    assert (one.get("k"), one.form("raw")) == (OUTCOME, "form"), "it is known here at once"
    one.flush()
    assert (other.get("k"), other.get("j")) == (OUTCOME, None)
    assert (other.form("raw"), other.form("k")) == ("form", None)
    other.remove("k")
    assert one.get("k") is None


def test_undecided_is_never_kept(tmp_path: Path) -> None:
    kept = VerdictCache(tmp_path)
    kept.put("k", dataclasses.replace(OUTCOME, verdict=Verdict.UNDECIDED))
    assert kept.get("k") is None and kept.n_verdicts() == 0


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100, b"SQLite format 3\0" + bytes(4000)])
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    keep(tmp_path)
    keep(tmp_path)  # a file that only shows its damage when written to is gone by now
    assert VerdictCache(tmp_path).get("k") == OUTCOME


def test_a_file_damaged_in_the_middle_gives_no_false_verdict(tmp_path: Path) -> None:
    kept = VerdictCache(tmp_path)
    for number in range(200):
        kept.put(f"k{number}", dataclasses.replace(OUTCOME, message=str(number)))
    kept.close()
    content = bytearray((tmp_path / FILE).read_bytes())
    for place in range(5000, len(content), 1500):
        content[place] ^= 0x55
    (tmp_path / FILE).write_bytes(content)
    found = [VerdictCache(tmp_path).get(f"k{number}") for number in range(200)]
    assert all(outcome is None or outcome.message == str(number) for number, outcome in enumerate(found))


def test_an_entry_that_was_changed_or_moved_counts_for_nothing(tmp_path: Path) -> None:
    kept = VerdictCache(tmp_path)
    kept.put("good", dataclasses.replace(OUTCOME, verdict=Verdict.PLAUSIBLE))
    kept.put("bad", OUTCOME)
    kept.flush()
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as database:
        database.execute("UPDATE verdicts SET value = (SELECT value FROM verdicts WHERE key = 'good') WHERE key = 'bad'")
    database.close()
    assert kept.get("bad") is None


def test_a_folder_that_cannot_be_written_costs_speed_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = VerdictCache(tmp_path / "file")
    kept.put("k", OUTCOME)
    kept.flush()
    assert kept.get("k") is None


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(start: int) -> None:
        kept = VerdictCache(tmp_path)
        for number in range(start, start + 100):
            kept.put(f"k{number}", OUTCOME)
        kept.close()

    threads = [threading.Thread(target=write, args=(n * 100,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert VerdictCache(tmp_path).n_verdicts() == 400


def test_the_oldest_go_when_the_file_grows_too_large(tmp_path: Path) -> None:
    kept = VerdictCache(tmp_path, largest_mb=0.3)
    for number in range(4000):
        kept.put(f"k{number}", OUTCOME)
        if number % 10 == 0:
            kept.flush()
    kept.close()
    assert kept.n_verdicts() == 0, "it is closed"
    kept = VerdictCache(tmp_path)
    assert 0 < kept.n_verdicts() < 4000
    assert kept.get("k3999") == OUTCOME and kept.get("k0") is None


def test_a_second_run_takes_its_verdicts_from_the_first(tiny: Path, tmp_path: Path, remembering: Machine) -> None:
    run(tiny, tmp_path / "one", remembering)
    run(tiny, tmp_path / "two", remembering)
    assert verdicts(tmp_path / "one") == verdicts(tmp_path / "two")
    assert n_cached(tmp_path / "one") == 0 and n_cached(tmp_path / "two") == len(list(Store(tmp_path / "two").outcomes()))


def test_no_cache_neither_uses_nor_keeps_verdicts(tiny: Path, tmp_path: Path, remembering: Machine) -> None:
    forgetful = dataclasses.replace(remembering, use_verdicts=False)
    run(tiny, tmp_path / "one", forgetful, include=["sum"])
    run(tiny, tmp_path / "two", remembering, include=["sum"])
    run(tiny, tmp_path / "three", forgetful, include=["sum"])
    assert n_cached(tmp_path / "two") == n_cached(tmp_path / "three") == 0


def test_another_policy_isolation_or_test_asks_anew(tiny: Path, tmp_path: Path, remembering: Machine) -> None:
    run(tiny, tmp_path / "one", remembering, include=["sum"])
    run(tiny, tmp_path / "policy", remembering, include=["sum"], policy="full")
    run(tiny, tmp_path / "isolation", dataclasses.replace(remembering, isolation="process"), include=["sum"])
    (tiny / "bugs/sum/cases/02.out").write_text("6\n")
    run(tiny, tmp_path / "test", remembering, include=["sum"])
    assert [n_cached(tmp_path / name) for name in ("policy", "isolation", "test")] == [0, 0, 0]


def test_a_verdict_that_does_not_come_out_again_is_reported_and_forgotten(tiny: Path, tmp_path: Path, remembering: Machine) -> None:
    run(tiny, tmp_path / "one", remembering, include=["sum"])
    kept = VerdictCache(remembering.cache)
    with closing(sqlite3.connect(remembering.cache / FILE, isolation_level=None)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM verdicts")]
    database.close()
    for key in keys:
        was = kept.get(key)
        assert was is not None
        kept.put(key, dataclasses.replace(was, verdict=Verdict.OUTPUT_LIMIT))
    kept.close()
    steps = run(tiny, tmp_path / "two", dataclasses.replace(remembering, recheck=1), include=["sum"])
    assert verdicts(tmp_path / "one") == verdicts(tmp_path / "two")
    found = list(Store(tmp_path / "two").disagreements())
    assert len(found) == len(keys) and {item.cached for item in found} == {Verdict.OUTPUT_LIMIT}
    told = [step for step in steps if isinstance(step, Disagreement)]
    assert sorted(told, key=_candidate_id) == sorted(found, key=_candidate_id)  # two workers may end in either order
    assert VerdictCache(remembering.cache).n_verdicts() == 0


def _candidate_id(item: Disagreement) -> str:
    return item.candidate_id


def test_a_verdict_of_another_form_is_the_same_as_none(tmp_path: Path) -> None:
    kept = VerdictCache(tmp_path)
    kept._put("verdicts", "k", b"written by another version")
    assert kept.get("k") is None
    kept.put("k", OUTCOME)
    assert kept.get("k") == OUTCOME
    kept.close()
