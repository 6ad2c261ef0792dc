"""What the tables are made from: the facts of each run, bug by bug, gathered in one pass over its records."""

import re

from repairlab.core.bug import Bug
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.samples import Samples
from repairlab.formats.nl2fix_dataset import Size
from repairlab.metrics.values import is_lost
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.study.papers.closeness import Closeness, ComparedTexts
from repairlab.study.papers.spending import Spent
from repairlab.study.scores import RunScores
from repairlab.study.systems import model_settings

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
        if self.llm is None:
            return "–"
        return "greedy" if self.llm.temperature == 0 else f"T={self.llm.temperature:g}"

    @property
    def model(self) -> str:
        """Return the model's name, or the system's where there is none."""
        return self.llm.model if self.llm else self.name

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
