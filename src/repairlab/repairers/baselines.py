"""Repairers that search nothing: the unchanged program, external candidates, and a fake that follows a script."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.problem import Problem


class Copy:
    """Returns the buggy target unchanged: the score that a benchmark must give to doing nothing."""

    name = "copy"
    finds_place = False

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield one candidate, equal to the buggy program."""
        if not history:
            yield _candidate(self.name, problem, [_whole_target(problem, problem.target.text)], 1)


class Prepared:
    """Hands out external candidates, such as the developer's own fix."""

    def __init__(self, name: str, candidates: Mapping[str, Sequence[Candidate]]) -> None:
        """Take the candidates by bug id, best first."""
        self.name = name
        self._candidates = candidates

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield what was prepared for this bug; nothing for an unknown bug."""
        if not history:
            yield from self._candidates.get(problem.id, ())


class ScriptedRepairer:
    """A fake for tests: a function says what the target becomes."""

    def __init__(self, script: Callable[[Problem, tuple[Attempt, ...]], list[str]], *, name: str = "scripted") -> None:
        """Take the function that turns a problem and its history into new texts of the target."""
        self.name = name
        self._script = script

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield one candidate for each text of the script; ranks continue where the history ends."""
        for rank, text in enumerate(self._script(problem, history), start=len(history) + 1):
            yield _candidate(self.name, problem, [_whole_target(problem, text)], rank)


def _whole_target(problem: Problem, text: str) -> Edit:
    return Edit(path=problem.path, text=text, span=problem.target.span)


def _candidate(name: str, problem: Problem, edits: Sequence[Edit], rank: int) -> Candidate:
    return Candidate(bug_id=problem.id, edits=tuple(edits), rank=rank, origin=Origin(repairer=name))
