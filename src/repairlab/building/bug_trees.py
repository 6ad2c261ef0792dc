"""Build the buggy and the fixed tree of a bug, one after the other, in one folder.

What the next tree shares with the last is not built again.
"""

import dataclasses
import filecmp
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.benchmarks.writing import write_file
from repairlab.building.importers.importer import Generator
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.execution import Ending, Execution
from repairlab.core.recipe import Build
from repairlab.languages.language import Continuing, Warmable, language
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.engines import CLOCK_TICK_S
from repairlab.validation.resident import ResidentEngine
from repairlab.validation.time_limits import with_margin
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.worktree import hand_over, temporary_folder


class BuildFolder:
    """The folder `work` with the last tree and its build products; `opened_build_folder` makes it."""

    def __init__(self, folder: Path, sandbox: Sandbox, stack: ExitStack) -> None:
        self._folder, self._sandbox, self._stack = folder, sandbox, stack
        self._runner: Runner | None = None
        self._build: Build | None = None
        self._laid: frozenset[str] = frozenset()
        self.work = folder / "work"

    @property
    def runner(self) -> Runner:
        """Runs commands in the folder."""
        if self._runner is None:
            self.work.mkdir()
            self._runner = self._stack.enter_context(self._sandbox.slot(self.work))
        return self._runner

    def lay(self, bug: Bug, changed: Mapping[str, str | None]) -> bool:
        """Turn the folder into the tree of a bug with these files changed; return whether any build products remain."""
        aside = self._folder / "aside"
        lay_out(bug, changed, aside)
        with our_failure(f"cannot lay out bug {bug.id}"):
            wanted = frozenset(_entries(aside))
            differing = {path for path in wanted & self._laid if not _is_same(aside / path, self.work / path)}
            continues = bug.oracle.build == self._build and self._continues(bug, differing, wanted ^ self._laid)
            if not continues:
                self.clear()
                differing = set()
            self._move(aside, differing | (wanted - self._laid), self._laid - wanted)
            shutil.rmtree(aside)
        self._build, self._laid = bug.oracle.build, wanted
        return continues

    def clear(self) -> None:
        """Empty the folder."""
        self._build, self._laid = None, frozenset()
        for path in [*self.work.iterdir()] if self.work.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def _continues(self, bug: Bug, differing: set[str], others: frozenset[str]) -> bool:
        """Delete what the build tool would wrongly take for up to date; return false where that could be anything."""
        toolchain = language(bug.problem.language).toolchain
        assert isinstance(toolchain, Continuing)
        outdated = toolchain.outdated(bug.oracle.build, tree=self.work, changed=differing, others=others)
        if outdated is None or any(os.path.lexists(self.work / path) for path in others - self._laid):
            return False
        for pattern in outdated:
            for path in self.work.glob(pattern):
                path.unlink()
        return True

    def _move(self, source: Path, paths: set[str] | frozenset[str], gone: frozenset[str]) -> None:
        """Copy files of another tree into this one, newer than anything built here."""
        assert self.runner is not None
        for path in gone:
            (self.work / path).unlink(missing_ok=True)
        time.sleep(CLOCK_TICK_S)
        for path in paths:
            target = self.work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (source / path).replace(target)
            os.utime(target, follow_symlinks=False)
            hand_over(self.work, path)


@contextmanager
def opened_build_folder(sandbox: Sandbox) -> Iterator[BuildFolder]:
    """Give a folder that is deleted after the block."""
    with temporary_folder() as folder, ExitStack() as stack:
        yield BuildFolder(folder, sandbox, stack)


def _entries(root: Path) -> Iterator[str]:
    """Yield the relative paths of all files and links below a folder."""
    folders = [""]
    for folder in folders:
        with os.scandir(root / folder) as listed:
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{folder}{entry.name}/")
                else:
                    yield f"{folder}{entry.name}"


def _is_same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    is_same_mode = other.is_file() and (one.stat().st_mode ^ other.stat().st_mode) & 0o111 == 0
    return is_same_mode and filecmp.cmp(one, other, shallow=False)


class DoesNotBuildError(UserError):
    """A tree does not build; the message says which and why."""


class BugTrees:
    """Builds trees of a bug; `opened_trees` makes it."""

    def __init__(self, bug: Bug, sandbox: Sandbox, stack: ExitStack, folder: BuildFolder) -> None:
        self.bug = bug
        self._sandbox = sandbox
        self._stack = stack
        self._folder = folder
        self._engine: ResidentEngine | None = None
        toolchain = language(bug.problem.language).toolchain
        self._continues = isinstance(toolchain, Continuing)
        if isinstance(toolchain, Warmable):
            self._engine = ResidentEngine(bug, sandbox, toolchain, stack.enter_context(temporary_folder()))
            stack.callback(self._engine.close)

    def built(self, edits: tuple[Edit, ...]) -> TreeTester:
        """Build the tree with these edits and return what runs its tests until the next one; raise DoesNotBuildError."""
        changed = changed_files(self.bug.candidate(edits, "import"), self.bug)
        trial = self._engine.tester(self.bug, changed, "full") if self._engine else None
        if trial is None and self._continues:
            trial, problem = self._built_on(changed)
        else:
            trial = trial or self._tester(self._sandbox, self._stack.enter_context(laid_out(self.bug, edits)))
            problem = trial.build()
        if problem:
            raise DoesNotBuildError(f"the {'fixed' if edits else 'buggy'} tree does not build: {problem}")
        return trial

    def limit(self, limits: Mapping[str, float]) -> None:
        """Set time limits for the tests of trees built from now on, so that one that hangs is stopped soon."""
        oracle, old = self.bug.oracle, self.bug.oracle.limits
        new = dataclasses.replace(old, cpu_s=limits.get("cpu_s", old.cpu_s), wall_s=limits.get("wall_s", old.wall_s))
        self.bug = dataclasses.replace(self.bug, oracle=dataclasses.replace(oracle, limits=new))

    def _built_on(self, changed: Mapping[str, str | None]) -> tuple[TreeTester, str]:
        """Return the tree, built on the last one or from nothing, and why it does not build."""
        continues = self._folder.lay(self.bug, changed)
        trial = self._tester(self._folder.runner, self._folder.work)
        problem = trial.build()
        if not (problem and continues):
            return trial, problem
        self._folder.clear()  # leftovers of another build may be the cause
        return self._built_on(changed)

    def _tester(self, runner: Runner, work: Path) -> TreeTester:
        return TreeTester(self.bug, runner, "full", work, checker_sandbox=self._sandbox)


@contextmanager
def opened_trees(bug: Bug, sandbox: Sandbox, folder: BuildFolder) -> Iterator[BugTrees]:
    """Give the trees of a bug; build products stay in the folder for the next bug."""
    with ExitStack() as stack:
        yield BugTrees(bug, sandbox, stack, folder)


@contextmanager
def laid_out(bug: Bug, edits: tuple[Edit, ...]) -> Iterator[Path]:
    """Give a folder with the tree of a bug and these edits."""
    with temporary_folder() as folder:
        lay_out(bug, changed_files(bug.candidate(edits, "import"), bug), folder / "work")
        yield folder / "work"


_LONGEST_CAUSE = 300
_CAUSE = re.compile(r"\S+: (?:fatal )?error: |(?:\w+\.)*\w*(?:Error|Exception): ")


def generate(generator: Generator, bug: Bug, sandbox: Sandbox) -> str:
    """Run the generator of the fixed tree and copy what it made into the bug's folder.

    A generator whose files the tests can do without may fail; the answer says why.
    """
    test = dataclasses.replace(bug.oracle.test, program=generator.program, env=tuple(generator.env.items()))
    with laid_out(bug, bug.oracle.reference) as work:
        trial = TreeTester(bug, sandbox, "full", work, checker_sandbox=sandbox)
        if problem := trial.build():
            raise DoesNotBuildError(f"the fixed tree does not build: {problem}")
        program = trial.toolchain.program(bug.oracle.build, test)
        command = dataclasses.replace(program, argv=(*program.argv, *generator.arguments), writable=True)
        (work / generator.folder).mkdir(parents=True, exist_ok=True)
        before = _made_files(generator, work)
        done = sandbox.run(command.under(with_margin(generator.limits or bug.oracle.limits)), work)
        made = sorted(_made_files(generator, work) - before)
        if not done.succeeded or (not made and not generator.optional):
            problem = f"{generator.program}, which makes files of the tree, failed: {_cause(done)}"
            if generator.optional:
                return problem
            raise UserError(problem)
        for path in made:
            write_file(Path(bug.tree.source), path.relative_to(work).as_posix(), path.read_bytes())
    return ""


def _made_files(generator: Generator, work: Path) -> set[Path]:
    """Return the files that lie in the tree itself: a link made by the program could have us read files of the host."""
    root = work.resolve()
    found = (root / generator.folder).rglob(generator.pattern)
    return {work / path.relative_to(root) for path in found if path.is_file() and path.resolve() == path}


def _cause(done: Execution) -> str:
    """Return the telling line: a compiler's first error or the last exception, else the last line."""
    if done.ending is not Ending.EXITED:
        return f"it was ended ({done.ending})"
    said = [line.strip() for line in (done.stderr or done.stdout).decode("utf-8", "replace").splitlines() if line.strip()]
    causes = [line for line in said if _CAUSE.match(line)]
    compiler = [line for line in causes if "error: " in line]
    return (compiler[:1] or causes[-1:] or said[-1:] or ["it said nothing"])[0][:_LONGEST_CAUSE]
