"""Completion: the model goes on behind the signature of the fixed function (nl2fix's completion model, §3.2 and §4.3)."""

from repairlab.core.problem import Problem
from repairlab.languages.language import Function
from repairlab.repairers.llm.answers.aim import aim
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.strategies.question import Question, Strategy, needs_issue
from repairlab.repairers.llm.prompts.view import View, indentation


def _needs(problem: Problem) -> str | None:
    """Need an issue text and a function with a body."""
    if problem.target.name is None:
        return f"bug {problem.id} is about a whole file; completion needs a function"
    if _function(problem) is None:
        return f"bug {problem.id}: {problem.target.name} has no body that could be completed"
    return needs_issue(problem)


def _question(view: View) -> Question:
    """Ask for the body; the answer ends where the function does."""
    problem = view.problem
    function = _function(problem)
    assert function is not None
    given = _given(problem.source, function)
    values = {
        "given": (indentation(problem) + given).replace("\r\n", "\n"),
        "before": view.text(problem.source[: function.span.start]),
        "after": view.text(problem.source[function.span.end :]),
    }
    return Question(wanted=Wanted(shape="completion", given=given), values=values, stop=_stop(problem, function))


COMPLETION = Strategy(name="completion", needs=_needs, question=_question, variables=("given", "before", "after"))


def _function(problem: Problem) -> Function | None:
    """Return the target as the parser sees it, if it has a body of its own."""
    function = aim(problem).function
    return function if function and function.span.start < function.body.start < function.body.end else None


def _given(source: str, function: Function) -> str:
    """Return the signature, with the brace that opens the body; comments between it and the body are left out."""
    if function.body.of(source).startswith("{"):
        return source[function.span.start : function.body.start + 1]
    lines = source[function.span.start : function.body.start].rstrip().split("\n")
    while lines[-1].lstrip().startswith("#"):
        lines.pop()
    return "\n".join(lines).rstrip()


def _stop(problem: Problem, function: Function) -> tuple[str, ...]:
    """Return what stands behind a function; many servers take no more than four such texts."""
    indent = indentation(problem)
    if function.body.of(problem.source).startswith("{"):
        closes_alone = problem.source[: function.span.end].endswith(f"\n{indent}}}")
        return (f"\n{indent}}}\n",) if closes_alone else ()
    outer = ("\nclass ", "\ndef ") if indent else ("\nclass ", "\nif __name__")
    return (f"\n{indent}def ", f"\n{indent}@", *outer)
