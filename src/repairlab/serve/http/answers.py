"""What clients are told of a verdict: nothing that shows a hidden test, an expected output or a fix."""

from typing import Any

from repairlab.core.outcome import Outcome, Verdict
from repairlab.metrics.reward import RewardScale, reward_of
from repairlab.runs.validator_pool import JudgedPatch, OpenBug
from repairlab.serve.http.inline_bug import BENCHMARK

OUR_FAILURE = "the service could not decide this; ask again, or look at the server's log"


def answer(judged: JudgedPatch, opened: OpenBug, scale: RewardScale) -> dict[str, Any]:
    """Return the answer about one candidate.

    Tests are told by number, and what they say is not told at all: both may hold what is expected. Whoever brought the problem
    knows all that.
    """
    outcome, bug = judged.outcome, opened.bug
    is_own = bug.problem.benchmark == BENCHMARK
    tests = []
    for test in outcome.tests:
        kind, number = opened.numbers.get(test.id, ("test", 0))
        told: dict[str, Any] = {"test": number, "kind": kind, "verdict": test.verdict.value, "cpu_s": test.cpu_s}
        tests.append(told | ({"id": test.id, "message": test.message} if is_own else {}))
    return {
        "bug": f"{bug.problem.benchmark}/{bug.id}",
        "candidate": outcome.candidate_id,
        "verdict": outcome.verdict.value,
        "code": outcome.verdict.code,
        "stage": outcome.stage,
        "message": _message(outcome, is_own=is_own),
        "passed": outcome.n_passed,
        "n_tests": outcome.n_tests,
        "tests": tests,
        "reward": reward_of(outcome, scale, similarity=judged.similarity),
        "similarity": judged.similarity,
        "policy": outcome.policy,
        "cpu_s": outcome.cpu_s,
        "wall_s": outcome.wall_s,
        "peak_mb": outcome.peak_mb,
        "cached": outcome.cached,
    }


def undecided_answer(bug: str, message: str) -> dict[str, Any]:
    """Return the answer about a candidate that was not judged."""
    return {
        "bug": bug,
        "verdict": Verdict.UNDECIDED.value,
        "code": Verdict.UNDECIDED.code,
        "message": message,
        "tests": [],
        "reward": None,
        "cached": False,
    }


def _message(outcome: Outcome, *, is_own: bool) -> str:
    if outcome.verdict is Verdict.UNDECIDED:
        return OUR_FAILURE
    return outcome.message if is_own or outcome.stage == "apply" else ""
