"""The assessment of a run: plausible candidates become tasks, evidence is found, ratings become labels."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import read_sampled
from repairlab.runs.store import Store
from repairlab.study.assessment.evidence import Evidence, evidence_of, programs_of
from repairlab.study.assessment.labels import RaterAgreement, final_labels, rater_agreement, read_labels, write_labels
from repairlab.study.assessment.ratings import AssessmentTask, FinalLabel, task_id
from repairlab.study.assessment.sheets import TaskView, view_of
from repairlab.study.assessment.store import AssessmentStore
from repairlab.study.bugs import benchmark_of_run
from repairlab.validation.apply import normal_digest


class Assessment:
    """A run with its benchmark and what has been said of its candidates."""

    def __init__(self, folder: Path, store: AssessmentStore, *, either_rejects: bool | None = None) -> None:
        """Open a run, whose files must be intact and whose benchmark must be the one that it ran on.

        Whether one of several raters may reject a candidate is as last time, unless given.
        """
        self.folder, self.store = folder, store
        before = read_labels(folder) if either_rejects is None else None
        self._either_rejects = before.either_rejects if before else bool(either_rejects)
        self._run = Store(folder)
        self.manifest = self._run.manifest()
        require_intact(self._run)
        self.benchmark: Benchmark = benchmark_of_run(self.manifest)  # candidates are compared with its fixes
        self._candidates: dict[str, int] = {}

    def collect(self) -> None:
        """Make tasks of all plausible candidates; existing tasks stay as they are."""
        judged = [item for sampled in read_sampled(self._run).values() for item in sampled if item.judged]
        made: list[AssessmentTask] = []
        for item in sorted(judged, key=lambda item: item.place):
            if item.judged and item.judged.verdict is Verdict.PLAUSIBLE and item.id not in self._candidates:
                self._candidates[item.id] = item.place
                made.append(self._task(item.id))
        self.store.add_tasks(made)

    def _task(self, candidate_id: str) -> AssessmentTask:
        candidate = self.candidate(candidate_id)
        bug = self.benchmark.bug(candidate.bug_id)
        made = task_id(bug.digest, normal_digest(candidate, bug))
        return AssessmentTask(id=made, run=self.manifest.id, bug_id=bug.id, candidate_id=candidate_id)

    def candidate(self, candidate_id: str) -> Candidate:
        """Return a plausible candidate."""
        return self._run.at(Candidate, self._candidates[candidate_id])

    @property
    def tasks(self) -> list[AssessmentTask]:
        """Return one task per id: candidates that differ only in layout are rated once."""
        return list({task.id: task for task in reversed(self.store.tasks())}.values())[::-1]

    def evidence(self) -> dict[str, Evidence]:
        """Return the evidence, by task."""
        return evidence_of(self.store)

    def labels(self) -> list[FinalLabel]:
        """Return the decision on each task."""
        identical = frozenset(task for task, found in self.evidence().items() if found.rules == ("R0",))
        return final_labels(
            [task.id for task in self.tasks],
            self.store.ratings(),
            self.store.rulings(),
            identical=identical,
            either_rejects=self._either_rejects,
        )

    def open_tasks(self) -> list[str]:
        """Return the tasks for people: all except those that equal the fix."""
        return [label.task for label in self.labels() if label.source != "identical"]

    def views(self, tasks: Iterable[str]) -> dict[str, TaskView]:
        """Return what raters are shown of tasks."""
        by_id, known = {task.id: task for task in self.tasks}, self.evidence()
        return {name: self._view(by_id[name], known.get(name)) for name in tasks}

    def _view(self, task: AssessmentTask, found: Evidence | None) -> TaskView:
        bug, candidate = self.benchmark.bug(task.bug_id), self.candidate(task.candidate_id)
        programs = programs_of(bug, candidate)
        candidate_diff, fix_diff = programs.diff(programs.candidate), programs.diff(programs.fixed)
        return view_of(task.id, bug, candidate=candidate_diff, fix=fix_diff, hints=hints(found) if found else "")

    def write(self) -> None:
        """Write labels.json, from which scores are made."""
        write_labels(self.folder, self.store.tasks(), self.labels(), either_rejects=self._either_rejects)


def hints(found: Evidence) -> str:
    """Summarise the evidence on a task in a few lines."""
    told = [f"rules proposed: {' '.join(found.rules)}"] if found.rules else []
    if found.differential.n_valid:
        told.append(f"differs from the fix on {found.differential.n_differ} of {found.differential.n_valid} new inputs")
        told += [found.differential.example] if found.differential.example else []
    if found.held_out.verdict:
        told.append(f"held-out tests: {found.held_out.verdict} {found.held_out.message}".strip())
    return "\n".join(told)


@record
class DifferentialMatrix:
    """How differential testing agrees with another judgement of the same tasks as wrong or right."""

    wrong_differs: int = 0
    wrong_same: int = 0
    right_differs: int = 0
    right_same: int = 0


@record
class AssessmentSummary:
    """The state of a run's assessment."""

    n_candidates: int
    """Distinct plausible ones."""
    n_tasks: int
    rules: dict[str, int]
    """How often each rule is proposed."""
    n_measured: int
    """Tasks with differential testing on at least one valid input."""
    n_differ: int
    """Those of them that differ from the fix somewhere."""
    n_held_out: int
    n_held_out_failed: int
    labels: dict[str, int]
    """Candidates by final label, including open ones."""
    sources: dict[str, int]
    """Tasks by the source of their label."""
    agreement: RaterAgreement
    n_disagreements: int
    by_label: DifferentialMatrix
    """Differential testing beside what people say."""
    by_held_out: DifferentialMatrix
    """Differential testing beside held-out tests."""


def summary(assessment: Assessment) -> AssessmentSummary:
    """Count everything."""
    tasks, labels, known = assessment.store.tasks(), assessment.labels(), assessment.evidence()
    by_task = {label.task: label for label in labels}
    measured = [found for found in known.values() if found.differential.n_valid]
    return AssessmentSummary(
        n_candidates=len(tasks),
        n_tasks=len(labels),
        rules=dict(
            sorted(Counter(rule for found in known.values() for rule in found.rules).items(), key=lambda item: int(item[0][1:]))
        ),
        n_measured=len(measured),
        n_differ=sum(found.differential.n_differ > 0 for found in measured),
        n_held_out=sum(found.is_held_out for found in known.values()),
        n_held_out_failed=sum(found.is_held_out and found.held_out.verdict != Verdict.PLAUSIBLE for found in known.values()),
        labels=dict(Counter(by_task[task.id].label or "open" for task in tasks)),
        sources=dict(Counter(label.source for label in labels)),
        agreement=rater_agreement(assessment.store.ratings()),
        n_disagreements=sum(label.source == "open" and bool(label.ratings) for label in labels),
        by_label=_matrix({label.task: label.label == "overfitting" for label in labels if label.label}, known),
        by_held_out=_matrix(
            {task: found.held_out.verdict != Verdict.PLAUSIBLE for task, found in known.items() if found.is_held_out}, known
        ),
    )


def _matrix(words: Mapping[str, bool], known: Mapping[str, Evidence]) -> DifferentialMatrix:
    """Count tasks by whether they are wrong, and whether differential testing says so."""
    counted: Counter[str] = Counter()
    for task, is_wrong in words.items():
        found = known.get(task)
        if found and found.differential.n_valid:
            counted[f"{'wrong' if is_wrong else 'right'}_{'differs' if found.differential.n_differ else 'same'}"] += 1
    return DifferentialMatrix(**counted)
