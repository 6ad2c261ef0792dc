import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.integrity import SEAL, find_damage, has_checks, require_intact, write_seal
from repairlab.runs.store import BugEnd, Store
from tests import builders

FILES = ("candidates.jsonl", "outcomes.jsonl", "bugs.jsonl")


def write_run(folder: Path, *, seal: bool = True) -> Store:
    """Write a run of three bugs with four candidates each."""
    store = Store(folder)
    bugs = ("a", "b", "c")
    store.create(
        Manifest(
            experiment=Experiment(benchmark="toy", repairer="templates", n=4),
            benchmark_name="toy",
            benchmark_version="1.0.0",
            benchmark_digest="0" * 16,
            bug_ids=bugs,
            languages=("python",) * 3,
            repairlab="0.1.0",
            environment={},
            environment_digest="0" * 16,
            created="2026-01-02T03:04:05+00:00",
        )
    )
    for bug in bugs:
        for rank in range(1, 5):
            text = f"text {rank} \ud800 é"  # hostile candidates have lone surrogates
            candidate = builders.candidate(bug, Edit(path="x", text=text), rank=rank)
            store.append(candidate)
            verdict = Verdict.PLAUSIBLE if rank == 3 else Verdict.WRONG
            store.append(builders.outcome(verdict, candidate))
        store.append(BugEnd(bug_id=bug, ended="asked"))
    if seal:
        write_seal(store)
    return store


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("seal", [True, False])
def test_a_run_that_nobody_touched_is_intact(tmp_path: Path, seal: bool) -> None:
    store = write_run(tmp_path, seal=seal)
    assert find_damage(store) == []
    assert has_checks(tmp_path)
    require_intact(store)


Change = Callable[[list[bytes]], list[bytes]]
CHANGES: dict[str, Change] = {
    "halved": lambda lines: [*lines[:1], lines[1][: len(lines[1]) // 2] + b"\n", *lines[2:]],
    "halved with its end": lambda lines: [*lines[:1], lines[1][: len(lines[1]) // 2], *lines[2:]],
    "changed": lambda lines: [*lines[:1], lines[1].replace(b'"bug_id":"a"', b'"bug_id":"b"'), *lines[2:]],
    "missing": lambda lines: [*lines[:1], *lines[2:]],
    "doubled": lambda lines: [*lines[:2], lines[1], *lines[2:]],
    "doubled at the end": lambda lines: [*lines, lines[1]],
    "exchanged": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
    "another line twice": lambda lines: [*lines[:1], lines[2], *lines[2:]],
    "cut at a line end": lambda lines: lines[:-1],
    "torn at its end": lambda lines: [*lines[:-1], lines[-1][:-5]],
    "emptied": lambda lines: [],
    "an empty line": lambda lines: [*lines[:1], b"\n", *lines[1:]],
    "a line by hand": lambda lines: [*lines, b'{"schema":1}\n'],
}


@pytest.mark.parametrize("file", ["candidates.jsonl", "outcomes.jsonl"])
@pytest.mark.parametrize("name", CHANGES)
def test_every_change_of_a_finished_run_is_noticed_and_named(tmp_path: Path, file: str, name: str) -> None:
    store = write_run(tmp_path)
    path = tmp_path / file
    before = lines_of(path)
    path.write_bytes(b"".join(CHANGES[name](before)))
    if name == "changed":
        assert lines_of(path) != before
    with pytest.raises(UserError, match=rf"{file}, line \d+: .*repairlab run --resume {tmp_path} --repair"):
        require_intact(store)


@pytest.mark.parametrize("file", FILES)
def test_a_removed_file_is_noticed(tmp_path: Path, file: str) -> None:
    store = write_run(tmp_path)
    (tmp_path / file).unlink()
    assert [(item.file, item.line) for item in find_damage(store)] == [(file, 1)]


def test_the_line_that_is_named_is_the_one_of_the_file(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    lines = lines_of(tmp_path / "outcomes.jsonl")
    for index in (3, 7):
        lines[index] = lines[index][:40] + b"\n"
    (tmp_path / "outcomes.jsonl").write_bytes(b"".join(lines))
    assert [(item.file, item.line) for item in find_damage(store)] == [("outcomes.jsonl", 4), ("outcomes.jsonl", 8)]


def test_a_line_of_another_run_is_noticed(tmp_path: Path) -> None:
    store = write_run(tmp_path / "one")
    other = write_run(tmp_path / "two")
    path = store.folder / "outcomes.jsonl"
    mine, theirs = lines_of(path), lines_of(other.folder / "outcomes.jsonl")
    path.write_bytes(b"".join([*mine[:4], theirs[4], *mine[5:]]))
    assert [str(item) for item in find_damage(store)] == ["outcomes.jsonl, line 5: it was changed, or is of another run"]


def test_all_files_of_another_run_are_noticed(tmp_path: Path) -> None:
    store = write_run(tmp_path / "one")
    other = write_run(tmp_path / "two")
    for name in FILES:
        shutil.copy(other.folder / name, store.folder / name)
    assert {item.file for item in find_damage(store)} == set(FILES)
    shutil.copy(other.folder / SEAL, store.folder / SEAL)
    with pytest.raises(UserError, match="of another run"):
        require_intact(store)


def test_an_unfinished_run_that_lost_the_end_of_a_file_is_noticed_by_the_ends_of_its_bugs(tmp_path: Path) -> None:
    store = write_run(tmp_path, seal=False)
    path = tmp_path / "outcomes.jsonl"
    path.write_bytes(b"".join(lines_of(path)[:9]))
    (damage,) = find_damage(store)
    assert str(damage) == "outcomes.jsonl, line 10: it is missing, and so are all up to line 12"


@pytest.mark.parametrize("file", FILES)
def test_a_torn_last_line_after_a_kill_is_harmless(tmp_path: Path, file: str) -> None:
    store = write_run(tmp_path)
    with (tmp_path / file).open("ab") as stream:
        stream.write(b'{"schema":1,"bug_')
    require_intact(store)


def test_lines_may_follow_behind_the_seal(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    first = next(store.outcomes())
    store.append(dataclasses.replace(first, verdict=Verdict.CRASH))
    require_intact(store)
    assert list(store.outcomes())[-1].verdict is Verdict.CRASH


def test_a_changed_manifest_is_refused(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    path = tmp_path / "run.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    for key, value in (("bug_ids", ["a"]), ("id", "0" * 16), ("id", ""), ("check", "00000000")):
        path.write_text(json.dumps(whole | {key: value}), encoding="utf-8")
        with pytest.raises(UserError, match="was changed after it was written"):
            require_intact(store)


def test_a_manifest_without_id_beside_lines_with_checks_is_refused(tmp_path: Path) -> None:
    store = write_run(tmp_path)
    path = tmp_path / "run.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({key: value for key, value in whole.items() if key not in ("id", "check")}), encoding="utf-8")
    with pytest.raises(UserError, match=r"it has a check, but run\.json no id"):
        require_intact(store)


def test_a_run_of_before_there_were_checks_still_opens_and_goes_on_without_them(tmp_path: Path) -> None:
    store = write_run(tmp_path, seal=False)
    path = tmp_path / "run.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({key: value for key, value in whole.items() if key not in ("id", "check")}), encoding="utf-8")
    for name in FILES:
        bare = [line[: line.rindex(b',"line"')] + b"}\n" for line in lines_of(tmp_path / name)]
        (tmp_path / name).write_bytes(b"".join(bare))
    require_intact(store)
    assert not has_checks(tmp_path)
    store.append(BugEnd(bug_id="d", ended="asked"))
    write_seal(store)
    require_intact(store)
    assert not (tmp_path / SEAL).exists()
    assert [end.bug_id for end in store.ends()] == ["a", "b", "c", "d"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.sampled_from(FILES), place=st.integers(0, 10_000), byte=st.integers(0, 255), data=st.data())
def test_no_changed_byte_stays_unnoticed(tmp_path: Path, file: str, place: int, byte: int, data: st.DataObject) -> None:
    folder = tmp_path / "run"
    store = Store(folder) if folder.exists() else write_run(folder)
    path = folder / file
    whole = path.read_bytes()
    place %= len(whole)
    length = data.draw(st.integers(0, 40))
    changed = whole[:place] + bytes([byte]) + whole[place + length :]
    if changed == whole:
        return
    try:
        path.write_bytes(changed)
        assert find_damage(store)
    finally:
        path.write_bytes(whole)
