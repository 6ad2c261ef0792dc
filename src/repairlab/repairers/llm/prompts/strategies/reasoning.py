"""Reasoning extraction: localise, explain, fix, in three turns (nl2fix §3.3.3)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.prompts.strategies.question import Question, needs_issue
from repairlab.repairers.llm.prompts.view import View


class Reasoning:
    """Asks for the whole function in the last of its template's turns; each candidate has a chain of answers of its own."""

    name = "reasoning"
    variables = ()

    def needs(self, problem: Problem) -> str | None:
        """Need an issue text."""
        return needs_issue(problem)

    def question(self, view: View) -> Question:
        """Ask for the function."""
        del view
        return Question()
