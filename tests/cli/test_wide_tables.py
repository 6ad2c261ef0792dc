"""Tables that are wider than the terminal: no line is too long, and no text is broken letter by letter."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from repairlab.cli.output import table_parts
from repairlab.core.table import shown
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.study.comparison import PAIR_COLUMNS, compare_all
from repairlab.study.papers.table import make_tables
from repairlab.study.scores import SCORE_COLUMNS, score_rows, scores_of
from tests.study.papers.conftest import BROKEN, FIX, LIKE, WRONG, Bench, bench, six_bugs

__all__ = ["bench", "six_bugs"]

WIDTHS = (80, 100, 120)
WORD = st.text(alphabet="abcdefg-%/", min_size=1, max_size=24)
CELL = st.lists(WORD, max_size=6).map(" ".join) | st.integers(0, 10**9)


def printed(columns: tuple[str, ...], rows: Sequence[Sequence[object]], width: int, *, n_heads: int = 1) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=False)
    for part in table_parts("a title", columns, rows, width=width, n_heads=n_heads):
        console.print(part)
    return text.getvalue()


def must_be_readable(columns: tuple[str, ...], rows: Sequence[Sequence[object]], width: int, *, n_heads: int = 1) -> None:
    text = printed(columns, rows, width, n_heads=n_heads)
    assert all(cell_len(line) <= width for line in text.splitlines())
    words = set(re.sub("[┃│┏┓└┘┡┩━─┳╇┴┼]", " ", text).split())
    wanted = {word for cell in (*columns, *(str(cell) for row in rows for cell in row)) for word in cell.split()}
    whole = {word for word in wanted if cell_len(word) < width - 30}
    assert whole <= words | {word.removesuffix(":") for word in words}


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[str, ...], list[tuple[object, ...]], int]:
    n = draw(st.integers(1, 14))
    columns = tuple(draw(st.lists(st.lists(WORD, min_size=1, max_size=3).map(" ".join), min_size=n, max_size=n)))
    rows = draw(st.lists(st.tuples(*[CELL] * n), max_size=4))
    return columns, [tuple(row) for row in rows], draw(st.integers(1, min(n, 2)))


@pytest.mark.parametrize("width", WIDTHS)
@effort(deadline=None, max_examples=60)
@given(table=tables())
def test_any_table_is_readable(table: tuple[tuple[str, ...], list[tuple[object, ...]], int], width: int) -> None:
    columns, rows, n_heads = table
    must_be_readable(columns, rows, width, n_heads=n_heads)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_tables_of_runs_are_readable(bench: Bench, width: int) -> None:
    draws = {"Cli-1": (FIX, WRONG, LIKE, BROKEN), "Csv-1": (LIKE, WRONG, WRONG, FIX)}
    llm = LlmSettings(model="acme/a-model-with-a-rather-long-name")
    folders = [bench.run(name, draws, llm=llm, k=(1, 2, 3, 4)) for name in ("one", "two", "three")]
    conversation = bench.run("talk", draws, turns=2, rounds=2, stop_when_fixed=True)
    made = make_tables(bench.facts(*folders, conversation))
    assert len(made.tables) > 12
    for table in made.tables:
        rows = [tuple(shown(cell) for cell in row) for row in table.rows]
        must_be_readable(table.columns, rows, width, n_heads=table.n_heads)
    must_be_readable(SCORE_COLUMNS, score_rows(scores_of(folders[0]).result), width)
    must_be_readable(PAIR_COLUMNS, compare_all(folders).rows(), width, n_heads=2)


def test_a_table_that_fits_stays_in_one_piece() -> None:
    assert printed(("name", "value"), [("a", 1)], 80).count("┏") == 1


def test_parts_repeat_the_columns_that_name_the_rows() -> None:
    columns = ("system", "decoding", *(f"measurement-number-{index}" for index in range(9)))
    text = printed(columns, [("chat", "greedy", *range(9))], 80, n_heads=2)
    assert text.count("┏") == text.count("system") == text.count("greedy") == 5


def test_a_text_without_blanks_that_no_table_can_hold_makes_a_line_for_each_cell(tmp_path: Path) -> None:
    path = "/".join(["folder"] * 20)
    text = printed(("bug", "path"), [("toy-1", path), ("toy-2", "x")], 80)
    assert "bug: toy-1" in text and "┏" not in text
    assert path in text.replace("\n", "")
