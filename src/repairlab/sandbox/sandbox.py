"""The only place untrusted code runs: the protocol of all back ends, and a fake that runs nothing, for tests of other rooms."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

from repairlab.core.execution import Command, Ending, Execution
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.sandbox.supervise import Ends


class Runner(Protocol):
    """Anything that runs one command over a tree and reports what happened."""

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command over a tree and wait for the end of its whole process tree.

        An isolated command finds the tree at /work, or at /tree when a mount needs /work; its paths should be relative. A command
        that may write needs the tree for itself; files with several hard links may stay closed to it. What a private command did to
        the tree is gone when this returns.
        Raises HarnessError when the sandbox itself failed; whatever the command does is an Execution.
        """
        ...


class Sandbox(Runner, Protocol):
    """Runs one command at a time under limits and reports what happened; safe to use from several threads at once."""

    name: str

    def reside(self, command: Command, tree: Path) -> AbstractContextManager[Resident]:
        """Start a command that stays and answers requests on file descriptor 3, under the same limits except those on time.

        Its standard output and error are discarded. At the end of the block its whole process tree is killed.
        """
        ...

    def slot(self, tree: Path) -> AbstractContextManager[Runner]:
        """Open a lasting place for commands over a tree, which costs less than `run` for each of them.

        Programs that can be forked are started once. The tree belongs to the commands' user until the end of the block.
        """
        ...


@runtime_checkable
class SeriesRunner(Protocol):
    """A runner that runs one command many times more cheaply than one by one."""

    def run_series(self, command: Command, inputs: Sequence[bytes], tree: Path, *, stop: bool) -> list[Execution]:
        """Run a command for one standard input after the other, each as `run` would.

        At least one run is made. What comes after a run that did not end by itself is left out; with `stop`, also what comes
        after an exit code that is not 0. What would come after a while may be left out, too.
        """
        ...


class ChangingRunner:
    """Runs commands as a function changes them."""

    def __init__(self, change: Callable[[Command], Command], runner: Runner) -> None:
        self._change, self._runner = change, runner

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command."""
        return self._runner.run(self._change(command), tree)

    def run_series(self, command: Command, inputs: Sequence[bytes], tree: Path, *, stop: bool) -> list[Execution]:
        """Run a command for one standard input after another, or for the first if the runner makes single runs."""
        if isinstance(self._runner, SeriesRunner):
            return self._runner.run_series(self._change(command), inputs, tree, stop=stop)
        return [self.run(dataclasses.replace(command, stdin=inputs[0]), tree)]


@runtime_checkable
class Conversing(Protocol):
    """A sandbox whose commands can talk with others."""

    def converse(self, command: Command, tree: Path, ends: Ends) -> Execution:
        """Run a command as `run` does, but with standard input and output from and to others, of which nothing is recorded."""
        ...


@runtime_checkable
class Sealing(Protocol):
    """A sandbox that may protect parts of their tree from private commands."""

    @property
    def seals(self) -> bool:
        """Whether `Command.sealed` counts here."""
        ...


class FakeSandbox:
    """Answers every command with what a function returns, and remembers the commands."""

    name = "fake"

    def __init__(self, answer: Callable[[Command], Execution]) -> None:
        self._answer = answer
        self.commands: list[Command] = []

    def run(self, command: Command, tree: Path) -> Execution:  # noqa: ARG002  # the protocol names it
        """Return the function's answer."""
        self.commands.append(command)
        return self._answer(command)

    @contextmanager
    def reside(self, command: Command, tree: Path) -> Iterator[Resident]:  # noqa: ARG002  # the protocol names it
        """Raise ResidentLost: a fake keeps no process, and callers must do without one."""
        raise ResidentLost("the fake sandbox keeps no process")
        yield

    @contextmanager
    def slot(self, tree: Path) -> Iterator["FakeSandbox"]:  # noqa: ARG002  # the protocol names it
        """Give the fake itself: it keeps nothing anyway."""
        yield self


def exited(code: int = 0, *, stdout: bytes = b"", stderr: bytes = b"", report: bytes = b"") -> Execution:
    """Return the execution of a command that ended by itself, using nothing."""
    return Execution(
        ending=Ending.EXITED,
        exit_code=code,
        signal=None,
        stdout=stdout,
        stderr=stderr,
        report=report,
        cpu_s=0.0,
        wall_s=0.0,
        peak_mb=0.0,
    )
