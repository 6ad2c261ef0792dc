"""The input and output of metrics: the verdicts on each bug's candidates, and a number with interval and recipe."""

from typing import Literal

from repairlab.core.outcome import Strength, Verdict
from repairlab.core.record import record

Ended = Literal["asked", "exhausted", "solved", "unfinished"]
"""Why no more candidates were drawn: as many as requested, none left to propose, a plausible one was found, or the run was cut."""


@record
class Samples:
    """All candidates of one bug in one run."""

    bug_id: str
    language: str
    verdicts: tuple[Verdict, ...]
    """One per candidate, by rank; duplicates count as often as they were proposed."""
    passed: tuple[float, ...]
    """Share of the bug's tests that each candidate passed; only meaningful when every test was run (policy full)."""
    strengths: tuple[Strength, ...] = ()
    """Of the passes, as far as known."""
    distinct: int
    """How many of the candidates differ."""
    ended: Ended


@record
class Score:
    """One value of one metric over one run."""

    metric: str
    k: int | None
    value: float
    low: float
    high: float
    """95 % bootstrap interval over bugs."""
    n_bugs: int
    """The denominator: bugs that the value is averaged over."""
    n_samples: int
    """Candidates behind the value."""
    n_undecided: int
    """Candidates left out because our own machinery failed on them."""
    signature: str
    """Everything that must be equal for two values to be comparable."""
