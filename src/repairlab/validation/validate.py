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


def validate(
    candidate: Candidate, bug: Bug, sandbox: Sandbox, *, policy: Policy = "first-failure", environment: str = ""
) -> Outcome:
    """Return the verdict on one candidate; a failure of our own machinery is tried twice, then UNDECIDED."""
    try:
        outcome = _validate(candidate, bug, sandbox, policy, environment)
    except HarnessError:
        try:
            outcome = _validate(candidate, bug, sandbox, policy, environment)
        except HarnessError as error:
            return _outcome(candidate, bug, policy, environment, Verdict.UNDECIDED, str(error))
    return outcome


def _validate(candidate: Candidate, bug: Bug, sandbox: Sandbox, policy: Policy, environment: str) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        work = Path(folder) / "work"
        try:
            lay_out(bug, changed_files(candidate, bug), work)
        except UserError as error:
            return _outcome(candidate, bug, policy, environment, Verdict.UNAPPLICABLE, str(error))
        trial = Trial(bug, sandbox, policy, work)
        verdict, message = trial.judge()
        return _outcome(candidate, bug, policy, environment, verdict, message, trial)


def _outcome(
    candidate: Candidate, bug: Bug, policy: Policy, environment: str, verdict: Verdict, message: str, trial: Trial | None = None
) -> Outcome:
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
