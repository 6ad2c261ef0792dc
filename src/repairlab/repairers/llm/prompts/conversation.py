"""The conversation (Defects4C appendix B, after ChatRepair): candidates one by one, each made from how the ones before it failed.

All it knows of validation is the feedback in the history, so a stopped run goes on where it was.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from repairlab.core.candidate import Attempt, Candidate, Edit
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.problem import Problem
from repairlab.core.prompt import Prompt
from repairlab.repairers.llm.client.model import Unanswerable
from repairlab.repairers.llm.client.window import shorter
from repairlab.repairers.llm.drafts import CUT_OFF, AttemptNumber, drafted, refused
from repairlab.repairers.llm.prompts.prompter import Asked, Prompter, go_on
from repairlab.repairers.llm.prompts.templates import absent, fenced
from repairlab.repairers.llm.prompts.view import indentation

_LENGTHS = (100_000, 8_000, 2_000, 500, 120)
"""To how many characters messages of failures are cut, one after the other, until a prompt fits."""


def converse(prompter: Prompter, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
    """Yield the candidate that follows the history; none when all attempts are used or a candidate was plausible."""
    settings = prompter.settings
    if len(history) >= settings.tries or any(_is_plausible(past) for past in history):
        return
    attempt, turn = divmod(len(history), settings.turns)
    place = AttemptNumber(rank=len(history) + 1, attempt=attempt, turn=turn)
    try:
        asked = prompter.ask(problem)
        prompt = _prompt(prompter, asked, history[attempt * settings.turns :])
        # Equal prompts of different attempts and turns are different questions.
        answers = prompter.complete(asked, prompt, first=turn * settings.attempts + attempt)
        candidate = drafted(asked, prompt, answers, place, model=prompter.model.name)
    except Unanswerable as error:
        candidate = refused(problem.id, str(error), place, model=prompter.model.name, notes=prompter.notes)
    yield candidate


def _prompt(prompter: Prompter, asked: Asked, past: Sequence[Attempt]) -> Prompt:
    """Return the chat so far; messages of failures are cut first, then the oldest exchanges go."""
    answered = [item for item in past if item.candidate.problem is None or item.candidate.answer]
    prompt = asked.opening
    for first in range(max(len(answered), 1)):
        for length in _LENGTHS:
            prompt = asked.opening
            for item in answered[first:]:
                prompt = go_on(prompt, _said(asked.problem, item.candidate, length), _reply(prompter, asked, item, length))
            if prompter.window.fits(prompt):
                return prompt
    raise prompter.window.lacking(prompt)


def _said(problem: Problem, candidate: Candidate, length: int) -> str:
    """Return a candidate as the model's own answer: its function, or what it said when nothing could be read."""
    if candidate.answer is not None:
        return shorter(candidate.answer, length)
    return fenced(_fixed(problem, candidate.edits), problem.language)


def _reply(prompter: Prompter, asked: Asked, item: Attempt, length: int) -> str:
    unread, turn = item.candidate.problem, item.candidate.origin.turn + 1
    feedback = None if unread or (item.feedback or "").startswith("UNDECIDED") else item.feedback
    values: dict[str, Any] = {
        "is_cut": (unread or "").startswith(CUT_OFF),
        "unread": unread.rstrip(".") if unread else absent("unread", "the answer could be read"),
        "feedback": shorter(feedback, length) if feedback else absent("feedback", "the policy shows none"),
        "turn": turn + 1,
    }
    return prompter.template.turn(turn, {**asked.values, **values})


def _is_plausible(past: Attempt) -> bool:
    return (past.feedback or "").startswith("PLAUSIBLE")


def _fixed(problem: Problem, edits: Sequence[Edit]) -> str:
    """Return the target as edits leave it; the whole file when they replace it."""
    source, span = problem.source, problem.target.span
    mine = [edit for edit in edits if edit.path == problem.path]
    if any(edit.span is None for edit in mine):
        return mine[0].text or ""
    try:
        text = _applied(problem, mine)
        grown_before = len(_applied(problem, [edit for edit in mine if edit.span and edit.span.end <= span.start])) - len(source)
        grown_after = len(_applied(problem, [edit for edit in mine if edit.span and edit.span.start >= span.end])) - len(source)
    except UserError:  # edits that overlap: they were not applied either
        return "\n".join(edit.text or "" for edit in mine)
    end = span.end + len(text) - len(source) - grown_after
    return indentation(problem) + text[span.start + grown_before : end].replace("\r\n", "\n")


def _applied(problem: Problem, edits: Sequence[Edit]) -> str:
    return apply_edits(edits, {problem.path: problem.source}).get(problem.path) or problem.source
