"""What every repairer is: a name and one method; and the table of them."""

from collections.abc import Iterator
from typing import Protocol

from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.problem import Problem


class Repairer(Protocol):
    """Anything that proposes fixes."""

    name: str

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield candidates, best first, with ranks 1, 2, 3 …; the caller takes as many as it wants."""
        ...
