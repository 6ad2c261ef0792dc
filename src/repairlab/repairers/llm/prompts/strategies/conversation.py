"""Conversation: the bug and its error, then each candidate and how it failed (Defects4C appendix B, after ChatRepair)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.prompts.strategies.question import Question
from repairlab.repairers.llm.prompts.templates import absent
from repairlab.repairers.llm.prompts.view import View


class Conversation:
    """Asks for the whole function, turn after turn; the first section of its template opens, the second answers a candidate."""

    name = "conversation"
    variables = ("feedback", "is_cut", "unread", "turn")

    def needs(self, problem: Problem) -> str | None:
        """Need nothing: issue text and error message are shown where there are any."""
        del problem
        return None

    def question(self, view: View) -> Question:
        """Ask for the function; nothing has failed yet."""
        reason = f"bug {view.problem.id} has no candidate yet"
        missing = {name: absent(name, reason) for name in ("feedback", "unread")}
        return Question(values={**missing, "is_cut": False, "turn": 1})
