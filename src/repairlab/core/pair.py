"""A bug and its fix without tests: for training, and for metrics that compare texts."""

from typing import Literal

from repairlab.core.record import record

PairForm = Literal["line", "method", "class", "expression", "program"]


@record
class Pair:
    """One text before and after a fix."""

    id: str
    """Unique within its set."""
    buggy: str
    fixed: str
    context: str = ""
    """Buggy code around it, if the source has it: the method of a line, the class of a method."""
    start: int | None = None
    """Where `buggy` begins in `context`, in characters, if known."""
    repository: str | None = None
    commit: str | None = None
    time: str | None = None
    """When it was fixed, as in `2024-02-29`, perhaps followed by a time of day."""
    verdict: str | None = None
    """What a judge said of the buggy program, in the judge's own words."""
    problem: str | None = None
    """The task of a contest or course that the program is for; pairs of one task belong in one split."""
    difficulty: str | None = None
    """Of that task: easy, medium or hard, or in its source's own words."""


@record
class PairSet:
    """The description of a set of pairs."""

    name: str
    version: str
    licence: str
    description: str
    language: str
    form: PairForm
    abstract: bool
    """Whether names are replaced by placeholders such as VAR_1."""
