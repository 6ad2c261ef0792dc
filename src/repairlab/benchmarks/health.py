"""The health card of a benchmark: the result of checking its bugs, as a record and as a file."""

import dataclasses
import datetime
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from repairlab.benchmarks.catalog import BUILT_IN, Benchmark, find_folder
from repairlab.core.errors import UserError
from repairlab.core.outcome import Strength, Verdict
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.storage.checking import checked
from repairlab.core.storage.encoding import write_aside

TreeName = Literal["buggy", "fixed"]
Cause = Literal["chance", "order", "order or chance"]
BUILD = "(build)"
"""Stands for a test's name if the build flips."""
CARD_NAME = "health.json"
"""The card's name in the folder of a benchmark or a run."""


@record
class Flips:
    """A test that gave different verdicts in different repeats."""

    test: str
    tree: TreeName
    runs: int
    flips: int
    """How many runs gave another verdict than the most common one."""
    verdicts: dict[str, int]
    """How often each verdict was given."""
    cause: Cause
    """`order`: always the same as long as the tests run in the same order."""


@record
class Health:
    """The result of checking one bug."""

    bug_id: str
    digest: str = ""
    """Of the bug that was checked."""
    problems: tuple[str, ...]
    """Why the bug cannot be used; empty means healthy."""
    flaky: tuple[str, ...]
    """Tests that gave different verdicts in different repeats."""
    flips: tuple[Flips, ...] = ()
    """Their verdicts, once for each tree."""
    failing: tuple[str, ...] = ()
    """Tests that a candidate cannot be judged by: they fail with the reference fix, too, or are regression tests of which the
    buggy tree fails."""
    absent: tuple[str, ...] = ()
    """Tests that bug.toml names and neither tree has."""
    excluded: tuple[str, ...] = ()
    """Tests that bug.toml leaves out."""
    buggy_verdict: Verdict
    error: str = ""
    """The first failing message of the buggy tree."""
    undecided: bool = False
    """Whether a tree could not be validated because of this machine."""
    repeats: int
    cpu_s: float
    """CPU time of validating the reference fix."""
    n_tests: int = 0
    """Unit tests; a stdin/stdout program has none."""
    unguarded: tuple[str, ...] | None = ()
    """Tests that are not blind, and of which no counter-test could be made: a candidate that forges their passes is found out by
    others, or not at all. None: that was not looked for."""
    strength: Strength | None = None
    """How strong a pass of the bug can be; None if that was not checked."""
    not_survived: tuple[str, ...] = ()
    """Surroundings in which the reference fix fails, in words: candidates are not tried there."""
    limit_share: float = 0.0
    """CPU time of the reference fix's slowest test, as a share of the limit."""
    needed_s: float | None = None
    """CPU time of the reference fix's tests from scratch, or of its longest case; only for `check --store-limits`."""

    @property
    def healthy(self) -> bool:
        """Whether the bug can be used as it is."""
        return not self.problems and not self.flaky


@record
class HealthCard:
    """The result of checking a benchmark, where and when."""

    benchmark: str
    version: str
    digest: str
    checked: str
    """UTC, ISO 8601."""
    environment: dict[str, str]
    """Tools of the machine and their versions."""
    repeats: int
    n_in_benchmark: int
    n_bugs: int
    """How many of them were checked."""
    n_healthy: int
    n_flaky: int
    """Tests that flipped."""
    n_excluded: int
    """Tests that the benchmark excludes by name."""
    n_tests: int = 0
    """Unit tests that judge candidates, of bugs whose counter-tests were checked."""
    n_unguarded: int = 0
    """Those that are not blind and for which no counter-test could be made."""
    bugs: tuple[Health, ...]

    @property
    def sick(self) -> tuple[Health, ...]:
        """Return the bugs that cannot be used as they are."""
        return tuple(bug for bug in self.bugs if not bug.healthy)


def make_card(benchmark: Benchmark, bugs: Sequence[Health], environment: Mapping[str, str], *, repeats: int) -> HealthCard:
    """Summarise a check."""
    empty = HealthCard(
        benchmark=benchmark.name,
        version=benchmark.version,
        digest=benchmark.digest,
        checked="",
        environment=dict(environment),
        repeats=repeats,
        n_in_benchmark=len(benchmark),
        n_bugs=0,
        n_healthy=0,
        n_flaky=0,
        n_excluded=0,
        bugs=(),
    )
    return with_bugs(empty, bugs)


def with_bugs(card: HealthCard, bugs: Sequence[Health]) -> HealthCard:
    """Return a card with these bugs."""
    return dataclasses.replace(
        card,
        checked=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        n_bugs=len(bugs),
        n_healthy=sum(bug.healthy for bug in bugs),
        n_flaky=sum(len(bug.flaky) for bug in bugs),
        n_excluded=sum(len(bug.excluded) for bug in bugs),
        n_tests=sum(bug.n_tests for bug in bugs if bug.unguarded is not None),
        n_unguarded=sum(len(bug.unguarded or ()) for bug in bugs),
        bugs=tuple(bugs),
    )


def go_on(path: Path, benchmark: Benchmark, environment: Mapping[str, str], *, repeats: int) -> HealthCard:
    """Return the card of a file with the decided bugs that have not changed since; UserError if it was made with other settings."""
    card = read_card(path)
    if card.benchmark != benchmark.name:
        raise UserError(f"{path} is the card of the benchmark {card.benchmark}, not of {benchmark.name}; choose another --card")
    if card.repeats != repeats:
        raise UserError(f"{path}: its bugs were checked {card.repeats} times each, not {repeats}; say --repeat {card.repeats}")
    names = sorted(environment.keys() & card.environment.keys())
    if changed := [name for name in names if environment[name] != card.environment[name]]:
        old, new = card.environment[changed[0]], environment[changed[0]]
        raise UserError(f"{path} was made with another {changed[0]} ({old}, now {new}); begin anew without --resume")
    digests = {bug.id: bug.digest for bug in benchmark}
    kept = [health for health in card.bugs if digests.get(health.bug_id) == health.digest and not health.undecided]
    return make_card(benchmark, kept, {**card.environment, **environment}, repeats=repeats)


def card_place(benchmark: str) -> Path | None:
    """Return where the health card of a benchmark belongs; None if its folder is built in or read-only."""
    folder = find_folder(benchmark)
    return folder / CARD_NAME if folder.parent != BUILT_IN and os.access(folder, os.W_OK) else None


def check_command(benchmark: str) -> str:
    """Return the command that makes the health card of a benchmark, in its folder if that is possible."""
    name = shlex.quote(benchmark)
    return f"repairlab check {name}" if card_place(benchmark) else f"repairlab check {name} --card {CARD_NAME}"


def card_data(card: HealthCard) -> dict[str, object]:
    """Return a card as plain data for JSON."""
    return {"schema": SCHEMA_VERSION, **to_data(card)}


def need_place(path: Path) -> None:
    """Refuse a path that could not be written once the check is done."""
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        why = "it is a folder" if path.is_dir() else f"{path.parent} is not a folder that can be written to"
        raise UserError(f"cannot write the health card {path}: {why}; choose another place with --card")


def write_card(path: Path, card: HealthCard) -> None:
    """Write a card to a file."""
    try:
        write_aside(path, json.dumps(card_data(card), indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"cannot write the health card {path}: {error.strerror}; choose another place with --card") from None


def read_card(path: Path) -> HealthCard:
    """Read a card."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA_VERSION:
            raise UserError(
                f"{path} is no health card of schema {SCHEMA_VERSION}; make one with: repairlab check BENCHMARK --card {path}"
            )
        return checked(HealthCard, data, str(path), table="an object")
    except OSError as error:
        raise UserError(f"cannot read the health card {path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path} is not valid JSON: {error}") from None
