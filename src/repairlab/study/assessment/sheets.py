"""Tasks as a CSV file that a rater fills in, and back.

A sheet shows what a rater needs and no more: no system, no rank, no rating of somebody else. The sheet of disagreements, for
whoever settles them, shows what was said, without names.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv
from repairlab.core.record import record
from repairlab.study.assessment.adjudication import latest
from repairlab.study.assessment.records import FinalLabel, Rating, Ruling
from repairlab.study.assessment.scheme import CORRECTNESS, RatingScheme

SHOWN = ("task", "bug", "language", "title", "description", "candidate", "fix")
FILLED = ("label", "rules", "note", "seconds")
_NEEDED = ("task", "label")
_FORMULA = tuple("=+-@\t\r")
_MOST_PROBLEMS = 5
_LARGEST_CELL = 30_000
"""Characters; spreadsheets cut what is longer than 32,767."""


@record
class TaskView:
    """What a rater is shown of a task."""

    task: str
    bug_id: str
    language: str
    title: str
    description: str
    candidate: str
    """The candidate as a diff against the buggy tree; nothing where bugs are labelled."""
    fix: str
    """The developer's fix, likewise."""
    hints: str = ""
    """What was found out without people; shown where that is asked for."""


@record
class FilledRow:
    """One row of a sheet that somebody filled in."""

    task: str
    label: str
    rules: tuple[str, ...]
    note: str
    seconds: float


def sheet(views: Iterable[TaskView], known: Mapping[str, Rating] | None = None, *, hints: bool = False) -> str:
    """Return the sheet of a rater; what they said before stands in it."""
    said = known or {}
    rows = []
    for view in views:
        mine = said.get(view.task)
        seconds = f"{mine.seconds:g}" if mine and mine.seconds else ""
        filled = (mine.label, " ".join(mine.rules), mine.note, seconds) if mine else ("", "", "", "")
        rows.append((*_shown(view), *((_cell(view.hints),) if hints else ()), *filled))
    return _csv((*SHOWN, *(("hints",) if hints else ()), *FILLED), rows)


def disagreement_sheet(labels: Iterable[FinalLabel], views: Mapping[str, TaskView]) -> str:
    """Return the sheet for whoever settles disagreements."""
    rows = []
    for label in labels:
        said = latest(label.ratings).get(label.task, {}).values()
        words = "\n".join(" ".join(filter(None, (item.label, " ".join(item.rules), item.note))) for item in said)
        rows.append((*_shown(views[label.task]), words, "", "", ""))
    return _csv((*SHOWN, "said", "label", "rules", "note"), rows)


def read_ratings(path: Path, rater: str, tasks: Iterable[str], time: str, scheme: RatingScheme = CORRECTNESS) -> list[Rating]:
    """Read the rows of a sheet that have a label; a row that cannot be understood refuses the whole file, with its line."""
    return [
        Rating(task=row.task, rater=rater, label=row.label, rules=row.rules, note=row.note, seconds=row.seconds, time=time)
        for row in _filled(path, tasks, scheme)
    ]


def read_rulings(path: Path, judge: str, tasks: Iterable[str], time: str, scheme: RatingScheme = CORRECTNESS) -> list[Ruling]:
    """Read the rows of a sheet of disagreements that have a label."""
    return [
        Ruling(task=row.task, judge=judge, label=row.label, rules=row.rules, note=row.note, time=time)
        for row in _filled(path, tasks, scheme)
    ]


def _filled(path: Path, tasks: Iterable[str], scheme: RatingScheme) -> list[FilledRow]:
    known = frozenset(tasks)
    rows: dict[str, FilledRow] = {}
    problems: list[str] = []
    for where, cells in read_csv(path, _NEEDED):
        if not cells["label"].strip():
            continue
        try:
            row = _row(cells, scheme)
            if row.task not in known:
                raise UserError(f"task {row.task!r} is none of this run; was the sheet made of another one?")
            if rows.setdefault(row.task, row) != row:
                raise UserError(f"task {row.task!r} has two rows that differ")
        except UserError as error:
            problems.append(f"{where}: {error}")
    if problems:
        more = f"\n… and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise UserError("\n".join(problems[:_MOST_PROBLEMS]) + more + "\nNothing of the sheet was taken; mend it and give it again")
    return list(rows.values())


def _row(cells: Mapping[str, str], scheme: RatingScheme) -> FilledRow:
    rules = scheme.rules_of(cells.get("rules", ""))
    label = scheme.label_of(cells["label"])
    scheme.check(label, rules)
    return FilledRow(
        task=cells["task"].strip(),
        label=label,
        rules=rules,
        note=cells.get("note", "").strip(),
        seconds=_seconds(cells.get("seconds", "")),
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text.strip().replace(",", ".") or 0)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < float("inf"):
        raise UserError(f"seconds is {text!r}: write a number, or nothing")
    return seconds


def _shown(view: TaskView) -> tuple[str, ...]:
    candidate = f"candidate\n{view.candidate}" if view.candidate else ""
    told = (view.bug_id, view.language, view.title, view.description, candidate, f"fix\n{view.fix}")
    return (view.task, *map(_cell, told))


def _cell(text: str) -> str:
    """Return a text that spreadsheets take as it is: no formula, and no longer than a cell may be."""
    clipped = text if len(text) <= _LARGEST_CELL else f"{text[:_LARGEST_CELL]}\n… {len(text) - _LARGEST_CELL} more characters"
    return f"'{clipped}" if clipped.startswith(_FORMULA) else clipped


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
