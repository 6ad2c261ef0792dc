"""What every strategy is: a name, what it needs of a bug, and the question it asks. `table.py` lists the strategies."""

import dataclasses
from collections.abc import Callable
from typing import Any

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


@record
class Strategy:
    """One way to ask a model for a fix."""

    name: str
    """Also the name of its prompt template."""
    needs: Callable[[Problem], str | None]
    """Returns what is missing in a problem so that this strategy cannot ask; none when it can."""
    question: Callable[[View], Question]
    """Returns what to ask; only for problems that lack nothing."""
    variables: tuple[str, ...] = ()
    """Variables of its template beside those that every template has."""


def needs_nothing(problem: Problem) -> str | None:
    """Return no reason for any bug."""
    del problem
    return None


def needs_issue(problem: Problem) -> str | None:
    """Return a reason when a bug has neither title nor description."""
    if problem.title.strip() or problem.description.strip():
        return None
    return f"bug {problem.id} has no issue text"


def ask_for_function(view: View) -> Question:
    """Ask for the whole function, fixed."""
    del view
    return Question()


def ask_for_file(view: View) -> Question:
    """Ask for the whole program, fixed."""
    del view
    return Question(wanted=Wanted(shape="file"))
