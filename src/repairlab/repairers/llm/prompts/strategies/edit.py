"""Edit: an instruction and an input; the answer says only what changes (nl2fix's edit model, §3.2)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.strategies.question import Question, needs_issue
from repairlab.repairers.llm.prompts.view import View


class EditInput:
    """Asks for search/replace blocks or a diff."""

    name = "edit"
    variables = ()

    def needs(self, problem: Problem) -> str | None:
        """Need an issue text."""
        return needs_issue(problem)

    def question(self, view: View) -> Question:
        """Ask for changes of the function."""
        del view
        return Question(wanted=Wanted(shape="edit"))
