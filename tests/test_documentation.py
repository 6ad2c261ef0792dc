"""What the documentation prints is what the commands print, and what it names is there."""

import io
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from repairlab.cli.main import run
from repairlab.core.bug import CheckerProgram, Labels, Provenance
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.execution import Limits
from repairlab.core.outcome import Outcome, TestResult
from repairlab.core.recipe import Build
from repairlab.languages.facts import LANGUAGES, facts
from repairlab.runs.experiment import Manifest
from repairlab.study.labelling.actions import ACTIONS
from repairlab.study.labelling.category import CATEGORIES
from repairlab.study.labelling.error_type import TYPES
from repairlab.study.labelling.label import RULES
from repairlab.study.labelling.patterns import PATTERNS, SHAPES

ROOT = Path(__file__).parent.parent
README, TUTORIAL = ROOT / "README.md", ROOT / "docs" / "get-started" / "tutorial.md"
REPRODUCING = ROOT / "docs" / "guides" / "reproduce.md"
QUICK = ("list", "work checkout", "work export")
"""Verbs that run no candidate."""
ELSEWHERE = re.compile(r"^make |\. \.venv/|repairlab doctor|llm|talk|runs/\*|export OPENAI")
"""What belongs to the machine that a reader sits at: its set-up, its tools, its models."""
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"`([\w./-]+\.(?:jsonl|toml|md|py|patch|csv))`[^`]*$")


class Block(NamedTuple):
    kind: str
    text: str
    before: str


def blocks(path: Path) -> Iterator[Block]:
    text, end = path.read_text(encoding="utf-8"), 0
    for found in _BLOCK.finditer(text):
        yield Block(found[1], found[2], text[end : found.start()].strip().rpartition("\n\n")[2])
        end = found.end()


class Command(NamedTuple):
    line: str
    printed: tuple[str, ...]

    @property
    def is_quick(self) -> bool:
        words = self.line.split()
        return words[0] == "repairlab" and (words[1] in QUICK or " ".join(words[1:3]) in QUICK)


def commands(block: Block) -> list[Command]:
    made: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            made.append(Command(line[2:].partition(" #")[0].strip(), ()))
        else:
            made[-1] = Command(made[-1].line, (*made[-1].printed, line))
    return [command for command in made if not ELSEWHERE.search(command.line)]


class Shell:
    """Runs commands in a folder, ours in this process; `cd` is remembered."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = self.start = folder

    def run(self, line: str) -> str:
        if line.startswith("cd "):
            self.folder = self.start if line == "cd -" else self.folder / line[3:]
            return ""
        program, *arguments = shlex.split(line)
        with chdir(self.folder), redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
            if program == "repairlab":
                code = run(arguments)
            else:
                done = subprocess.run(
                    ["bash", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
                )
                code = done.returncode
                said.write(done.stdout)
        assert code in (0, 1), f"{line}: {said.getvalue()}"
        return said.getvalue()


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def check_printed(command: Command, output: str) -> None:
    """Every line that the documentation prints begins one of the output, in this order; … is anything, frames are left out."""
    found = iter([_plain(line) for line in output.splitlines()])
    for line in command.printed:
        pattern = ".*".join(re.escape(part) for part in _plain(line).split("…"))
        assert any(re.match(pattern, other) for other in found), f"$ {command.line}\nprints no line\n{line}\nbut\n{output}"


def _plain(line: str) -> str:
    return " ".join(line.replace("┃", "│").split())


def place_of(block: Block, listed: list[str], folder: Path) -> Path | None:
    """Return the file that a block shows: the last one named before it, which may be one of those listed before."""
    named = _FILE.search(block.before)
    if block.kind in ("", "console") or named is None:
        return None
    return folder / next((path for path in listed if path.endswith(f"/{named[1]}")), named[1])


@pytest.mark.parametrize("path", [README, TUTORIAL], ids=lambda path: path.name)
def test_commands_that_run_no_candidate_print_what_the_documentation_says(path: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ran = [command for block in blocks(path) if block.kind == "console" for command in commands(block) if command.is_quick]
    for command in ran:
        check_printed(command, shell.run(command.line))
    assert ran


@pytest.mark.slow
def test_the_tutorial_and_the_tour_of_the_readme_are_true(tmp_path: Path) -> None:
    shell, listed = Shell(tmp_path / "tutorial"), []
    for block in blocks(TUTORIAL):
        if block.kind == "":
            listed += block.text.split()
        place = place_of(block, listed, shell.start)
        if place is not None and place.exists():
            assert block.text in place.read_text(encoding="utf-8")
        elif place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, encoding="utf-8")
        for path in [shell.start / text for text in listed if text.endswith("/01.in")]:
            path.parent.mkdir(parents=True, exist_ok=True)
        for command in commands(block) if block.kind == "console" else ():
            check_printed(command, shell.run(command.line))
    tour = Shell(tmp_path / "tour")
    (tour.start / "candidates.jsonl").write_bytes((shell.start / "candidates.jsonl").read_bytes())
    for command in [command for block in blocks(README) if block.kind == "console" for command in commands(block)]:
        check_printed(command, tour.run(command.line))


def test_the_page_that_reproduces_papers_is_true(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    n_run = 0
    for block in blocks(REPRODUCING):
        if (place := place_of(block, [], shell.start)) is not None:
            place.write_text(block.text, encoding="utf-8")
        for command in commands(block) if block.kind == "console" else ():
            check_printed(command, shell.run(command.line))
            n_run += 1
        for line in block.text.splitlines() if block.kind == "" else ():
            words = line.strip().partition(" #")[0].split()
            if words and words[0] == "repairlab":
                verb = words[1:3] if words[1] in ("pairs", "work") else words[1:2]
                told = shell.run(shlex.join(["repairlab", *verb, "--help-all"]))
                assert [word for word in words if word.startswith("--") and word not in told] == [], line
    assert n_run >= 8


def test_the_drawing_of_layers_is_what_is_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(item["layers"] for item in settings["tool"]["importlinter"]["contracts"] if item["type"] == "layers")
    drawn = [block.text.splitlines() for block in blocks(ROOT / "CONTRIBUTING.md") if block.text.startswith("cli")]
    assert drawn == [layers]


def test_every_stored_field_is_documented() -> None:
    pages = [ROOT / "docs" / "reference" / name for name in ("run-folder.md", "verdicts.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    fields = [name for record in (Manifest, Candidate, Origin, Outcome, TestResult) for name in record.__dataclass_fields__]
    assert [name for name in fields if f"`{name}`" not in text and f'"{name}"' not in text] == []


def test_modules_that_explanations_name_are_there() -> None:
    pages = sorted((ROOT / "docs" / "how-it-works").glob("*.md"))
    names = [name for page in pages for name in re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text(encoding="utf-8"))]
    assert len(names) > 10
    assert [name for name in names if not any((root / name).is_file() for root in (ROOT, ROOT / "src" / "repairlab"))] == []


def test_every_label_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "labels.md").read_text(encoding="utf-8")
    names = [*RULES, *ACTIONS, *PATTERNS, *SHAPES, *TYPES]
    assert [name for name in names if f"`{name}`" not in text.replace("`-later`", "`location-defects4c-later`")] == []
    rows = [f"| {key} | {name} | {weakness} |" for key, (name, weakness) in CATEGORIES.items()]
    assert [row for row in rows if row not in text] == []


def test_every_key_of_a_bug_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "benchmark-format.md").read_text(encoding="utf-8")
    names = [name for record in (Build, Limits, Labels, Provenance, CheckerProgram) for name in record.__dataclass_fields__]
    names += [framework for name in LANGUAGES for framework in facts(name).frameworks]
    names += [tool for name in LANGUAGES for tool in facts(name).tools]
    assert [name for name in names if name not in ("limits", "files") and name not in re.findall(r"[\w-]+", text)] == []


def test_links_of_pages_at_the_top_lead_somewhere() -> None:
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))]
    assert len(links) > 20
    assert [f"{page.name}: {link}" for page, link in links if not (ROOT / link).exists()] == []


def test_pages_written_by_hand_have_at_most_42_000_words() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in [README, *(ROOT / "docs").rglob("*.md")])
    by_hand = re.sub(r"<!-- [^>]*: begin -->.*?<!-- [^>]*?end -->", "", text, flags=re.S)
    assert len([word for word in by_hand.split() if re.search(r"\w", word)]) <= 42_000
