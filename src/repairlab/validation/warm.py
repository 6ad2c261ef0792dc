"""Judge candidates of one bug in a process that stays, as far as that can decide anything. Called by the workbench in `validate`.

Candidates share the process, so its word is final only for plain failures: what does not compile, and tests that fail normally.
Everything else, above all a pass, is left to a process of the candidate's own.
"""

import dataclasses
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Policy, TestResult, Verdict
from repairlab.core.record import record
from repairlab.languages.language import Toolchain, Warmable, WarmTools
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.trial import BUILD_LIMITS, Trial

CANDIDATES_PER_PROCESS = 200
"""Then a new process starts: unloaded classes and the like pile up."""
CPU_LIMIT_S = 2.0
"""What runs longer is stopped, and runs again in a process of its own: better early than at the real limit."""
PATIENCE_S = 10.0
"""Wall time per request, beyond what its CPU limit would take on a loaded machine."""
FORGIVEN = 4
"""How many more requests may come to nothing than candidates were decided, before a bug does without."""


@record
class Judgement:
    """A verdict, the line to show, and what was seen on the way."""

    verdict: Verdict
    message: str
    trial: Trial


class _Undecidable(Exception):  # noqa: N818  # no error: the candidate gets a process of its own
    """What the resident process said decides nothing."""

    def __init__(self, reason: str, *, tainted: bool) -> None:
        super().__init__(reason)
        self.tainted = tainted


class Warm:
    """The resident process of one bug: started when first needed, and again after it was lost."""

    def __init__(self, bug: Bug, sandbox: Sandbox, toolchain: Warmable, folder: Path) -> None:
        """Take an empty folder for copies of the buggy tree, one for each process."""
        self._bug = bug
        self._sandbox = sandbox
        self._folder = folder
        self._source = Path(bug.tree.source)
        files = sorted(path.relative_to(self._source).as_posix() for path in self._source.rglob("*") if path.is_file())
        self._tools = toolchain.warm(bug.oracle.build, bug.oracle.test, files)
        self._running = ExitStack()
        self._resident: Resident | None = None
        self._served = 0
        self._usable = True
        self.decided = self.wasted = 0

    def close(self) -> None:
        """End the process."""
        self._resident = None
        self._running.close()

    def judge(self, changed: Mapping[str, str | None], policy: Policy) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: a process of the candidate's own must decide."""
        seen = self.look(changed, policy)
        if seen is None or seen.verdict is Verdict.PLAUSIBLE or not all(map(_is_plain, seen.trial.tests)):
            return None
        self.decided += 1
        return seen

    def look(self, changed: Mapping[str, str | None], policy: Policy) -> Judgement | None:
        """Return what the process makes of the tree, be it final or not; none when it could not say."""
        toolchain = self._tools.toolchain(changed)
        if toolchain is None or not self._usable or self.wasted > FORGIVEN + self.decided:
            return None
        try:
            trial = self._trial(toolchain, policy)
            verdict, message = trial.judge()
        except _Undecidable as reason:
            self.wasted += 1
            if reason.tainted:
                self.close()
            return None
        except (ResidentLost, HarnessError):
            self.wasted += 1
            self.close()
            return None
        self._served += 1
        if self._served >= CANDIDATES_PER_PROCESS:
            self.close()
        return Judgement(verdict=verdict, message=message, trial=trial)

    def _trial(self, toolchain: Toolchain, policy: Policy) -> Trial:
        if self._resident is None:
            self._start()
        if self._resident is None:
            raise ResidentLost("it does not work for this bug")
        return self._trial_in(self._resident, toolchain, policy)

    def _trial_in(self, resident: Resident, toolchain: Toolchain, policy: Policy) -> Trial:
        trial = Trial(self._bug, _Requests(resident, self._tools), policy, self._source)
        trial.toolchain = toolchain
        return trial

    def _start(self) -> None:
        """Start the process and see that tests which pass on the buggy tree pass in it, too."""
        limits = self._bug.oracle.limits
        larger = dataclasses.replace(
            limits, memory_mb=limits.memory_mb + self._tools.extra_memory_mb, processes=limits.processes + 8
        )
        tree = Path(self._running.enter_context(tempfile.TemporaryDirectory(dir=self._folder, ignore_cleanup_errors=True))) / "work"
        lay_out(self._bug, {}, tree)
        resident = self._running.enter_context(self._sandbox.reside(self._tools.command.under(larger), tree))
        self._served = 0
        _Requests(resident, self._tools).run(self._tools.opening().under(BUILD_LIMITS), tree)
        unchanged = self._tools.toolchain({})
        if unchanged is not None and self._bug.oracle.regression:
            trial = self._trial_in(resident, unchanged, "full")
            if not trial.build():
                trial.run(self._bug.oracle.regression, ())
                self._usable = all(test.verdict is Verdict.PLAUSIBLE for test in trial.tests)
        if self._usable:
            self._resident = resident


def _is_plain(test: TestResult) -> bool:
    return test.verdict in (Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.PRESENTATION) and not test.message.startswith("tampering: ")


class _Requests:
    """Runs commands by asking a resident process."""

    def __init__(self, resident: Resident, tools: WarmTools) -> None:
        self._resident = resident
        self._tools = tools

    def run(self, command: Command, tree: Path) -> Execution:
        """Ask for what a command stands for; raises when the answer decides nothing."""
        del tree  # the process has it
        nonce = secrets.token_hex(16)
        limits = command.limits
        if limits != BUILD_LIMITS:  # a whole tree may take its time to compile
            command = dataclasses.replace(command, limits=dataclasses.replace(limits, cpu_s=min(limits.cpu_s, CPU_LIMIT_S)))
        reply = self._resident.ask(self._tools.request(command, nonce), wall_s=PATIENCE_S + 4 * command.limits.cpu_s)
        try:
            answer = self._tools.answer(command, nonce, reply)
        except ValueError as error:
            raise _Undecidable(str(error), tainted=True) from None
        if answer.odd:
            raise _Undecidable(answer.odd, tainted=answer.tainted)
        if answer.execution.cpu_s > limits.cpu_s / 2:
            raise _Undecidable("a process of its own might have met the CPU limit", tainted=False)
        return answer.execution
