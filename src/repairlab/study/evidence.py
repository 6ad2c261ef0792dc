"""Pick the candidates that a report shows; of the others only the places are held."""

from typing import Literal

from repairlab.core.amounts import count
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, TestResult, Verdict
from repairlab.core.record import record
from repairlab.runs.samples import Sampled, read_sampled
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
    shown: dict[str, tuple[Shown, ...]] = {}
    for bug_id, sampled in read_sampled(store).items():
        equal: dict[str, list[Sampled]] = {}
        for item in _chosen([item for item in sampled if item.judged], choice):
            equal.setdefault(item.id, []).append(item)
        shown[bug_id] = tuple(
            Shown(candidate=same[0].candidate(store), outcome=outcome, ranks=tuple(item.rank for item in same))
            for same in equal.values()
            if (outcome := same[0].outcome(store))
        )
    return shown


def _chosen(judged: list[Sampled], choice: Choice) -> list[Sampled]:
    if choice == "all":
        return judged
    chosen = [item for item in judged if item.judged and item.judged.verdict is Verdict.PLAUSIBLE] or judged[:1]
    return chosen[:1] if choice == "first" else chosen
