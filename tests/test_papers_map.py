"""The map of the four papers: every command on it exists as it stands there, and the cheap ones run."""

import io
import re
import shlex
from collections.abc import Container
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from repairlab.building.importers.table import IMPORTERS
from repairlab.building.mining.settings import PRESETS
from repairlab.cli.main import VERBS, run
from repairlab.learning.training.settings import load_system, system_names
from repairlab.repairers.llm.prompts.table import STRATEGIES
from repairlab.study.papers.table import TABLES
from repairlab.study.ranking.rankers import ORDERS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "how-it-works" / "papers.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
COMMANDS = [shlex.split(text) for row in ROWS for text in re.findall(r"`(repairlab [^`]+)`", row)]
PAPERS = ("NL2Fix", "NPR4J", "Defects4C", "FixEval")
DATA = ROOT.parent / "shared" / "data"
NAMES: dict[str, Container[object]] = {"--only": TABLES, "--strategy": STRATEGIES, "--by": ORDERS, "--preset": PRESETS}
"""Options whose values are names of parts."""
CHEAP = ("prompt", "train")
each_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def said_by(words: list[str]) -> str:
    with chdir(ROOT), redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
        assert run(words) == 0, said.getvalue()
    return said.getvalue()


@lru_cache
def told(*verb: str) -> str:
    return said_by([*verb, "--help"])


def values(words: list[str], option: str) -> list[str]:
    return [value for word, value in pairwise(words) if word == option]


def test_every_row_has_a_command_and_every_paper_rows() -> None:
    rows = [row for row in ROWS if not row.startswith(("| part |", "| --- |"))]
    assert [row for row in rows if "`repairlab " not in row] == []
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    assert [name for name in PAPERS if not any(part.startswith(name) and part.count("`repairlab ") >= 5 for part in sections)] == []


def test_every_row_says_how_it_was_checked() -> None:
    cells = [row.rstrip(" |").rpartition(" | ")[2] for row in ROWS if not row.startswith(("| part |", "| --- |"))]
    assert [cell for cell in cells if not cell.startswith(("test: ", "recomputed: ", "run on "))] == []
    assert [path for cell in cells for path in re.findall(r"`(tests/[^`]+)`", cell) if not (ROOT / path).is_file()] == []


@each_command
def test_verbs_options_and_names_exist(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert words[1] in VERBS
    help_text = told(*(words[1:3] if words[1] == "pairs" else words[1:2]))
    assert [word for word in words if word.startswith("--") and not re.search(rf"{word}\b", help_text)] == []
    for option, known in NAMES.items():
        assert [value for value in values(words, option) if value not in known] == []
    if words[1] == "import":
        assert words[2] in IMPORTERS
    if words[1] == "train" and words[2] in system_names():
        load_system(words[2])
    assert [path for path in values(words, "--table") if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[1] in CHEAP and "--costs" not in words], ids=" ".join)
def test_cheap_commands_run(words: list[str]) -> None:
    assert said_by(words[1:]).strip()


def test_every_published_table_is_below_the_folder_that_the_page_names() -> None:
    files = {path.stem for path in (ROOT / "experiments").glob("*.toml")}
    assert {f"npr4j-table-{number}" for number in (6, 7, 8, 9, 10, 11)} | {"npr4j-totals", "npr4j-ensembles"} <= files


@pytest.mark.published
@pytest.mark.parametrize("words", [words for words in COMMANDS if words[1] == "rescore" and "--table" in words], ids=" ".join)
def test_published_tables_come_out(words: list[str]) -> None:
    if not DATA.is_dir():
        pytest.skip(f"the published data are not here: {DATA}")
    said_by([str(DATA) if word == "DIR" else word for word in words[1:]])
