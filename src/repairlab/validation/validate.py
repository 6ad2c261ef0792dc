"""Judge one candidate: apply → build → trigger → regression, or build → cases. Called by `runs` and `mining`."""

import dataclasses
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.trial import Trial

_INCREMENTAL = ("compile", "make", "cmake")
"""Build tools that compile again just what changed; javac cannot know which classes depend on an edit."""


def validate(
    candidate: Candidate, bug: Bug, sandbox: Sandbox, *, policy: Policy = "first-failure", base: Path | None = None
) -> Outcome:
    """Return the verdict on one candidate; a failure of our own machinery is tried twice, then UNDECIDED.

    `base` is what `built_tree` gave for this bug; without it the whole tree is built.
    """
    try:
        return _validate(candidate, bug, sandbox, policy, base)
    except HarnessError:
        try:
            return _validate(candidate, bug, sandbox, policy, base)
        except HarnessError as error:
            return _outcome(candidate, bug, policy, Verdict.UNDECIDED, str(error))


@contextmanager
def built_tree(bug: Bug, sandbox: Sandbox) -> Iterator[Path | None]:
    """Build the buggy tree once, so that each candidate costs only what it changes; none where that is not possible."""
    if bug.oracle.build.tool not in _INCREMENTAL:
        yield None
        return
    with _temporary_folder() as folder:
        base: Path | None = folder / "work"
        try:
            lay_out(bug, {}, folder / "work")
            Trial(bug, sandbox, "first-failure", folder / "work").build()  # what does not compile is left to the candidates
        except HarnessError:
            base = None  # each candidate will meet the same failure and say so
        yield base


def _validate(candidate: Candidate, bug: Bug, sandbox: Sandbox, policy: Policy, base: Path | None) -> Outcome:
    with _temporary_folder() as folder:
        try:
            lay_out(bug, changed_files(candidate, bug), folder / "work", base=base)
        except UserError as error:
            return _outcome(candidate, bug, policy, Verdict.UNAPPLICABLE, str(error))
        trial = Trial(bug, sandbox, policy, folder / "work")
        verdict, message = trial.judge()
        return _outcome(candidate, bug, policy, verdict, message, trial)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    try:
        made = tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True)
    except OSError as error:
        raise HarnessError(f"cannot make a temporary folder: {error}") from error
    with made as folder:
        yield Path(folder)


def _outcome(candidate: Candidate, bug: Bug, policy: Policy, verdict: Verdict, message: str, trial: Trial | None = None) -> Outcome:
    oracle = bug.oracle
    bare = Outcome(
        candidate_id=candidate.id,
        bug_id=bug.id,
        verdict=verdict,
        stage="apply",
        policy=policy,
        message=message[:500],
        n_tests=len(oracle.cases) + len(oracle.trigger) + len(oracle.regression),
    )
    if trial is None:
        return bare
    return dataclasses.replace(
        bare,
        stage=trial.stage,
        tests=tuple(trial.tests),
        cpu_s=round(trial.cpu_s, 3),
        wall_s=round(trial.wall_s, 3),
        peak_mb=round(trial.peak_mb, 1),
        evidence="" if verdict is Verdict.PLAUSIBLE else trial.evidence,
    )
