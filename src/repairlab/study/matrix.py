"""The solve matrix, bugs by systems: one number per cell, which one script draws, sorts and filters on every page."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.languages.facts import title
from repairlab.study.diffs import visible
from repairlab.study.page_templates import VERDICTS

_ORDER = list(VERDICTS)
BUG, RANK = "%40bug%40", "%40rank%40"
"""Placeholders in addresses for the key of a bug and the rank of a candidate: @bug@ and @rank@, quoted."""
_MOST = 9_999
"""Higher counts and ranks are capped at this one."""
ABSENT = -1
"""The cell of a system that was not run on the bug; without a candidate it is 0."""


@record
class Tally:
    """What one system made of one bug."""

    verdicts: Mapping[Verdict, int]
    first: int | None
    """Rank of the first plausible candidate."""

    @property
    def best(self) -> Verdict | None:
        """Return the best verdict of the candidates."""
        return min((verdict for verdict, n in self.verdicts.items() if n), key=_ORDER.index, default=None)

    @property
    def number(self) -> int:
        """Return the cell: the verdict's place in VERDICTS from 1, + 100 × plausible candidates + 10⁶ × rank of the first."""
        if self.best is None:
            return 0
        plausible = min(self.verdicts.get(Verdict.PLAUSIBLE, 0), _MOST)
        return _ORDER.index(self.best) + 1 + 100 * plausible + 10**6 * min(self.first or 0, _MOST)

    @property
    def text(self) -> str:
        """Return what the cell says: the verdict's code, and a plausible one's rank."""
        if self.best is None:
            return "none"
        return f"{self.best.code} #{self.first}" if self.best is Verdict.PLAUSIBLE else self.best.code


@record
class MatrixSystem:
    """One column."""

    name: str
    index: int
    """Decides its colour."""
    is_oracle: bool = False
    link: str = ""
    """Its page."""
    cell_link: str = ""
    """Address of a cell, with BUG and RANK."""


@record
class MatrixBug:
    """One row."""

    id: str
    language: str
    title: str = ""
    labels: tuple[str, ...] = ()
    """As filters name them: `name=value`."""
    key: str = ""
    """Its name in addresses, unique to each bug."""


@record
class Matrix:
    """All cells; `bug_link` is the address of a bug, with BUG."""

    systems: tuple[MatrixSystem, ...]
    bugs: tuple[MatrixBug, ...]
    tallies: Mapping[tuple[int, str], Tally]
    """By the system's index in `systems` and the bug's key; absent if the system was not run on the bug."""
    bug_link: str = ""
    signature: str = ""

    def link(self, column: int, bug: MatrixBug) -> str:
        """Return the address of a cell; empty without one."""
        tally = self.tallies.get((column, bug.key))
        return self.systems[column].cell_link.replace(RANK, str((tally and tally.first) or 1)).replace(BUG, bug.key)

    def n_solvers(self, bug: MatrixBug) -> int:
        """Return how many systems have a plausible candidate; the oracle does not count."""
        return sum(
            not system.is_oracle and (found := self.tallies.get((column, bug.key))) is not None and found.first is not None
            for column, system in enumerate(self.systems)
        )

    def data(self) -> dict[str, Any]:
        """Return what the script reads."""
        labels = {name: number for number, name in enumerate(dict.fromkeys(label for bug in self.bugs for label in bug.labels))}
        languages = {name: number for number, name in enumerate(dict.fromkeys(bug.language for bug in self.bugs))}
        return {
            "systems": [
                {
                    "name": visible(system.name),
                    "index": system.index % 8,
                    "oracle": system.is_oracle,
                    "link": system.link,
                    "cell": system.cell_link,
                }
                for system in self.systems
            ],
            "bugs": [
                [visible(bug.id), bug.key, visible(bug.title)[:120], languages[bug.language], [labels[name] for name in bug.labels]]
                for bug in self.bugs
            ],
            "cells": [
                [found.number if (found := self.tallies.get((column, bug.key))) else ABSENT for bug in self.bugs]
                for column in range(len(self.systems))
            ],
            "languages": [title(name) for name in languages],
            "labels": [visible(name.replace("=", ": ")) for name in labels],
            "verdicts": [[verdict.value, verdict.code] for verdict in VERDICTS],
            "bug": self.bug_link,
            "signature": visible(self.signature),
        }


def tallied(
    systems: Sequence[MatrixSystem], bugs: Sequence[MatrixBug], tally: Callable[[int, MatrixBug], Tally | None], **more: str
) -> Matrix:
    """Return the matrix of a function from column and bug to a cell."""
    cells = {
        (column, bug.key): found for column in range(len(systems)) for bug in bugs if (found := tally(column, bug)) is not None
    }
    return Matrix(systems=tuple(systems), bugs=tuple(bugs), tallies=cells, **more)


def tally_of(verdicts: Sequence[Verdict]) -> Tally:
    """Return the results of candidates in the order of their ranks."""
    first = verdicts.index(Verdict.PLAUSIBLE) + 1 if Verdict.PLAUSIBLE in verdicts else None
    return Tally(verdicts=Counter(verdicts), first=first)
