"""The repairer `command`: an external program repairs a workspace, or prints diffs."""

import dataclasses
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Protocol

from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.diff import edits_of_patch
from repairlab.core.errors import UserError
from repairlab.core.model import Message, Prompt
from repairlab.core.problem import Problem
from repairlab.core.record import digest, record
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.repairer import TranscriptKeeper

NAME = "command"
"""The repairer's name in reports."""


@record
class Usage:
    """What one start requested from the model."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """None if the model's price is unknown."""


@record
class Started:
    """The result of one start of the program."""

    ended: str
    """How it ended, in words."""
    seconds: float
    edits: tuple[Edit, ...] = ()
    """What it changed in the workspace."""
    left_out: tuple[str, ...] = ()
    """Other changes, and why they are not part of the candidate."""
    printed: str = ""
    log: str = ""
    """All its output."""
    usage: Usage = Usage()
    trajectory: str = ""
    """What it and its model said to each other, as JSON; empty if it asked nothing."""


class Workspaces(Protocol):
    """Fresh workspaces of one bug, one for each start."""

    def start(self, problem: Problem, number: int) -> tuple[str, Started]:
        """Start the program in a new workspace and wait for its end; return what it was told of the bug, and the result."""
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
        keep: TranscriptKeeper = lambda prompt, *answers: None,  # noqa: ARG005
    ) -> None:
        """Take what starts the program, and what an earlier start of the run stored: programs are not started again for that.

        `keep` gets what the program was told, what it said, and what it and its model said to each other.
        """
        self._settings, self._workspaces, self._n, self._keep = settings, workspaces, n, keep
        self._earlier = earlier

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield candidates in the order of the starts; a start without a change makes one without edits, with the reason."""
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
        self._keep(prompt, *filter(None, (log, started.trajectory)))
        origin = self._origin(started, number, prompt=digest(prompt), answer=digest(log))
        if self._settings.source == "workspace":
            problem_text = None if started.edits else f"the program changed nothing that counts ({started.ended})"
            return [Candidate(bug_id=problem.id, edits=started.edits, rank=1, origin=origin, problem=problem_text)]
        diffs = printed_diffs(started.printed)
        if not diffs:
            reason = f"the program printed no unified diff ({started.ended})"
            return [Candidate(bug_id=problem.id, edits=(), rank=1, origin=origin, problem=reason)]
        free = dataclasses.replace(origin, tokens_in=0, tokens_out=0, cost_usd=0.0)  # each start's cost is counted once
        return [_of_diff(problem, diff, free if place else origin) for place, diff in enumerate(diffs)]

    def _origin(self, started: Started, number: int, *, prompt: str, answer: str) -> Origin:
        usage = started.usage
        facts = {"ended": started.ended, "seconds": f"{started.seconds:.1f}"}
        if self._settings.preset:
            facts["preset"] = self._settings.preset
        if self._settings.model:
            facts["requests"] = str(usage.requests)
        if started.trajectory:
            facts["trajectory"] = digest(started.trajectory)
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
        return Candidate(bug_id=problem.id, edits=edits_of_patch(diff, problem.files), rank=1, origin=origin)
    except UserError as error:
        return Candidate(bug_id=problem.id, edits=(), rank=1, origin=origin, problem=str(error), answer=diff)


def _log(settings: CommandSettings, started: Started) -> str:
    left_out = "".join(f"left out: {item}\n" for item in started.left_out)
    said = started.log if started.log.endswith("\n") or not started.log else f"{started.log}\n"
    return f"$ {settings.command}\n{said}{left_out}{started.ended}\n"


def issue_text(problem: Problem, tests: tuple[str, ...] = ()) -> str:
    """Return the bug as the policy shows it: title, description, place, error and, if tests are shown, their names."""
    parts = [f"# {problem.title}" if problem.title else "# A bug", problem.description, _place(problem)]
    if problem.submission_verdict is not None:
        parts.append(f"A judge said of this program: {problem.submission_verdict.value}.")
    if problem.error is not None:
        parts.append("A test fails:\n\n" + textwrap.indent(problem.error.strip("\n"), "    "))
    if tests:
        parts.append("Tests that fail:\n\n" + "\n".join(f"- {name}" for name in tests))
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def environment_variables(problem: Problem) -> dict[str, str]:
    """Return the same for programs: language and, if shown, file, function and lines."""
    found = {"REPAIRLAB_LANGUAGE": problem.language}
    if problem.path:
        found["REPAIRLAB_FILE"] = problem.path
    if problem.target.name is not None:
        found["REPAIRLAB_FUNCTION"] = problem.target.name
    if problem.location:
        found["REPAIRLAB_LINES"] = " ".join(f"{lines.path}:{lines.first}-{lines.last}" for lines in problem.location)
    return found


def _place(problem: Problem) -> str:
    if not problem.path:
        return "Where the bug is, is for you to find out."
    function = f", in `{problem.target.name}`" if problem.target.name is not None else ""
    said = f"The bug is in the file `{problem.path}`{function}."
    if problem.location:
        spans = ", ".join(
            f"{lines.path} {f'line {lines.first}' if lines.first == lines.last else f'lines {lines.first} to {lines.last}'}"
            if lines.last >= lines.first
            else f"{lines.path} before line {lines.first}"
            for lines in problem.location
        )
        said += f" What is to be changed: {spans}."
    return said


ROOTS = ("/work/", "/tree/", "./")
"""How a tool may write the folder that it runs in, before a path."""

_HUNK = re.compile(r"^@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@", re.ASCII)
_HEADINGS = ("diff ", "index ", "Index: ", "====", "new file mode ", "deleted file mode ", "old mode ", "new mode ")


def printed_diffs(text: str) -> list[str]:
    r"""Return the diffs in a text, one of several files as one; a second diff of the same file, or other text, begins a new one.

    >>> one, two = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y", "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y"
    >>> [diff.count("@@ -") for diff in printed_diffs(f"{one}\n{two}\npatch 2:\n{one}\n{one}\n")]
    [2, 1, 1]
    """
    lines = text.replace("\r\n", "\n").split("\n")
    diffs: list[str] = []
    part: list[str] = []
    files: set[str] = set()

    def close() -> None:
        if part:
            diffs.append("\n".join(part) + "\n")
        part.clear()
        files.clear()

    at = 0
    while at < len(lines):
        if _is_header(lines, at):
            name = lines[at + 1] if "/dev/null" not in lines[at + 1] else lines[at]
            if name in files:
                close()
            files.add(name)
            end = _end_of_hunks(lines, at + 2)
            part += [_relative(lines[at]), _relative(lines[at + 1]), *lines[at + 2 : end]]
            at = end
        else:
            if not lines[at].startswith(_HEADINGS):
                close()
            at += 1
    close()
    return diffs


def _is_header(lines: list[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _end_of_hunks(lines: list[str], at: int) -> int:
    while at < len(lines) and (hunk := _HUNK.match(lines[at])):
        old, new = (1 if count is None else int(count) for count in hunk.groups())
        at += 1
        while at < len(lines) and (old > 0 or new > 0) and (lines[at] or " ")[0] in " -+\\":
            mark = (lines[at] or " ")[0]
            old -= mark in " -"
            new -= mark in " +"
            at += 1
        while at < len(lines) and lines[at].startswith("\\"):
            at += 1
    return at


def _relative(header: str) -> str:
    """Return a header line whose path begins in the tree."""
    mark, path = header[:4], header[4:]
    side = path[:2] if path.startswith(("a/", "b/")) else ""
    rest = path.removeprefix(side)
    root = next((root for root in ROOTS if rest.startswith(root)), "")
    return f"{mark}{side}{rest.removeprefix(root)}"
