"""The resident engine: a compiler that stays compiles each candidate, and its tests run over the products.

The compiler runs nothing of a candidate's, so that what it says is final. It is slow until it has worked for a while, so it stays
for the bugs to come, and ends with this process. The cache keeps results of compiling buggy trees; nothing of a candidate is in it,
and what runs in a sandbox sees none of it. One process runs all cases of a program, as far as that is sure to come to the same as
a process for each.
"""

import atexit
import contextlib
import dataclasses
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import BuildLimits, Command, Execution, Limits
from repairlab.core.outcome import Policy
from repairlab.core.record import record
from repairlab.languages.language import Together, Warmable, WarmTools
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.tree_tester import Judgement, TreeTester
from repairlab.validation.worktree import WorkTree

MORE_PROCESSES = 8
"""Threads that our runner has beyond those of a program under judgement."""
EMPTY_PROCESS_MB = 32
"""Memory of a process that runs nothing yet, at least."""
TOGETHER_S = 2.5
"""For how long one process begins another case: where cases take long, a process for each costs little, and the first may fail."""
LOST_COMPILERS = 4
"""How many compilations may come to nothing, before a bug does without."""


Within = Callable[[Runner], Runner]
"""What puts another runner before that of an engine."""


class ResidentEngine:
    """Judges candidates of one bug over what the compiler made of them; opened when first needed."""

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
        self._compiled: deque[tuple[Mapping[str, str | None], Execution]] = deque(maxlen=2)
        """What came of a candidate, and of it with other tests: both run again and again before it passes."""
        self._lost = 0
        self.n_judged = self.n_together = 0

    def close(self) -> None:
        """End all that is open for this bug."""
        self._compiler = self._base = None
        self._open.close()

    def judge(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        bug: Bug | None = None,
        within: Within | None = None,
    ) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: it must be built and run from scratch.

        The tests may be those of a bug that differs from this one in nothing but files that are among those changed.
        """
        tester = self.tester(bug or self._bug, changed, policy, confirm=confirm, within=within)
        if tester is None:
            return None
        try:
            judgement = tester.judge()
        except HarnessError:
            return None
        self.n_judged += 1
        return judgement

    def tester(
        self,
        bug: Bug,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        within: Within | None = None,
    ) -> TreeTester | None:
        """Return what tests a tree that is compiled already; none where this engine cannot tell. It ends with the next one."""
        try:
            compiled = self._compile(changed)
            if compiled is None:
                return None
            runner = self._runner(changed, compiled, within)
        except (ResidentLost, HarnessError):
            return None
        tree = self._base.tree if self._base else self._source
        toolchain = self._tools.compiled
        return TreeTester(bug, runner, policy, tree, confirm=confirm, checker_sandbox=self._sandbox, other_toolchain=toolchain)

    def _compile(self, changed: Mapping[str, str | None]) -> Execution | None:
        if self._lost > LOST_COMPILERS or self._bug.oracle.build.limits != BuildLimits():  # the compiler has limits of its own
            return None
        if known := next((compiled for before, compiled in self._compiled if before == changed), None):
            return known
        try:
            if self._compiler is None:
                with STOPWATCH.phase("set-up"):
                    self._compiler = CompiledTree(self._bug, self._sandbox, self._tools)
                self._open.callback(self._compiler.close)
            compiled = self._compiler.compile(changed)
            if compiled:
                self._compiled.append((dict(changed), compiled))
            return compiled
        except (ResidentLost, HarnessError):
            self._lost += 1
            return None

    def _runner(self, changed: Mapping[str, str | None], compiled: Execution, within: Within | None) -> "_Replaying":
        """Lay out what was compiled, and return what runs commands over it."""
        if self._compiler is None or not compiled.succeeded:
            return _Replaying(self._sandbox, compiled, [])  # there is nothing to run
        if self._base is None:
            with STOPWATCH.phase("set-up"):
                self._base = self._open.enter_context(_compiled_base(self._bug, self._sandbox, self._folder, self._compiler.base))
        with STOPWATCH.phase("build"):
            self._base.lay_out(changed, self._compiler.products(compiled))
        if within:
            return _Replaying(within(self._base.runner), compiled, [])
        return _Replaying(self._base.runner, compiled, self._run_together(compiled))

    def _run_together(self, compiled: Execution) -> list[tuple[bytes, Execution]]:
        """Run the first cases in one process and return what came of each, as far as a process for each would say the same."""
        if self._compiler is None or self._base is None or len(self._bug.oracle.cases) < 2:
            return []
        limits = self._bug.oracle.limits
        inputs = [case.input.encode() for case in self._bug.oracle.cases]
        request = Together(nonce=secrets.token_hex(16), limits=limits, patience_s=min(TOGETHER_S, limits.cpu_s / 4))
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


class _Replaying:
    """Runs commands, but answers the build and cases that were run together from memory, once each."""

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


LIMITS = Limits(cpu_s=20.0, memory_mb=1024, output_mb=64.0, processes=64, disk_mb=64)
"""A candidate that needs more is compiled by a separate process."""
OPENING_CPU_S = 120.0
"""For the whole buggy tree, by a compiler that has not yet worked much."""
ANSWER_S = 10.0
"""Wall time per request, beyond what its CPU limit would take on a loaded machine."""

_compilers: dict[tuple[int, Sandbox, Command], "_Compiler"] = {}
_compilers_lock = threading.Lock()


class CompiledTree:
    """The tree of one bug as the compiler sees it; HarnessError or ResidentLost when it cannot say."""

    def __init__(self, bug: Bug, sandbox: Sandbox, tools: WarmTools) -> None:
        self._tools, self._source = tools, bug.tree.source
        self._compiler = _compiler(sandbox, tools.compiler)
        self._name = secrets.token_hex(8)
        self._opened_in = 0
        self.base: dict[str, bytes] = {}
        """What came of the buggy tree; nothing when it does not compile, or was not compiled."""
        self.unchanged: Execution | None = None
        self._folder = self._compiler.folder / self._name
        lay_out(bug, {}, self._folder)
        _open_to_all(self._folder)

    def compile(self, changed: Mapping[str, str | None]) -> Execution | None:
        """Return what came of the tree with new texts of files; none when this is not for the compiler."""
        command = self._tools.compiling(self._name, changed)
        if command is None:
            return None
        with self._compiler.lock:
            if self._opened_in != self._compiler.generation or self.unchanged is None:
                with STOPWATCH.phase("set-up"):
                    self._open()
            with STOPWATCH.phase("build"):
                return self._compiler.ask(self._tools, command, cpu_s=LIMITS.cpu_s)

    def _open(self) -> None:
        """Have the buggy tree compiled, unless what comes of that is known."""
        kept = self._kept()
        known = read_kept(kept) if kept else b""
        unchanged = self._compiler.ask(self._tools, self._tools.opening(self._name, known), cpu_s=OPENING_CPU_S)
        self._opened_in = self._compiler.generation
        self.base = self._tools.products(dataclasses.replace(unchanged, report=known) if known else unchanged, {})
        self.unchanged = unchanged
        if kept and not known and unchanged.succeeded:
            keep(kept, unchanged.report)

    def _kept(self) -> Path | None:
        with contextlib.suppress(OSError):
            return self._tools.kept(Path(self._source))
        return None

    def products(self, compiled: Execution) -> dict[str, bytes]:
        """Return the files that came of a compilation."""
        return self._tools.products(compiled, self.base)

    def close(self) -> None:
        """Forget the tree; the compiler stays for others."""
        with self._compiler.lock:
            if self._opened_in == self._compiler.generation:
                with contextlib.suppress(ResidentLost, HarnessError):
                    self._compiler.ask(self._tools, self._tools.closing(self._name), cpu_s=LIMITS.cpu_s)
        shutil.rmtree(self._folder, ignore_errors=True)


class _Compiler:
    """The process: started when first asked, and again after it was lost. Whoever asks holds the lock."""

    def __init__(self, sandbox: Sandbox, command: Command) -> None:
        self._sandbox = sandbox
        self._command = command
        self._made = tempfile.TemporaryDirectory(prefix="repairlab-compiler-", ignore_cleanup_errors=True)
        self._running = contextlib.ExitStack()
        self._resident: Resident | None = None
        self.folder = Path(self._made.name)
        self.folder.chmod(0o755)
        self.generation = 1
        """Rises whenever the process is lost, and with it all trees that it knew."""
        self.lock = threading.Lock()

    def ask(self, tools: WarmTools, command: Command, *, cpu_s: float) -> Execution:
        """Return what came of a request."""
        if self._resident is None:
            self._resident = self._running.enter_context(self._sandbox.reside(self._command.under(LIMITS), self.folder))
        nonce = secrets.token_hex(16)
        try:
            request = tools.request(command.under(Limits(cpu_s=cpu_s)), nonce)
            answer = tools.answer(command, nonce, self._resident.ask(request, wall_s=ANSWER_S + 4 * cpu_s))
        except (ResidentLost, ValueError) as error:
            self.stop()
            raise ResidentLost(str(error)) from None
        if answer.odd:
            raise HarnessError(f"the compiler cannot say: {answer.odd}")
        return answer.execution

    def stop(self) -> None:
        """End the process; what is asked next starts another."""
        self._resident = None
        self.generation += 1
        self._running.close()

    def close(self) -> None:
        """End for good."""
        self.stop()
        self._made.cleanup()


def _compiler(sandbox: Sandbox, command: Command) -> _Compiler:
    """Return the compiler of this process for such a command."""
    key = (os.getpid(), sandbox, command)  # a fork must not speak with its parent's
    with _compilers_lock:
        if key not in _compilers:
            _compilers[key] = _Compiler(sandbox, command)
            atexit.register(close_compilers)
        return _compilers[key]


def close_compilers() -> None:
    """End the compilers of this process; later calls start new ones."""
    with _compilers_lock:
        for key in [key for key in _compilers if key[0] == os.getpid()]:
            _compilers.pop(key).close()


def _open_to_all(folder: Path) -> None:
    """Make a tree readable by the compiler's user."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) | (0o555 if path.is_dir() else 0o444))


LARGEST_CACHE = 2 << 30
"""Bytes of all that is kept; what was not used for the longest time goes first."""
_DIGEST = hashlib.sha256().digest_size


def read_kept(path: Path) -> bytes:
    """Return what was kept in a file; nothing when there is none, or it is damaged."""
    with contextlib.suppress(OSError, zlib.error):
        content = path.read_bytes()
        if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
            os.utime(path)
            return zlib.decompress(content[_DIGEST:])
    return b""


def keep(path: Path, content: bytes) -> None:
    """Keep something in a file; where that cannot be written, it is done without."""
    packed = zlib.compress(content, 1)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(hashlib.sha256(packed).digest() + packed)
        aside.replace(path)
        make_room(path.parent)


def make_room(folder: Path, *, largest: int = LARGEST_CACHE) -> None:
    """Remove files until no more than so many bytes are left."""
    files = [(path.stat(), path) for path in folder.iterdir()]
    size = sum(status.st_size for status, _ in files)
    for status, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
        if size <= largest:
            return
        path.unlink(missing_ok=True)
        size -= status.st_size
