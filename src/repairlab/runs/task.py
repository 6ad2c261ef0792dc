"""One worker's share of a run: what `schedule` hands out, `execute` does and `judge` reads."""

from collections.abc import Mapping
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.record import record
from repairlab.core.samples import Ended
from repairlab.repairers.llm.examples import Example
from repairlab.runs.experiment import Experiment
from repairlab.runs.pool import Machine


@record
class Part:
    """Some of a bug's candidates, all of which are drawn and stored; parts of a bug can be judged at the same time."""

    number: int
    ranks: tuple[int, ...]
    forms: tuple[str, ...] = ()
    """Normal form of each, where they are known; candidates of equal form are in the same part, so that only one is validated."""
    ended: Ended = "exhausted"
    """Why no more candidates were drawn for the bug."""


@record
class Task:
    """One bug of a run, or a part of it, with what was already done for it."""

    bug: Bug
    experiment: Experiment
    folder: Path
    machine: Machine
    environment: str
    """Digest of all tools of the run, for outcomes."""
    tools: str
    """Digest of the tools that can change a verdict on this bug, for the verdict cache."""
    given: tuple[Candidate, ...] | None
    """Candidates made elsewhere, instead of asking a repairer."""
    candidates: Mapping[int, int]
    """Places of the stored candidates in the run's file, by rank."""
    outcomes: Mapping[str, int]
    """Places of the stored outcomes by candidate id; without UNDECIDED ones, so that they are tried again."""
    given_up: Mapping[str, str]
    """Candidates over which too many workers died, with the reason."""
    examples: tuple[Example, ...] = ()
    """Fixed bugs that the repairer may see."""
    part: Part | None = None
    """None: the whole bug, whose candidates are still to be drawn."""
