"""Tasks as CSV files that raters fill in, and back: who gets which task, what a sheet shows, and what was filled in.

A sheet shows what a rater needs and no more: no system, no rank, no other ratings. The sheet of disagreements shows what was said,
without names.
"""

import csv
import io
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside
from repairlab.study.assessment.labels import disagreements, latest
from repairlab.study.assessment.ratings import CORRECTNESS, FinalLabel, Rating, RatingScheme, Ruling
from repairlab.study.assessment.store import AssessmentStore

SHOWN = ("task", "bug", "language", "title", "description", "candidate", "fix")
FILLED = ("label", "rules", "note", "seconds")
_NEEDED = ("task", "label")
_FORMULA = tuple("=+-@\t\r")
_MOST_PROBLEMS = 5
_LARGEST_CELL = 30_000
"""Characters; spreadsheets cut what is longer than 32,767."""


@record
class TaskView:
    """The task as a rater sees it."""

    task: str
    bug_id: str
    language: str
    title: str
    description: str
    candidate: str
    """The candidate as a diff against the buggy tree; empty when bugs are labelled."""
    fix: str
    """The developer's fix, likewise."""
    hints: str = ""
    """Automatic evidence, shown on request."""


def view_of(task: str, bug: Bug, *, candidate: str = "", fix: str, hints: str = "") -> TaskView:
    """Return what a rater is shown of a bug, with these diffs."""
    return TaskView(
        task=task,
        bug_id=bug.id,
        language=bug.problem.language,
        title=bug.problem.title,
        description=bug.problem.description,
        candidate=candidate,
        fix=fix,
        hints=hints,
    )


def sheet(views: Iterable[TaskView], known: Mapping[str, Rating] | None = None, *, hints: bool = False) -> str:
    """Return the sheet of a rater, with their earlier answers."""
    said = known or {}
    rows = []
    for view in views:
        mine = said.get(view.task)
        seconds = f"{mine.seconds:g}" if mine and mine.seconds else ""
        filled = (mine.label, " ".join(mine.rules), mine.note, seconds) if mine else ("", "", "", "")
        rows.append((*_shown(view), *((_cell(view.hints),) if hints else ()), *filled))
    return _csv((*SHOWN, *(("hints",) if hints else ()), *FILLED), rows)


def disagreement_sheet(labels: Iterable[FinalLabel], views: Mapping[str, TaskView]) -> str:
    """Return the sheet that settles disagreements."""
    rows = []
    for label in labels:
        said = latest(label.ratings).get(label.task, {}).values()
        words = "\n".join(" ".join(filter(None, (item.label, " ".join(item.rules), item.note))) for item in said)
        rows.append((*_shown(views[label.task]), words, "", "", ""))
    return _csv((*SHOWN, "said", "label", "rules", "note"), rows)


def read_ratings(path: Path, rater: str, tasks: Iterable[str], time: str, scheme: RatingScheme = CORRECTNESS) -> list[Rating]:
    """Read the rows of a sheet that have a label; one unreadable row refuses the whole file, with its line."""
    known = frozenset(tasks)
    rows: dict[str, Rating] = {}
    problems: list[str] = []
    for where, cells in read_csv(path, _NEEDED):
        if not cells["label"].strip():
            continue
        try:
            row = _rating(cells, rater, time, scheme)
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


def read_rulings(path: Path, judge: str, tasks: Iterable[str], time: str, scheme: RatingScheme = CORRECTNESS) -> list[Ruling]:
    """Read the rows of a sheet of disagreements that have a label."""
    return [
        Ruling(task=row.task, judge=judge, label=row.label, rules=row.rules, note=row.note, time=time)
        for row in read_ratings(path, judge, tasks, time, scheme)
    ]


def _rating(cells: Mapping[str, str], rater: str, time: str, scheme: RatingScheme) -> Rating:
    rules = scheme.rules_of(cells.get("rules", ""))
    label = scheme.label_of(cells["label"])
    scheme.check(label, rules)
    return Rating(
        task=cells["task"].strip(),
        rater=rater,
        label=label,
        rules=rules,
        note=cells.get("note", "").strip(),
        seconds=_seconds(cells.get("seconds", "")),
        time=time,
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
    """Return a text that spreadsheets take literally: no formula, and no longer than a cell may be."""
    clipped = text if len(text) <= _LARGEST_CELL else f"{text[:_LARGEST_CELL]}\n… {len(text) - _LARGEST_CELL} more characters"
    return f"'{clipped}" if clipped.startswith(_FORMULA) else clipped


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


DISAGREEMENTS = "disagreements.csv"


def draw_tasks(store: AssessmentStore, tasks: Iterable[str], raters: str, *, overlap: float, per_task: int, seed: int) -> None:
    """Deal unassigned tasks out to raters, such as ada,ben."""
    wanted = [name.strip() for name in raters.split(",") if name.strip()]
    drawn = {task for mine in store.assignments().values() for task in mine}
    rest = [task for task in tasks if task not in drawn]
    store.assign(draw(rest, wanted, overlap=overlap, per_task=min(per_task, len(wanted)) or per_task, seed=seed))


def write_sheets(
    store: AssessmentStore,
    to: Path,
    views: Mapping[str, TaskView],
    labels: Iterable[FinalLabel],
    *,
    hints: bool = False,
    scheme: RatingScheme = CORRECTNESS,
) -> list[Path]:
    """Write the sheets of raters and that of disagreements; return their paths."""
    last = latest(store.ratings())
    made: dict[str, str] = {}
    for rater, tasks in store.assignments().items():
        said = {task: by_rater[rater] for task, by_rater in last.items() if rater in by_rater}
        made[_file_name(rater)] = sheet([views[task] for task in tasks if task in views], said, hints=hints)
    if differing := disagreements(labels):
        made[DISAGREEMENTS] = disagreement_sheet(differing, views)
    to.mkdir(parents=True, exist_ok=True)
    names = [task.id for task in store.tasks()]
    for name in made:
        _require_taken(store, names, to / name, scheme)
    for name, text in made.items():
        write_aside(to / name, text)
    return [to / name for name in made]


def _require_taken(store: AssessmentStore, names: Sequence[str], path: Path, scheme: RatingScheme) -> None:
    """Refuse to overwrite a sheet that somebody filled in and that was not read yet."""
    if not path.exists():
        return
    if path.name == DISAGREEMENTS:
        known = {(item.task, item.label) for item in store.rulings()}
        new = {(item.task, item.label) for item in read_rulings(path, "", names, "", scheme)} - known
    else:
        known = {(item.task, item.label) for item in store.ratings() if item.rater == path.stem}
        new = {(item.task, item.label) for item in read_ratings(path, path.stem, names, "", scheme)} - known
    if new:
        option = "--adjudicate" if path.name == DISAGREEMENTS else "--take"
        count = "1 label that was" if len(new) == 1 else f"{len(new)} labels that were"
        raise UserError(
            f"{path} has {count} not taken yet and would be lost; take them with {option} {path}, or name another folder with --to"
        )


def _file_name(rater: str) -> str:
    if rater != Path(rater).name or rater.startswith(".") or f"{rater}.csv" == DISAGREEMENTS:
        raise UserError(f"{rater!r} is no name of a rater: their sheet is called after them, such as ada.csv")
    return f"{rater}.csv"


def draw(
    tasks: Sequence[str], raters: Sequence[str], *, overlap: float = 1.0, per_task: int = 2, seed: int = 0
) -> dict[str, list[str]]:
    """Return the tasks of each rater, in the order in which to look at them.

    A share `overlap` of the tasks goes to `per_task` raters each, all others to one. Nobody gets a task twice, and loads differ by
    one at most. The same seed gives the same; the order of tasks and raters does not matter.

    >>> draw(["a", "b", "c", "d"], ["ada", "ben"], overlap=0.5)
    {'ada': ['c', 'a', 'b'], 'ben': ['c', 'd', 'a']}
    """
    names = sorted(raters)
    if not names or len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise UserError(f"raters are {', '.join(map(repr, raters)) or 'none'}: name each of them once, such as ada,ben")
    if not 0 <= overlap <= 1:
        raise UserError(f"overlap is {overlap:g}: it is the share of tasks that several raters get, from 0 to 1")
    if not 1 <= per_task <= len(names):
        raise UserError(f"each task should go to {per_task} raters, but there are {len(names)}")
    chance = random.Random(seed)
    drawn = sorted(tasks)
    chance.shuffle(drawn)
    n_shared = round(overlap * len(drawn))
    order = list(names)
    chance.shuffle(order)
    dealt: dict[str, list[str]] = {name: [] for name in names}
    turn = 0
    for place, task in enumerate(drawn):
        for _ in range(per_task if place < n_shared else 1):
            dealt[order[turn % len(order)]].append(task)
            turn += 1
    for mine in dealt.values():
        chance.shuffle(mine)  # shared tasks must not cluster at the beginning
    return dealt
