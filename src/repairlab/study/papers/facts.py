"""What the tables are made from: the facts of each run, bug by bug, with the tokens and money spent."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from repairlab.core.amounts import total_cost
from repairlab.core.bug import Bug
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.formats.nl2fix import Size
from repairlab.learning.neural import NeuralSettings
from repairlab.metrics.metric import is_lost
from repairlab.repairers.ledger import Request
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.study.papers.closeness import Closeness, ComparedTexts
from repairlab.study.scores import RunScores
from repairlab.study.systems import decoding_of, model_settings


@record
class Spent:
    """Tokens and money of one bug or run."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """What the answers cost at their prices, whether they were asked for now or kept from earlier; none when that is not known."""
    n_requests: int | None = None
    """None when the run has no ledger."""
    n_from_cache: int | None = None
    paid_usd: float | None = None
    """What this run itself paid, failed and repeated requests included; none when that is not known, or without a ledger."""
    unpriced: frozenset[str] = frozenset()
    """Models whose price is not known."""

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        booked = [part for part in (self, other) if part.n_requests is not None]
        return Spent(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost_usd=total_cost((self.cost_usd, other.cost_usd)),
            n_requests=_sum(self.n_requests, other.n_requests),
            n_from_cache=_sum(self.n_from_cache, other.n_from_cache),
            paid_usd=total_cost(part.paid_usd for part in booked) if booked else None,
            unpriced=self.unpriced | other.unpriced,
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def paid_for(requests: Iterable[Request]) -> dict[str | None, Spent]:
    """Return what was paid for each bug; none stands for what belongs to no bug, such as embeddings of examples."""
    of_bug: dict[str | None, list[Request]] = defaultdict(list)
    for request in requests:
        of_bug[request.bug_id].append(request)
    return {
        bug: Spent(
            n_requests=len(mine),
            n_from_cache=sum(request.from_cache for request in mine),
            paid_usd=total_cost(request.cost_usd for request in mine),
            unpriced=frozenset(request.model for request in mine if request.cost_usd is None),
        )
        for bug, mine in of_bug.items()
    }


_NUMBERED = re.compile(r"(.+)[-_@](?:\d+|[0-9a-f]{7,40})")


@record
class BugFacts:
    """What one run made of one bug."""

    samples: Samples
    project: str
    category: str | None
    location: str | None
    is_vulnerability: bool
    submission_verdict: str | None
    """What the judge said of the buggy program, for stdin/stdout bugs."""
    n_tokens: int | None
    """Words and signs of the code to fix, where the benchmark is at hand."""
    n_broken: int
    """Candidates that pass every trigger test and break a regression test."""
    n_kept: int | None
    """Candidates that pass every regression test; none when nobody knows."""
    is_regression_cut: bool
    """Whether a candidate stopped at an earlier test, so that nobody knows, although the bug has regression tests."""
    attempts: int | None
    """Fresh starts that the first plausible candidate took; none when there is none."""
    spent: Spent
    closeness: tuple[Closeness, ...]
    """Of each distinct candidate that applies, where the benchmark is at hand."""
    first: ComparedTexts | None = None
    """The first candidate beside the fix, where it applies and the benchmark is at hand."""
    difficulty: str | None = None
    """How hard its task is, in words or as a letter."""
    likeness: float | None = None
    """Edit similarity of the buggy code and its fix, where the benchmark is at hand."""
    size: Size | None = None
    """How large its fix and its issue are, where the benchmark is at hand."""

    @property
    def is_fixed(self) -> bool:
        """Whether there is a plausible candidate."""
        return Verdict.PLAUSIBLE in self.samples.verdicts

    @property
    def tries(self) -> int | None:
        """Return the rank of the first plausible candidate."""
        return self.samples.verdicts.index(Verdict.PLAUSIBLE) + 1 if self.is_fixed else None


@record
class RunFacts:
    """One run as a system of the tables."""

    index: int
    """Decides its colour."""
    name: str
    scores: RunScores
    bugs: tuple[BugFacts, ...]
    spent: Spent
    has_texts: bool
    """Whether its benchmark is at hand."""

    @property
    def llm(self) -> LlmSettings | None:
        """Return model, strategy and sampling, where the repairer is a model."""
        return model_settings(self.scores)

    @property
    def decided(self) -> tuple[BugFacts, ...]:
        """Return the bugs of which something can be said."""
        return tuple(bug for bug in self.bugs if not is_lost(bug.samples))

    @property
    def decoding(self) -> str:
        """Say how answers were drawn, as the papers do."""
        return decoding_of(self.scores) or "–"

    @property
    def model(self) -> str:
        """Return the model's name, or the system's where there is none."""
        settings = self.scores.run.manifest.experiment.settings
        return self.llm.model if self.llm else Path(settings.model).name if isinstance(settings, NeuralSettings) else self.name

    @property
    def prompt(self) -> str:
        """Return the strategy with what tells its variants apart."""
        if self.llm is None:
            return "–"
        parts = [f"{self.llm.shots} shots"] if self.llm.strategy == "few-shot" else []
        parts += ["own prompt"] if self.llm.prompt is not None else []
        parts += ["no comments"] if self.llm.comments == "stripped" else []
        return f"{self.llm.strategy} ({', '.join(parts)})" if parts else self.llm.strategy


@record
class PaperFacts:
    """All runs, and why some facts are missing."""

    runs: tuple[RunFacts, ...]
    missing: tuple[str, ...]

    @property
    def ks(self) -> list[int]:
        """Return every k that a run was asked for."""
        return ks_of(self.runs)


def ks_of(runs: Iterable[RunFacts]) -> list[int]:
    """Return every k that one of these runs was asked for."""
    return sorted({k for run in runs for k in run.scores.run.manifest.experiment.k})


def project_of(bug_id: str, bug: Bug | None, benchmark: str) -> str:
    """Return the project of a bug: its id without the number, else the repository's name, else the benchmark's.

    >>> project_of("JacksonCore-11", None, "nl2fix"), project_of("python-island-count", None, "starter")
    ('JacksonCore', 'starter')
    """
    if match := _NUMBERED.fullmatch(bug_id):
        return match[1]
    if bug is not None and bug.origin.repository:
        return bug.origin.repository.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return benchmark
