import pytest

from logreport.parser import parse_lines

STARTED = "2024-03-01 10:00:00 INFO web: started"
FAILED = "2024-03-01 10:00:05 ERROR db: query failed: timeout: 30s"
SLOW = "2024-03-01 10:00:07 WARNING db: slow"


def test_stack_trace_is_ignored():
    lines = [FAILED, "Traceback (most recent call last):", '  File "db.py", line 10, in query', STARTED]
    assert [entry.source for entry in parse_lines(lines)] == ["db", "web"]


def test_blank_lines_are_ignored():
    assert len(parse_lines(["", STARTED, "\n", SLOW, "   "])) == 2
    assert parse_lines([""], minimum="ERROR") == []


def test_fields_of_an_entry():
    (entry,) = parse_lines([STARTED + "\n"])
    assert (entry.day, entry.time, entry.level) == ("2024-03-01", "10:00:00", "INFO")
    assert (entry.source, entry.message) == ("web", "started")


def test_message_may_hold_colons():
    (entry,) = parse_lines([FAILED])
    assert entry.message == "query failed: timeout: 30s"


def test_minimum_level():
    entries = parse_lines([STARTED, FAILED, SLOW], minimum="WARNING")
    assert [entry.level for entry in entries] == ["ERROR", "WARNING"]


def test_unknown_minimum_level_is_refused():
    with pytest.raises(ValueError):
        parse_lines([STARTED], minimum="LOUD")


def test_empty_log():
    assert parse_lines([]) == []
