"""Judge one candidate: apply → build → trigger → regression, or build → cases. Called by `runs` and `mining`."""

import dataclasses
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.languages.language import Warmable
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.trial import Trial
from repairlab.validation.warm import Warm

_INCREMENTAL = ("compile", "make", "cmake")
"""Build tools that compile again just what changed; javac cannot know which classes depend on an edit."""


def validate(
    candidate: Candidate, bug: Bug, sandbox: Sandbox, *, policy: Policy = "first-failure", base: Path | None = None
) -> Outcome:
    """Return the verdict on one candidate; a failure of our own machinery is tried twice, then UNDECIDED.

    `base` is a copy of the buggy tree that was built before; without it the whole tree is built.
    """
    try:
        return _validate(candidate, bug, sandbox, policy, base)
    except HarnessError:
        try:
            return _validate(candidate, bug, sandbox, policy, base)
        except HarnessError as error:
            return _outcome(candidate, bug, policy, Verdict.UNDECIDED, str(error))


class Workbench:
    """Validates candidates of one bug, and from the second one on keeps what they share; `workbench` makes it."""

    def __init__(self, bug: Bug, sandbox: Sandbox, stack: ExitStack, *, warm: bool) -> None:
        self._bug = bug
        self._sandbox = sandbox
        self._stack = stack
        self._waiting = warm
        self._seen = 0
        self.warm: Warm | None = None
        """The process that candidates share, where the language has one."""
        self._base: Path | None = None

    def validate(self, candidate: Candidate, *, policy: Policy = "first-failure") -> Outcome:
        """Return the verdict on one candidate, the same as `validate` would."""
        self._seen += 1
        if self._waiting and self._seen > 1:
            self._waiting = False
            self._prepare()
        if self.warm is not None:
            try:
                seen = self.warm.judge(changed_files(candidate, self._bug), policy)
            except UserError as error:
                return _outcome(candidate, self._bug, policy, Verdict.UNAPPLICABLE, str(error))
            if seen is not None:
                return _outcome(candidate, self._bug, policy, seen.verdict, seen.message, seen.trial)
        return validate(candidate, self._bug, self._sandbox, policy=policy, base=self._base)

    def _prepare(self) -> None:
        """Build the buggy tree once, or get ready for a process that does so."""
        toolchain = language(self._bug.problem.language).toolchain
        incremental = self._bug.oracle.build.tool in _INCREMENTAL
        if not incremental and not isinstance(toolchain, Warmable):
            return
        try:
            folder = self._stack.enter_context(_temporary_folder())
            if incremental:
                lay_out(self._bug, {}, folder / "work")
                trial = Trial(self._bug, self._sandbox, "first-failure", folder / "work")
                trial.build()  # what does not compile is left to the candidates
                self._base = folder / "work"
            elif isinstance(toolchain, Warmable):
                self.warm = Warm(self._bug, self._sandbox, toolchain, folder)
                self._stack.callback(self.warm.close)
        except HarnessError:
            return  # each candidate will meet the same failure and say so


@contextmanager
def workbench(bug: Bug, sandbox: Sandbox, *, warm: bool = True) -> Iterator[Workbench]:
    """Open a workbench; without `warm` every candidate is built and run from scratch."""
    with ExitStack() as stack:
        yield Workbench(bug, sandbox, stack, warm=warm)


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
