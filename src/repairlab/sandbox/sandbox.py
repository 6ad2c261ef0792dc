"""The only place untrusted code runs: the protocol of all back ends (their table is table.py)."""

from pathlib import Path
from typing import Protocol

from repairlab.core.execution import Command, Execution


class Sandbox(Protocol):
    """Runs one command at a time under limits and says what it saw; safe to use from several threads at once."""

    name: str

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command over a tree and wait for the end of its whole process tree.

        An isolated command finds the tree at /work, or at /tree when a mount needs /work; its paths should be relative. A command
        that may write needs the tree for itself; files with several hard links may stay closed to it.
        Raises HarnessError when the sandbox itself failed; whatever the command does is an Execution.
        """
        ...
