"""A strategy: as few words as possible."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.prompts.strategies import Question
from repairlab.repairers.llm.prompts.templates import View


class Terse:
    """Shows the code and asks for it, fixed."""

    name = "terse"
    variables = ()
    template = "--- user ---\nFix this {{ unit }}:\n\n{{ code | fenced(tag) }}\n"

    def needs(self, problem: Problem) -> str | None:
        """Need nothing."""
        del problem
        return None

    def question(self, view: View) -> Question:
        """Ask for the function."""
        del view
        return Question()
