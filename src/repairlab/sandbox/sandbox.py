"""The only place untrusted code runs: the protocol of all back ends, and the table of them."""

from pathlib import Path
from typing import Protocol

from repairlab.core.execution import Command, Execution


class Sandbox(Protocol):
    """Runs one command at a time under limits and says what it saw; safe to use from several threads at once."""

    name: str

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command over a tree (inside: the folder /work) and wait for the end of its whole process tree.

        Raises HarnessError when the sandbox itself failed; whatever the command does is an Execution.
        """
        ...
