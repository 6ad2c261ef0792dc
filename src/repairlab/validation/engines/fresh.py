"""The engine that shares nothing: a folder of the candidate's own, built from nothing, a process for every command."""

from collections.abc import Mapping

from repairlab.core.bug import Bug
from repairlab.core.outcome import Policy
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.engines.engine import Judgement, judge
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import temporary_folder


class FreshEngine:
    """Judges any candidate; the other engines must agree with it."""

    def __init__(self, bug: Bug, sandbox: Sandbox) -> None:
        self._bug, self._sandbox = bug, sandbox

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement:
        """Return the judgement on the tree with these files changed."""
        with temporary_folder() as folder:
            lay_out(self._bug, changed, folder / "work")
            return judge(TestRun(self._bug, self._sandbox, policy, folder / "work", confirm=confirm, judge=self._sandbox))
