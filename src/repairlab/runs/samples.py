"""Join a run's candidates and outcomes into what metrics are made from. Executes nothing."""

from collections import defaultdict

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Ended, Samples
from repairlab.runs.store import Store


def read_samples(store: Store) -> tuple[Samples, ...]:
    """Return the samples of every bug of a run, in the order of the benchmark."""
    manifest = store.manifest()
    judged: dict[str, tuple[Verdict, float]] = {}
    for outcome in store.outcomes():
        judged[outcome.candidate_id] = (outcome.verdict, outcome.n_passed / outcome.n_tests if outcome.n_tests else 0.0)
    ids: dict[str, dict[int, str]] = defaultdict(dict)
    for candidate in store.candidates():
        ids[candidate.bug_id][candidate.rank] = candidate.id
    ended: dict[str, Ended] = {end.bug_id: end.ended for end in store.ends()}
    samples = []
    for bug_id, language in zip(manifest.bug_ids, manifest.languages, strict=True):
        drawn = [ids[bug_id][rank] for rank in sorted(ids[bug_id]) if ids[bug_id][rank] in judged]
        samples.append(
            Samples(
                bug_id=bug_id,
                language=language,
                verdicts=tuple(judged[item][0] for item in drawn),
                passed=tuple(judged[item][1] for item in drawn),
                distinct=len(set(drawn)),
                ended=ended.get(bug_id, "unfinished"),
            )
        )
    return tuple(samples)
