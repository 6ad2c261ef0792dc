"""The engine that shares nothing: a folder of the candidate's own, built from nothing, a process for every command."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Policy
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.engines.engine import Judgement, judge
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import temporary_folder


class FreshEngine:
    """Judges any candidate; the other engines must agree with it."""

    def __init__(self, bug: Bug, sandbox: Sandbox) -> None:
        self._bug, self._sandbox = bug, sandbox

    def judge(
        self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0, sealed: Sequence[str] = ()
    ) -> Judgement:
        """Return the judgement on the tree with these files changed, of which tests cannot change what is sealed."""
        with temporary_folder() as folder:
            lay_out(self._bug, changed, folder / "work")
            runner = _Sealing(self._sandbox, sealed) if sealed else self._sandbox
            return judge(TestRun(self._bug, runner, policy, folder / "work", confirm=confirm, judge=self._sandbox))


class _Sealing:
    """Runs commands, and keeps private ones from changing parts of the tree."""

    def __init__(self, runner: Runner, sealed: Sequence[str]) -> None:
        self._runner, self._sealed = runner, sealed

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command."""
        if command.private:
            command = dataclasses.replace(command, sealed=(*command.sealed, *self._sealed))
        return self._runner.run(command, tree)
