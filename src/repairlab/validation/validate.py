"""Judge one candidate: apply → build → trigger → regression, or build → cases. Called by `runs` and `mining`."""

import dataclasses
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.languages.language import Shareable, Toolchain, Warmable
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import changed_files, lay_out, lay_over
from repairlab.validation.counter_tests import CounterTests
from repairlab.validation.trial import Trial
from repairlab.validation.warm import Warm
from repairlab.validation.worktree import WorkTree, files_below

CLOCK_TICK_S = 0.02
"""File systems tell no two moments within one tick of their clock apart."""


def validate(candidate: Candidate, bug: Bug, sandbox: Sandbox, *, policy: Policy = "first-failure", confirm: int = 0) -> Outcome:
    """Return the verdict on one candidate, built and run from scratch; our own failures are tried twice, then UNDECIDED.

    `confirm` is how often a failing test is run again, alone, before it counts.
    """
    with workbench(bug, sandbox, warm=False) as bench:
        return bench.validate(candidate, policy=policy, confirm=confirm)


class Workbench:
    """Validates candidates of one bug and keeps what they share; `workbench` makes it."""

    def __init__(self, bug: Bug, sandbox: Sandbox, stack: ExitStack, *, warm: bool, twin_of: "Workbench | None" = None) -> None:
        """Take what is closed with it, and the workbench of which this is a twin: a pass here is believed."""
        self._twin_of = twin_of
        self._counter_tests: CounterTests | None = None
        self._bug = bug
        self._sandbox = sandbox
        self._stack = stack
        self._ready = False
        # A conversation is no command of a slot, and its tree must be open to the user of another sandbox.
        self._keeps = warm and not (bug.oracle.checker and bug.oracle.checker.interactive)
        self._shop: _Workshop | None = None
        self.warm: Warm | None = None
        """The process that candidates share, where the language has one."""

    def validate(self, candidate: Candidate, *, policy: Policy = "first-failure", confirm: int = 0) -> Outcome:
        """Return the verdict on one candidate, the same as in processes and a build of its own."""
        try:
            changed = changed_files(candidate, self._bug)
            try:
                return self._believed(candidate, self._judge(candidate, changed, policy, confirm))
            except HarnessError:
                return self._believed(candidate, self._judge_afresh(candidate, changed, policy, confirm))
        except UserError as error:
            return _outcome(candidate, self._bug, policy, Verdict.UNAPPLICABLE, str(error))
        except HarnessError as error:
            return _outcome(candidate, self._bug, policy, Verdict.UNDECIDED, str(error))

    def _judge(self, candidate: Candidate, changed: Mapping[str, str | None], policy: Policy, confirm: int) -> Outcome:
        if not self._keeps:
            return self._judge_afresh(candidate, changed, policy, confirm)
        if not self._ready:
            self._ready = True
            self._get_warm()
        if self.warm is not None and (seen := self.warm.judge(changed, policy, confirm=confirm)) is not None:
            return _outcome(candidate, self._bug, policy, seen.verdict, seen.message, seen.trial)
        if self._shop is None:
            built = self._twin_of.built_tree if self._twin_of else None
            self._shop = self._stack.enter_context(_workshop(self._bug, self._sandbox, built))
            self._shop.build_once()
        trial = self._shop.trial(changed, policy, confirm)
        if trial is None:
            return self._judge_afresh(candidate, changed, policy, confirm)
        verdict, message = trial.judge()
        return _outcome(candidate, self._bug, policy, verdict, message, trial)

    def _believed(self, candidate: Candidate, outcome: Outcome) -> Outcome:
        """Return an outcome, unless it is a pass that counter-tests show to be none."""
        oracle = self._bug.oracle
        if outcome.verdict is not Verdict.PLAUSIBLE or self._twin_of or not (oracle.trigger or oracle.regression):
            return outcome  # the output of cases is compared outside of the sandbox: there is nothing to forge
        if candidate.edits == oracle.reference:
            return dataclasses.replace(outcome, guard="the reference fix, by which counter-tests are chosen")
        found = self.counter_tests.examine(candidate)
        if not found.problem:
            return dataclasses.replace(outcome, guard=found.note)
        return dataclasses.replace(outcome, verdict=Verdict.WRONG, message=found.problem[:500], guard=found.note)

    @property
    def counter_tests(self) -> CounterTests:
        """The counter-tests of the bug, made when first asked for."""
        if self._counter_tests is None:
            self._counter_tests = CounterTests(
                self._bug,
                lambda: self._stack.enter_context(_temporary_folder()),
                lambda twin: workbench(twin, self._sandbox, warm=self._keeps, twin_of=self),
            )
            self._stack.callback(self._counter_tests.close)
        return self._counter_tests

    @property
    def built_tree(self) -> Path | None:
        """The buggy tree as its build left it, where candidates share one."""
        return self._shop.built_tree if self._shop else None

    def _judge_afresh(self, candidate: Candidate, changed: Mapping[str, str | None], policy: Policy, confirm: int) -> Outcome:
        """Judge in a folder of the candidate's own, built from nothing, a process for every command."""
        with _temporary_folder() as folder:
            lay_out(self._bug, changed, folder / "work")
            trial = Trial(self._bug, self._sandbox, policy, folder / "work", confirm=confirm, judge=self._sandbox)
            verdict, message = trial.judge()
            return _outcome(candidate, self._bug, policy, verdict, message, trial)

    def _get_warm(self) -> None:
        """Get ready for a process that candidates share, where the language has one."""
        toolchain = language(self._bug.problem.language).toolchain
        if isinstance(toolchain, Warmable):
            folder = self._stack.enter_context(_temporary_folder())
            self.warm = Warm(self._bug, self._sandbox, toolchain, folder)
            self._stack.callback(self.warm.close)


@contextmanager
def workbench(bug: Bug, sandbox: Sandbox, *, warm: bool = True, twin_of: Workbench | None = None) -> Iterator[Workbench]:
    """Open a workbench; without `warm` every candidate is built and run from scratch."""
    with ExitStack() as stack:
        yield Workbench(bug, sandbox, stack, warm=warm, twin_of=twin_of)


class _Workshop:
    """A tree that is built once and put back after each candidate, and the place in the sandbox where it lies."""

    def __init__(self, bug: Bug, tree: WorkTree, runner: Runner, sandbox: Sandbox, *, twin: bool) -> None:
        """Take what runs commands over the tree, and the sandbox for programs that must not run beside a candidate.

        In a `twin` candidates are looked at that were built before.
        """
        self._bug = bug
        self._tree = tree
        self._runner = runner
        self._sandbox = sandbox
        self._noticed: dict[str, bool] = {}
        self._prepared = False
        toolchain, tests = language(bug.problem.language).toolchain, (*bug.oracle.trigger, *bug.oracle.regression)
        self._shared = (
            toolchain.shared(bug.oracle.build, tree=Path(bug.tree.source), changing=bug.problem.path, tests=tests, twin=twin)
            if isinstance(toolchain, Shareable)
            else None
        )

    @property
    def built_tree(self) -> Path | None:
        """A copy of the tree as its build left it, if that went well; not for changing."""
        return self._tree.kept if self._prepared else None

    def build_once(self) -> None:
        """Build the buggy tree, where the tool then builds only what a candidate changes."""
        if self._shared is not None:
            trial = self._trial("first-failure")
            self._prepared = trial.prepare(self._shared.prepare(self._bug.oracle.test, files_below(self._tree.work)))
            time.sleep(CLOCK_TICK_S)  # what a candidate changes must be newer than what was built
            self._tree.keep()

    def trial(self, changed: Mapping[str, str | None], policy: Policy, confirm: int) -> Trial | None:
        """Put the tree back and a candidate's files into it; none when only a build from nothing would be right."""
        toolchain = self._shared.toolchain(changed, prepared=self._prepared) if self._shared else None
        if self._shared and (toolchain is None or not all(self._notices(path, toolchain) for path in changed)):
            return None
        self._tree.reset()
        self._tree.write(changed)
        return self._trial(policy, confirm=confirm, toolchain=toolchain)

    def _trial(self, policy: Policy, *, confirm: int = 0, toolchain: Toolchain | None = None) -> Trial:
        trial = Trial(self._bug, self._runner, policy, self._tree.work, confirm=confirm, judge=self._sandbox)
        trial.toolchain = toolchain or trial.toolchain
        return trial

    def _notices(self, path: str, toolchain: Toolchain) -> bool:
        """Return whether the build sees that a file changed: makefiles are known to forget some."""
        if self._bug.oracle.build.tool not in ("make", "autotools"):
            return True  # ninja has the compiler's word for what depends on what
        if path not in self._noticed:
            self._tree.reset()
            self._tree.write({path: "#error changed\n"})
            self._noticed[path] = bool(self._trial("first-failure", toolchain=toolchain).build())
        return self._noticed[path]


@contextmanager
def _workshop(bug: Bug, sandbox: Sandbox, built: Path | None) -> Iterator[_Workshop]:
    """Lay a bug's tree out, over the build of a twin if there is one: only what differs is then built."""
    with _temporary_folder() as folder:
        tree = WorkTree(folder)
        if built:
            lay_over(bug, built, tree.work)
        else:
            lay_out(bug, {}, tree.work)
        tree.keep()
        with sandbox.slot(tree.work) as runner:
            yield _Workshop(bug, tree, runner, sandbox, twin=built is not None)


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
