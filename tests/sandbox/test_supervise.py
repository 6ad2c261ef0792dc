"""What the host's half does when the host itself is short of something."""

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command
from repairlab.sandbox.descriptors import OutputPipe
from repairlab.sandbox.sandbox import Sandbox


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # the plainest way to count


@pytest.fixture
def fill_holes() -> Iterator[Callable[[], None]]:
    """Have no number of a descriptor free below the highest: the limit is on numbers, not on how many there are."""
    with ExitStack() as stack:

        def fill() -> None:
            highest = max(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208
            while (number := os.dup(0)) < highest:
                stack.callback(os.close, number)
            os.close(number)

        yield fill


@pytest.mark.parametrize("way", ["run", "slot", "reside"])
def test_too_few_descriptors_are_our_failure_and_none_is_lost(
    sandbox: Sandbox, tree: Path, way: str, fill_holes: Callable[[], None]
) -> None:
    def use() -> None:
        if way == "reside":
            with sandbox.reside(Command(argv=("sleep", "60")), tree):
                return
        with ExitStack() as stack:
            runner = stack.enter_context(sandbox.slot(tree)) if way == "slot" else sandbox
            assert runner.run(Command(argv=("true",), private=True), tree).succeeded

    use()
    fill_holes()
    before, limits = open_files(), resource.getrlimit(resource.RLIMIT_NOFILE)
    failures = 0
    for room in range(0, 60, 2):
        resource.setrlimit(resource.RLIMIT_NOFILE, (before - 1 + room, limits[1]))
        try:
            use()
        except HarnessError:
            failures += 1
        else:
            break
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert open_files() == before
    assert 0 < failures < 30
    assert open_files() == before


def test_a_pipe_that_holds_nothing_now_has_not_come_to_its_end() -> None:
    with OutputPipe(1000) as channel:
        assert not channel.read()
        assert not channel.ended
        os.write(channel.theirs, b"late")
        assert channel.read()
        channel.leave_to_them()
        assert not channel.read()
        assert (channel.ended, channel.content) == (True, b"late")
