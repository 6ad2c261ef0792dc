"""Makes candidates of a model's answers."""

import functools
from collections.abc import Sequence

from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.cost import total_cost
from repairlab.core.prompt import Prompt
from repairlab.core.record import digest, record
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.client.model import Completion
from repairlab.repairers.llm.prompts.prompter import Asked

NAME = "llm"
"""The repairer's name in reports."""
CUT_OFF = "the answer was cut off"
"""How the problem of an answer begins that met the limit of its length."""

_read = functools.lru_cache(maxsize=1024)(read)
"""Models repeat themselves, and reading takes longer than asking a fast one."""


@record
class AttemptNumber:
    """Where a candidate stands among those of its bug."""

    rank: int
    attempt: int = 0
    turn: int = 0


def drafted(asked: Asked, prompt: Prompt, answers: Sequence[Completion], place: AttemptNumber, *, model: str) -> Candidate:
    """Return the candidate of the last of a chain's answers; what could not be read is kept as it came."""
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
    return Origin(
        repairer=NAME,
        model=model,
        prompt=digest(prompt),
        settings=asked.notes,
        seed=asked.sampling.seed,
        attempt=place.attempt,
        turn=place.turn,
        tokens_in=sum(answer.tokens_in for answer in answers),
        tokens_out=sum(answer.tokens_out for answer in answers),
        cost_usd=total_cost(answer.cost_usd for answer in answers),
        logprob=answers[-1].logprob,
        answer=digest(answers[-1].text),
    )
