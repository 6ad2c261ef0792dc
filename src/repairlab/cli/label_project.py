"""`repairlab label --taxonomy`: people label bugs, in the browser or in sheets."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from repairlab.benchmarks.labels_file import LABELS_NAME, write_labels
from repairlab.cli.output import count, data, print_json, print_table, talk
from repairlab.cli.rating import show_agreement
from repairlab.core.benchmark import Benchmark
from repairlab.core.record import record, to_data
from repairlab.study.assessment.adjudication import disagreements
from repairlab.study.assessment.agreeing import rater_agreement
from repairlab.study.assessment.bug_project import (
    BugProject,
    as_found,
    begin_project,
    is_project,
    project_labels,
    read_project,
    tasks_of,
    view_of,
)
from repairlab.study.assessment.scheme import RatingScheme, read_taxonomy, scheme_of
from repairlab.study.assessment.sheet_files import draw_tasks, write_sheets
from repairlab.study.assessment.sheets import read_ratings, read_rulings
from repairlab.study.assessment.store import open_assessment
from repairlab.study.labelling.rubric import MEANINGS
from repairlab.study.labelling.rules.category import CATEGORIES

_SHEETS = "sheets"
CATEGORY = "category"
"""The one taxonomy that needs no file: that of Defects4C."""


@record
class RaterDraw:
    """Who gets tasks, and how many of them several people get."""

    raters: str | None
    overlap: float
    per_task: int
    seed: int


@record
class FilledSheets:
    """Filled sheets to take."""

    taken: tuple[Path, ...]
    settled: Path | None
    by: str


def label_by_people(
    name: str,
    benchmark: Benchmark,
    bugs: Sequence[str],
    folder: Path,
    taxonomy: str | None,
    draw: RaterDraw,
    sheets: FilledSheets,
    *,
    as_json: bool,
) -> None:
    """Begin a project or go on with it: tasks, sheets, what was said so far, and labels of what is settled."""
    scheme = read_project(folder).scheme if taxonomy is None and is_project(folder) else _scheme(taxonomy or CATEGORY)
    project = BugProject(benchmark=name, digest=benchmark.digest, scheme=scheme)
    begin_project(folder, project)
    with open_assessment(folder) as store:
        store.add_tasks(tasks_of(benchmark, bugs))
        tasks = store.tasks()
        names = [task.id for task in tasks]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        ratings = [rating for path in sheets.taken for rating in read_ratings(path, path.stem, names, now, scheme)]
        rulings = read_rulings(sheets.settled, sheets.by, names, now, scheme) if sheets.settled else []
        n_new, n_settled = store.add_ratings(ratings), store.add_rulings(rulings)
        if draw.raters is not None:
            draw_tasks(store, names, draw.raters, overlap=draw.overlap, per_task=draw.per_task, seed=draw.seed)
        final = project_labels(store)
        views = {task.id: view_of(task.id, benchmark.bug(task.bug_id)) for task in tasks}
        written = write_sheets(store, folder / _SHEETS, views, final, scheme=scheme)
        agreement = rater_agreement(store.ratings(), scheme.labels)
    found = as_found(project, tasks, final)
    write_labels(folder / LABELS_NAME, found)
    n_open = len(disagreements(final))
    if as_json:
        summary = {"benchmark": benchmark.name, "folder": str(folder), "taxonomy": scheme.name, "tasks": len(tasks)}
        more = {"labels": to_data(found), "agreement": to_data(agreement), "disagreements": n_open}
        print_json({**summary, **more, "sheets": [str(path) for path in written]})
        return
    counted = Counter(label.label for label in final if label.label)
    rows = [(label, meaning, counted[label]) for label, meaning in scheme.labels.items()]
    print_table(f"{benchmark.name} by {scheme.name}: {count(len(tasks), 'bug')}", ["label", "meaning", "bugs"], rows)
    if agreement.n_shared:
        show_agreement(agreement)
    data().print(f"{count(counted.total(), 'bug')} labelled, {count(n_open, 'disagreement')} open", markup=False)
    if sheets.taken or sheets.settled:
        talk().print(f"{count(n_new, 'new rating')}, {count(n_settled, 'new ruling')}", markup=False)
    data().print(f"Labels written to {folder / LABELS_NAME}", markup=False)
    talk().print(f"Next: repairlab view {folder}", markup=False)


def _scheme(taxonomy: str) -> RatingScheme:
    if taxonomy != CATEGORY:
        return read_taxonomy(Path(taxonomy))
    return scheme_of(CATEGORY, {name: f"{title}: {MEANINGS[name]}" for name, (title, _) in CATEGORIES.items()}, "The root cause is")
