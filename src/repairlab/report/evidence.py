"""Pick the one candidate per bug that a report shows: the first plausible one, else the first. Streams; holds only these."""

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, TestResult, Verdict
from repairlab.core.record import record
from repairlab.runs.store import Store


@record
class Shown:
    """One candidate with its outcome."""

    candidate: Candidate
    outcome: Outcome

    @property
    def failing(self) -> TestResult | None:
        """Return the first test that did not pass."""
        return next((test for test in self.outcome.tests if test.verdict is not Verdict.PLAUSIBLE), None)


def shown_candidates(store: Store) -> dict[str, Shown]:
    """Return the candidate to show of each bug that has one."""
    plausible: dict[str, bool] = {}
    for outcome in store.outcomes():
        plausible[outcome.candidate_id] = outcome.verdict is Verdict.PLAUSIBLE
    chosen: dict[str, tuple[bool, int, str, Candidate]] = {}
    for candidate in store.candidates():
        candidate_id = candidate.id
        if candidate_id in plausible:
            entry = (not plausible[candidate_id], candidate.rank, candidate_id, candidate)
            if candidate.bug_id not in chosen or entry[:2] < chosen[candidate.bug_id][:2]:
                chosen[candidate.bug_id] = entry
    wanted = {candidate_id for _, _, candidate_id, _ in chosen.values()}
    outcomes = {outcome.candidate_id: outcome for outcome in store.outcomes() if outcome.candidate_id in wanted}
    return {
        bug_id: Shown(candidate=candidate, outcome=outcomes[candidate_id])
        for bug_id, (_, _, candidate_id, candidate) in chosen.items()
    }
