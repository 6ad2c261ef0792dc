"""A repairer with settings: it replaces one text by another, place by place."""

from collections.abc import Iterator
from typing import Annotated

from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.errors import UserError
from repairlab.core.option import Option
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Span


@record
class SwapSettings:
    """The settings of the swapper."""

    swaps: Annotated[tuple[str, ...], Option("OLD=NEW: replace OLD by NEW; repeatable.", flag="--swap")] = (
        "-=+",
        "+=-",
    )
    backwards: Annotated[bool, "Begin at the end of the target."] = False

    def check(self) -> None:
        """Refuse malformed swaps."""
        for swap in self.swaps:
            if not swap.partition("=")[0] or "=" not in swap:
                raise UserError(f"--swap is {swap!r}: write OLD=NEW")


class Swapper:
    """Swaps one text of the target for another, place by place."""

    name = "swapper"
    Settings = SwapSettings

    def __init__(self, settings: SwapSettings) -> None:
        self._settings = settings

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield one candidate for each place of each swap."""
        start = problem.target.span.start
        edits = []
        for swap in self._settings.swaps:
            old, _, new = swap.partition("=")
            place = problem.target.text.find(old)
            while place >= 0:
                edits.append(Edit(path=problem.path, text=new, span=Span(start=start + place, end=start + place + len(old))))
                place = problem.target.text.find(old, place + 1)
        edits.sort(key=lambda edit: edit.span.start if edit.span else 0, reverse=self._settings.backwards)
        for rank, edit in list(enumerate(edits, start=1))[len(history) :]:
            yield Candidate(bug_id=problem.id, edits=(edit,), rank=rank, origin=Origin(repairer=self.name))
