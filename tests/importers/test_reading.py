"""Whatever is wrong with somebody's file is said with its name, line and field."""

import json
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.importers.importer import Settings
from repairlab.importers.reading import chosen, field, need_sources, read_csv, read_json, read_json_lines


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1,\n "b": }', "line 2: not valid JSON"),
        (b"\xff\xfe", "not utf-8 text"),
        (b"[" * 100_000, "not valid JSON"),
        (b"", "line 1: not valid JSON"),
    ],
)
def test_a_broken_json_file_is_named_with_its_line(file: Path, text: bytes, message: str) -> None:
    file.write_bytes(text)
    with pytest.raises(UserError, match=message) as caught:
        read_json(file)
    assert str(file) in str(caught.value)


def test_json_lines_may_be_an_array(file: Path) -> None:
    file.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert [(where.rpartition(", ")[2], entry["a"]) for where, entry in read_json_lines(file)] == [("line 1", 1), ("line 3", 2)]
    file.write_text(json.dumps([{"a": 1}, {"a": 2}]))
    assert [(where.rpartition(", ")[2], entry["a"]) for where, entry in read_json_lines(file)] == [("entry 1", 1), ("entry 2", 2)]


@pytest.mark.parametrize(
    ("text", "message"), [('{"a": 1}\n{"a": ', "line 2"), ('{"a": 1}\n3\n', "line 2: not a JSON object"), ("[3]", "entry 1")]
)
def test_a_broken_line_is_named(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        list(read_json_lines(file))


@pytest.mark.parametrize(
    ("entry", "message"), [({}, "'x' is missing"), ({"x": 3}, "should be str, not int"), ({"x": True}, "not bool")]
)
def test_fields_are_there_and_of_their_type(entry: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        field(entry, "x", str, "f.json, line 3")
    assert str(caught.value).startswith("f.json, line 3: ")
    assert field({"x": "y"}, "x", str, "") == "y"


def test_csv_needs_its_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,\n")
    assert list(read_csv(tmp_path / "t.csv", ("a", "b"))) == [(f"{tmp_path}/t.csv, line 2", {"a": "1", "b": ""})]
    with pytest.raises(UserError, match=r"line 1: the columns c are missing; found are a, b"):
        list(read_csv(tmp_path / "t.csv", ("a", "c")))


def test_bugs_are_chosen_by_pattern_and_number() -> None:
    ids = ["a-1", "a-2", "b-1"]
    assert chosen(ids, Settings()) == ids
    assert chosen(ids, Settings(include=("a-*",), limit=1)) == ["a-1"]
    with pytest.raises(UserError, match="unknown bug 'c-'"):
        chosen(ids, Settings(include=("c-",)))
    with pytest.raises(UserError, match="at least 1"):
        chosen(ids, Settings(limit=0))


def test_sources_are_counted_and_looked_for(tmp_path: Path) -> None:
    assert need_sources([tmp_path], ("a checkout", "tests"), optional=1) == [tmp_path]
    with pytest.raises(UserError, match="0 sources are given, but needed are: a checkout"):
        need_sources([], ("a checkout",))
    with pytest.raises(UserError, match="does not exist; it should be a checkout"):
        need_sources([tmp_path / "x"], ("a checkout",))
