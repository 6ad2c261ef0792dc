"""What every strategy is: a name, what it needs of a bug, and the question it asks. `table.py` lists the strategies."""

import dataclasses
from typing import Any, Protocol

from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.view import View


@record
class Question:
    """What a strategy asks about one bug; the words are in its prompt template."""

    wanted: Wanted = Wanted()
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Values of the strategy's own variables, beside those that every template has."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer."""
    notes: tuple[tuple[str, str], ...] = ()
    """What should be known of how the question was made; kept in the candidate's origin."""


class Strategy(Protocol):
    """One way to ask a model for a fix."""

    name: str
    """Also the name of its prompt template."""
    variables: tuple[str, ...]
    """Variables of its template beside those that every template has."""

    def needs(self, problem: Problem) -> str | None:
        """Return what is missing in a problem so that this strategy cannot ask; none when it can."""
        ...

    def question(self, view: View) -> Question:
        """Return what to ask; only for problems that lack nothing."""
        ...


def needs_issue(problem: Problem) -> str | None:
    """Return a reason when a bug has neither title nor description."""
    if problem.title.strip() or problem.description.strip():
        return None
    return f"bug {problem.id} has no issue text"
