"""Sheets of raters as files: drawn, written, and not written over before they were taken."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.storage.encoding import write_aside
from repairlab.study.assessment.adjudication import disagreements, latest
from repairlab.study.assessment.records import FinalLabel
from repairlab.study.assessment.scheme import CORRECTNESS, RatingScheme
from repairlab.study.assessment.sheets import TaskView, disagreement_sheet, read_ratings, read_rulings, sheet
from repairlab.study.assessment.store import AssessmentStore
from repairlab.study.assessment.task_assignment import draw

DISAGREEMENTS = "disagreements.csv"


def draw_tasks(store: AssessmentStore, tasks: Iterable[str], raters: str, *, overlap: float, per_task: int, seed: int) -> None:
    """Deal tasks that nobody has yet out to raters, such as ada,ben."""
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
    """Refuse to write over a sheet that somebody filled in and that was not taken yet."""
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
