"""Rank the candidates of a finished run. Executes nothing and holds one bug's candidates at a time."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from operator import contains
from pathlib import Path
from typing import Any, NamedTuple

from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.languages.facts import facts
from repairlab.languages.language import language
from repairlab.metrics.metric import need_all_candidates, need_finished, need_independent
from repairlab.repairers.llm.client.model import Embedder, Unanswerable
from repairlab.runs.experiment import Manifest
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import read_samples
from repairlab.runs.store import Store
from repairlab.study.bugs import benchmark_of_run
from repairlab.study.ranking.rankers import (
    THRESHOLD,
    Contender,
    by_logprob,
    by_majority,
    by_similarity,
    in_original_order,
    similarities,
)
from repairlab.study.ranking.stored import LeftOut, Ranking, RankingRecipe, basis_of, check_name, check_recipe


@record
class Proposal:
    """What one candidate makes of the target."""

    function: str
    """The target as the candidate leaves it."""
    is_unchanged: bool
    """Whether the candidate differs from the buggy program only in comments and white space."""


class Proposals:
    """Reads the candidates of one bug."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._syntax = language(problem.language).syntax
        span = problem.target.span
        self._before, self._behind = problem.source[: span.start], problem.source[span.end :]
        self._function = _Original(problem.target.text, problem.language)

    @cached_property
    def _file(self) -> "_Original":
        return _Original(self._problem.source, self._problem.language)

    def read(self, candidate: Candidate) -> Proposal:
        """Return what a candidate makes of the target; UserError if its edits do not apply."""
        problem = self._problem
        elsewhere = any(edit.path != problem.path for edit in candidate.edits)
        edits = [edit for edit in candidate.edits if edit.path == problem.path]
        text = apply_edits(edits, {problem.path: problem.source}).get(problem.path, problem.source) or ""
        n_around = len(self._before) + len(self._behind)
        if len(text) >= n_around and text.startswith(self._before) and text.endswith(self._behind):
            function = text[len(self._before) : len(text) - len(self._behind)]
            return Proposal(function=function, is_unchanged=not elsewhere and self._function.is_equal(function))
        return Proposal(function=self._find(text), is_unchanged=not elsewhere and self._file.is_equal(text))

    def _find(self, text: str) -> str:
        """Return the target in a new text of its file; the whole text if the function is gone."""
        name = self._problem.target.name or ""
        functions = self._syntax.functions(text)
        named = [item for item in functions if name == item.signature]
        named += [item for item in functions if name.partition("(")[0] == item.qualified]
        return named[0].span.of(text) if named else text


class _Original:
    """A buggy text that others are compared with."""

    def __init__(self, text: str, language_name: str) -> None:
        self._text = text
        self._syntax = language(language_name).syntax
        self._marks = facts(language_name).comments

    def is_equal(self, text: str) -> bool:
        """Whether a text differs only in comments and white space."""
        return text == self._text or (self._may_be_equal(text) and self._syntax.normal_form(text) == self._form)

    def _may_be_equal(self, text: str) -> bool:
        """Whether that is possible at a glance: lexing every candidate would dominate the time of a ranking."""
        solid = "".join(text.split())
        if not any(mark in text for mark in self._marks):
            return solid == self._solid
        rest = iter(solid)
        return all(map(partial(contains, rest), self._solid))  # type: ignore[arg-type]  # an iterator will do, and shall be used up

    @cached_property
    def _form(self) -> str:
        return self._syntax.normal_form(self._text)

    @cached_property
    def _solid(self) -> str:
        return "".join(self._syntax.strip_comments(self._text).split())


_ORDERS: Mapping[str, Callable[[Sequence[Contender]], tuple[int, ...]]] = {
    "logprob": by_logprob,
    "majority": by_majority,
    "original": in_original_order,
}


def rank_run(
    folder: Path,
    recipe: RankingRecipe,
    *,
    name: str | None = None,
    embedder: Embedder | None = None,
    step: Callable[[], object] = lambda: None,
) -> Ranking:
    """Rank the candidates of every bug of a run; `step` is called after each bug."""
    check_recipe(recipe)
    name = name or recipe.name
    check_name(name)
    store = Store(folder)
    manifest = store.manifest()
    require_intact(store)
    samples = read_samples(store)
    need_finished("rank", samples)
    need_independent("rank", manifest.experiment.rounds)
    need_all_candidates("rank", samples, manifest.experiment.n)
    problems = _problems(manifest)
    field = _Field(store, recipe)
    ranks: dict[str, tuple[int, ...]] = {}
    cosines = _Cosines(recipe)
    for bug_id in manifest.bug_ids:
        contenders = field.contenders(problems[bug_id])
        if recipe.order == "similarity":
            assert embedder is not None
            cosines.add(problems[bug_id], contenders, embedder)
        else:
            ranks[bug_id] = _ORDERS[recipe.order](contenders)
        step()
    if recipe.order == "similarity":
        ranks = cosines.orders()
    left_out = field.left_out + cosines.left_out
    n_ranked = sum(map(len, ranks.values()))
    n_candidates = sum(len(item.verdicts) for item in samples)
    duplicates = n_candidates - n_ranked - left_out.total()
    return Ranking(
        name=name,
        recipe=recipe,
        threshold=cosines.threshold,
        n_candidates=n_candidates,
        n_ranked=n_ranked,
        left_out=LeftOut(**left_out, duplicates=duplicates),
        basis=basis_of(samples),
        ranks=ranks,
    )


def _problems(manifest: Manifest) -> dict[str, Problem]:
    """Return the bugs of a run as its benchmark has them."""
    try:
        return {bug.id: bug.problem for bug in benchmark_of_run(manifest)}
    except UserError as error:
        raise UserError(f"a ranking needs the code that the run was made on: {error}") from None


class _Sampled(NamedTuple):
    """What is remembered of one candidate."""

    place: int
    id: str
    logprob: float | None


class _Field:
    """The candidates of a run: positions in its files and a few facts, no texts."""

    def __init__(self, store: Store, recipe: RankingRecipe) -> None:
        self._store, self._recipe = store, recipe
        self.left_out: Counter[str] = Counter()
        self._sampled: dict[str, dict[int, _Sampled]] = defaultdict(dict)
        for place, data in store.scan_data(Candidate):
            logprob = _logprob(data["origin"], per_token=recipe.per_token)
            self._sampled[data["bug_id"]][data["rank"]] = _Sampled(place, data["id"], logprob)
        known = (sampled.logprob is not None for ranks in self._sampled.values() for sampled in ranks.values())
        if recipe.order == "logprob" and not any(known):
            raise UserError(
                f"the candidates in {store.folder} have no log-probabilities; draw them again with: repairlab run … --logprobs, "
                "from a server that gives them"
            )
        self._judged: dict[str, tuple[Verdict, str]] = dict(store.facts(Outcome, _judged))

    def contenders(self, problem: Problem) -> list[Contender]:
        """Return the distinct candidates of a bug to rank, in order of rank."""
        sampled = self._sampled.pop(problem.id, {})
        if sorted(sampled) != list(range(1, len(sampled) + 1)) or any(item.id not in self._judged for item in sampled.values()):
            raise UserError(f"bug {problem.id}: candidates or outcomes are missing in {self._store.folder}; was a file changed?")
        groups: dict[str, list[int]] = defaultdict(list)
        for rank in sorted(sampled):
            # Validation merged what differs only in comments and white space.
            groups[self._judged[sampled[rank].id][1]].append(rank)
        proposals = Proposals(problem)
        found = []
        for ranks in groups.values():
            first = sampled[ranks[0]]
            verdict = self._judged[first.id][0]
            reason = "unapplicable" if verdict is Verdict.UNAPPLICABLE else "unbuilt" if self._is_pruned(verdict) else None
            proposal = None if reason else self._proposal(first, proposals)
            if proposal is None:
                self.left_out[reason or "unapplicable"] += len(ranks)
            elif proposal.is_unchanged and not self._recipe.keep_unchanged:
                self.left_out["unchanged"] += len(ranks)
            else:
                logprobs = [logprob for rank in ranks if (logprob := sampled[rank].logprob) is not None]
                best = max(logprobs, default=None)
                found.append(Contender(rank=ranks[0], n=len(ranks), text=proposal.function, logprob=best))
        return found

    def _is_pruned(self, verdict: Verdict) -> bool:
        return self._recipe.prune_compile and verdict is Verdict.UNCOMPILABLE

    def _proposal(self, sampled: _Sampled, proposals: Proposals) -> Proposal | None:
        """Return what a candidate makes of the target; None if its edits do not apply, which validation may not have found."""
        try:
            return proposals.read(self._store.at(Candidate, sampled.place))
        except UserError:
            return None


def _judged(data: Mapping[str, Any]) -> tuple[str, tuple[Verdict, str]]:
    name: str = data["candidate_id"]
    return name, (Verdict(data["verdict"]), data["equivalent_to"] or name)


def _logprob(origin: Mapping[str, Any], *, per_token: bool) -> float | None:
    logprob: float | None = origin.get("logprob")
    if logprob is None or not per_token:
        return logprob
    return logprob / origin["tokens_out"] if origin["tokens_out"] else None


class _Cosines:
    """Similarities of a run's candidates to the buggy code; the threshold may depend on all of them."""

    def __init__(self, recipe: RankingRecipe) -> None:
        self._recipe = recipe
        self._by_bug: dict[str, dict[int, float]] = {}
        self._n: dict[str, dict[int, int]] = {}
        self.threshold: float | None = None
        self.left_out: Counter[str] = Counter()

    def add(self, problem: Problem, contenders: Sequence[Contender], embedder: Embedder) -> None:
        """Compare the candidates of one bug with its buggy code."""
        try:
            found = similarities(problem.target.text, contenders, embedder) if contenders else {}
        except Unanswerable as error:
            raise UserError(f"bug {problem.id}: {error}; choose one for longer texts with --embedding-model") from None
        self._by_bug[problem.id] = found
        self._n[problem.id] = {item.rank: item.n for item in contenders}
        self.left_out["unembeddable"] += sum(item.n for item in contenders if item.rank not in found)

    def orders(self) -> dict[str, tuple[int, ...]]:
        """Return the order of each bug's candidates."""
        threshold = self._recipe.threshold
        if threshold == "median":
            values = [
                value for bug, found in self._by_bug.items() for rank, value in found.items() for _ in range(self._n[bug][rank])
            ]
            threshold = statistics.median(values) if values else THRESHOLD
        self.threshold = threshold
        ranks = {bug_id: by_similarity(found, threshold) for bug_id, found in self._by_bug.items()}
        for bug_id, found in self._by_bug.items():
            self.left_out["dissimilar"] += sum(self._n[bug_id][rank] for rank in found.keys() - set(ranks[bug_id]))
        return ranks
