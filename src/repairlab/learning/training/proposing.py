"""What a model proposes for bugs, as candidates that `validate` reads: networks and tool chains are often on different machines."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.problem import Visibility, shown
from repairlab.core.record import record
from repairlab.formats import own
from repairlab.formats.format import JudgedCandidate
from repairlab.learning.neural.factory import FACTORY, make_repairer
from repairlab.learning.neural.settings import NeuralAccess, NeuralSettings

_TOGETHER = 64
"""Bugs that a model is asked about at once."""


@record
class ModelProposals:
    """What came of proposing for bugs."""

    n_bugs: int
    n_candidates: int
    unfit: dict[str, str]
    """Bugs that the model cannot be shown, and why."""


@record
class ProposingOptions:
    """How many candidates are wanted, and of what model."""

    settings: NeuralSettings
    access: NeuralAccess
    n: int
    seed: int = 0

    def check(self) -> None:
        """Refuse numbers that cannot be."""
        if self.n < 1:
            raise UserError(f"-n is {self.n}: write a number of at least 1")
        self.settings.check()


def propose(
    benchmark: Benchmark,
    bugs: Sequence[Bug],
    options: ProposingOptions,
    to: Path,
    *,
    done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
) -> ModelProposals:
    """Write up to n candidates for each bug, best first, as `run` would propose them; the file appears whole or not at all."""
    reason_of = FACTORY.unfit(options.settings, options.seed)
    problems = [shown(bug.problem, Visibility()) for bug in bugs]
    reasons = {problem.id: reason_of(problem) for problem in problems}
    unfit = {name: reason for name, reason in reasons.items() if reason is not None}
    if len(unfit) == len(problems):
        raise UserError(f"the model can be shown none of the {len(problems)} bugs. The first: {next(iter(unfit.values()), 'none')}")
    repairer = make_repairer(options.settings, options.access, n=options.n, seed=options.seed)
    n_candidates = 0

    def samples() -> Iterator[JudgedCandidate]:
        nonlocal n_candidates
        for first in range(0, len(problems), _TOGETHER):
            together = problems[first : first + _TOGETHER]
            for candidates in repairer.propose_together([problem for problem in together if problem.id not in unfit]):
                n_candidates += len(candidates[: options.n])
                yield from (JudgedCandidate(candidate=candidate) for candidate in candidates[: options.n])
            done(len(together))
        if not n_candidates:
            raise UserError("nothing that the model wrote could be read as a candidate; train it longer, or with more pairs")

    own.write(samples(), benchmark, to)
    return ModelProposals(n_bugs=len(problems), n_candidates=n_candidates, unfit=unfit)
