"""What the main process of a run and its workers exchange: orders one way, events the other."""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.score import Ended
from repairlab.repairers.repairer import Example
from repairlab.runs.experiment import Experiment
from repairlab.runs.own_object import SentRepairer
from repairlab.runs.spectrum import Spectrum
from repairlab.runs.store import Disagreement
from repairlab.validation.machine import Machine
from repairlab.validation.stopwatch import Phase
from repairlab.validation.validator import Conditions


@record
class Task:
    """One bug of a run, with everything needed to propose and judge its candidates, and those already stored."""

    bug: Bug
    experiment: Experiment
    folder: Path
    machine: Machine
    environment: str
    """Digest of all tools of the run, for outcomes."""
    tools: str
    """Digest of the tools that can change a verdict on this bug, for the verdict cache."""
    given: tuple[Candidate, ...] | None
    """External candidates, instead of asking a repairer."""
    candidates: Mapping[int, int]
    """Positions of the stored candidates in the run's file, by rank."""
    outcomes: Mapping[str, int]
    """Positions of the stored outcomes by candidate id; without UNDECIDED ones, so that they are retried."""
    given_up: Mapping[str, str]
    """Candidates over which too many workers died, with the reason."""
    own: SentRepairer | None = None
    """The repairer, if it is the caller's object."""
    examples: tuple[Example, ...] = ()
    """Fixed bugs that the repairer may see."""
    spectrum: Spectrum | None = None
    """What its tests run, if the place shown is computed from that."""
    ended: Ended | None = None
    """Why no more candidates will come; None: they are still to be proposed."""

    @property
    def bug_id(self) -> str:
        """The id of the bug."""
        return self.bug.problem.id

    @property
    def is_sequential(self) -> bool:
        """Whether candidates depend on earlier outcomes, so that one worker proposes and judges them in order."""
        return self.experiment.rounds > 1 or self.experiment.stop_when_fixed

    @property
    def conditions(self) -> Conditions:
        """Everything that decides the verdicts on its candidates."""
        return Conditions(
            bug=self.bug,
            policy=self.experiment.policy,
            confirm=self.experiment.confirm,
            min_strength=self.experiment.min_strength,
            isolation=self.machine.isolation,
            environment=self.environment,
            tools=self.tools,
            recheck=self.machine.recheck,
        )


@record
class Entry:
    """One distinct stored candidate, with the digest of its normal form."""

    candidate_id: str
    place: int
    form: str


@record
class Order:
    """An order to a worker: propose all candidates of a bug, or judge some stored ones.

    Candidates of equal form are in one order; orders for the same bug can run at the same time.
    """

    bug_id: str
    task: Task | None
    """The bug; None if the worker has it open."""
    entries: tuple[Entry, ...] = ()
    """The candidates to judge; if empty, propose those of the bug."""
    decided: Mapping[str, int] = field(default_factory=dict)
    """Positions of outcomes that decide all candidates of a form."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    """Those of the candidates over which too many workers died, with the reason."""
    candidates: Mapping[int, bytes] = field(default_factory=dict)
    """The candidates listed here, encoded, by position: workers do not read run folders."""
    outcomes: Mapping[int, bytes] = field(default_factory=dict)
    """The same for outcomes."""
    verdicts: Mapping[str, bytes] = field(default_factory=dict)
    """From earlier runs, by their keys in the verdict cache; only for workers on other machines."""

    @property
    def proposes(self) -> bool:
        """Whether to propose the candidates of the bug."""
        return not self.entries


@record
class CandidateProposed:
    """A candidate is proposed."""

    bug_id: str
    candidate_id: str
    rank: int
    form: str
    """The digest of its normal form; empty if the worker that drew it also judges it."""
    body: bytes
    """The encoded candidate; empty if already stored."""


@record
class ValidationStarted:
    """A validation begins: if the worker dies now, this candidate is suspect."""

    bug_id: str
    candidate_id: str


@record
class OutcomeKnown:
    """One candidate has its outcome."""

    bug_id: str
    candidate_id: str
    verdict: Verdict
    message: str
    seconds: float
    """How long that took in the worker."""
    body: bytes
    """The encoded outcome; empty if already stored."""


@record
class ProposalsEnded:
    """No more candidates of a bug will come."""

    bug_id: str
    ended: Ended


@record
class BugFailed:
    """Our own machinery fails for every candidate of a bug; the rest of it stays undone."""

    bug_id: str
    reason: str


@record
class WorkerTime:
    """How a worker spent the time of one order."""

    bug_id: str
    seconds: Mapping[Phase, float]


@record
class Notice:
    """A message for the user."""

    text: str


@record
class Progress:
    """One step of a run."""

    bug_id: str
    verdict: Verdict | None
    """None: the bug is finished."""


@record
class Drawn:
    """All candidates of a bug are drawn and wait to be judged."""

    bug_id: str
    n: int


Event = CandidateProposed | ValidationStarted | OutcomeKnown | ProposalsEnded | BugFailed | Disagreement | Notice | WorkerTime
"""What a worker emits."""
Emit = Callable[[Event], None]
Step = Progress | Drawn | Disagreement | Notice | WorkerTime
"""Everything that a run reports while it works."""
