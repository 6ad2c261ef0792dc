"""Title only: the issue's title and the buggy function, without the description (nl2fix §4.3, *Issue Title*)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.prompts.strategies.question import Question
from repairlab.repairers.llm.prompts.view import View


class TitleOnly:
    """Asks for the whole function, fixed."""

    name = "title-only"
    variables = ()

    def needs(self, problem: Problem) -> str | None:
        """Need a title."""
        return None if problem.title.strip() else f"bug {problem.id} has no title"

    def question(self, view: View) -> Question:
        """Ask for the function."""
        del view
        return Question()
