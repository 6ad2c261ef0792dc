"""Whatever is wrong with somebody's file is said with its name, line and field."""

import gzip
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.core.foreign import field, objects, parse_json, read_csv, read_json, read_json_lines, read_object, read_text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1,\n "b": }', "line 2: not valid JSON"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"[" * 100_000, "not valid JSON"),
        (b"", "line 1: not valid JSON"),
        (b"[" + b"9" * 5000 + b"]", "line 1: not valid JSON: Exceeds the limit"),
        (b'{"a": {"b": 1, "b": 2}}', "an object has the key 'b' twice"),
    ],
)
def test_a_broken_json_file_is_named_with_its_line(file: Path, text: bytes, message: str) -> None:
    file.write_bytes(text)
    with pytest.raises(UserError, match=message) as caught:
        read_json(file)
    assert str(file) in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_a_file(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_json(file) == {"a": 1}
    file.write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    assert read_csv(file, ("a",)) == [(f"{file}, line 2", {"a": "1", "b": "2"})]


@pytest.mark.parametrize(
    ("entry", "message"),
    [({}, "'x' is missing"), ({"x": 3}, "should be text, not a whole number"), ({"x": True}, "not true or false")],
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


def test_csv_has_its_own_idea_of_lines(file: Path) -> None:
    file.write_text('a,b\nx\u2028y,"1\n2"\nz,3\n', encoding="utf-8")
    assert [row for _, row in read_csv(file, ("a", "b"))] == [{"a": "x\u2028y", "b": "1\n2"}, {"a": "z", "b": "3"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1\n", "line 2: the row is too short"),
        ('a,b\n1,"2\n', "not valid CSV"),
        (f"a,b\n{'x' * 200_000},1\n", "not valid CSV"),
    ],
)
def test_broken_csv_is_named_with_its_line(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(UserError, match=message) as caught:
        read_csv(file, ("a", "b"))
    assert f"{file}, line " in str(caught.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.json is missing"):
        read_json(tmp_path / "none.json")
    with pytest.raises(UserError, match=r"cannot read .*: Is a directory"):
        read_json(tmp_path)


def test_lines_and_lists_of_objects_say_where_each_is(file: Path) -> None:
    file.write_text('\ufeff{"a": 1}\n\n{"a": 2}\n', encoding="utf-8")
    assert list(read_json_lines(file)) == [(f"{file}, line 1", {"a": 1}), (f"{file}, line 3", {"a": 2})]
    file.write_text('[{"a": 1},\n{"a": 2}]', encoding="utf-8")
    assert [where for where, _ in read_json_lines(file)] == [f"{file}, entry 1", f"{file}, entry 2"]
    file.write_text('{"a": 1}\n[2]\n', encoding="utf-8")
    with pytest.raises(UserError, match="line 2: it should be an object, not a list"):
        list(read_json_lines(file))
    assert list(objects([{}], "f")) == [("f, item 1", {})]
    with pytest.raises(UserError, match=r"^item 2: it should be an object, not null"):
        list(objects([{}, None]))
    file.write_text("{}")
    assert read_object(file) == {}


def test_text_without_a_file_is_refused_without_one() -> None:
    assert parse_json(b'"\xc3\xa4"') == "ä"
    with pytest.raises(UserError, match=r"^not valid JSON: .*\(column 1\)"):
        parse_json("x")


def test_a_file_that_is_there_only_packed_is_unpacked(tmp_path: Path) -> None:
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress(b"text\n"))
    assert read_text(tmp_path / "a.txt") == "text\n"
    for content in (packed.read_bytes()[:-9], b"no archive"):
        packed.write_bytes(content)
        with pytest.raises(UserError, match=r"a\.txt\.gz cannot be unpacked"):
            read_text(tmp_path / "a.txt")
    packed.write_bytes(gzip.compress(bytes(65 << 20)))
    with pytest.raises(UserError, match=r"a\.txt\.gz holds more than 64 MB"):
        read_text(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("plain")
    assert read_text(tmp_path / "a.txt") == "plain"
