"""The line of a run as code: propose, store, judge, and tell the repairer as much of the outcome as it may know."""

import dataclasses
from collections.abc import Callable

from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import Problem
from repairlab.core.score import Ended
from repairlab.repairers.repairer import Repairer
from repairlab.runs.experiment import Experiment, feedback


def repair(
    problem: Problem,
    repairer: Repairer,
    experiment: Experiment,
    *,
    store: Callable[[Candidate], Candidate],
    judge: Callable[[Candidate], Outcome | None],
) -> Ended:
    """Draw the candidates of a bug, store and judge each, and return why no more were drawn.

    `store` returns the candidate stored at this rank, perhaps by an earlier start of the run. `judge` returns no outcome if none is
    needed: independent candidates are judged by any worker.
    """
    history: tuple[Attempt, ...] = ()
    rank = 0
    for _ in range(experiment.rounds):  # 1, unless the repair is a conversation
        for proposed in repairer.propose(problem, history):
            rank += 1
            candidate = store(dataclasses.replace(proposed, rank=rank))
            outcome = judge(candidate)
            if outcome is not None:
                history += (Attempt(candidate=candidate, feedback=feedback(outcome, experiment.feedback)),)
                if experiment.stop_when_fixed and outcome.verdict is Verdict.PLAUSIBLE:
                    return "solved"
            if rank == experiment.n:
                return "asked"
    return "exhausted"
