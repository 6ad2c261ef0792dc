"""Whatever is wrong with somebody's file is said with its name, line and field."""

import json
from pathlib import Path

import pytest

from repairlab.building.importers.importer import Settings, chosen, need_sources
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_json_lines


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


def test_json_lines_may_be_an_array(file: Path) -> None:
    file.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert [(where.rpartition(", ")[2], entry["a"]) for where, entry in read_json_lines(file)] == [("line 1", 1), ("line 3", 2)]
    file.write_text("\ufeff" + json.dumps([{"a": 1}, {"a": 2}]))
    assert [(where.rpartition(", ")[2], entry["a"]) for where, entry in read_json_lines(file)] == [("entry 1", 1), ("entry 2", 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"a": 1}\n{"a": ', "line 2"), ('{"a": 1}\n3\n', "line 2: it should be an object, not a whole number"), ("[3]", "entry 1")],
)
def test_a_broken_line_is_named(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        list(read_json_lines(file))


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
