"""Label the bugs of a benchmark by what their fixes do: every rule on every bug. Reads, never runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from repairlab.benchmarks.labels_file import FIELDS, FoundLabel
from repairlab.core.bug import Bug, Labels
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.facts import facts
from repairlab.repairers.llm.client.model import ChatModel
from repairlab.study.labelling.actions import ACTIONS
from repairlab.study.labelling.category import CATEGORIES, ask, suggest
from repairlab.study.labelling.error_type import error_type
from repairlab.study.labelling.extent import difficulty, effort, ingredients, location, location_by_defects4c
from repairlab.study.labelling.file_change import FileChange, changes_of
from repairlab.study.labelling.patterns import patterns

Changes = tuple[FileChange, ...]
RULES = {
    "location": "line, hunk or function",
    "location-defects4c-first": "the same as the first records of Defects4C count it",
    "location-defects4c-later": "the same as its later records count it",
    "actions": "repair actions (Defects4J-dissection)",
    "patterns": "repair patterns (Defects4J-dissection)",
    "state": "error state (NPR4J)",
    "element": "error element (NPR4J)",
    "type": "one of 20 types (NPR4J)",
    "ingredients": "farthest place that the fix is taken from (NPR4J)",
    "category": "categories of Defects4C, suggested",
    "cwe": "weaknesses, suggested",
    "difficulty": "easy, medium or hard",
}
"""Rule → what it says."""


@record
class Labelled:
    """The result."""

    labels: tuple[FoundLabel, ...]
    skipped: dict[str, str]
    """Bug → why it has no labels."""


def label_bugs(
    bugs: Iterable[Bug],
    *,
    solved: Mapping[str, tuple[int, int]],
    model: ChatModel | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> Labelled:
    """Label bugs one after another; `solved` says how many of the systems that tried a bug solved it."""
    labels: list[FoundLabel] = []
    skipped: dict[str, str] = {}
    for bug in bugs:
        try:
            changes = changes_of(bug)
            code = tuple(item for change in changes if (item := change.code).before != item.after)
            if not code:
                raise UserError("its fix changes no code")
            labels += label_bug(bug, code, solved.get(bug.id))
            labels += _as_defects4c(bug, changes)
            labels += ask(model, bug.id, changes) if model else []
        except UserError as error:
            skipped[bug.id] = str(error)
        done(bug.id)
    return Labelled(labels=tuple(labels), skipped=skipped)


def label_bug(bug: Bug, changes: Changes, solved: tuple[int, int] | None) -> list[FoundLabel]:
    """Return what every rule says of one bug, by its fix without comments; rules that say nothing are left out."""
    edits = [change.edits for change in changes]
    size = effort(changes, len(bug.oracle.trigger) or len(bug.oracle.cases))
    kind = error_type(changes)
    told = f"{size.lines} lines at {size.places} places of {size.files} files, {size.trigger_tests} tests show it"
    tried = f"; {solved[0]} of {solved[1]} systems solve it" if solved else ""
    suggested = suggest(changes)
    found: dict[str, tuple[tuple[str | None, ...], str]] = {
        "location": ((location(changes),), ""),
        "actions": (tuple(name for name, holds in ACTIONS.items() if any(map(holds, edits))), ""),
        "patterns": (tuple(patterns(changes, edits)), ""),
        "state": ((kind.state if kind else None,), ""),
        "element": ((kind.element if kind else None,), ""),
        "type": ((kind.type if kind else None,), ""),
        "ingredients": ((ingredients(changes, cache(lambda: _project(bug))),), ""),
        "category": (tuple(item.category for item in suggested), "; ".join(item.evidence for item in suggested)),
        "cwe": (tuple(CATEGORIES[item.category][1] for item in suggested), ""),
        "difficulty": ((difficulty(size, solved),), told + tried),
    }
    return [
        FoundLabel(
            bug=bug.id, rule=rule, values=tuple(filter(None, values)), is_suggested=rule in ("category", "cwe"), evidence=evidence
        )
        for rule, (values, evidence) in found.items()
        if any(values)
    ]


def _as_defects4c(bug: Bug, changes: Changes) -> list[FoundLabel]:
    """Return the locations that Defects4C would give, which counts comments, too."""
    found = location_by_defects4c(changes)
    return [FoundLabel(bug=bug.id, rule=f"location-defects4c-{way}", values=(extent,)) for way, extent in found.items()]


def _project(bug: Bug) -> str:
    """Return the text of all files of the buggy tree in the bug's language, without white space."""
    stated = facts(bug.problem.language)
    endings = (*stated.extensions, *stated.headers)
    paths = [path for path in sorted(Path(bug.tree.source).rglob("*")) if path.suffix in endings and not path.is_symlink()]
    return "\n".join("".join(path.read_bytes().decode("utf-8", "replace").split()) for path in paths if path.is_file())


@record
class StatedAgreement:
    """How often a rule agrees with what bugs state themselves."""

    rule: str
    n: int
    same: int
    others: dict[str, int]
    """`stated → found`, most frequent first."""


def agreement_with_stated(labels: Mapping[str, Labels], found: Labelled) -> list[StatedAgreement]:
    """Compare findings with what bugs state; for suggestions, the first one counts."""
    made = []
    for rule in (*FIELDS, "category"):
        pairs = [
            (stated, label.values[0])
            for label in found.labels
            if label.rule == rule and label.by == "rules" and (stated := getattr(labels[label.bug], rule))
        ]
        if pairs:
            differing = Counter(f"{stated} → {value}" for stated, value in pairs if stated != value)
            same = len(pairs) - differing.total()
            made.append(StatedAgreement(rule=rule, n=len(pairs), same=same, others=dict(differing.most_common())))
    return made
