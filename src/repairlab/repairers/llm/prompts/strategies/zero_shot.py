"""Zero-shot: the issue's title and description and the buggy function (nl2fix §3.3.1)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.prompts.strategies.question import Question, needs_issue
from repairlab.repairers.llm.prompts.view import View


class ZeroShot:
    """Asks for the whole function, fixed."""

    name = "zero-shot"
    variables = ()

    def needs(self, problem: Problem) -> str | None:
        """Need an issue text."""
        return needs_issue(problem)

    def question(self, view: View) -> Question:
        """Ask for the function."""
        del view
        return Question()
