"""Every line of a run's files tells when it is not as it was written."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.record import to_json
from repairlab.core.storage.encoding import checked_line, line_key, number_of, stated_number

KEY = line_key("run", "outcomes.jsonl")


def test_a_line_knows_its_place_its_file_and_its_run() -> None:
    line = checked_line(b'{"a":1}', KEY, 12)
    assert (number_of(line, KEY), stated_number(line), stated_number(line[-40:])) == (12, 12, 12)
    assert number_of(line, line_key("run", "candidates.jsonl")) is None
    assert number_of(line, line_key("other", "outcomes.jsonl")) is None


def test_lines_without_a_check_or_a_number_have_none() -> None:
    assert stated_number(b'{"a":1}\n') is None
    head = b'{"a":1'
    assert number_of(head + b',"check":"%08x"}\n' % zlib.crc32(head, KEY), KEY) is None


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9), min_size=1), st.integers(1, 10**9), st.data())
def test_one_changed_byte_is_noticed(body: dict[str, str], number: int, data: st.DataObject) -> None:
    line = checked_line(to_json(body).encode(), KEY, number)
    assert number_of(line, KEY) == number
    place = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    assert number_of(line[:place] + bytes([other]) + line[place + 1 :], KEY) is None
