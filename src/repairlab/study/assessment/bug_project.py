"""A project in which people label bugs by a taxonomy: what is asked, tasks and answers."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.benchmarks.labels_file import FoundLabel
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.record import SCHEMA_VERSION, digest, record, to_data
from repairlab.core.storage.encoding import decode, write_aside
from repairlab.study.assessment.evidence import programs_of
from repairlab.study.assessment.labels import final_labels, latest
from repairlab.study.assessment.ratings import AssessmentTask, FinalLabel, RatingScheme
from repairlab.study.assessment.sheets import TaskView, view_of
from repairlab.study.assessment.store import AssessmentStore

FILE = "labelling.json"


@record
class BugProject:
    """The question and the bugs."""

    benchmark: str
    """As it was named."""
    digest: str
    """Of the benchmark."""
    scheme: RatingScheme


def is_project(folder: Path) -> bool:
    """Return whether a folder holds such a project."""
    return (folder / FILE).is_file()


def begin_project(folder: Path, project: BugProject) -> None:
    """Write a project to a folder; an existing one must ask the same."""
    if is_project(folder):
        there = read_project(folder)
        if (there.digest, there.scheme) != (project.digest, project.scheme):
            raise UserError(
                f"{folder} asks about {there.benchmark} ({there.digest}) by {there.scheme.name}, which is not what is asked now; "
                "name another folder with --to"
            )
        return
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty and not a labelling project; name a new folder with --to")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_aside(folder / FILE, json.dumps({"schema": SCHEMA_VERSION, **to_data(project)}, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"cannot write {folder}: {error.strerror}; name another folder with --to") from None


def read_project(folder: Path) -> BugProject:
    """Read what a project asks."""
    path = folder / FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read ({error}); create it again with: repairlab label BENCHMARK --taxonomy FILE"
        ) from None
    return decode(BugProject, data if isinstance(data, dict) else None, str(path))


def tasks_of(benchmark: Benchmark, bugs: Iterable[str]) -> list[AssessmentTask]:
    """Return a task for each bug."""
    return [
        AssessmentTask(id=digest("bug", benchmark.digest, bug), run=benchmark.digest, bug_id=bug, candidate_id=bug) for bug in bugs
    ]


def view_of_bug(task: str, bug: Bug) -> TaskView:
    """Return what a rater is shown of a bug to label."""
    programs = programs_of(bug, bug.fix)
    return view_of(task, bug, fix=programs.diff(programs.fixed))


def project_labels(store: AssessmentStore) -> list[FinalLabel]:
    """Return the decision on each task."""
    return final_labels([task.id for task in store.tasks()], store.ratings(), store.rulings())


def as_found(project: BugProject, tasks: Sequence[AssessmentTask], labels: Iterable[FinalLabel]) -> list[FoundLabel]:
    """Return what people said of bugs, in the form of rules: settled answers are labels, all others suggestions."""
    bugs = {task.id: task.bug_id for task in tasks}
    found = []
    for label in labels:
        said = latest(label.ratings).get(label.task, {})
        values = (label.label,) if label.label else tuple(sorted({rating.label for rating in said.values()}))
        if values:
            notes = "; ".join(filter(None, (rating.note for rating in said.values())))
            found.append(
                FoundLabel(
                    bug=bugs[label.task],
                    rule=project.scheme.name,
                    values=values,
                    is_suggested=label.label is None,
                    by="people",
                    evidence=f"{label.source}, {len(said)} of them{f': {notes}' if notes else ''}",
                )
            )
    return found
