"""File: the whole program and, where there is one, its issue (FixEval's input without a verdict)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.strategies.question import Question
from repairlab.repairers.llm.prompts.view import View


class WholeFile:
    """Asks for the whole program, fixed."""

    name = "file"
    variables = ()

    def needs(self, problem: Problem) -> str | None:
        """Need nothing."""
        del problem
        return None

    def question(self, view: View) -> Question:
        """Ask for the file."""
        del view
        return Question(wanted=Wanted(shape="file"))
