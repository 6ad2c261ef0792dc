"""Join a run's candidates and outcomes into what metrics are made from. Executes nothing."""

from collections import defaultdict
from typing import Any

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, TestVerdict, Verdict
from repairlab.core.score import Ended, Samples
from repairlab.runs.store import Store


def read_samples(store: Store) -> tuple[Samples, ...]:
    """Return the samples of every bug of a run, in the order of the benchmark."""
    manifest = store.manifest()
    judged = dict(store.facts(Outcome, _judged))
    ids = read_ids(store)
    ended: dict[str, Ended] = {end.bug_id: end.ended for end in store.ends()}
    samples = []
    for bug_id, language in zip(manifest.bug_ids, manifest.languages, strict=True):
        sampled = [ids[bug_id][rank] for rank in sorted(ids[bug_id]) if ids[bug_id][rank] in judged]
        samples.append(
            Samples(
                bug_id=bug_id,
                language=language,
                verdicts=tuple(judged[item][0] for item in sampled),
                passed=tuple(judged[item][1] for item in sampled),
                distinct=len(set(sampled)),
                ended=ended.get(bug_id, "unfinished"),
            )
        )
    return tuple(samples)


def open_bugs(store: Store) -> tuple[str, ...]:
    """Return the bugs of a run that are not finished."""
    ended = {end.bug_id for end in store.ends()}
    return tuple(bug_id for bug_id in store.manifest().bug_ids if bug_id not in ended)


def read_ids(store: Store) -> dict[str, dict[int, str]]:
    """Return the ids of all candidates, by bug and rank."""
    ids: dict[str, dict[int, str]] = defaultdict(dict)
    for bug_id, rank, candidate_id in store.facts(Candidate, lambda data: (data["bug_id"], data["rank"], data["id"])):
        ids[bug_id][rank] = candidate_id
    return ids


def _judged(data: dict[str, Any]) -> tuple[str, tuple[Verdict, float]]:
    n_passed = sum(TestVerdict(test["verdict"]) is TestVerdict.PASSED for test in data["tests"])
    return data["candidate_id"], (Verdict(data["verdict"]), n_passed / data["n_tests"] if data["n_tests"] else 0.0)
