"""labels.json in a run folder: what holds of its plausible candidates in the end. `assess` writes, `report.correctness` reads it.

It stands beside the files of the run, as rankings do; the seal is over the run's own files and stays as it is.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import SCHEMA_VERSION, digest, record, to_data
from repairlab.core.storage.encoding import decode, write_aside
from repairlab.runs.store import Store
from repairlab.study.assessment.records import AssessmentTask, FinalLabel, as_label

FILE = "labels.json"


@record
class LabelFile:
    """The final labels of a run."""

    run: str
    """Id of the run."""
    candidates: dict[str, str]
    """The task of each plausible candidate, by the candidate's id."""
    labels: tuple[FinalLabel, ...]
    """One for each task, with its history."""

    def by_candidate(self) -> dict[str, str | None]:
        """Return the label of each plausible candidate; none while it is open."""
        known: Mapping[str, str | None] = {label.task: label.label for label in self.labels}
        return {candidate: known.get(task) for candidate, task in self.candidates.items()}

    @property
    def digest(self) -> str:
        """Return the hash of what was decided, for signatures; who said what does not change it."""
        return digest(sorted((candidate, label or "") for candidate, label in self.by_candidate().items()))


def write_labels(folder: Path, tasks: Sequence[AssessmentTask], labels: Sequence[FinalLabel]) -> LabelFile:
    """Write the final labels of a run."""
    made = LabelFile(
        run=Store(folder).manifest().id, candidates={task.candidate_id: task.id for task in tasks}, labels=tuple(labels)
    )
    text = json.dumps({"schema": SCHEMA_VERSION, **to_data(made)}, indent=2, ensure_ascii=False) + "\n"
    try:
        write_aside(folder / FILE, text)
    except OSError as error:
        raise UserError(f"cannot write {folder / FILE}: {error.strerror}") from None
    return made


def read_labels(folder: Path) -> LabelFile | None:
    """Return the final labels of a run; none when it was not assessed."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        made = decode(LabelFile, json.loads(path.read_text(encoding="utf-8")), path.name)
    except ValueError:
        raise UserError(f"{path} is not valid JSON; write it again with: repairlab assess {folder}") from None
    for label in filter(None, (item.label for item in made.labels)):
        as_label(label)
    if made.run != Store(folder).manifest().id:
        raise UserError(f"{path} is of another run; write it again with: repairlab assess {folder}")
    return made
