"""The line of a run: what is stored, what is judged, what the repairer is told, and when it ends."""

from collections.abc import Iterator

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Attempt, Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import Problem
from repairlab.runs.experiment import Experiment
from repairlab.runs.loop import repair
from tests import builders


class Numbers:
    """Proposes the numbers from 1 on, three a round, and keeps what it is told."""

    name = "numbers"

    def __init__(self, bug: Bug) -> None:
        self._bug = bug
        self.told: list[list[str | None]] = []

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield three candidates."""
        del problem
        self.told.append([attempt.feedback for attempt in history])
        for number in range(len(history) + 1, len(history) + 4):
            yield self._bug.candidate((Edit(path="main.py", text=f"print({number})\n"),), "numbers")


@pytest.mark.parametrize(
    ("settings", "ended", "n", "told"),
    [
        ({"n": 2}, "asked", 2, [[]]),
        ({"n": 9}, "exhausted", 3, [[]]),
        ({"n": 9, "stop_when_fixed": True}, "exhausted", 3, [[]]),
        ({"n": 9, "rounds": 2}, "exhausted", 6, [[], ["WRONG", "WRONG", "WRONG"]]),
        ({"n": 9, "rounds": 2, "stop_when_fixed": True}, "solved", 5, [[], ["WRONG", "WRONG", "WRONG"]]),
        ({"n": 5, "rounds": 3, "feedback": "none"}, "asked", 5, [[], [None, None, None]]),
    ],
)
def test_candidates_are_stored_judged_and_answered_in_order(
    bug: Bug, settings: dict[str, object], ended: str, n: int, told: list[list[str | None]]
) -> None:
    experiment = Experiment(**{"benchmark": "tiny", "repairer": "numbers", "feedback": "verdict", **settings})  # type: ignore[arg-type]
    repairer, seen = Numbers(bug), list[str]()

    def store(candidate: Candidate) -> Candidate:
        seen.append(f"store {candidate.rank}")
        return candidate

    def judge(candidate: Candidate) -> Outcome:
        seen.append(f"judge {candidate.rank}")
        verdict = Verdict.PLAUSIBLE if candidate.rank == 5 else Verdict.WRONG
        return builders.outcome(verdict, candidate, message="", n_tests=2, environment="")

    assert repair(bug.problem, repairer, experiment, store=store, judge=judge) == ended
    assert seen == [f"{step} {rank}" for rank in range(1, n + 1) for step in ("store", "judge")]
    assert repairer.told == told


def test_what_is_judged_later_tells_the_repairer_nothing(bug: Bug) -> None:
    repairer = Numbers(bug)
    experiment = Experiment(benchmark="tiny", repairer="numbers", n=3)
    assert repair(bug.problem, repairer, experiment, store=lambda candidate: candidate, judge=lambda _: None) == "asked"
    assert repairer.told == [[]]
