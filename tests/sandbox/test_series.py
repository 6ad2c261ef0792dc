"""Many runs of one command under one order: each is as good as one by itself, and the first that goes wrong is the last."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.sandbox.sandbox import Sandbox, SeriesRunner
from tests.sandbox.conftest import SERVER

SHELL = Command(argv=("sh",))


@pytest.fixture
def slot(sandbox: Sandbox, tree: Path) -> Iterator[SeriesRunner]:
    with sandbox.slot(tree) as opened:
        assert isinstance(opened, SeriesRunner)
        yield opened


def all_runs(slot: SeriesRunner, command: Command, inputs: list[bytes], tree: Path) -> list[Execution]:
    """Order what is left again and again: on a busy machine a series may end early."""
    done: list[Execution] = []
    while len(done) < len(inputs):
        made = slot.run_series(command, inputs[len(done) :], tree, stop=False)
        assert made
        done += made
    return done


def test_each_run_has_its_input_and_its_channels(slot: SeriesRunner, tree: Path) -> None:
    inputs = [b"one", b"", b"two\n" * 40_000]
    command = Command(argv=("sh", "-c", "cat; echo error >&2; echo report >&3"))
    runs = all_runs(slot, command, inputs, tree)
    assert [run.stdout for run in runs] == inputs
    assert {(run.ending, run.exit_code, run.stderr, run.report) for run in runs} == {(Ending.EXITED, 0, b"error\n", b"report\n")}


def test_forks_are_as_good_as_runs_by_themselves(slot: SeriesRunner, sandbox: Sandbox, tree: Path) -> None:
    (tree / "server.py").write_text(SERVER)
    command = Command(argv=("python3", "-S", "server.py"), forks=True)
    programs = [b"import os; print(os.getppid() == started)", b"1 / 0", b"import os; os._exit(3)", b"print(input())"]
    alone = [sandbox.run(dataclasses.replace(command, stdin=program), tree) for program in programs]
    together = all_runs(slot, command, programs, tree)
    assert [(run.ending, run.exit_code) for run in together] == [(run.ending, run.exit_code) for run in alone]
    assert (alone[0].stdout, together[0].stdout) == (b"False\n", b"True\n")


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (b"sleep 60", Ending.WALL_LIMIT),
        (b"while :; do :; done", Ending.CPU_LIMIT),
        (b"kill -9 $$", Ending.SIGNALLED),
        (b"yes", Ending.OUTPUT_LIMIT),
        (b"cd $TMPDIR; head -c 6000000 /dev/zero > a; head -c 6000000 /dev/zero > b; sleep 60", Ending.DISK_LIMIT),
    ],
)
def test_a_run_that_is_stopped_is_the_last(slot: SeriesRunner, tree: Path, text: bytes, ending: Ending) -> None:
    limits = Limits(cpu_s=1, wall_s=3 if ending is Ending.WALL_LIMIT else 60, output_mb=0.1, disk_mb=8)
    command = dataclasses.replace(SHELL, limits=limits)
    (run,) = slot.run_series(command, [text, b"echo never"], tree, stop=False)
    assert run.ending is ending
    assert len(run.stdout) <= 0.1 * 1024 * 1024
    assert slot.run_series(command, [b"echo next"], tree, stop=False)[0].stdout == b"next\n"


def test_it_can_stop_at_the_first_failure(slot: SeriesRunner, tree: Path) -> None:
    (run,) = slot.run_series(SHELL, [b"exit 3", b"exit 0"], tree, stop=True)
    assert run.exit_code == 3
    assert [run.exit_code for run in all_runs(slot, SHELL, [b"exit 3", b"exit 0"], tree)] == [3, 0]


def test_nothing_of_one_run_reaches_the_next(slot: SeriesRunner, tree: Path) -> None:
    leave = b"cd $TMPDIR; ls -A . $HOME; stat -c %a-%Y .; echo x > file; echo x > $HOME/file; chmod 700 .; sleep 600 &"
    first, second, third = (run.stdout for run in all_runs(slot, SHELL, [leave] * 3, tree))
    assert first == second == third


def test_one_that_takes_long_comes_in_parts(slot: SeriesRunner, tree: Path) -> None:
    assert len(slot.run_series(SHELL, [b"sleep 0.8"] * 3, tree, stop=False)) == 1


def test_a_tree_that_a_private_run_has_changed_is_put_back_before_the_next(slot: SeriesRunner, tree: Path) -> None:
    command = dataclasses.replace(SHELL, private=True)
    runs = all_runs(slot, command, [b"ls; echo x > file"] * 3, tree)
    assert [run.stdout for run in runs] == [b""] * 3
