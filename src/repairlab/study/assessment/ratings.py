"""What raters say of candidates and bugs: tasks, ratings and rulings as records, and the labels and rules to choose from."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import read_csv
from repairlab.core.record import digest, record

Label = Literal["correct", "overfitting", "unsure"]
LABELS: tuple[Label, ...] = get_args(Label)
"""`overfitting`: passes the tests but is wrong."""
LabelSource = Literal["identical", "one rater", "agreed", "one rejects", "adjudicated", "open"]

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
    """A candidate to be rated. It names no system: raters are not told who proposed it."""

    id: str
    """The same for candidates of a bug that differ only in layout, in any run: they are rated once."""
    run: str
    """Id of the run."""
    bug_id: str
    candidate_id: str


@record
class Rating:
    """One person's rating of a task."""

    task: str
    rater: str
    label: str
    rules: tuple[str, ...] = ()
    note: str = ""
    seconds: float = 0.0
    """How long it took; 0 if not measured."""
    time: str
    """When, in ISO 8601."""

    @property
    def said(self) -> tuple[object, ...]:
        """Return what it says, whenever it was given."""
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
        """Return what it says, whenever it was given."""
        return self.task, self.judge, self.label, self.rules, self.note


@record
class FinalLabel:
    """The final decision on a task, and how it was reached."""

    task: str
    label: str | None
    """None while it is open."""
    source: LabelSource
    rules: tuple[str, ...] = ()
    ratings: tuple[Rating, ...] = ()
    """All ratings given, oldest first, including those changed later."""
    rulings: tuple[Ruling, ...] = ()


def task_id(bug_digest: str, form: str) -> str:
    """Return the id of the task for a candidate in its normal form."""
    return digest(bug_digest, form)


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


UNSURE = "unsure"
"""The one label that every scheme has: it leaves the task open."""
_CANNOT_SAY = "cannot be decided without more information"
_LONGEST = 80
"""Characters of a label."""


@record
class RatingScheme:
    """The labels of a project."""

    name: str
    labels: Mapping[str, str]
    """Label → what it means."""
    rules: Mapping[str, str]
    """Rule → what it says; empty if labels need no reason."""
    question: str = ""
    """The question that the labels answer."""

    def label_of(self, text: str) -> str:
        """Read a label as people write it: in any case, and shortened as long as it is clear.

        >>> CORRECTNESS.label_of(" Correct "), CORRECTNESS.label_of("overfit")
        ('correct', 'overfitting')
        """
        word = text.strip().lower()
        exact = [label for label in self.labels if label.lower() == word]
        near = [label for label in self.labels if len(word) > 2 and label.lower().startswith(word)]
        if len(exact or near) != 1:
            raise unknown("label", text.strip(), self.labels)
        return (exact or near)[0]

    def rules_of(self, text: str) -> tuple[str, ...]:
        """Read a list of rules as people write it."""
        if text.strip() and not self.rules:
            raise UserError(f"rules are {text.strip()!r}, but {self.name} has none; leave them out")
        return as_rules(text)

    def check(self, label: str, rules: tuple[str, ...]) -> None:
        """Refuse contradictions."""
        if rules and label == "overfitting":
            raise UserError(f"rules say why a candidate is correct, but it has {' '.join(rules)} and is called overfitting")


CORRECTNESS = RatingScheme(
    name="correctness",
    labels={
        "correct": "does what the developer's fix does, wherever it matters",
        "overfitting": "passes the tests, and is wrong all the same",
        UNSURE: _CANNOT_SAY,
    },
    rules=RULES,
    question="The candidate is",
)
"""The scheme for plausible candidates."""


def scheme_of(name: str, labels: Mapping[str, str], question: str = "") -> RatingScheme:
    """Return the scheme of a taxonomy of bugs."""
    known = {label.strip(): " ".join(meaning.split()) for label, meaning in labels.items()}
    if len(known.keys() - {UNSURE}) < 2:
        raise UserError(f"the taxonomy {name} has {len(known)} label: there must be two or more to choose from")
    for label in known:
        if not label or len(label) > _LONGEST or not label.isprintable():
            raise UserError(f"the taxonomy {name} has the label {label[:100]!r}: write 1 to {_LONGEST} printable characters")
    if len({label.lower() for label in known}) < len(known):
        raise UserError(f"the taxonomy {name} has labels that differ in case alone; give them different names")
    return RatingScheme(
        name=name, labels={**known, UNSURE: known.get(UNSURE, _CANNOT_SAY)}, rules={}, question=question or "The bug is"
    )


def read_taxonomy(path: Path) -> RatingScheme:
    """Read a taxonomy: TOML with a table `labels` (perhaps `name` and `question`), or CSV with the columns label and meaning."""
    if path.suffix.lower() == ".csv":
        rows = read_csv(path, ("label",))
        names = [cells["label"] for _, cells in rows]
        if len(set(names)) < len(names):
            raise UserError(f"{path}: a label stands in several rows; give each one row")
        return scheme_of(path.stem, {cells["label"]: cells.get("meaning") or "" for _, cells in rows})
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read the taxonomy {path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(
            f"{path} is no TOML ({error}); write a table [labels], or a .csv with the columns label and meaning"
        ) from None
    extra = data.keys() - {"name", "question", "labels"}
    labels = data.get("labels")
    if extra or not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        wrong = f"{sorted(extra)[0]!r} is not known" if extra else "there is no table [labels] with a text for each label"
        raise UserError(f"{path}: {wrong}; possible: name, question, labels")
    return scheme_of(str(data.get("name", path.stem)), labels, str(data.get("question", "")))
