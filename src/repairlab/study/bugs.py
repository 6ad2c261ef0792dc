"""Bugs as the report shows them: their text, the reference fix, and what each system proposed."""

from collections.abc import Mapping, Sequence
from typing import Literal

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, TestResult, Verdict
from repairlab.core.record import record, to_data
from repairlab.core.score import Samples
from repairlab.runs.experiment import Manifest
from repairlab.runs.samples import Sampled, read_sampled
from repairlab.runs.store import Store
from repairlab.study.diffs import DiffLine, bare, changed_by, clip, diff_lines, prompt_text, raw
from repairlab.study.matrix import Tally, tally_of
from repairlab.study.systems import System
from repairlab.study.trajectories import TrajectoryStep, steps_of

Choice = Literal["first", "plausible", "all"]
"""Of each bug the first plausible candidate, else the first; all plausible ones, else the first; or every candidate."""


@record
class Shown:
    """One candidate with its outcome."""

    candidate: Candidate
    outcome: Outcome
    ranks: tuple[int, ...]
    """All ranks at which it was proposed; just one if every candidate is shown."""

    @property
    def failing(self) -> TestResult | None:
        """Return the first test that did not pass."""
        return next((test for test in self.outcome.tests if not test.passed), None)


@record
class CandidateView:
    """One candidate as the page shows it."""

    shown: Shown
    diff: tuple[DiffLine, ...]
    raw: str
    """Text of the candidate if there is no diff to show."""
    is_reference: bool
    """Equal to the reference fix except for white space."""
    prompt: str
    """The model's prompt; empty if the transcript is missing, and after the first candidate of the same prompt."""
    answer: str
    """The model's answer."""
    trajectory: tuple[TrajectoryStep, ...]
    """What an agent and its model said to each other; empty if that is missing."""


@record
class Attempted:
    """What one system made of one bug; `samples` is None if its run does not include the bug."""

    system: System
    samples: Samples | None
    candidates: tuple[CandidateView, ...]

    @property
    def tally(self) -> Tally | None:
        """Return the cell of the matrix."""
        return tally_of(self.samples.verdicts) if self.samples else None


@record
class BugView:
    """One bug of the report."""

    anchor: str
    id: str
    language: str
    title: str
    description: str
    labels: tuple[tuple[str, str], ...]
    reference: tuple[DiffLine, ...]
    attempts: tuple[Attempted, ...]

    @property
    def is_fixed(self) -> bool:
        """Whether a system has a plausible candidate; the oracle does not count."""
        return any(
            attempt.samples and Verdict.PLAUSIBLE in attempt.samples.verdicts and not attempt.system.is_oracle
            for attempt in self.attempts
        )


@record
class BugTexts:
    """The bugs of the available benchmarks."""

    bugs: dict[tuple[str, str], Bug]
    """By benchmark digest and bug id."""
    missing: tuple[str, ...]
    """Why texts are missing, one message per benchmark."""


def benchmark_of_run(manifest: Manifest) -> Benchmark:
    """Open the benchmark of a run; UserError if it is missing or has changed."""
    try:
        benchmark = open_benchmark(manifest.experiment.benchmark)
    except UserError as error:
        raise UserError(f"benchmark {manifest.benchmark_name} cannot be opened: {error}") from None
    if benchmark.digest != manifest.benchmark_digest:
        raise UserError(
            f"benchmark {manifest.benchmark_name} here has digest {benchmark.digest}, but the run used {manifest.benchmark_digest}"
        )
    return benchmark


def read_texts(systems: Sequence[System]) -> BugTexts:
    """Open the benchmarks of the runs; skip and name those that are missing or have changed."""
    bugs: dict[tuple[str, str], Bug] = {}
    missing: dict[str, str] = {}
    for system in systems:
        if any(digest == system.digest for digest, _ in bugs):
            continue
        try:
            benchmark = benchmark_of_run(system.scores.run.manifest)
        except UserError as error:
            missing[system.digest] = str(error)
        else:
            bugs.update({(system.digest, bug.id): bug for bug in benchmark})
    return BugTexts(bugs=bugs, missing=tuple(missing.values()))


def view_bugs(
    systems: Sequence[System], texts: Mapping[tuple[str, str], Bug], choice: Choice | None = "first"
) -> tuple[BugView, ...]:
    """Return the bugs of all runs, in the order of the benchmark; without a choice, no candidate is shown."""
    picked = [_shown_candidates(Store(system.scores.run.folder), choice) if choice else {} for system in systems]
    keys = dict.fromkeys(
        (system.digest, bug_id, samples.language) for system in systems for bug_id, samples in system.samples.items()
    )
    views = []
    for number, (digest, bug_id, language) in enumerate(keys, start=1):
        bug = texts.get((digest, bug_id))
        labels = {name: value for name, value in to_data(bug.labels).items() if value} if bug else {}
        if bug and bug.problem.submission_verdict:
            labels["verdict"] = bug.problem.submission_verdict.value
        files = bug.problem.files if bug else {}
        reference = changed_by(bug.oracle.reference, files) if bug else None
        views.append(
            BugView(
                anchor=f"bug-{number}",
                id=bug_id,
                language=language,
                title=clip(bug.problem.title) if bug else "",
                description=clip(bug.problem.description) if bug else "",
                labels=tuple(labels.items()),
                reference=diff_lines(files, reference) if reference else (),
                attempts=tuple(
                    _attempt(system, bug_id, picked[index].get(bug_id, ()), files, reference)
                    if system.digest == digest
                    else Attempted(system=system, samples=None, candidates=())
                    for index, system in enumerate(systems)
                ),
            )
        )
    return tuple(views)


def _attempt(
    system: System, bug_id: str, picked: Sequence[Shown], files: dict[str, str], reference: dict[str, str | None] | None
) -> Attempted:
    views: list[CandidateView] = []
    asked: set[str | None] = {None}
    for shown in picked:
        candidate, origin = shown.candidate, shown.candidate.origin
        changed = changed_by(candidate.edits, files) if files and candidate.edits else None
        prompt = "" if origin.prompt in asked else prompt_text(system.transcripts.prompt(origin.prompt))
        asked.add(origin.prompt)
        views.append(
            CandidateView(
                shown=shown,
                diff=diff_lines(files, changed) if changed else (),
                raw=clip(raw(candidate)) if not changed else "",
                is_reference=bool(changed) and reference is not None and bare(changed or {}) == bare(reference),
                prompt=clip(prompt),
                answer=clip(system.transcripts.text(origin.answer) or ""),
                trajectory=steps_of(system.transcripts.text(origin.kept("trajectory"))),
            )
        )
    return Attempted(system=system, samples=system.samples.get(bug_id), candidates=tuple(views))


def _shown_candidates(store: Store, choice: Choice) -> dict[str, tuple[Shown, ...]]:
    """Return the candidates to show of each bug that has any, by rank; equal ones are shown once."""
    shown: dict[str, tuple[Shown, ...]] = {}
    for bug_id, sampled in read_sampled(store).items():
        equal: dict[str, list[Sampled]] = {}
        for item in _chosen([item for item in sampled if item.judged], choice):
            equal.setdefault(item.id, []).append(item)
        shown[bug_id] = tuple(
            Shown(
                candidate=store.at(Candidate, same[0].place),
                outcome=store.at(Outcome, judged.place),
                ranks=tuple(item.rank for item in same),
            )
            for same in equal.values()
            if (judged := same[0].judged)
        )
    return shown


def _chosen(judged: list[Sampled], choice: Choice) -> list[Sampled]:
    if choice == "all":
        return judged
    chosen = [item for item in judged if item.judged and item.judged.verdict is Verdict.PLAUSIBLE] or judged[:1]
    return chosen[:1] if choice == "first" else chosen
