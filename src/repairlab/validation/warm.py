"""Judge candidates of one bug with processes that stay, as far as those can decide anything. Called by the workbench in `validate`.

One process compiles and never runs a candidate's code: what does not compile is decided. Another runs candidates one after the
other: since they share it, it decides plain failures alone, that is tests that fail normally, and only while the reference fix
still passes them there. Everything else, above all a pass, is decided in processes of the candidate's own, over a tree that holds
what the first process made.
"""

import dataclasses
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import BuildLimits, Command, Execution, Limits
from repairlab.core.oracle import Case
from repairlab.core.outcome import Policy, TestResult, Verdict
from repairlab.core.record import record
from repairlab.languages.language import Answer, Toolchain, Warmable, WarmTools
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.compiling import PATIENCE_S, CompiledTree
from repairlab.validation.trial import Trial
from repairlab.validation.worktree import WorkTree

CANDIDATES_PER_PROCESS = 200
"""Then a new process starts: unloaded classes and the like pile up."""
CPU_LIMIT_S = 2.0
"""What runs longer is stopped, and runs again in a process of its own: better early than at the real limit."""
LEAST_CPU_S = 0.2
"""What every request may take, decide what it will."""
START_CPU_S = 0.5
"""What a process of its own takes to start, with a margin: it counts towards the CPU limit."""
MORE_PROCESSES = 8
"""Threads that our servers have beyond those of a program under judgement."""
EMPTY_PROCESS_MB = 32
"""Memory of a process that runs nothing yet, at least."""
SMALLEST_MEMORY_MB = 128
"""Below this limit, a process that is shared cannot tell a program which needs too much memory."""
CASES_SHARED = 8
"""How many cases a candidate must pass before it gets a process of its own, where the first failure is enough."""
FORGIVEN = 4
"""How many more requests may come to nothing than candidates were decided, before a bug does without; of compilations, how many."""


@record
class Judgement:
    """A verdict, the line to show, and what was seen on the way."""

    verdict: Verdict
    message: str
    trial: Trial


@record
class _Task:
    """A candidate that was compiled, and how to judge it."""

    changed: Mapping[str, str | None]
    compiled: Execution
    policy: Policy
    confirm: int = 0


class _Undecidable(Exception):  # noqa: N818  # no error: the candidate gets a process of its own
    """What a shared process said decides nothing."""

    def __init__(self, reason: str, *, tainted: bool) -> None:
        super().__init__(reason)
        self.tainted = tainted


class Warm:
    """The processes for one bug: started when first needed, and again after they were lost."""

    def __init__(self, bug: Bug, sandbox: Sandbox, toolchain: Warmable, folder: Path, *, shares: bool = True) -> None:
        """Take an empty folder for copies of the buggy tree; unless it `shares`, candidates are compiled together but run alone."""
        self._bug = bug
        self._with_few_cases = dataclasses.replace(
            bug, oracle=dataclasses.replace(bug.oracle, cases=bug.oracle.cases[:CASES_SHARED])
        )
        self._sandbox = sandbox
        self._folder = folder
        self._source = Path(bug.tree.source)
        files = sorted(path.relative_to(self._source).as_posix() for path in self._source.rglob("*") if path.is_file())
        self._tools = toolchain.warm(bug.oracle.build, bug.oracle.test, files)
        self._open = ExitStack()
        self._compiler: CompiledTree | None = None
        self._bench: _Bench | None = None
        self._running = ExitStack()
        self._resident: Resident | None = None
        self._served = self._lost = 0
        self._usable = shares and bug.oracle.limits.memory_mb >= SMALLEST_MEMORY_MB
        self.decided = self.confirmed = self.wasted = 0

    def close(self) -> None:
        """End all that runs for this bug."""
        self._stop()
        self._compiler = self._bench = None
        self._open.close()

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: it must be built and run from scratch.

        A test that fails is run again up to `confirm` times, as in any trial.
        """
        compiled = self._compile(changed)
        if compiled is None:
            return None
        task = _Task(changed=changed, compiled=compiled, policy=policy, confirm=confirm)
        seen = self._look(task)
        if seen is not None and _is_plain(seen) and self._is_sound(seen):
            self.decided += 1
            return seen
        try:
            judged = self._judge_alone(task, seen)
        except HarnessError:
            return None
        self.confirmed += 1
        return judged

    def look(self, changed: Mapping[str, str | None], policy: Policy) -> Judgement | None:
        """Return what the shared processes make of the tree, be it final or not; none when they could not say."""
        compiled = self._compile(changed)
        return None if compiled is None else self._look(_Task(changed=changed, compiled=compiled, policy=policy))

    def _compile(self, changed: Mapping[str, str | None]) -> Execution | None:
        if self._lost > FORGIVEN or self._bug.oracle.build.limits != BuildLimits():  # the compiler has limits of its own
            return None
        try:
            if self._compiler is None:
                self._compiler = CompiledTree(self._bug, self._sandbox, self._tools)
                self._open.callback(self._compiler.close)
            return self._compiler.compile(changed)
        except (ResidentLost, HarnessError):
            self._lost += 1
            return None

    def _look(self, task: _Task) -> Judgement | None:
        compiled = task.compiled
        if compiled.succeeded and (not self._usable or self.wasted > FORGIVEN + self.decided):
            return None
        try:
            runner = self._loaded(compiled) if compiled.succeeded else self._sandbox  # which then has nothing to do
            judgement = self._judgement(task, runner, self._tools.requests, self._source, few=task.policy == "first-failure")
        except _Undecidable as reason:
            self.wasted += 1
            if reason.tainted:
                self._stop()
            return None
        except (ResidentLost, HarnessError):
            self.wasted += 1
            self._stop()
            return None
        self._served += 1
        if self._served >= CANDIDATES_PER_PROCESS:
            self._stop()
        return judgement

    def _is_sound(self, seen: Judgement) -> bool:
        """Return whether the reference fix still passes where a candidate failed: others may have left something behind."""
        failed = {test.id for test in seen.trial.tests if test.verdict is not Verdict.PLAUSIBLE}
        oracle = self._bug.oracle
        if not failed or self._served <= 1 or not oracle.reference:
            return True
        try:
            reference = self._compile(changed_files(_reference(self._bug), self._bug))
            if reference is None or not reference.succeeded:
                return False
            trial = Trial(self._bug, self._loaded(reference), "first-failure", self._source, judge=self._sandbox)
            trial.toolchain = self._tools.requests
            tests = [test for test in (*oracle.trigger, *oracle.regression) if test in failed]
            trial.run(tests, [case for case in oracle.cases if case.id in failed])
            sound = all(test.verdict is Verdict.PLAUSIBLE for test in trial.tests)
        except (_Undecidable, ResidentLost, HarnessError, UserError):
            sound = False
        if not sound:
            self.wasted += 1
            self._stop()
        return sound

    def _judgement(self, task: _Task, runner: Runner, toolchain: Toolchain, tree: Path, *, few: bool = False) -> Judgement:
        known = _Compiled(runner, task.compiled)
        bug = self._with_few_cases if few else self._bug
        trial = Trial(bug, known, task.policy, tree, changed=task.changed, confirm=task.confirm, judge=self._sandbox)
        trial.toolchain = toolchain
        verdict, message = trial.judge()
        return Judgement(verdict=verdict, message=message, trial=trial)

    def _loaded(self, compiled: Execution) -> Runner:
        """Return the shared process with a candidate in it."""
        if self._resident is None:
            self._start()
        if self._resident is None:
            raise ResidentLost("it does not work for this bug")
        runner = _Requests(self._resident, self._tools)
        runner.run(self._tools.loading(compiled), self._source)
        return runner

    def _start(self) -> None:
        """Start the shared process and see that tests which pass on the buggy tree pass in it, too."""
        limits = self._bug.oracle.limits
        larger = dataclasses.replace(
            limits, memory_mb=limits.memory_mb + self._tools.extra_memory_mb, processes=limits.processes + MORE_PROCESSES
        )
        tree = self._folder / f"runner-{secrets.token_hex(4)}"
        self._running.callback(shutil.rmtree, tree, ignore_errors=True)
        lay_out(self._bug, {}, tree)
        unchanged = self._compiler.unchanged if self._compiler else None
        if self._compiler:
            _write_products(self._compiler.base, tree)
        resident = self._running.enter_context(self._sandbox.reside(self._tools.runner.under(larger), tree))
        self._served = 0
        if unchanged is not None and unchanged.succeeded:
            runner = _Requests(resident, self._tools)
            runner.run(self._tools.loading(unchanged), tree)
            if self._bug.oracle.regression:
                trial = Trial(self._bug, runner, "full", self._source)
                trial.toolchain = self._tools.requests
                trial.run(self._bug.oracle.regression, ())
                self._usable = all(test.verdict is Verdict.PLAUSIBLE for test in trial.tests)
        if self._usable:
            self._resident = resident

    def _stop(self) -> None:
        self._resident = None
        self._running.close()

    def _judge_alone(self, task: _Task, seen: Judgement | None) -> Judgement:
        """Judge in processes that serve this candidate alone: one for all cases where that can decide, else one for each."""
        if self._compiler is None:
            raise HarnessError("nothing was compiled")
        products = self._compiler.products(task.compiled)
        if self._bench is None:
            self._bench = self._open.enter_context(_bench(self._bug, self._sandbox, self._folder, self._compiler.base))
        runner, tree = self._bench.runner, self._bench.lay_out(task.changed, products)
        cases = self._bug.oracle.cases
        if cases and seen is not None:
            all_count = task.policy == "full" or seen.verdict is Verdict.PLAUSIBLE
            tried = cases if all_count else cases[: len(seen.trial.tests)]
            try:
                together = _Replayed(self._run_together(tried, products, runner, tree))
                return self._judgement(task, together, self._tools.requests, tree)
            except _Undecidable:
                self._bench.lay_out(task.changed, products)
        return self._judgement(task, runner, self._tools.compiled, tree)

    def _run_together(
        self, cases: Sequence[Case], products: Mapping[str, bytes], runner: Runner, tree: Path
    ) -> list[tuple[bytes, Execution]]:
        """Run cases in one process and return what came of each input; raises _Undecidable when new processes might differ."""
        limits, nonce = self._bug.oracle.limits, secrets.token_hex(16)
        inputs = [case.input.encode() for case in cases]
        command = self._tools.alone(products, inputs, nonce, limits.output_mb)
        # Each case keeps within its own share of output; CPU time, memory and wall time of one case are enough for all of them.
        larger = dataclasses.replace(
            limits, output_mb=limits.output_mb * (len(cases) + 1), processes=limits.processes + MORE_PROCESSES
        )
        execution = runner.run(command.under(larger), tree)
        near_limit = execution.cpu_s > limits.cpu_s / 2 or execution.peak_mb > EMPTY_PROCESS_MB + limits.memory_mb / 2
        if not execution.succeeded or execution.stdout or execution.stderr or near_limit:
            raise _Undecidable("one process is not enough", tainted=True)
        try:
            answers = self._tools.answers(execution, nonce)
        except ValueError as error:
            raise _Undecidable(str(error), tainted=True) from None
        if len(answers) != len(inputs) or any(answer.odd for answer in answers):
            raise _Undecidable("something was odd", tainted=True)
        return [(given, answer.execution) for given, answer in zip(inputs, answers, strict=True)]


def _reference(bug: Bug) -> Candidate:
    return Candidate(bug_id=bug.id, edits=bug.oracle.reference, rank=1, origin=Origin(repairer="reference"))


def _deciding_cpu_s(limits: Limits) -> float:
    """Return the CPU time up to which a shared process can tell that one of its own would have kept within the limit."""
    return limits.cpu_s / 2 - START_CPU_S


def _is_plain(seen: Judgement) -> bool:
    """Return whether a shared process may decide this: a failure to build, or of tests that failed normally."""
    return seen.verdict is not Verdict.PLAUSIBLE and all(map(_is_plain_result, seen.trial.tests))


def _is_plain_result(test: TestResult) -> bool:
    return test.verdict in (Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.PRESENTATION) and not test.message.startswith("tampering: ")


@record
class _Bench:
    """A tree for candidates that need processes of their own, and the place where those run."""

    work: WorkTree
    runner: Runner
    base: Mapping[str, bytes]

    def lay_out(self, changed: Mapping[str, str | None], products: Mapping[str, bytes]) -> Path:
        """Put the tree back, write a candidate's files and what came of them into it, and return where it is."""
        self.work.reset()
        self.work.write(changed)
        for path in self.base.keys() - products.keys():
            (self.work.work / path).unlink()
        _write_products({path: content for path, content in products.items() if self.base.get(path) is not content}, self.work.work)
        return self.work.work


@contextmanager
def _bench(bug: Bug, sandbox: Sandbox, folder: Path, base: Mapping[str, bytes]) -> Iterator[_Bench]:
    place = folder / "bench"
    place.mkdir()
    work = WorkTree(place)
    lay_out(bug, {}, work.work)
    _write_products(base, work.work)
    work.keep()
    with sandbox.slot(work.work) as runner:
        yield _Bench(work=work, runner=runner, base=base)


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


class _Compiled:
    """Runs commands somewhere else, but for the build, of which it knows what came of it."""

    def __init__(self, runner: Runner, compiled: Execution) -> None:
        self._runner = runner
        self._compiled = compiled

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command."""
        return self._compiled if command.argv == ("compile",) else self._runner.run(command, tree)


class _Replayed:
    """Knows what came of each input, and tells it once."""

    def __init__(self, executions: Sequence[tuple[bytes, Execution]]) -> None:
        self._left = list(executions)

    def run(self, command: Command, tree: Path) -> Execution:
        """Return what came of the command's input."""
        del tree
        for index, (given, execution) in enumerate(self._left):
            if given == command.stdin:
                del self._left[index]
                return execution
        raise _Undecidable("this was not run, or should be run once more", tainted=False)


class _Requests:
    """Runs commands by asking the shared process."""

    def __init__(self, resident: Resident, tools: WarmTools) -> None:
        self._resident = resident
        self._tools = tools

    def run(self, command: Command, tree: Path) -> Execution:
        """Ask for what a command stands for; raises when the answer decides nothing."""
        del tree  # the process has it
        answer = self._ask(command)
        if answer.odd:
            raise _Undecidable(answer.odd, tainted=answer.tainted)
        if answer.execution.cpu_s > _deciding_cpu_s(command.limits):
            raise _Undecidable("a process of its own might have met the CPU limit", tainted=False)
        return answer.execution

    def _ask(self, command: Command) -> Answer:
        limits, nonce = command.limits, secrets.token_hex(16)
        cpu_s = max(min(_deciding_cpu_s(limits), CPU_LIMIT_S), LEAST_CPU_S)
        sooner = dataclasses.replace(command, limits=dataclasses.replace(limits, cpu_s=cpu_s))
        reply = self._resident.ask(self._tools.request(sooner, nonce), wall_s=PATIENCE_S + 4 * sooner.limits.cpu_s)
        try:
            return self._tools.answer(sooner, nonce, reply)
        except ValueError as error:
            raise _Undecidable(str(error), tainted=True) from None
