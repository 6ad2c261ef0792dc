"""What metrics are made from: the verdicts on one bug's candidates, in the order the repairer ranked them."""

from typing import Literal

from repairlab.core.outcome import Verdict
from repairlab.core.record import record

Ended = Literal["asked", "exhausted", "solved", "unfinished"]
"""Why no more candidates were drawn: as many as asked for, none left to propose, a plausible one was found, or the run was cut."""


@record
class Samples:
    """All candidates of one bug in one run."""

    bug_id: str
    language: str
    verdicts: tuple[Verdict, ...]
    """One per candidate, by rank; duplicates count as often as they were proposed."""
    passed: tuple[float, ...]
    """Share of the bug's tests that each candidate passed; only meaningful when every test was run (policy full)."""
    distinct: int
    """How many of the candidates differ."""
    ended: Ended
