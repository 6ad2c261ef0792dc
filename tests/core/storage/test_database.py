"""The file that caches are kept in: whatever happens to it, nobody fails."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repairlab.core.storage.database import Database

SCHEMA = "CREATE TABLE IF NOT EXISTS things (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, value BLOB);"
PUT = "INSERT OR REPLACE INTO things (key, value) VALUES (?, ?)"
COUNT = "SELECT count(*) FROM things"


def test_what_one_process_writes_the_next_one_finds(tmp_path: Path) -> None:
    first = Database(tmp_path / "new" / "a.sqlite", SCHEMA)
    assert first.write(PUT, ("a", b"1")) == 1
    first.write_all([(PUT, ("b", b"2")), (PUT, ("c", b"3"))])
    first.close()
    assert Database(tmp_path / "new" / "a.sqlite", SCHEMA).rows("SELECT key, value FROM things") == [
        ("a", b"1"),
        ("b", b"2"),
        ("c", b"3"),
    ]
    assert (tmp_path / "new" / "a.sqlite").stat().st_mode & 0o077 == 0
    assert (first.rows(COUNT), first.write(PUT, ("d", b""))) == ([], -1)  # closed: nothing is found, nothing is kept


def test_threads_share_a_file(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite", SCHEMA)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: database.write(PUT, (str(number), b"")), range(100)))
    assert database.rows(COUNT) == [(100,)]


def test_statements_that_belong_together_are_written_all_or_none(tmp_path: Path) -> None:
    told: list[str] = []
    database = Database(tmp_path / "a.sqlite", SCHEMA, report=told.append)
    database.write_all([(PUT, ("a", b"1")), ("INSERT INTO nowhere VALUES (1)", ())])
    assert database.rows(COUNT) == [(0,)]
    assert "cannot be used" in told[0]
    assert database.write(PUT, ("a", b"1")) == 1


@pytest.mark.parametrize("preserve", [True, False])
def test_a_damaged_file_makes_room_for_a_new_one(tmp_path: Path, preserve: bool) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"no database at all" * 1000)
    told: list[str] = []
    database = Database(path, SCHEMA, preserve=preserve, report=told.append)
    assert database.write(PUT, ("a", b"1")) == 1
    assert [file.read_bytes()[:11] for file in tmp_path.glob("*.damaged-*")] == ([b"no database"] if preserve else [])
    assert bool(told) is preserve


def test_damage_in_the_middle_costs_what_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    database = Database(path, SCHEMA)
    database.write_all((PUT, (str(number), b"x" * 500)) for number in range(200))
    database.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    damaged = Database(path, SCHEMA)
    assert damaged.rows("SELECT value FROM things WHERE number = 100") == []
    damaged.close()
    assert Database(path, SCHEMA).rows(COUNT) == [(0,)]


def test_a_file_that_another_process_locks_is_not_waited_for_without_end(tmp_path: Path) -> None:
    told: list[str] = []
    database = Database(tmp_path / "a.sqlite", SCHEMA, busy_timeout_s=0.1, report=told.append)
    other = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert database.write(PUT, ("a", b"1")) == -1
    assert "locked" in told[0]
    other.execute("COMMIT")
    other.close()
    assert database.write(PUT, ("a", b"1")) == 1


def test_the_oldest_quarter_goes_when_a_file_is_too_large(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite", SCHEMA)
    database.write_all((PUT, (str(number), b"x" * 2000)) for number in range(1, 101))
    database.prune(["things"], 1.0)
    assert database.rows(COUNT) == [(100,)]
    database.prune(["things"], 0.1)
    assert database.rows("SELECT min(number), max(number) FROM things") == [(26, 100)]


def test_a_database_that_nobody_has_any_more_is_closed(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite", SCHEMA)
    connection = database._connection
    assert connection is not None
    del database
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute(COUNT)
