"""Gather the facts of runs for the tables: one pass over the outcomes and one over the candidates, none of which is kept."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from repairlab.core.amounts import total_cost
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, TestVerdict, Verdict
from repairlab.core.text import Span
from repairlab.repairers.ledger import FILE, Pricing, read_requests
from repairlab.runs.repairing import prices_of
from repairlab.runs.store import Store
from repairlab.study.bugs import BugTexts
from repairlab.study.papers.bug_groups import size_of_bug
from repairlab.study.papers.closeness import Closeness, ComparedTexts, Yardstick
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts, Spent, paid_for, project_of
from repairlab.study.systems import System

Bugs = Mapping[str, Bug]
_TOKEN = re.compile(r"\w+|[^\w\s]")


class _Judged(NamedTuple):
    verdict: Verdict
    is_broken: bool
    is_kept: bool | None


def read_facts(systems: Sequence[System], texts: BugTexts, *, closeness: bool = True, codebleu: bool = False) -> PaperFacts:
    """Read the facts of runs.

    Without `closeness` no candidate is compared with the buggy and the fixed code; `codebleu`, too, takes a minute for a thousand.
    """
    runs = tuple(_read(system, texts, closeness=closeness, codebleu=codebleu) for system in systems)
    return PaperFacts(runs=runs, missing=texts.missing)


def _read(system: System, texts: BugTexts, *, closeness: bool, codebleu: bool) -> RunFacts:
    bugs = {bug_id: bug for (digest, bug_id), bug in texts.bugs.items() if digest == system.digest}
    store = Store(system.scores.run.folder)
    judged = _outcomes(store, bugs)
    prices = prices_of(store.folder)
    gathered: dict[str, _Gathered] = defaultdict(lambda: _Gathered(prices, codebleu=codebleu))
    for _, data in store.scan_data(Candidate):
        verdict = judged.get(data["id"])
        if verdict is not None:
            gathered[data["bug_id"]].add(data, verdict, bugs.get(data["bug_id"]) if closeness else None)
    paid = paid_for(read_requests(store.folder / FILE, prices))
    benchmark = system.scores.run.manifest.benchmark_name
    facts = []
    for bug_id, samples in system.samples.items():
        bug, mine = bugs.get(bug_id), gathered[bug_id]
        facts.append(
            BugFacts(
                samples=samples,
                project=project_of(bug_id, bug, benchmark),
                category=bug.labels.category if bug else None,
                location=bug.labels.location if bug else None,
                is_vulnerability=bool(bug and bug.origin.cve),
                submission_verdict=_submission_verdict(bug),
                difficulty=bug.labels.difficulty if bug else None,
                likeness=_likeness(bug) if bug and closeness else None,
                n_tokens=len(_TOKEN.findall(bug.problem.target.text)) if bug else None,
                n_broken=mine.n_broken,
                is_regression_cut=bool(bug and bug.oracle.regression and mine.is_unsure),
                n_kept=mine.n_kept if bug and bug.oracle.regression and not mine.is_unsure else None,
                attempts=mine.attempts(),
                spent=mine.spent() + paid.get(bug_id, Spent()),
                closeness=tuple(filter(None, mine.near.values())),
                first=mine.first_texts,
                size=size_of_bug(bug) if bug and closeness else None,
            )
        )
    spent = sum((bug.spent for bug in facts), start=Spent())
    outside = sum((item for bug_id, item in paid.items() if bug_id not in system.samples), start=Spent())
    return RunFacts(
        index=system.index, name=system.name, scores=system.scores, bugs=tuple(facts), spent=spent + outside, has_texts=bool(bugs)
    )


def _submission_verdict(bug: Bug | None) -> str | None:
    return bug.problem.submission_verdict.value if bug and bug.problem.submission_verdict else None


def _likeness(bug: Bug) -> float | None:
    fix = Yardstick(bug).measure(bug.oracle.reference)
    return fix.to_buggy if fix else None


def _outcomes(store: Store, bugs: Bugs) -> dict[str, _Judged]:
    regression = {bug_id: frozenset(bug.oracle.regression) for bug_id, bug in bugs.items()}
    judged = {}
    for _, data in store.scan_data(Outcome):
        verdict, stage = Verdict(data["verdict"]), data["stage"]
        is_broken = stage == "regression" and verdict not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED)
        judged[data["candidate_id"]] = _Judged(verdict, is_broken, _keeps(data, verdict, regression.get(data["bug_id"], ())))
    return judged


def _keeps(data: dict[str, Any], verdict: Verdict, regression: Collection[str]) -> bool | None:
    """Tell whether a candidate passes every regression test; none when they were not all run."""
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

    def __init__(self, prices: Pricing, *, codebleu: bool) -> None:
        self._prices, self._codebleu = prices, codebleu
        self.n_broken = self.n_kept = 0
        self.is_unsure = False
        self._tokens_in = self._tokens_out = 0
        self._cost_usd: float | None = 0.0
        self._unpriced: set[str] = set()
        self._starts: dict[int, int] = {}
        self._first: tuple[int, int] | None = None
        self._yardstick: Yardstick | None = None
        self.first_texts: ComparedTexts | None = None
        self.near: dict[str, Closeness | None] = {}
        """Each distinct candidate; none for one that cannot be compared."""

    def add(self, data: dict[str, Any], judged: _Judged, bug: Bug | None) -> None:
        """Take note of one candidate; with a bug, also of how near it is to the code."""
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
        if bug is not None and data["edits"]:
            self._compare(data, bug, is_plausible=judged.verdict is Verdict.PLAUSIBLE)

    def _compare(self, data: dict[str, Any], bug: Bug, *, is_plausible: bool) -> None:
        self._yardstick = self._yardstick or Yardstick(bug, codebleu=self._codebleu)
        edits = [_edit(item) for item in data["edits"]]
        if data["id"] not in self.near:
            self.near[data["id"]] = self._yardstick.measure(edits, is_plausible=is_plausible)
        if data["rank"] == 1:
            self.first_texts = self._yardstick.texts(edits)

    def attempts(self) -> int | None:
        """Return how many fresh starts the first plausible candidate took, whatever their numbers begin with."""
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
