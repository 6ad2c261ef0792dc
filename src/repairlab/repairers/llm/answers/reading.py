"""What was read from a model's answer, and what kind of answer was asked for."""

from typing import Literal

from repairlab.core.candidate import Edit
from repairlab.core.record import record
from repairlab.core.text import Span

Shape = Literal["function", "infill", "completion", "edit", "file"]
"""The whole target; the text of a hole in it; its body after the signature; search/replace blocks or a diff; the whole file."""


@record
class Wanted:
    """What the prompt asked for."""

    shape: Shape = "function"
    hole: Span | None = None
    """Infill: what of the source file the mask stands for."""
    given: str = ""
    """Completion: the beginning of the target that the prompt ended with."""


@record
class Reading:
    """The edits that an answer proposes, or why there are none."""

    edits: tuple[Edit, ...] = ()
    problem: str | None = None
