"""What a format is: it reads external candidates and verdicts into ours, and writes ours for other tools."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.foreign import field
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.metrics.published import PublishedVerdict


@record
class KnownVerdict:
    """A published verdict."""

    word: str
    """Their word for it."""
    verdicts: tuple[Verdict, ...]
    """Our verdicts with the same meaning, the plainest first."""
    other_source: bool = False
    """Whether theirs was made from another text of the program than ours is."""


@record
class ExternalCandidate:
    """One candidate of a file, and the result of its makers' run."""

    candidate: Candidate
    known: KnownVerdict | None = None


@record
class Unreadable:
    """An entry that could not be read; the others count."""

    where: str
    """File and line or entry."""
    reason: str
    bug_id: str | None = None
    """The bug that it names."""
    unknown_bug: str | None = None
    """A name that it has for a bug, if the benchmark does not know it."""

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@record
class JudgedCandidate:
    """One candidate to write, with its verdict if there is one."""

    candidate: Candidate
    verdict: Verdict | None = None
    n_passed: int | None = None
    """Tests or cases that passed; None unless all of them were run."""
    n_tests: int | None = None


@record
class Sight:
    """A first look at a file or folder, by which formats recognise themselves."""

    path: Path
    names: tuple[str, ...] = ()
    """Files in a folder, relative to it; the first few hundred."""
    first: Any = None
    """The first line of JSON Lines, or all of a JSON file."""
    head: str = ""
    """The first line of a file, as text."""
    lines: bool = False
    """Whether every line is a separate JSON value."""

    @property
    def entry(self) -> dict[str, Any]:
        """Return the first object: the file itself, its first line, or the first of its list; else an empty one."""
        first = self.first[0] if isinstance(self.first, list) and self.first else self.first
        return first if isinstance(first, dict) else {}

    @property
    def value(self) -> Any:
        """Return the first value of a JSON object, for files that are tables from bug to something."""
        return next(iter(self.first.values()), None) if isinstance(self.first, dict) else None


class Format(Protocol):
    """The functions of each module in `table`."""

    def recognises(self, sight: Sight) -> bool:
        """Return whether a file is obviously of this format."""
        ...

    def read(self, path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
        """Read candidates one after another; those of a bug come in order of rank."""
        ...

    def write(self, samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
        """Write samples, sorted by bug and rank; return what the format could not express."""
        ...


NOT_PLAUSIBLE = tuple(verdict for verdict in Verdict if verdict not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED))

WORDS = {
    "plausible": (Verdict.PLAUSIBLE,),
    "wrong": (Verdict.WRONG, Verdict.CRASH, Verdict.PRESENTATION, Verdict.OUT_OF_MEMORY, Verdict.OUTPUT_LIMIT),
    "timeout": (Verdict.TIMEOUT,),
    "uncompilable": (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE),
}
"""What each word may mean in ours: there, a test that crashes is a wrong patch."""

PASS = KnownVerdict(word="pass", verdicts=(Verdict.PLAUSIBLE,))
FAIL = KnownVerdict(word="fail", verdicts=NOT_PLAUSIBLE)


def known_verdict(word: object) -> KnownVerdict | None:
    """Return the meaning of a word; None for words that say nothing of the candidate, such as init-error."""
    return KnownVerdict(word=word, verdicts=WORDS[word]) if isinstance(word, str) and word in WORDS else None


def word(verdict: Verdict | None) -> str | None:
    """Return the word for a verdict; none when there is none to tell.

    >>> word(Verdict.CRASH)
    'wrong'
    """
    return next((name for name, verdicts in WORDS.items() if verdict in verdicts), None)


def published_verdict(verdict: Verdict | None) -> PublishedVerdict:
    """Return the published verdict with the same meaning as ours."""
    return PublishedVerdict(word(verdict) or PublishedVerdict.UNDECIDED)


def correctness(entry: dict[str, Any], where: str = "") -> PublishedVerdict:
    """Return what the field `correctness` says; null and init-error mean that the candidate was never run."""
    if "correctness" in entry and entry["correctness"] in (None, "init-error"):
        return PublishedVerdict.UNDECIDED
    found = field(entry, "correctness", str, where)
    if found not in WORDS:
        before = f"{where}: " if where else ""
        raise UserError(f"{before}the field 'correctness' is {found!r}; known are {', '.join(WORDS)}, init-error and null")
    return PublishedVerdict(found)
