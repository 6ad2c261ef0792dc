import threading
from pathlib import Path

import pytest

from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Verdict
from repairlab.runs.store import BugEnd, Store
from tests import builders


def sample(rank: int) -> Candidate:
    return builders.candidate("b", Edit(path="x", text=f"text {rank} \ud800 é"), rank=rank)


def test_records_come_back_as_they_were_stored(tmp_path: Path) -> None:
    store = Store(tmp_path)
    outcome = builders.outcome(Verdict.WRONG, sample(1))
    end = BugEnd(bug_id="b", ended="asked")
    for item in (sample(1), outcome, end):
        store.append(item)
    assert (list(store.candidates()), list(store.outcomes()), list(store.ends())) == ([sample(1)], [outcome], [end])


def test_a_torn_last_line_is_dropped_and_what_comes_after_it_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.append(sample(1))
    with (tmp_path / "candidates.jsonl").open("ab") as file:
        file.write(b'{"schema":1,"bug_id":"b","edi')
    assert list(store.candidates()) == [sample(1)]
    store.append(sample(2))
    assert list(store.candidates()) == [sample(1), sample(2)]
    assert (tmp_path / "candidates.jsonl").read_bytes().count(b"\n") == 2


def test_a_file_that_is_nothing_but_a_torn_line_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "candidates.jsonl").write_bytes(b"x" * 10_000)
    Store(tmp_path).append(sample(1))
    assert list(Store(tmp_path).candidates()) == [sample(1)]


def test_a_manifest_that_is_no_json_is_a_clear_error(tmp_path: Path) -> None:
    for content in (b"{", b"\xff\xfe"):
        (tmp_path / "run.json").write_bytes(content)
        with pytest.raises(UserError, match="not valid JSON"):
            Store(tmp_path).manifest()


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(start: int) -> None:
        for rank in range(start, start + 50):
            Store(tmp_path).append(sample(rank))

    threads = [threading.Thread(target=write, args=(n * 50,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(item.rank for item in Store(tmp_path).candidates()) == list(range(200))


def test_records_of_another_schema_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bugs.jsonl").write_text('{"schema":9,"bug_id":"b","ended":"asked"}\n')
    with pytest.raises(UserError, match="schema is 9"):
        list(Store(tmp_path).ends())


def test_unknown_keys_in_stored_records_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bugs.jsonl").write_text('{"schema":1,"bug_id":"b","ended":"asked","extra":1}\n')
    with pytest.raises(UserError, match="extra"):
        list(Store(tmp_path).ends())


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no run folder"):
        Store(tmp_path).manifest()
    assert list(Store(tmp_path).candidates()) == []


def test_a_full_disk_is_our_failure_and_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "candidates.jsonl").symlink_to("/dev/full")
    with pytest.raises(HarnessError, match="--resume"):
        Store(tmp_path).append(sample(1))
