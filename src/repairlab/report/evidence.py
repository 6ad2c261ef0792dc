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
    """Return the candidate to show of each bug that has one; only the places of the others are looked at."""
    judged: dict[str, tuple[bool, int]] = {}
    for place, data in store.scan_data(Outcome):
        judged[data["candidate_id"]] = (data["verdict"] == Verdict.PLAUSIBLE, place)
    chosen: dict[str, tuple[bool, int, int, int]] = {}
    for place, data in store.scan_data(Candidate):
        if data["id"] in judged:
            is_plausible, outcome_place = judged[data["id"]]
            entry = (not is_plausible, data["rank"], place, outcome_place)
            chosen[data["bug_id"]] = min(entry, chosen.get(data["bug_id"], entry))
    return {
        bug_id: Shown(candidate=store.at(Candidate, place), outcome=store.at(Outcome, outcome_place))
        for bug_id, (_, _, place, outcome_place) in chosen.items()
    }
