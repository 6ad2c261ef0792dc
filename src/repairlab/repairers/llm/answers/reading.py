"""What was asked for, what was read from a model's answer, and every reason why an answer gives no edit."""

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
    """Infill: the part of the source file that the mask stands for."""
    given: str = ""
    """Completion: the beginning of the target that the prompt ended with."""


@record
class Reading:
    """The edits that an answer proposes, or why there are none."""

    edits: tuple[Edit, ...] = ()
    problem: str | None = None


EMPTY = "the answer is empty"
TOO_LONG = "the answer is too long"
CUT = "the answer was cut"
REFUSED = "the model refuses"
NO_BUG = "the model sees no bug"
NO_CODE = "no code in the answer"
NO_FUNCTION = "the function is not in the answer"
NO_PLACE = "the answer changes no file of the project"
LEFT_OUT = "the answer leaves code out"
NO_SEARCH_TEXT = "the search text is empty"
SEARCH_NOT_FOUND = "the search text is not in the file"
AMBIGUOUS_SEARCH = "the search text is in the file more than once"
DIFF_DOES_NOT_FIT = "the diff does not fit the file"
AMBIGUOUS_DIFF = "the diff fits the file at more than one place"

REASONS = (
    EMPTY,
    TOO_LONG,
    CUT,
    REFUSED,
    NO_BUG,
    NO_CODE,
    NO_FUNCTION,
    NO_PLACE,
    LEFT_OUT,
    NO_SEARCH_TEXT,
    SEARCH_NOT_FOUND,
    AMBIGUOUS_SEARCH,
    DIFF_DOES_NOT_FIT,
    AMBIGUOUS_DIFF,
)
