"""Join a run's candidates and outcomes, and turn them into what metrics count. Executes nothing."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from repairlab.core.amounts import count
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Strength, TestVerdict, Verdict
from repairlab.core.score import Ended, Samples
from repairlab.runs.store import Store


class VerdictInRun(NamedTuple):
    """The outcome that counts for equal candidates, by line position: of repeated ones, the last."""

    place: int
    verdict: Verdict
    passed: float
    """Share of the tests that pass."""
    strength: Strength | None = None
    """Of a pass."""


class Sampled(NamedTuple):
    """One candidate of a run, by line position, with its outcome."""

    rank: int
    place: int
    id: str
    judged: VerdictInRun | None
    """None: not judged yet."""


def read_sampled(store: Store) -> dict[str, list[Sampled]]:
    """Return the candidates of each bug that has any, by rank; holds only their positions and a few facts in memory."""
    facts = store.placed_facts(Outcome, _judged)
    judged = {name: VerdictInRun(place, verdict, passed, strength) for place, (name, verdict, passed, strength) in facts}
    by_rank: dict[str, dict[int, Sampled]] = defaultdict(dict)
    for place, (bug_id, rank, name) in store.placed_facts(Candidate, lambda data: (data["bug_id"], data["rank"], data["id"])):
        by_rank[bug_id][rank] = Sampled(rank, place, name, judged.get(name))
    return {bug_id: [found[rank] for rank in sorted(found)] for bug_id, found in by_rank.items()}


def read_judged(store: Store) -> dict[str, list[tuple[str, VerdictInRun]]]:
    """Return the judged candidates of every bug by rank, with their ids."""
    sampled = read_sampled(store)
    return {
        bug_id: [(item.id, item.judged) for item in sampled.get(bug_id, ()) if item.judged] for bug_id in store.manifest().bug_ids
    }


def read_samples(store: Store) -> tuple[Samples, ...]:
    """Return the samples of every bug of a run, in the order of the benchmark."""
    manifest = store.manifest()
    judged = read_judged(store)
    ended: dict[str, Ended] = {end.bug_id: end.ended for end in store.ends()}
    return tuple(
        Samples(
            bug_id=bug_id,
            language=language,
            verdicts=tuple(item.verdict for _, item in judged[bug_id]),
            passed=tuple(item.passed for _, item in judged[bug_id]),
            strengths=tuple(item.strength for _, item in judged[bug_id] if item.strength and item.verdict is Verdict.PLAUSIBLE),
            distinct=len({name for name, _ in judged[bug_id]}),
            ended=ended.get(bug_id, "unfinished"),
        )
        for bug_id, language in zip(manifest.bug_ids, manifest.languages, strict=True)
    )


def open_bugs(store: Store) -> tuple[str, ...]:
    """Return the bugs of a run that are not finished."""
    ended = {end.bug_id for end in store.ends()}
    return tuple(bug_id for bug_id in store.manifest().bug_ids if bug_id not in ended)


def why_none_decided(store: Store) -> str:
    """Say that no candidate of a finished run was decided, with the most frequent reason; empty for any other run.

    Placeholders for bugs without a candidate are left out.
    """
    coverage = store.manifest().coverage
    missing = frozenset(coverage.missing if coverage else ())
    outcomes = (data for _, data in store.scan_data(Outcome) if data["bug_id"] not in missing)
    if open_bugs(store) or any(data["verdict"] != Verdict.UNDECIDED for data in outcomes):
        return ""
    judged = [found for bug_id, found_of in read_judged(store).items() if bug_id not in missing for _, found in found_of]
    reasons = Counter(store.at(Outcome, found.place).message.partition("\n")[0] for found in judged)
    return f"none of {count(len(judged), 'candidate')} was decided: {reasons.most_common(1)[0][0]}" if judged else ""


def _judged(data: dict[str, Any]) -> tuple[str, Verdict, float, Strength | None]:
    n_passed = sum(TestVerdict(test["verdict"]) is TestVerdict.PASSED for test in data["tests"])
    passed = n_passed / data["n_tests"] if data["n_tests"] else 0.0
    return data["candidate_id"], Verdict(data["verdict"]), passed, data.get("strength")
