"""Strategies whose questions need no values of their own; the words are in their templates. Listed in `table`."""

from repairlab.core.problem import Problem
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.strategies.question import (
    Question,
    Strategy,
    ask_for_file,
    ask_for_function,
    needs_issue,
    needs_nothing,
)
from repairlab.repairers.llm.prompts.templates import absent
from repairlab.repairers.llm.prompts.view import View


def _needs_title(problem: Problem) -> str | None:
    return None if problem.title.strip() else f"bug {problem.id} has no title"


def _needs_verdict(problem: Problem) -> str | None:
    return None if problem.submission_verdict else f"bug {problem.id} has no submission verdict"


def _ask_for_edit(view: View) -> Question:
    del view
    return Question(wanted=Wanted(shape="edit"))


def _open_conversation(view: View) -> Question:
    """Ask for the function; nothing has failed yet."""
    reason = f"bug {view.problem.id} has no candidate yet"
    missing = {name: absent(name, reason) for name in ("feedback", "unread")}
    return Question(values={**missing, "is_cut": False, "turn": 1})


ZERO_SHOT = Strategy(name="zero-shot", needs=needs_issue, question=ask_for_function)
"""The issue's title and description and the buggy function (nl2fix §3.3.1)."""

TITLE_ONLY = Strategy(name="title-only", needs=_needs_title, question=ask_for_function)
"""The issue's title and the buggy function, without the description (nl2fix §4.3, *Issue Title*)."""

FEW_SHOT = Strategy(name="few-shot", needs=needs_issue, question=ask_for_function, variables=("examples",))
"""Other bugs with their issues and fixes, then the zero-shot question (nl2fix §3.3.2); the repairer chooses the examples."""

REASONING = Strategy(name="reasoning", needs=needs_issue, question=ask_for_function)
"""Localise, explain, fix, in three turns (nl2fix §3.3.3); each candidate has a chain of answers of its own."""

INFILL_FUNCTION = Strategy(name="infill-function", needs=needs_nothing, question=ask_for_function)
"""The whole function anew, without an issue text (Defects4C §5.3)."""

VERDICT = Strategy(name="verdict", needs=_needs_verdict, question=ask_for_file)
"""The whole program and what the judge said of it (FixEval §4)."""

EDIT = Strategy(name="edit", needs=needs_issue, question=_ask_for_edit)
"""An instruction and an input; the answer says only what changes, as blocks or a diff (nl2fix's edit model, §3.2)."""

FILE = Strategy(name="file", needs=needs_nothing, question=ask_for_file)
"""The whole program and, where there is one, its issue (FixEval's input without a verdict)."""

CONVERSATION = Strategy(
    name="conversation", needs=needs_nothing, question=_open_conversation, variables=("feedback", "is_cut", "unread", "turn")
)
"""The bug and its error, then each candidate and how it failed (Defects4C appendix B, after ChatRepair).

The first section of its template opens, the second answers a candidate.
"""
