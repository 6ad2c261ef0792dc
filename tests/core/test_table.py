"""Tables and the scales of figures: what the verbs print and the page draws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, label, line
from repairlab.core.table import Table, mean, named_rows, percent, shown

TABLE = Table(name="t", title="T", columns=("system", "fixed", "share"), rows=named_rows({"a": (3, 0.5), 'b, "c"': (None, 12.0)}))


def test_a_cell_is_found_by_the_names_of_its_row_and_column() -> None:
    assert (TABLE.cell("a", "share"), TABLE.cell('b, "c"', "fixed")) == (0.5, None)
    with pytest.raises(UserError, match="unknown row of t 'd'"):
        TABLE.cell("d", "share")
    with pytest.raises(UserError, match="unknown column of t 'system'"):
        TABLE.cell("a", "system")


def test_a_table_is_written_for_programs() -> None:
    assert TABLE.csv() == 'system,fixed,share\na,3,0.5\n"b, ""c""",,12.0\n'
    assert TABLE.data()["rows"] == [["a", 3, 0.5], ['b, "c"', None, 12.0]]


def test_values_are_written_for_people() -> None:
    assert [shown(cell) for cell in (1234567, 0.05, -3.14159, None, "x")] == ["1,234,567", "0.05", "-3.14", "–", "x"]
    assert (percent(1, 4), percent(1, 0), mean([1, 2]), mean([])) == (25.0, None, 1.5, None)


@given(st.floats(0.1, 1e4), st.floats(0.1, 1e4), st.booleans(), st.booleans())
def test_an_axis_rises_from_its_start_to_its_end(one: float, two: float, log: bool, whole: bool) -> None:
    low, high = sorted((one, two))
    axis = Axis(low=low, high=high, start=10, end=110, log=log, whole=whole)
    assert axis(low) == axis(low - 1) == 10
    assert axis(high) == axis(high + 1) == (110 if high > low else 10)
    ticks = axis.ticks()
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 18
    assert all(10 <= axis(tick) <= 110 for tick in ticks)


def test_an_axis_names_its_lowest_value_where_no_round_one_is_near() -> None:
    assert Axis(low=1, high=100).ticks() == [1, 20, 40, 60, 80, 100]
    assert Axis(low=0, high=0.6).ticks() == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def test_marks_of_a_figure() -> None:
    assert (line(0, 1, 2, 3, dash="2").kind, label(1, 2, "x", angle=90).text) == ("line", "x")
