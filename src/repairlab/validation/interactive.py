"""Let a program and a bug's interactive checker talk with each other, each in a sandbox of its own.

The convention is Kattis': `checker input answer feedback_folder [arguments]`, what the program writes on standard input, what it
shall read on standard output; exit code 42 right, 43 wrong. Whatever else a checker does is a crash: WRONG where it says 42 to the
reference fix in the same case, else UNDECIDED.

A program that talks again knows the conversation before, if only by the time at which that ended. So none that failed is held
again, and where a time limit is looked at again, the program must say again what it said.

Whoever ends first decides first: a program that fails by itself has its own verdict, whatever the checker says afterwards; after
a checker that said 43 the program is stopped, and is wrong, whatever it did then; after 42 it must still end well by itself.
"""

import contextlib
import dataclasses
import os
import select
import shlex
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from repairlab.core.bug import Case, CheckerProgram
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.outcome import TestVerdict
from repairlab.core.record import record
from repairlab.sandbox.sandbox import Conversing, Sandbox
from repairlab.sandbox.supervise import Ends
from repairlab.validation.checkers import CheckerResult
from repairlab.validation.custom_checker import CRASHED, checker_tree, ended, said, starting, write_case

_RIGHT, _WRONG, _FAILURE = 42, 43, 70
# The message for the judges is a file in a folder given to the checker.
_SCRIPT = """
folder=$(mktemp -d)/ || exit 70
{checker} case/input case/answer "$folder" {arguments}
code=$?
head -n 1 "$folder"judgemessage.txt 2>/dev/null | head -c 300 >&2
exit $code
"""
_TICK_MS = 50
"""How often a relay checks whether one of the two has ended."""
_SLACK_S = 10.0
"""How much longer than the program its checker may wait."""

Side = Literal["program", "checker"]


@record
class _Talk:
    """How a conversation ended."""

    program: Execution
    checker: Execution
    first: Side
    said: bytes
    """All that the program wrote."""


class Interaction:
    """An interactive checker, built and ready for one case after another; `interacting` makes it."""

    def __init__(self, checker: CheckerProgram, sandbox: Conversing, tree: Path) -> None:
        command = starting(checker)
        script = _SCRIPT.format(checker=shlex.join(command.argv), arguments=shlex.join(checker.arguments))
        self._command = dataclasses.replace(command, argv=("/bin/sh", "-c", script), forks=False)
        self._limits = checker.limits
        self._sandbox = sandbox
        self._tree = tree
        self._has_said_no = False
        self._said: bytes | None = None
        """What the program said when it first talked about this case."""
        self.finding = CheckerResult(verdict=TestVerdict.WRONG)
        """The result of the last conversation, if its program did not fail by itself."""

    def take(self, case: Case) -> None:
        """Prepare for the conversation of another case."""
        self._said = None
        write_case(self._tree, {"input": case.input.encode(), "answer": case.expected.encode()})

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a program in conversation with the checker, whose failure is a HarnessError; return what the program did.

        A program that the checker rejected has failed, however it ended, so a doubtful time need not be repeated.
        """
        self._has_said_no = False
        # While the checker computes, the program waits: that is not its fault, and the checker has its own limit.
        patient = dataclasses.replace(command.limits, wall_s=command.limits.wall_s + self._limits.cpu_s)
        asking = self._command.under(dataclasses.replace(self._limits, wall_s=patient.wall_s + _SLACK_S))
        talk = _Conversation(self._sandbox, command.limits).hold(
            (dataclasses.replace(command, limits=patient), tree), (asking, self._tree)
        )
        if self._said is None:
            self._said = talk.said
        elif not talk.said.startswith(self._said):
            return dataclasses.replace(talk.program, ending=Ending.CPU_LIMIT, exit_code=None, signal=None)
        if talk.first == "program" and not talk.program.succeeded:
            return talk.program
        self.finding = _finding(talk.checker)
        self._has_said_no = self.finding.verdict is TestVerdict.WRONG
        if self._has_said_no:
            return dataclasses.replace(talk.program, ending=Ending.EXITED, exit_code=_WRONG, signal=None)
        return talk.program

    def seen(self, program: Execution) -> Execution:
        """Return the last conversation's program as one that ended well, if the checker has rejected it: that counts."""
        return dataclasses.replace(program, exit_code=0) if self._has_said_no else program

    def judge(self, case: Case, output: bytes) -> CheckerResult:
        """Return the result of the last conversation."""
        del case, output
        return self.finding


def _finding(checker: Execution) -> CheckerResult:
    """Return what the end of a checker says; its own failure is a HarnessError."""
    code = checker.exit_code if checker.ending is Ending.EXITED else None
    if code == _RIGHT:
        return CheckerResult(verdict=TestVerdict.PASSED)
    if code == _WRONG:
        return CheckerResult(verdict=TestVerdict.WRONG, message=f"the checker says no{said(checker, line=0)}")
    how = f"{ended(checker)}{said(checker, line=-1)}"
    failure = f"the interactive checker failed: {how}"
    if code == _FAILURE or checker.ending is Ending.WALL_LIMIT:
        raise HarnessError(failure)
    return CheckerResult(verdict=TestVerdict.WRONG, message=f"{CRASHED}: {how}", doubt=failure)


class _Conversation:
    """Runs both sides in threads, and relays what each writes to the other in two more."""

    def __init__(self, sandbox: Conversing, limits: Limits) -> None:
        self._sandbox = sandbox
        self._most = int(limits.output_mb * 1024 * 1024)
        self._lock = threading.Lock()
        self._done: dict[Side, Execution | Exception] = {}
        self._order: list[Side] = []
        self._has_ended: dict[Side, threading.Event] = {"program": threading.Event(), "checker": threading.Event()}
        self._flooded = False
        self._said: list[bytes] = []

    def hold(self, program: tuple[Command, Path], checker: tuple[Command, Path]) -> _Talk:
        """Let them talk until both have ended."""
        with contextlib.ExitStack() as stack:
            to_program, to_checker = (stack.enter_context(_Pipe(0o444)) for _ in range(2))
            from_program, from_checker = (stack.enter_context(_Pipe(0o222)) for _ in range(2))
            # These ends are ours: neither a side that does not read nor one that takes back its writes may block us.
            for number in (to_program.writing, to_checker.writing, from_program.reading, from_checker.reading):
                os.set_blocking(number, False)
            self._halts: dict[Side, int] = {"program": os.eventfd(0), "checker": os.eventfd(0)}
            for number in self._halts.values():
                stack.callback(os.close, number)
            work: list[Callable[[], None]] = [
                lambda: self._run("program", *program, to_program.reading, from_program.writing),
                lambda: self._run("checker", *checker, to_checker.reading, from_checker.writing),
                lambda: self._relay("program", "checker", from_program.reading, to_checker),
                lambda: self._relay("checker", "program", from_checker.reading, to_program),
            ]
            threads = [threading.Thread(target=item, daemon=True) for item in work]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        executions: dict[Side, Execution] = {}
        for side, done in self._done.items():
            if isinstance(done, Exception):
                raise done
            executions[side] = done
        if self._flooded:
            flooded = dataclasses.replace(executions["program"], ending=Ending.OUTPUT_LIMIT, exit_code=None, signal=None)
            executions["program"] = flooded
        return _Talk(program=executions["program"], checker=executions["checker"], first=self._order[0], said=b"".join(self._said))

    def _run(self, side: Side, command: Command, tree: Path, stdin: int, stdout: int) -> None:
        done: Execution | Exception
        try:
            done = self._sandbox.converse(command, tree, Ends(stdin=stdin, stdout=stdout, halt=self._halts[side]))
        except Exception as error:  # raised again by the thread that waits
            done = error
        with self._lock:
            self._done[side] = done
            self._order.append(side)
        if self._settles(side, done):
            self._halt("checker" if side == "program" else "program")
        self._has_ended[side].set()

    def _settles(self, side: Side, done: Execution | Exception) -> bool:
        """Return whether an end leaves nothing to say to the other side: only a good one lets it continue."""
        if isinstance(done, Exception):
            return True
        return not done.succeeded if side == "program" else done.exit_code != _RIGHT

    def _halt(self, side: Side) -> None:
        os.eventfd_write(self._halts[side], 1)

    def _relay(self, writer: Side, reader: Side, source: int, target: "_Pipe") -> None:
        """Relay what one side writes; after its end, when all is relayed, the other side sees the end, too."""
        passed = 0
        while chunk := self._read(writer, source):
            passed += len(chunk)
            if writer == "program" and not self._flooded:
                self._said.append(chunk)
            if writer == "program" and passed > self._most and not self._flooded:
                self._flooded = True
                self._halt("program")
            self._write(reader, chunk, target.writing)
        target.close_writing()

    def _read(self, writer: Side, source: int) -> bytes:
        poll = select.poll()
        poll.register(source, select.POLLIN)
        while True:
            over = self._has_ended[writer].is_set()  # asked before the pipe: what was written before the end must not be lost
            if poll.poll(0 if over else _TICK_MS):
                with contextlib.suppress(BlockingIOError):
                    return os.read(source, 65536)
            elif over:
                return b""

    def _write(self, reader: Side, chunk: bytes, target: int) -> None:
        """Write to a side that may not be reading; one that has ended needs nothing more and must not kill the writer."""
        poll = select.poll()
        poll.register(target, select.POLLOUT)
        left = memoryview(chunk)
        while left and not self._has_ended[reader].is_set():
            if poll.poll(_TICK_MS):
                with contextlib.suppress(BlockingIOError, BrokenPipeError):
                    left = left[os.write(target, left) :]


class _Pipe:
    """Both ends of a pipe; programs may open it by name (/dev/stdin, /dev/stdout), as another user, only for its direction."""

    def __init__(self, mode: int) -> None:
        self._mode = mode

    def __enter__(self) -> "_Pipe":
        self.reading, self.writing = os.pipe()
        os.fchmod(self.writing, self._mode)
        return self

    def close_writing(self) -> None:
        """Let the reader see the end."""
        if self.writing >= 0:
            os.close(self.writing)
        self.writing = -1

    def __exit__(self, *_error: object) -> None:
        self.close_writing()
        os.close(self.reading)


@contextlib.contextmanager
def interacting(checker: CheckerProgram, sandbox: Sandbox, build_limits: Limits) -> Iterator[Interaction]:
    """Open an interactive checker in a tree of its own, which the program never sees."""
    if not isinstance(sandbox, Conversing):
        raise HarnessError("this sandbox cannot let two commands talk with each other")
    with checker_tree(checker, sandbox, build_limits) as tree:
        yield Interaction(checker, sandbox, tree)
