"""A sandbox that runs nothing, for tests of the layers above: a function gives the executions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from repairlab.core.execution import Command, Ending, Execution
from repairlab.sandbox.resident import Resident, ResidentLost


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
