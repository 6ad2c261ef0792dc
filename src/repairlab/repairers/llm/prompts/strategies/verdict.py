"""Verdict: the whole program and what the judge said of it (FixEval §4)."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.strategies.question import Question
from repairlab.repairers.llm.prompts.view import View


class SubmissionVerdict:
    """Asks for the whole program, fixed."""

    name = "verdict"
    variables = ()

    def needs(self, problem: Problem) -> str | None:
        """Need the verdict of the buggy submission."""
        return None if problem.submission_verdict else f"bug {problem.id} has no submission verdict"

    def question(self, view: View) -> Question:
        """Ask for the file."""
        del view
        return Question(wanted=Wanted(shape="file"))
