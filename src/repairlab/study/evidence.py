"""Pick the candidates that a report shows. Streams: only the places of the others are held."""

from typing import Literal

from repairlab.core.amounts import count
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, TestResult, Verdict
from repairlab.core.record import record
from repairlab.runs.store import Store

Choice = Literal["first", "plausible", "all"]
"""Of each bug the first plausible candidate, else the first; every plausible one, else the first; or every candidate."""


@record
class Shown:
    """One candidate with its outcome."""

    candidate: Candidate
    outcome: Outcome
    ranks: tuple[int, ...]
    """All ranks at which it was proposed; one, unless every candidate is shown."""

    @property
    def failing(self) -> TestResult | None:
        """Return the first test that did not pass."""
        return next((test for test in self.outcome.tests if not test.passed), None)


def words_on_tests(outcome: Outcome) -> str:
    """Say how many tests passed; of those that were not run nothing is known.

    >>> test = TestResult(id="a", verdict=Verdict.WRONG)
    >>> facts = {"candidate_id": "c", "bug_id": "b", "verdict": Verdict.WRONG, "stage": "trigger", "n_tests": 14}
    >>> words_on_tests(Outcome(policy="first-failure", tests=(test,), **facts))
    'stopped at the first failure: 0 of 1 test run passed, 13 were not run'
    >>> words_on_tests(Outcome(policy="full", tests=(test,) * 14, **facts))
    '0 of 14 tests passed'
    """
    n_run, n = len(outcome.tests), outcome.n_tests
    if not n:
        return ""
    if not n_run:
        return "no test was run"
    if n_run >= n:
        return f"{outcome.n_passed} of {count(n, 'test')} passed"
    were = "was" if n - n_run == 1 else "were"
    ran = f"{outcome.n_passed} of {n_run} test{'s' if n_run > 1 else ''} run passed, {n - n_run} {were} not run"
    return f"stopped at the first failure: {ran}" if outcome.policy == "first-failure" else ran


def shown_candidates(store: Store, choice: Choice = "first") -> dict[str, tuple[Shown, ...]]:
    """Return the candidates to show of each bug that has any, by rank; equal ones are shown once."""
    judged: dict[str, tuple[bool, int]] = {}
    for place, data in store.scan_data(Outcome):
        judged[data["candidate_id"]] = (data["verdict"] == Verdict.PLAUSIBLE, place)
    sampled: dict[str, list[tuple[bool, int, int, str]]] = {}
    for place, data in store.scan_data(Candidate):
        if data["id"] in judged:
            entry = (not judged[data["id"]][0], data["rank"], place, data["id"])
            mine = sampled.setdefault(data["bug_id"], [])
            if choice == "first" and mine:
                mine[0] = min(entry, mine[0])
            else:
                mine.append(entry)
    chosen = {bug_id: _chosen(entries, choice) for bug_id, entries in sampled.items()}
    return {
        bug_id: tuple(
            Shown(
                candidate=store.at(Candidate, place),
                outcome=store.at(Outcome, judged[name][1]),
                ranks=tuple(other[1] for other in entries if other[3] == name),
            )
            for _, _, place, name in _first_of_each(entries)
        )
        for bug_id, entries in chosen.items()
    }


def _chosen(entries: list[tuple[bool, int, int, str]], choice: Choice) -> list[tuple[bool, int, int, str]]:
    by_rank = sorted(entries, key=lambda entry: entry[1])
    if choice == "plausible":
        return [entry for entry in by_rank if not entry[0]] or by_rank[:1]
    return by_rank


def _first_of_each(entries: list[tuple[bool, int, int, str]]) -> list[tuple[bool, int, int, str]]:
    seen: dict[str, tuple[bool, int, int, str]] = {}
    for entry in entries:
        seen.setdefault(entry[3], entry)
    return list(seen.values())
