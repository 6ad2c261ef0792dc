"""The repairer `command`: a program of others repairs a workspace."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.errors import UserError
from repairlab.core.problem import Problem
from repairlab.core.prompt import Message, Prompt
from repairlab.core.record import digest, record
from repairlab.repairers.command.printed import edits_of, printed_diffs
from repairlab.repairers.command.settings import CommandSettings

NAME = "command"
"""The repairer's name in reports."""


@record
class Usage:
    """What one start asked of the model."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """None when the price of the model is not known."""


@record
class Started:
    """What came of one start of the program."""

    ended: str
    """How it ended, in words."""
    seconds: float
    edits: tuple[Edit, ...] = ()
    """What it changed in the workspace."""
    left_out: tuple[str, ...] = ()
    """What it changed besides, and why that is no part of the candidate."""
    printed: str = ""
    log: str = ""
    """All that it said."""
    usage: Usage = Usage()


class Workspaces(Protocol):
    """Fresh workspaces of one bug, one for each start."""

    def start(self, problem: Problem, number: int) -> tuple[str, Started]:
        """Start the program in a new workspace and wait for its end; returns what it was told of the bug, and what came of it."""
        ...


class CommandRepairer:
    """Proposes what a program changes in its workspace, or the diffs that it prints."""

    name = NAME

    def __init__(
        self,
        settings: CommandSettings,
        workspaces: Workspaces,
        *,
        n: int,
        earlier: Sequence[Candidate] = (),
        keep: Callable[[Prompt, str], None] = lambda prompt, log: None,  # noqa: ARG005
    ) -> None:
        """Take what starts the program, and what an earlier start of the run stored: programs are not started again for that.

        `keep` gets what the program was told and what it said.
        """
        self._settings, self._workspaces, self._n, self._keep = settings, workspaces, n, keep
        self._earlier = earlier

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield candidates in the order of the starts; a start that gives none makes one without edits, which says why."""
        if history:
            return
        yield from self._earlier
        rank = len(self._earlier)
        first = self._earlier[-1].origin.attempt if self._earlier else 0
        n_known = sum(candidate.origin.attempt == first for candidate in self._earlier)
        for number in range(first, self._settings.n_calls(self._n)):
            if self._settings.source == "workspace" and number == first and n_known:
                continue
            for candidate in self._start(problem, number)[n_known if number == first else 0 :]:
                rank += 1
                yield dataclasses.replace(candidate, rank=rank)

    def _start(self, problem: Problem, number: int) -> list[Candidate]:
        told, started = self._workspaces.start(problem, number)
        prompt = Prompt(messages=(Message(role="user", content=told),))
        log = _log(self._settings, started)
        self._keep(prompt, log)
        origin = self._origin(started, number, prompt=digest(prompt), answer=digest(log))
        if self._settings.source == "workspace":
            problem_text = None if started.edits else f"the program changed nothing that counts ({started.ended})"
            return [Candidate(bug_id=problem.id, edits=started.edits, rank=1, origin=origin, problem=problem_text)]
        diffs = printed_diffs(started.printed)
        if not diffs:
            reason = f"the program printed no unified diff ({started.ended})"
            return [Candidate(bug_id=problem.id, edits=(), rank=1, origin=origin, problem=reason)]
        free = dataclasses.replace(origin, tokens_in=0, tokens_out=0, cost_usd=0.0)  # what a start cost is counted once
        return [_of_diff(problem, diff, free if place else origin) for place, diff in enumerate(diffs)]

    def _origin(self, started: Started, number: int, *, prompt: str, answer: str) -> Origin:
        usage = started.usage
        facts = {"ended": started.ended, "seconds": f"{started.seconds:.1f}"}
        if self._settings.preset:
            facts["preset"] = self._settings.preset
        if self._settings.model:
            facts["requests"] = str(usage.requests)
        if started.left_out:
            facts["left out"] = "; ".join(started.left_out)
        return Origin(
            repairer=NAME,
            model=self._settings.model,
            prompt=prompt,
            settings=tuple(facts.items()),
            attempt=number,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            cost_usd=usage.cost_usd,
            answer=answer,
        )


def _of_diff(problem: Problem, diff: str, origin: Origin) -> Candidate:
    try:
        return Candidate(bug_id=problem.id, edits=edits_of(diff, problem), rank=1, origin=origin)
    except UserError as error:
        return Candidate(bug_id=problem.id, edits=(), rank=1, origin=origin, problem=str(error), answer=diff)


def _log(settings: CommandSettings, started: Started) -> str:
    left_out = "".join(f"left out: {item}\n" for item in started.left_out)
    said = started.log if started.log.endswith("\n") or not started.log else f"{started.log}\n"
    return f"$ {settings.command}\n{said}{left_out}{started.ended}\n"
