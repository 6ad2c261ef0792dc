"""The repairer `llm`: asks a model for fixes, answer by answer or in conversation, and makes candidates of its answers.

All that a conversation knows of validation is the feedback in the history, so a stopped run resumes where it was.
"""

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from repairlab.core.amounts import total_cost
from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.model import Prompt
from repairlab.core.problem import Problem
from repairlab.core.record import digest, record
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.client.model import ChatModel, Completion, Embedder, Unanswerable, shorter
from repairlab.repairers.llm.prompts.prompter import Asked, Prompter, go_on
from repairlab.repairers.llm.prompts.strategies import Question, narrowing
from repairlab.repairers.llm.prompts.templates import absent, fenced, indentation
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings
from repairlab.repairers.repairer import Example

NAME = "llm"
"""The repairer's name in reports."""
CUT_OFF = "the answer was cut off"
"""How the problem of an answer begins that reached its length limit."""

_read = functools.lru_cache(maxsize=1024)(read)
"""Models repeat themselves, and reading takes longer than asking a fast one."""


@record
class AttemptNumber:
    """A candidate's position among those of its bug."""

    rank: int
    attempt: int = 0
    turn: int = 0


def drafted(asked: Asked, prompt: Prompt, answers: Sequence[Completion], place: AttemptNumber, *, model: str) -> Candidate:
    """Return the candidate of the last answer of a chain; unreadable answers are kept as they came."""
    answer = answers[-1]
    edits: tuple[Edit, ...] = ()
    problem: str | None = "the server withheld the answer"
    if answer.finish != "filtered":
        reading = _read(answer.text, asked.problem, asked.question.wanted)
        edits, problem = reading.edits, reading.problem
        if problem is not None and answer.finish == "length":
            problem = f"{CUT_OFF} after {asked.sampling.max_tokens} tokens: {problem}"
    return Candidate(
        bug_id=asked.problem.id,
        edits=edits if problem is None else (),
        rank=place.rank,
        origin=_origin(asked, prompt, answers, place, model),
        problem=problem,
        answer=None if problem is None else answer.text,
    )


def refused(bug_id: str, reason: str, place: AttemptNumber, *, model: str, notes: tuple[tuple[str, str], ...]) -> Candidate:
    """Return the candidate for a prompt that the model cannot answer."""
    origin = Origin(repairer=NAME, model=model, settings=notes, attempt=place.attempt, turn=place.turn)
    return Candidate(bug_id=bug_id, edits=(), rank=place.rank, origin=origin, problem=reason)


def _origin(asked: Asked, prompt: Prompt, answers: Sequence[Completion], place: AttemptNumber, model: str) -> Origin:
    thinking = answers[-1].thinking
    return Origin(
        repairer=NAME,
        model=model,
        prompt=digest(prompt),
        settings=(*asked.notes, *((("thinking", digest(thinking)),) if thinking else ())),
        seed=asked.sampling.seed,
        attempt=place.attempt,
        turn=place.turn,
        tokens_in=sum(answer.tokens_in for answer in answers),
        tokens_out=sum(answer.tokens_out for answer in answers),
        cost_usd=total_cost(answer.cost_usd for answer in answers),
        logprob=answers[-1].logprob,
        answer=digest(answers[-1].text),
    )


AT_ONCE = 32
"""Answers requested together: enough to share the cost of a prompt, few enough that candidates arrive meanwhile."""


class Llm:
    """Proposes what a language model answers."""

    name = NAME

    def __init__(
        self,
        settings: LlmSettings,
        model: ChatModel,
        *,
        n: int,
        seed: int,
        examples: Sequence[Example] = (),
        embedder: Embedder | None = None,
        at_once: int = AT_ONCE,
    ) -> None:
        """Propose `n` candidates per bug (a conversation: attempts × turns); `examples` may hold the bug itself: it is passed over.

        `at_once` answers are asked for together: 1 where each may be the last that is wanted. Raises UserError for an unknown
        strategy or a prompt file that does not work.
        """
        self._prompter = Prompter(settings, model, seed=seed, examples=examples, embedder=embedder)
        self._n, self._at_once = n, at_once

    def needs(self, problem: Problem) -> str | None:
        """Return why the strategy or the prompt file cannot ask about this problem; None if it can. Asks nothing."""
        return self._prompter.needs(problem)

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield one candidate per answer as answers come; in a conversation, the one that follows the history.

        What the model cannot answer makes candidates without edits. Raises Unreachable or OverBudget when nothing can be asked now.
        """
        if self._prompter.strategy.name == CONVERSATION:
            yield from converse(self._prompter, problem, history)
        elif not history:
            yield from self._draw(problem)

    def _draw(self, problem: Problem) -> Iterator[Candidate]:
        first = 0
        try:
            asked = self._prompter.ask(problem)
            while first < self._n:
                answers = self._prompter.complete(asked, asked.opening, first=first, n=min(self._at_once, self._n - first))
                for answer in answers:
                    yield self._chain(asked, first, answer)
                    first += 1
        except Unanswerable as error:
            for number in range(first, self._n):
                yield self._refused(problem, str(error), number)

    def _chain(self, asked: Asked, number: int, answer: Completion) -> Candidate:
        """Ask the further turns of one chain, in which all answers have the same number, and return its result."""
        if narrowing(self._prompter.strategy):
            return self._narrowed(asked, number, answer)
        template, prompt, answers = self._prompter.template, asked.opening, [answer]
        for turn in range(1, template.n_turns):
            if answers[-1].finish == "filtered":
                break
            prompt = go_on(prompt, answers[-1].text, template.turn(turn, asked.values))
            try:
                answers += self._prompter.complete(asked, prompt, first=number)
            except Unanswerable as error:
                return self._refused(asked.problem, f"turn {turn + 1}: {error}", number)
        place = AttemptNumber(rank=number + 1, turn=len(answers) - 1)
        return drafted(asked, prompt, answers, place, model=self._prompter.model.name)

    def _narrowed(self, asked: Asked, number: int, answer: Completion) -> Candidate:
        """Ask about what each answer makes of the problem, and return what the last one proposes."""
        narrow, answers, model = narrowing(self._prompter.strategy), [answer], self._prompter.model.name
        assert narrow
        for step in range(1, self._prompter.template.n_turns):
            place = AttemptNumber(rank=number + 1, turn=step - 1)
            try:
                asked = self._prompter.ask_step(narrow(asked.problem, answers[-1].text, step), step)
                answers += self._prompter.complete(asked, asked.opening, first=number)
            except Unanswerable as error:
                origin = _origin(asked, asked.opening, answers, place, model)
                said = answers[-1].text
                return Candidate(bug_id=asked.problem.id, edits=(), rank=place.rank, origin=origin, problem=str(error), answer=said)
        return drafted(asked, asked.opening, answers, AttemptNumber(rank=number + 1, turn=len(answers) - 1), model=model)

    def _refused(self, problem: Problem, reason: str, number: int) -> Candidate:
        place = AttemptNumber(rank=number + 1)
        return refused(problem.id, reason, place, model=self._prompter.model.name, notes=self._prompter.notes)


_LENGTHS = (100_000, 8_000, 2_000, 500, 120)
"""Lengths in characters to which failure messages are cut, in turn, until a prompt fits."""


def converse(prompter: Prompter, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
    """Yield the candidate that follows the history; None if all attempts are used or a candidate was plausible."""
    settings = prompter.settings
    if len(history) >= settings.tries or any(_is_plausible(past) for past in history):
        return
    attempt, turn = divmod(len(history), settings.turns)
    place = AttemptNumber(rank=len(history) + 1, attempt=attempt, turn=turn)
    try:
        asked, prompt = _turn(prompter, problem, history[attempt * settings.turns :])
        # Equal prompts of different attempts and turns are different questions.
        answers = prompter.complete(asked, prompt, first=turn * settings.attempts + attempt)
        candidate = drafted(asked, prompt, answers, place, model=prompter.model.name)
    except Unanswerable as error:
        candidate = refused(problem.id, str(error), place, model=prompter.model.name, notes=prompter.notes)
    yield candidate


def _turn(prompter: Prompter, problem: Problem, past: Sequence[Attempt]) -> tuple[Asked, Prompt]:
    """Return what to ask after the candidates of an attempt, and how its answer is read."""
    read = [item for item in past if item.candidate.problem is None]
    if prompter.settings.follow_up == "replace":
        asked = _ask_about(prompter, problem, read[-1]) if read else prompter.ask(problem)
        return asked, asked.opening
    asked = prompter.ask(problem)
    prompt = _prompt(prompter, asked, past)
    # Later turns ask for the whole function, however an attempt was opened.
    return (dataclasses.replace(asked, question=Question()) if past else asked), prompt


def _ask_about(prompter: Prompter, problem: Problem, latest: Attempt) -> Asked:
    """Ask about the function as the latest candidate leaves it, with its own message (Defects4C appendix B: F_n and M_n)."""
    code, told = _fixed(problem, latest.candidate.edits), _told(latest)
    for length in _LENGTHS:
        asked = prompter.ask_anew(problem, code=code, **({"error": shorter(told, length)} if told else {}))
        if prompter.window.fits(asked.opening):
            return asked
    raise prompter.window.lacking(asked.opening)


def _told(item: Attempt) -> str | None:
    """Return how a candidate failed, as far as the policy shows it; our own failures are not the candidate's."""
    return None if (item.feedback or "").startswith("UNDECIDED") else item.feedback


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
    feedback = None if unread else _told(item)
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
