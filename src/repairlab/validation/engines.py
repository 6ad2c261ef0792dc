"""The engines: ways to build and test candidates of one bug in a tree that is put back after each of them.

The incremental engine builds again what a candidate changes. The resident one has a compiler that stays, and runs nothing of a
candidate's, so that what it says is final; all else happens in processes that serve one candidate alone: one process for all cases
of a program, as far as that is sure to come to the same as a process for each.
"""

import dataclasses
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import BuildLimits, Command, Execution
from repairlab.core.outcome import Policy, Verdict
from repairlab.core.record import record
from repairlab.languages.language import Shareable, SharedBuild, Together, Toolchain, Warmable, language
from repairlab.sandbox.resident import ResidentLost
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import lay_out, lay_over
from repairlab.validation.compiling import CompiledTree
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import WorkTree, files_below, temporary_folder


@record
class Judgement:
    """A verdict, the line to show, and what was seen on the way."""

    verdict: Verdict
    message: str
    test_run: TestRun


class Engine(Protocol):
    """Judges candidates of one bug; all engines come to the same verdicts."""

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: this engine cannot tell, another has to.

        A test that fails is run again up to `confirm` times. Our own failures are HarnessErrors.
        """
        ...


CLOCK_TICK_S = 0.02
"""File systems tell no two moments within one tick of their clock apart."""


class IncrementalEngine:
    """The tree and the place in the sandbox where it lies, made when first needed."""

    def __init__(self, bug: Bug, sandbox: Sandbox, twin_of: "IncrementalEngine | None" = None) -> None:
        """Take the engine of a bug that differs in its tests alone, from whose build this one can start."""
        self._bug, self._sandbox, self._twin_of = bug, sandbox, twin_of
        self._open = ExitStack()
        self._tree: WorkTree | None = None
        self._runner: Runner | None = None
        self._prepared = False
        self._noticed: dict[str, bool] = {}
        self._last: TestRun | None = None
        self._shared: SharedBuild | None = None

    @property
    def built_tree(self) -> Path | None:
        """A copy of the tree as its build left it, if that went well; not for changing."""
        return self._tree.kept if self._tree and self._prepared else None

    def close(self) -> None:
        """Remove the tree."""
        self._open.close()
        self._tree = self._runner = None

    def judge(
        self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0, bug: Bug | None = None
    ) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: it must be built and run from scratch.

        The tests may be those of a bug that differs from this one in nothing but files that are among those changed.
        """
        if self._tree is None:
            with STOPWATCH.phase("set-up"):
                self._lay_out()
                self._build_once()
        toolchain = self._shared.toolchain(changed, prepared=self._prepared) if self._shared else None
        if self._shared and (toolchain is None or not all(self._notices(path, toolchain) for path in changed)):
            return None
        test_run = self._test_run(changed, policy, confirm=confirm, toolchain=toolchain, bug=bug)
        verdict, message = test_run.judge()
        return Judgement(verdict=verdict, message=message, test_run=test_run)

    def _lay_out(self) -> None:
        """Lay the tree out, over the build of a twin if there is one: only what differs is then built."""
        tree = WorkTree(self._open.enter_context(temporary_folder()))
        built = self._twin_of.built_tree if self._twin_of else None
        if built:
            lay_over(self._bug, built, tree.work)
        else:
            lay_out(self._bug, {}, tree.work)
        tree.keep()
        toolchain = language(self._bug.problem.language).toolchain
        if isinstance(toolchain, Shareable):
            source, path = Path(self._bug.tree.source), self._bug.problem.path
            # In a twin only its own few, which are the same in both twins: what is prepared shows that it is a twin, not which.
            tests = (*self._bug.oracle.trigger, *self._bug.oracle.regression)
            is_twin = built is not None
            self._shared = toolchain.shared(self._bug.oracle.build, tree=source, changing=path, tests=tests, twin=is_twin)
        self._runner = self._open.enter_context(self._sandbox.slot(tree.work))
        self._tree = tree

    def _build_once(self) -> None:
        """Build the buggy tree, where the tool then builds only what a candidate changes."""
        assert self._tree is not None
        if self._shared is not None:
            commands = self._shared.prepare(self._bug.oracle.test, files_below(self._tree.work))
            self._prepared = self._test_run({}, "first-failure").prepare(commands)
            time.sleep(CLOCK_TICK_S)  # what a candidate changes must be newer than what was built
            self._tree.keep()

    def _test_run(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        toolchain: Toolchain | None = None,
        bug: Bug | None = None,
    ) -> TestRun:
        """Put the tree back and a candidate's files into it."""
        assert self._tree is not None and self._runner is not None
        last, self._last = self._last, None
        self._tree.reset(only_written=last is not None and last.left_tree_alone)
        self._tree.write(changed)
        test_run = TestRun(bug or self._bug, self._runner, policy, self._tree.work, confirm=confirm, checker_sandbox=self._sandbox)
        test_run.toolchain = toolchain or test_run.toolchain
        self._last = test_run
        return test_run

    def _notices(self, path: str, toolchain: Toolchain) -> bool:
        """Return whether the build sees that a file changed: makefiles are known to forget some."""
        if self._bug.oracle.build.tool not in ("make", "autotools"):
            return True  # ninja has the compiler's word for what depends on what
        if path not in self._noticed:
            broken = self._test_run({path: "#error changed\n"}, "first-failure", toolchain=toolchain)
            self._noticed[path] = bool(broken.build())
        return self._noticed[path]


MORE_PROCESSES = 8
"""Threads that our runner has beyond those of a program under judgement."""
EMPTY_PROCESS_MB = 32
"""Memory of a process that runs nothing yet, at least."""
PATIENCE_S = 2.5
"""For how long one process begins another case: where cases take long, a process for each costs little, and the first may fail."""
LOST_COMPILERS = 4
"""How many compilations may come to nothing, before a bug does without."""


class ResidentEngine:
    """What candidates of one bug share: opened when first needed."""

    def __init__(self, bug: Bug, sandbox: Sandbox, toolchain: Warmable, folder: Path) -> None:
        """Take an empty folder for a copy of the buggy tree."""
        self._bug = bug
        self._sandbox = sandbox
        self._folder = folder
        self._source = Path(bug.tree.source)
        files = sorted(path.relative_to(self._source).as_posix() for path in self._source.rglob("*") if path.is_file())
        self._tools = toolchain.warm(bug.oracle.build, bug.oracle.test, files)
        self._open = ExitStack()
        self._compiler: CompiledTree | None = None
        self._base: _CompiledBase | None = None
        self._lost = 0
        self.n_judged = self.n_together = 0

    def close(self) -> None:
        """End all that is open for this bug."""
        self._compiler = self._base = None
        self._open.close()

    def judge(
        self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0, bug: Bug | None = None
    ) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: it must be built and run from scratch.

        The tests may be those of a bug that differs from this one in nothing but files that are among those changed.
        """
        test_run = self.test_run(bug or self._bug, changed, policy, confirm=confirm)
        if test_run is None:
            return None
        try:
            verdict, message = test_run.judge()
        except HarnessError:
            return None
        self.n_judged += 1
        return Judgement(verdict=verdict, message=message, test_run=test_run)

    def test_run(self, bug: Bug, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> TestRun | None:
        """Return the test run of a tree that is compiled already; none where this engine cannot tell. It ends with the next one."""
        try:
            compiled = self._compile(changed)
            if compiled is None:
                return None
            runner = self._runner(changed, compiled)
        except (ResidentLost, HarnessError):
            return None
        tree = self._base.tree if self._base else self._source
        test_run = TestRun(bug, runner, policy, tree, confirm=confirm, checker_sandbox=self._sandbox)
        test_run.toolchain = self._tools.compiled
        return test_run

    def _compile(self, changed: Mapping[str, str | None]) -> Execution | None:
        if self._lost > LOST_COMPILERS or self._bug.oracle.build.limits != BuildLimits():  # the compiler has limits of its own
            return None
        try:
            if self._compiler is None:
                with STOPWATCH.phase("set-up"):
                    self._compiler = CompiledTree(self._bug, self._sandbox, self._tools)
                self._open.callback(self._compiler.close)
            return self._compiler.compile(changed)
        except (ResidentLost, HarnessError):
            self._lost += 1
            return None

    def _runner(self, changed: Mapping[str, str | None], compiled: Execution) -> "_Known":
        """Lay out what was compiled, and return what runs commands over it."""
        if self._compiler is None or not compiled.succeeded:
            return _Known(self._sandbox, compiled, [])  # there is nothing to run
        if self._base is None:
            with STOPWATCH.phase("set-up"):
                self._base = self._open.enter_context(_compiled_base(self._bug, self._sandbox, self._folder, self._compiler.base))
        with STOPWATCH.phase("build"):
            self._base.lay_out(changed, self._compiler.products(compiled))
        return _Known(self._base.runner, compiled, self._run_together(compiled))

    def _run_together(self, compiled: Execution) -> list[tuple[bytes, Execution]]:
        """Run the first cases in one process and return what came of each, as far as a process for each would say the same."""
        if self._compiler is None or self._base is None or len(self._bug.oracle.cases) < 2:
            return []
        limits = self._bug.oracle.limits
        inputs = [case.input.encode() for case in self._bug.oracle.cases]
        request = Together(nonce=secrets.token_hex(16), limits=limits, patience_s=min(PATIENCE_S, limits.cpu_s / 4))
        command = self._tools.together(compiled, self._compiler.base, inputs, request)
        if command is None:
            return []
        # Each case keeps within its own share of output; CPU time, memory and wall time of one case are enough for all of them.
        larger = dataclasses.replace(
            limits, output_mb=limits.output_mb * (len(inputs) + 1), processes=limits.processes + MORE_PROCESSES
        )
        execution = self._base.runner.run(command.under(larger), self._base.tree)
        near_limit = execution.cpu_s > limits.cpu_s / 2 or execution.peak_mb > EMPTY_PROCESS_MB + limits.memory_mb / 2
        answers = [] if near_limit or execution.stderr else self._tools.answers(execution, request.nonce)
        self.n_together += len(answers)
        return list(zip(inputs, answers, strict=False))  # the last ones may have none


class TwinEngine:
    """Judges by other test files over the tree of an engine, which compiles them as if they were a candidate's."""

    def __init__(self, twin: Bug, texts: Mapping[str, str], engine: ResidentEngine) -> None:
        """Take the bug that has these texts of test files, and the engine of the one that has not."""
        self._twin, self._texts, self._engine = twin, texts, engine

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: it must be built and run from scratch."""
        return self._engine.judge({**changed, **self._texts}, policy, confirm=confirm, bug=self._twin)


@record
class _CompiledBase:
    """A tree for one candidate after the other, and the place where commands run over it."""

    work: WorkTree
    runner: Runner
    base: Mapping[str, bytes]

    @property
    def tree(self) -> Path:
        """Where the tree is."""
        return self.work.work

    def lay_out(self, changed: Mapping[str, str | None], products: Mapping[str, bytes]) -> None:
        """Put the tree back, and write a candidate's files and what came of them into it."""
        self.work.reset()
        self.work.write(changed)
        for path in self.base.keys() - products.keys():
            (self.tree / path).unlink()
        _write_products({path: content for path, content in products.items() if self.base.get(path) is not content}, self.tree)


@contextmanager
def _compiled_base(bug: Bug, sandbox: Sandbox, folder: Path, base: Mapping[str, bytes]) -> Iterator[_CompiledBase]:
    place = folder / "base"
    place.mkdir()
    work = WorkTree(place)
    lay_out(bug, {}, work.work)
    _write_products(base, work.work)
    work.keep()
    with sandbox.slot(work.work) as runner:
        yield _CompiledBase(work=work, runner=runner, base=base)


def _write_products(products: Mapping[str, bytes], tree: Path) -> None:
    """Write what a compiler made; the user that runs it must be able to read it."""
    try:
        for path, content in products.items():
            file = tree / path
            for parent in reversed(file.relative_to(tree).parents):
                (tree / parent).mkdir(mode=0o755, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o644)
    except OSError as error:
        raise HarnessError(f"cannot write the files of a build: {error}") from error


class _Known:
    """Runs commands, but for those of which it knows what came: the build, and cases that were run together, once each."""

    def __init__(self, runner: Runner, compiled: Execution, cases: Sequence[tuple[bytes, Execution]]) -> None:
        self._runner = runner
        self._compiled = compiled
        self._cases = list(cases)

    def run(self, command: Command, tree: Path) -> Execution:
        """Return what came of a command."""
        if command.argv == ("compile",):
            return self._compiled
        for index, (given, execution) in enumerate(self._cases):
            if given == command.stdin:
                del self._cases[index]
                return execution
        return self._runner.run(command, tree)
