"""Few-shot: other bugs with their issues and fixes, then the zero-shot question (nl2fix §3.3.2)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.prompts.strategies.question import Question, needs_issue
from repairlab.repairers.llm.prompts.view import View


class FewShot:
    """Asks for the whole function, fixed; the repairer chooses the examples and trims them to the context window."""

    name = "few-shot"
    variables = ("examples",)

    def needs(self, problem: Problem) -> str | None:
        """Need an issue text."""
        return needs_issue(problem)

    def question(self, view: View) -> Question:
        """Ask for the function."""
        del view
        return Question()
