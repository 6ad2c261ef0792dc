"""Gather the facts behind the tables: each run, bug by bug, with the tokens and money spent.

A run is read in one pass over its outcomes and one over its candidates; none of them is kept.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from repairlab.core.amounts import total_cost
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, TestVerdict, Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.core.text import Span
from repairlab.formats.nl2fix import Size, Versions, measured
from repairlab.languages.language import language
from repairlab.learning.neural import NeuralSettings
from repairlab.metrics.metric import is_lost
from repairlab.repairers.ledger import FILE, Pricing, Request, read_requests
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.repairing import prices_of
from repairlab.runs.store import Store
from repairlab.study.bugs import BugTexts
from repairlab.study.papers.closeness import Closeness, ComparedTexts, Yardstick
from repairlab.study.scores import RunScores
from repairlab.study.systems import System, decoding_of, model_settings

Bugs = Mapping[str, Bug]
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBERED = re.compile(r"(.+)[-_@](?:\d+|[0-9a-f]{7,40})")


@record
class Spent:
    """Tokens and money of one bug or run."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """List price of the answers, new or from the cache; None if unknown."""
    n_requests: int | None = None
    """None when the run has no ledger."""
    n_from_cache: int | None = None
    paid_usd: float | None = None
    """What this run paid, including failed and repeated requests; None if unknown or without a ledger."""
    unpriced: frozenset[str] = frozenset()
    """Models whose price is unknown."""

    def __add__(self, other: "Spent") -> "Spent":
        """Return the sum of both."""
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
    """Return what was paid for each bug; None stands for costs without a bug, such as embeddings of examples."""
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


@record
class BugFacts:
    """What one run made of one bug."""

    samples: Samples
    project: str
    category: str | None
    location: str | None
    domain: str | None
    n_trigger: int
    is_vulnerability: bool
    submission_verdict: str | None
    """What the judge said of the buggy program, for stdin/stdout bugs."""
    n_tokens: int | None
    """Words and signs of the code to fix, if the benchmark is available."""
    n_broken: int
    """Candidates that pass every trigger test and break a regression test."""
    n_kept: int | None
    """Candidates that pass every regression test; None if unknown."""
    is_regression_cut: bool
    """Whether a candidate stopped at an earlier test, so that this is unknown although the bug has regression tests."""
    attempts: int | None
    """Fresh starts that the first plausible candidate took; None without one."""
    spent: Spent
    closeness: tuple[Closeness, ...]
    """For each distinct candidate that applies, if the benchmark is available."""
    first: ComparedTexts | None = None
    """The first candidate beside the fix, if it applies and the benchmark is available."""
    difficulty: str | None = None
    """How hard its task is, in words or as a letter."""
    likeness: float | None = None
    """Edit similarity of the buggy code and its fix, if the benchmark is available."""
    size: Size | None = None
    """How large its fix and its issue are, if the benchmark is available."""

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
    """Whether its benchmark is available."""

    @property
    def llm(self) -> LlmSettings | None:
        """Return model, strategy and sampling, where the repairer is a model."""
        return model_settings(self.scores)

    @property
    def decided(self) -> tuple[BugFacts, ...]:
        """Return the bugs about which something can be said."""
        return tuple(bug for bug in self.bugs if not is_lost(bug.samples))

    @property
    def decoding(self) -> str:
        """Say how answers were drawn, as the papers do."""
        return decoding_of(self.scores) or "–"

    @property
    def model(self) -> str:
        """Return the model's name, or the system's if there is no model."""
        settings = self.scores.run.manifest.experiment.settings
        return self.llm.model if self.llm else Path(settings.model).name if isinstance(settings, NeuralSettings) else self.name

    @property
    def prompt(self) -> str:
        """Return the strategy with what distinguishes its variants."""
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


class _Judged(NamedTuple):
    verdict: Verdict
    is_broken: bool
    is_kept: bool | None


def read_facts(systems: Sequence[System], texts: BugTexts, *, closeness: bool = True, codebleu: bool = False) -> PaperFacts:
    """Read the facts of runs.

    Without `closeness`, no candidate is compared with the buggy and the fixed code; `codebleu` takes a minute for a thousand.
    """
    runs = tuple(_read(system, texts, closeness=closeness, codebleu=codebleu) for system in systems)
    return PaperFacts(runs=runs, missing=texts.missing)


def _read(system: System, texts: BugTexts, *, closeness: bool, codebleu: bool) -> RunFacts:
    manifest = system.scores.run.manifest
    bugs = {bug_id: bug for (digest, bug_id), bug in texts.bugs.items() if digest == system.digest}
    store = Store(system.scores.run.folder)
    judged = _outcomes(store, bugs)
    prices = prices_of(store.folder)
    yardsticks = {
        bug_id: _yardstick(bugs[bug_id], codebleu=codebleu) for bug_id in manifest.bug_ids if closeness and bug_id in bugs
    }
    gathered = {bug_id: _Gathered(prices, yardsticks.get(bug_id)) for bug_id in manifest.bug_ids}
    for _, data in store.scan_data(Candidate):
        verdict = judged.get(data["id"])
        if verdict is not None:
            gathered[data["bug_id"]].add(data, verdict)
    paid = paid_for(read_requests(store.folder / FILE, prices))
    facts = []
    for bug_id, samples in system.samples.items():
        bug, mine = bugs.get(bug_id), gathered[bug_id]
        fix = yardsticks[bug_id].measure(bug.oracle.reference) if bug and closeness else None
        facts.append(
            BugFacts(
                samples=samples,
                project=project_of(bug_id, bug, manifest.benchmark_name),
                category=bug.labels.category if bug else None,
                location=bug.labels.location if bug else None,
                domain=bug.labels.domain if bug else None,
                n_trigger=len(bug.oracle.trigger) if bug else 0,
                is_vulnerability=bool(bug and bug.origin.cve),
                submission_verdict=_submission_verdict(bug),
                difficulty=bug.labels.difficulty if bug else None,
                likeness=fix.to_buggy if fix else None,
                n_tokens=len(_TOKEN.findall(bug.problem.target.text)) if bug else None,
                n_broken=mine.n_broken,
                is_regression_cut=bool(bug and bug.oracle.regression and mine.is_unsure),
                n_kept=mine.n_kept if bug and bug.oracle.regression and not mine.is_unsure else None,
                attempts=mine.attempts(),
                spent=mine.spent() + paid.get(bug_id, Spent()),
                closeness=tuple(filter(None, mine.near.values())),
                first=mine.first_texts,
                size=_size(bug, yardsticks[bug_id]) if bug and closeness else None,
            )
        )
    spent = sum((bug.spent for bug in facts), start=Spent())
    outside = sum((item for bug_id, item in paid.items() if bug_id not in system.samples), start=Spent())
    return RunFacts(
        index=system.index, name=system.name, scores=system.scores, bugs=tuple(facts), spent=spent + outside, has_texts=bool(bugs)
    )


def _submission_verdict(bug: Bug | None) -> str | None:
    return bug.problem.submission_verdict.value if bug and bug.problem.submission_verdict else None


def _outcomes(store: Store, bugs: Bugs) -> dict[str, _Judged]:
    regression = {bug_id: frozenset(bug.oracle.regression) for bug_id, bug in bugs.items()}
    judged = {}
    for _, data in store.scan_data(Outcome):
        verdict, stage = Verdict(data["verdict"]), data["stage"]
        is_broken = stage == "regression" and verdict not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED)
        judged[data["candidate_id"]] = _Judged(verdict, is_broken, _keeps(data, verdict, regression.get(data["bug_id"], ())))
    return judged


def _keeps(data: dict[str, Any], verdict: Verdict, regression: Collection[str]) -> bool | None:
    """Return whether a candidate passes every regression test; None if they were not all run."""
    if verdict is Verdict.PLAUSIBLE or data["stage"] in ("apply", "build"):
        return verdict is Verdict.PLAUSIBLE
    if data["stage"] == "regression":
        return False
    if data["policy"] != "full":
        return None
    passed = {test["id"] for test in data["tests"] if TestVerdict(test["verdict"]) is TestVerdict.PASSED}
    return passed.issuperset(regression)


class _Gathered:
    """What is known so far of the candidates of one bug; they come in any order."""

    def __init__(self, prices: Pricing, yardstick: Yardstick | None) -> None:
        """Take the price of tokens and, if wanted and available, the code to compare candidates with."""
        self._prices, self._yardstick = prices, yardstick
        self.n_broken = self.n_kept = 0
        self.is_unsure = False
        self._tokens_in = self._tokens_out = 0
        self._cost_usd: float | None = 0.0
        self._unpriced: set[str] = set()
        self._starts: dict[int, int] = {}
        self._first: tuple[int, int] | None = None
        self.first_texts: ComparedTexts | None = None
        self.near: dict[str, Closeness | None] = {}
        """Each distinct candidate; None for one that cannot be compared."""

    def add(self, data: dict[str, Any], judged: _Judged) -> None:
        """Add one candidate, and how close it is to the code."""
        origin, rank = data["origin"], data["rank"]
        self._tokens_in += origin["tokens_in"]
        self._tokens_out += origin["tokens_out"]
        cost_usd = self._prices.cost_usd(origin["model"], origin["tokens_in"], origin["tokens_out"], origin["cost_usd"])
        self._cost_usd = total_cost((self._cost_usd, cost_usd))
        self._unpriced |= {str(origin["model"])} if cost_usd is None else set()
        self._starts[origin["attempt"]] = min(rank, self._starts.get(origin["attempt"], rank))
        if judged.verdict is Verdict.PLAUSIBLE and (self._first is None or rank < self._first[0]):
            self._first = (rank, origin["attempt"])
        if judged.verdict is Verdict.UNDECIDED:
            return
        self.n_broken += judged.is_broken
        self.n_kept += bool(judged.is_kept)
        self.is_unsure |= judged.is_kept is None
        if self._yardstick is not None and data["edits"]:
            edits = [_edit(item) for item in data["edits"]]
            if data["id"] not in self.near:
                self.near[data["id"]] = self._yardstick.measure(edits, is_plausible=judged.verdict is Verdict.PLAUSIBLE)
            if rank == 1:
                self.first_texts = self._yardstick.texts(edits)

    def attempts(self) -> int | None:
        """Return how many fresh starts the first plausible candidate took; their numbers may begin anywhere."""
        first = self._first
        return None if first is None else sum(start <= first[0] for start in self._starts.values())

    def spent(self) -> Spent:
        """Return tokens and money of the candidates."""
        return Spent(
            tokens_in=self._tokens_in, tokens_out=self._tokens_out, cost_usd=self._cost_usd, unpriced=frozenset(self._unpriced)
        )


def _edit(data: dict[str, Any]) -> Edit:
    span = data.get("span")
    return Edit(path=data["path"], text=data["text"], span=Span(start=span["start"], end=span["end"]) if span else None)


def _yardstick(bug: Bug, *, codebleu: bool) -> Yardstick:
    problem = bug.problem
    return Yardstick(problem.files, problem.path, problem.target, bug.oracle.reference, problem.language if codebleu else "")


def _size(bug: Bug, yardstick: Yardstick) -> Size | None:
    """Measure a bug; None if its fix does not apply to the available files."""
    texts = yardstick.texts(bug.oracle.reference)
    if texts is None:
        return None
    syntax = language(bug.problem.language).syntax
    return measured(
        Versions(texts.buggy, texts.fixed),
        lambda text: [token.text for token in syntax.tokens(text)],
        title=bug.problem.title,
        description=bug.problem.description,
    )
