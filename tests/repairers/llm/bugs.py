"""Small problems and examples that the tests of strategies share."""

import dataclasses

from repairlab.core.model import Prompt
from repairlab.core.outcome import Verdict
from repairlab.core.problem import Problem, Target, Visibility, shown
from repairlab.core.text import Lines, Span
from repairlab.repairers.llm.client.model import Completion, Sampling, Script, ScriptedModel
from repairlab.repairers.repairer import Example
from tests import builders

PYTHON = '''\
"""Seats of a hall."""


class Hall:
    def __init__(self, rows, seats):
        self.rows = rows
        self.seats = seats

    def row_of(self, number):
        # Seats are numbered from 1.
        if number < 1:
            raise ValueError(number)
        row = number // self.seats
        return row + 1


def largest(halls):
    return max(halls, key=lambda hall: hall.rows * hall.seats)
'''

JAVA = """\
package seats;

/** Seats of a hall. */
public class Hall {
    private final int seats;

    Hall(int seats) {
        this.seats = seats;
    }

    int rowOf(int number) {
        // Seats are numbered from 1.
        int row = number / seats;
        return row + 1;
    }
}
"""

TITLE = "The last seat of a row is in the next row"
DESCRIPTION = "A hall has rows of 10 seats.\n\n`row_of(10)` returns 2 instead of 1."


def python_problem(source: str = PYTHON) -> Problem:
    start = source.index("def row_of")
    span = Span(start=start, end=source.index("return row + 1") + len("return row + 1"))
    line = source[: source.index("row = number")].count("\n") + 1
    return builders.problem(
        source,
        id="hall-1",
        title=TITLE,
        description=DESCRIPTION,
        path="seats/hall.py",
        target="Hall.row_of",
        span=span,
        target_without_comments=span.of(source).replace("        # Seats are numbered from 1.\n", ""),
        location=(Lines(path="seats/hall.py", first=line, last=line),),
        error="AssertionError: 2 != 1",
        submission_verdict=Verdict.WRONG,
    )


def java_problem() -> Problem:
    start = JAVA.index("int rowOf")
    span = Span(start=start, end=JAVA.index("return row + 1;\n    }") + len("return row + 1;\n    }"))
    return dataclasses.replace(
        python_problem(),
        id="hall-2",
        language="java",
        path="seats/Hall.java",
        source=JAVA,
        target=Target(name="Hall.rowOf", span=span, text=span.of(JAVA)),
        target_without_comments=span.of(JAVA).replace("        // Seats are numbered from 1.\n", ""),
        location=(Lines(path="seats/Hall.java", first=13, last=13),),
    )


def example(number: int, *, buggy: str = "", fixed: str = "", language: str = "python") -> Example:
    return Example(
        id=f"shop-{number}",
        language=language,
        title=f"Title {number}",
        description=f"Description {number}.",
        buggy=buggy or f"def price_{number}(items):\n    return sum(items[:-{number}])",
        fixed=fixed or f"def price_{number}(items):\n    return sum(items)",
    )


class Recorder(ScriptedModel):
    """A scripted model that remembers all of what it was asked: prompt, sampling, first and n."""

    def __init__(self, answers: Script, *, name: str = "scripted", context_window: int | None = None) -> None:
        super().__init__(answers, name=name, context_window=context_window)
        self.calls: list[tuple[Prompt, Sampling, int, int]] = []

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        self.calls.append((prompt, sampling, first, n))
        return super().complete(prompt, sampling, first=first, n=n)


def policy(strategy: str, *, error: bool = False) -> Visibility:
    """Return a policy that a strategy can work with."""
    return Visibility(localisation="none" if strategy == "localise" else "line", error=error)


def seen_by(strategy: str, problem: Problem) -> Problem:
    """Return a problem as a strategy gets it; one that is told the place gets all that there is."""
    return shown(problem, policy(strategy)) if strategy == "localise" else problem
