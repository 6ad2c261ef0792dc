"""The index says the same as the files, however they come, and follows them."""

import json
from collections import Counter
from pathlib import Path

import pytest

from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.runs.samples import read_samples
from repairlab.runs.store import BugEnd, Store
from repairlab.serve.browser import index_lines
from repairlab.serve.browser.run_index import RunIndex
from repairlab.study.showing import show_bug, show_run
from tests import builders
from tests.study.conftest import MakeRun


def caught_up(folder: Path, cache: Path) -> RunIndex:
    index = RunIndex(folder, cache)
    while index.follow():
        pass
    return index


def test_the_index_has_the_samples_of_the_files(three_runs: list[Path], tmp_path: Path) -> None:
    for folder in three_runs:
        index = caught_up(folder, tmp_path)
        assert index.samples() == read_samples(Store(folder))
        assert not index.is_behind and index.share == 1.0 and index.damages == []
        index.close()


def test_counts_are_those_of_show(three_runs: list[Path], tmp_path: Path) -> None:
    index, lines = caught_up(three_runs[0], tmp_path), show_run(Store(three_runs[0]))
    assert [(bug.id, bug.ended, {str(key): n for key, n in bug.verdicts.items()}) for bug in index.bugs()] == [
        (line.bug, line.ended, line.verdicts) for line in lines
    ]
    assert index.verdicts() == Counter({Verdict(key): 0 for line in lines for key in line.verdicts}) + sum(
        (Counter({Verdict(key): n for key, n in line.verdicts.items()}) for line in lines), start=Counter()
    )


def test_pages_of_candidates_cover_all_of_them_once(three_runs: list[Path], tmp_path: Path) -> None:
    index = caught_up(three_runs[1], tmp_path)
    bug_id = index.manifest.bug_ids[3]
    shown = [(line.rank, line.candidate) for line in show_bug(index.store, bug_id)]
    paged = [place for start in range(0, 40, 7) for place in index.page(bug_id=bug_id, start=start, n=7)]
    assert [(place.rank, place.candidate_id) for place in paged] == shown
    for place in paged:
        assert index.store.at(Candidate, place.candidate).rank == place.rank
        assert place.outcome is not None and index.store.at(Outcome, place.outcome).verdict is place.verdict
    wrong = index.page(verdict=Verdict.WRONG, n=10**6)
    assert len(wrong) == index.verdicts()[Verdict.WRONG] and {place.verdict for place in wrong} == {Verdict.WRONG}


def test_a_growing_run_is_followed(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("live", n=4, bugs=6, unfinished=3)
    index = caught_up(folder, tmp_path / "cache")
    before = index.verdicts().total()
    assert sum(bug.ended == "unfinished" for bug in index.bugs()) == 3
    store, bug_id = Store(folder), index.manifest.bug_ids[5]
    candidate = builders.candidate(bug_id, Edit(path="Main.java", text="new"), rank=77, repairer="live")
    store.append(candidate)
    while index.follow():
        pass
    place = index.at_rank(bug_id, 77)
    assert place is not None and place.verdict is None and index.verdicts().total() == before
    judged = builders.outcome(Verdict.PLAUSIBLE, candidate, n_tests=1, cpu_s=2.0)
    store.append(judged)
    store.append(BugEnd(bug_id=bug_id, ended="asked"))
    while index.follow():
        pass
    assert index.samples() == read_samples(store)
    assert index.newest(1)[0].rank == 77 and index.bug(bug_id).ended == "asked"


def test_reading_in_small_steps_gives_the_same(three_runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_lines, "_CHUNK", 1000)
    index = RunIndex(three_runs[2], tmp_path)
    shares = [index.share]
    while index.follow():
        shares.append(index.share)
    assert shares == sorted(shares) and shares[0] == 0.0 and shares[-1] == 1.0
    assert index.samples() == read_samples(index.store)


def test_an_index_is_found_again_and_not_read_twice(three_runs: list[Path], tmp_path: Path) -> None:
    first = caught_up(three_runs[0], tmp_path)
    first.keep("x", first.state, [1])
    first.close()
    again = RunIndex(three_runs[0], tmp_path)
    assert not again.follow() and again.made("x") == [1] and again.samples() == read_samples(again.store)


def test_only_one_of_two_follows(three_runs: list[Path], tmp_path: Path) -> None:
    first, second = RunIndex(three_runs[0], tmp_path), RunIndex(three_runs[0], tmp_path)
    assert first.follow() and not second.follow()
    first.close()
    while second.follow():
        pass
    assert second.samples() == read_samples(second.store)


def test_a_run_that_was_replaced_is_read_anew(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("again", n=3, bugs=3)
    index = caught_up(folder, tmp_path / "cache")
    path = folder / "outcomes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    while index.follow():
        pass
    assert index.samples() == read_samples(Store(folder))


def test_damage_is_named(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("torn", n=3, bugs=3)
    path = folder / "outcomes.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"verdict":"WRONG"', b'"verdict":"CRASH"', 1))
    index = caught_up(folder, tmp_path / "cache")
    assert any("outcomes.jsonl, line" in text and "changed" in text for text in index.damages)


def test_foreign_lines_are_damage_and_nothing_else_is_lost(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("old", n=3, bugs=3)
    data = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    data.pop("check"), data.pop("id")
    (folder / "run.json").write_text(json.dumps(data), encoding="utf-8")
    with (folder / "candidates.jsonl").open("ab") as file:
        file.write(b'[1]\n{"bug_id":"nobody"}\nno json\n')
    index = caught_up(folder, tmp_path / "cache")
    assert len(index.damages) == 3 and index.verdicts().total() > 0
