"""What people say of plausible candidates, as plain records."""

from typing import Literal, get_args

from repairlab.core.errors import unknown
from repairlab.core.record import digest, record

Label = Literal["correct", "overfitting", "unsure"]
LABELS: tuple[Label, ...] = get_args(Label)
"""`overfitting`: passes the tests, and is wrong all the same."""
LabelSource = Literal["identical", "one rater", "agreed", "adjudicated", "open"]

RULES = {
    "R0": "Identical patch",
    "R1": "Different fields with the same value (or alias)",
    "R2": "Same exception but different messages",
    "R3": "Variable initialization with new rather than a default value",
    "R4": "If statement instead of a ternary operator, or the contrary",
    "R5": "Unrolling a method",
    "R6": "Replacing a value without a side effect",
    "R7": "Condition area equal",
    "R8": "Unnecessary code uncleaned",
    "R9": "Return earlier instead of a packaged return",
    "R10": "More null checks",
    "R11": "Additional unneeded check",
    "R12": "Partial code is not included",
    "R13": "Less accurate comparison",
    "R14": "The field but not its getter",
    "R15": "Un-actionable code but not removing them",
    "R16": "Equal value of operation expression",
    "R17": "Add cast type",
    "R18": "Rolling",
    "R19": "Default parameter",
}
"""Why a candidate may be called correct though it is not the developer's fix: Table 4 of NPR4J, after Liu et al. (ICSE 2020)."""


@record
class AssessmentTask:
    """A candidate that somebody is to look at. It names no system: who rates is not told who proposed."""

    id: str
    """The same for candidates of a bug that differ in layout alone, in whatever run: these are looked at once."""
    run: str
    """Id of the run."""
    bug_id: str
    candidate_id: str


@record
class Rating:
    """What one person says of a task."""

    task: str
    rater: str
    label: str
    rules: tuple[str, ...] = ()
    note: str = ""
    seconds: float = 0.0
    """How long it took; 0 when nobody measured."""
    time: str
    """When, in ISO 8601."""

    @property
    def said(self) -> tuple[object, ...]:
        """Return what it says, whenever it was said."""
        return self.task, self.rater, self.label, self.rules, self.note


@record
class Ruling:
    """How a disagreement was settled."""

    task: str
    judge: str
    label: str
    rules: tuple[str, ...] = ()
    note: str = ""
    time: str

    @property
    def said(self) -> tuple[object, ...]:
        """Return what it says, whenever it was said."""
        return self.task, self.judge, self.label, self.rules, self.note


@record
class FinalLabel:
    """What holds of a task in the end, and how it came to that."""

    task: str
    label: str | None
    """None while it is open."""
    source: LabelSource
    rules: tuple[str, ...] = ()
    ratings: tuple[Rating, ...] = ()
    """All that were given, the oldest first; those that were changed later, too."""
    rulings: tuple[Ruling, ...] = ()


def task_id(bug_digest: str, form: str) -> str:
    """Return the id of the task for a candidate in its normal form."""
    return digest(bug_digest, form)


def as_label(text: str) -> Label:
    """Read a label as people write it.

    >>> as_label(" Correct "), as_label("overfit")
    ('correct', 'overfitting')
    """
    word = text.strip().lower()
    for label in LABELS:
        if len(word) > 2 and label.startswith(word):
            return label
    raise unknown("label", text.strip(), LABELS)


def as_rules(text: str) -> tuple[str, ...]:
    """Read a list of rules as people write it, in the order of the rules.

    >>> as_rules("r11; R7"), as_rules("0"), as_rules("")
    (('R7', 'R11'), ('R0',), ())
    """
    words = [word.partition("-")[0] for word in text.replace(",", " ").replace(";", " ").split()]
    names = {f"R{word.upper().removeprefix('R')}" for word in words}
    for name in names - RULES.keys():
        raise unknown("rule", name, RULES)
    return tuple(name for name in RULES if name in names)
