"""Both sides of an interactive problem, played by functions: whichever fails, nobody waits for ever and nothing is believed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from repairlab.core.bug import Case, CheckerProgram
from repairlab.core.errors import HarnessError
from repairlab.core.execution import BuildLimits, Command, Ending, Execution, Limits
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.sandbox.supervise import Ends
from repairlab.validation.interactive import Interaction, _Conversation, interacting

Side = Callable[[Ends], Execution]


class _Talking(FakeSandbox):
    """Lets functions talk instead of commands."""

    def __init__(self, **sides: Side) -> None:
        super().__init__(lambda _: exited())
        self._sides = sides

    def converse(self, command: Command, tree: Path, ends: Ends) -> Execution:
        return self._sides[command.argv[0]](ends)


def talk(program: Side, checker: Side, limits: Limits = Limits()) -> tuple[Execution, Execution]:  # noqa: B008  # frozen
    made = _Conversation(_Talking(program=program, checker=checker), limits)
    done = made.hold((Command(argv=("program",)), Path()), (Command(argv=("checker",)), Path()))
    return done.program, done.checker


def failing(ends: Ends) -> Execution:
    raise HarnessError("the sandbox is gone")


def halted(ends: Ends) -> Execution:
    """Wait until told to stop."""
    os.eventfd_read(ends.halt)
    return exited(9)


def test_a_side_that_cannot_be_run_stops_the_other_and_is_our_failure() -> None:
    for program, checker in ((failing, halted), (halted, failing)):
        with pytest.raises(HarnessError, match="the sandbox is gone"):
            talk(program, checker)


def test_a_program_that_writes_too_much_is_stopped() -> None:
    def flooding(ends: Ends) -> Execution:
        os.write(ends.stdout, b"x" * 5000)
        return halted(ends)

    program, _ = talk(flooding, lambda ends: exited(42), Limits(output_mb=0.001))
    assert program.ending is Ending.OUTPUT_LIMIT


def test_what_one_writes_the_other_reads_to_the_end() -> None:
    def speaking(ends: Ends) -> Execution:
        os.write(ends.stdout, b"hello")
        return exited()

    def listening(ends: Ends) -> Execution:
        heard = b""
        while chunk := os.read(ends.stdin, 100):
            heard += chunk
        return exited(42, stdout=heard)

    assert talk(speaking, listening)[1].stdout == b"hello"


@pytest.mark.timeout(60)
def test_a_program_that_takes_back_what_it_wrote_holds_nobody() -> None:
    """Whoever waits for what a pipe was seen to hold waits for ever once it is gone."""

    def taking_back(ends: Ends) -> Execution:
        with Path(f"/proc/self/fd/{ends.stdout}").open("rb", buffering=0) as taken:
            os.set_blocking(taken.fileno(), False)
            for _ in range(5):
                os.write(ends.stdout, b"x")
                taken.read(1)
        return exited()

    for _ in range(400):
        assert talk(taking_back, lambda ends: exited(42))[1].exit_code == 42


@pytest.mark.parametrize(
    ("first", "again", "ending"),
    [
        (b"1\n2\n", b"1\n2\n", Ending.EXITED),
        (b"1\n2\n", b"1\n2\n3\n", Ending.EXITED),  # it had been stopped on the way
        (b"1\n2\n", b"3\n", Ending.CPU_LIMIT),
        (b"1\n2\n", b"", Ending.CPU_LIMIT),
        (b"", b"3\n", Ending.EXITED),
    ],
)
def test_who_says_something_else_when_its_time_is_looked_at_again_stays_late(
    tmp_path: Path, first: bytes, again: bytes, ending: Ending
) -> None:
    """It may know what the checker said the first time."""
    saying = [first, again, again]

    def program(ends: Ends) -> Execution:
        os.write(ends.stdout, saying.pop(0))
        return exited()

    sandbox = _Talking(**{"program": program, "/bin/sh": lambda ends: exited(42)})
    made = Interaction(CheckerProgram(language="python", files=(), program="judge.py"), sandbox, tmp_path)
    made.take(Case(id="1", input="", expected=""))
    endings = [made.run(Command(argv=("program",)), tmp_path).ending for _ in range(2)]
    assert endings == [Ending.EXITED, ending]
    made.take(Case(id="2", input="", expected=""))
    assert made.run(Command(argv=("program",)), tmp_path).ending is Ending.EXITED


def test_a_sandbox_that_lets_nobody_talk_is_told_so() -> None:
    with (
        pytest.raises(HarnessError, match="cannot let two commands talk"),
        interacting(CheckerProgram(language="python", files=()), FakeSandbox(lambda _: exited()), BuildLimits()),
    ):
        pass
