"""Bugs whose tests let wrong candidates pass, as the assessments of runs tell."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from repairlab.building.audit import Audited, Finding
from repairlab.core.errors import UserError
from repairlab.runs.store import Store
from repairlab.study.assessment.evidence import evidence_of
from repairlab.study.assessment.labels import read_labels
from repairlab.study.assessment.store import FILE, open_assessment

_RULE, _ABOUT = "tests too weak", "no plausible candidate of the runs is wrong"


def audit_runs(folders: list[Path], benchmark: str) -> Audited:
    """Say of which bugs plausible candidates were called overfitting (fail), or differ from the fix somewhere (warn)."""
    if not folders:
        return Audited(rule=_RULE, about=_ABOUT, findings=(), skipped="no assessed run was given with --run")
    return Audited(rule=_RULE, about=_ABOUT, findings=tuple(item for folder in folders for item in _of_run(folder, benchmark)))


def _of_run(folder: Path, benchmark: str) -> Iterator[Finding]:
    manifest = Store(folder).manifest()
    if manifest.benchmark_name != benchmark:
        raise UserError(f"{folder} is a run on {manifest.benchmark_name}, not on {benchmark}")
    labels = read_labels(folder)
    if labels is None or not (folder / FILE).is_file():
        raise UserError(f"{folder} was not assessed; do so with: repairlab assess {folder}")
    with open_assessment(folder) as store:
        bugs = {task.id: task.bug_id for task in store.tasks()}
        known = evidence_of(store)
    plausible = Counter(bugs.values())
    wrong = Counter(bugs[label.task] for label in labels.labels if label.label == "overfitting")
    called_correct = {label.task for label in labels.labels if label.label == "correct"}
    doubtful = Counter(bugs[task] for task, found in known.items() if found.speaks_against and task not in called_correct)
    for bug, n in plausible.items():
        if wrong[bug]:
            evidence = f"{wrong[bug]} of {n} plausible candidates in {folder} are overfitting"
            yield Finding(rule=_RULE, level="fail", bug_id=bug, evidence=evidence)
        elif doubtful[bug]:
            evidence = f"{doubtful[bug]} of {n} plausible candidates in {folder} differ from the fix, or fail held-out tests"
            yield Finding(rule=_RULE, level="warn", bug_id=bug, evidence=evidence)
