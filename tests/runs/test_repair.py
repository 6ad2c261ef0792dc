import shutil
from collections import Counter
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome
from repairlab.runs.experiment import make_experiment
from repairlab.runs.integrity import SEAL, find_damage, repair_run, require_intact
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.store import Store
from repairlab.validation.machine import Machine

from .test_integrity import lines_of, write_run

ALL = ("candidates.jsonl", "outcomes.jsonl", "bugs.jsonl")


def test_an_intact_run_is_left_as_it_is(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert repair_run(store) == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_intact_lines_are_kept_in_their_order_and_the_damaged_file_stays(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    path = tmp_path / "outcomes.jsonl"
    whole, damaged = list(store.outcomes()), lines_of(path)
    damaged[1] = damaged[1][:30] + b"\n"
    damaged[4], damaged[5] = damaged[5], damaged[4]
    damaged.append(damaged[2])
    path.write_bytes(b"".join(damaged))
    assert repair_run(store) == [
        "outcomes.jsonl moved to outcomes.jsonl.damaged-1; 11 intact lines are kept",
        "bugs.jsonl moved to bugs.jsonl.damaged-1; 1 bug to be worked on again",
    ]
    assert find_damage(store) == []
    assert list(store.outcomes()) == [*whole[:1], *whole[2:]]
    assert [end.bug_id for end in store.ends()] == ["b", "c"]
    assert (tmp_path / "outcomes.jsonl.damaged-1").read_bytes() == b"".join(damaged)
    assert not (tmp_path / SEAL).exists()


def test_a_second_damage_gets_a_name_of_its_own(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    for _ in range(2):
        path = tmp_path / "candidates.jsonl"
        path.write_bytes(b"".join(lines_of(path)[1:]))
        repair_run(store)
    assert {path.name for path in tmp_path.glob("candidates.jsonl*")} == {
        "candidates.jsonl", "candidates.jsonl.damaged-1", "candidates.jsonl.damaged-2",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["{", '{"schema":1,"run":"another","files":{}}', '{"schema":7}'])
def test_a_damaged_seal_is_made_anew(tmp_path: Path, text: str) -> None:
    store = write_run(tmp_path)
    (tmp_path / SEAL).write_text(text, encoding="utf-8")
    with pytest.raises(UserError):
        require_intact(store)
    repair_run(store)
    require_intact(store)
    assert len(list(store.outcomes())) == 12 and len(list(store.ends())) == 3


def contents(folder: Path) -> Counter[tuple[object, ...]]:
    verdicts = {outcome.candidate_id: outcome.verdict for outcome in Store(folder).outcomes()}
    return Counter((item.bug_id, item.rank, item.id, verdicts[item.id]) for item in Store(folder).candidates())


@pytest.mark.slow
def test_a_repaired_run_has_what_it_had_before(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    benchmark = open_benchmark(str(tiny))
    settings = make_experiment({"benchmark": str(tiny), "repairer": "templates", "n": 6})
    whole = tmp_path / "whole"
    start_run(settings, benchmark, whole, machine)
    finish_run(benchmark, whole, machine, lambda _: None)
    require_intact(Store(whole))
    ends = {end.bug_id: end.ended for end in Store(whole).ends()}
    for file in ALL:
        folder = tmp_path / file
        shutil.copytree(whole, folder)
        lines = lines_of(folder / file)
        (folder / file).write_bytes(b"".join([*lines[:1], *(line[: len(line) // 2] + b"\n" for line in lines[1:3]), *lines[3:]]))
        with pytest.raises(UserError, match=f"{file}, line 2"):
            start_run(settings, benchmark, folder, machine)
        repair_run(Store(folder))
        start_run(settings, benchmark, folder, machine)
        judged_before = {place for place, _ in Store(folder).scan_data(Outcome)}
        finish_run(benchmark, folder, machine, lambda _: None)
        require_intact(Store(folder))
        assert contents(folder) == contents(whole)
        assert {end.bug_id: end.ended for end in Store(folder).ends()} == ends
        assert max(Counter(outcome.candidate_id for outcome in Store(folder).outcomes()).values()) == 1
        assert (folder / SEAL).exists() and judged_before
