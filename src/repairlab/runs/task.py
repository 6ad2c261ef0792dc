"""What a worker is asked to do for a run: propose the candidates of a bug, or judge a shard of them."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.record import record
from repairlab.core.score import Ended
from repairlab.repairers.repairer import Example
from repairlab.runs.experiment import Experiment
from repairlab.runs.own_object import SentRepairer
from repairlab.runs.store import decoded
from repairlab.validation.machine import Machine
from repairlab.validation.validator import Conditions


@record
class Task:
    """One bug of a run, whose candidates are to be proposed, with what was already done for it."""

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
    own: SentRepairer | None = None
    """The repairer, where it is an object of the caller's."""
    examples: tuple[Example, ...] = ()
    """Fixed bugs that the repairer may see."""
    ended: Ended | None = None
    """Why no more candidates are to come; none: they are still to be proposed."""

    @property
    def is_sequential(self) -> bool:
        """Whether candidates depend on the outcomes of those before, so that one worker proposes and judges them in order."""
        return self.experiment.rounds > 1 or self.experiment.stop_when_fixed

    @property
    def conditions(self) -> Conditions:
        """All that decides the verdicts on its candidates."""
        return Conditions(
            bug=self.bug,
            policy=self.experiment.policy,
            confirm=self.experiment.confirm,
            isolation=self.machine.isolation,
            environment=self.environment,
            tools=self.tools,
            recheck=self.machine.recheck,
        )


@record
class Entry:
    """One distinct candidate that is stored, with the digest of its normal form."""

    candidate_id: str
    place: int
    form: str


@record
class Shard:
    """Some of a bug's stored candidates, those of equal form together; shards of a bug can be judged at the same time."""

    bug_id: str
    entries: tuple[Entry, ...]
    twins: Mapping[str, int]
    """Places of outcomes that decide all candidates of a form."""
    given_up: Mapping[str, str]
    """Those of the candidates over which too many workers died, with the reason."""
    task: Task | None
    """The bug; none when the worker has it open."""


@record
class WorkLoad:
    """Work with the records that it speaks of by their places, as they are encoded: workers read no run folder."""

    work: Task | Shard
    candidates: Mapping[int, bytes]
    outcomes: Mapping[int, bytes]
    verdicts: Mapping[str, bytes] = field(default_factory=dict)
    """Of earlier runs, by their names in the verdict cache; only for workers elsewhere."""

    def candidate(self, place: int) -> Candidate:
        """Return the candidate of a place."""
        return decoded(Candidate, self.candidates[place])
