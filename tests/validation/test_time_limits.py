"""Which time-outs are in doubt, what repeats make of them, and what counts on a machine that is never quiet."""

import dataclasses
from collections.abc import Callable, Iterator

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Ending, Execution, Limits
from repairlab.sandbox.sandbox import exited
from repairlab.validation import time_limits
from repairlab.validation.time_limits import BUSY_MARGIN, MARGIN, Load, is_doubtful, read_load, repeat, settled, with_margin

LIMITS = Limits(cpu_s=2.0, wall_s=10.0)


def load(*, used_s: float = 0.0, stolen_s: float = 0.0, stalled_s: float = 0.0, at_s: float = 0.0) -> Load:
    return Load(used_s=used_s, stolen_s=stolen_s, stalled_s=stalled_s, at_s=at_s)


@pytest.fixture
def ends_with(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Load]:
    """Let the kernel's counters be read so when a command ends; it began when all were 0."""

    def end(**counters: float) -> Load:
        monkeypatch.setattr(time_limits, "read_load", lambda: load(**counters))
        return load()

    return end


def ran(
    cpu_s: float, *, wall_s: float | None = None, busy_s: float | None = None, ending: Ending = Ending.EXITED, code: int = 0
) -> Execution:
    code_of_end = code if ending is Ending.EXITED else None
    return dataclasses.replace(exited(), cpu_s=cpu_s, wall_s=wall_s or cpu_s, busy_s=busy_s, ending=ending, exit_code=code_of_end)


def runs(*executions: Execution) -> tuple[Callable[[Limits], Execution], list[Limits]]:
    """Return what behaves so, one run after the other, and the limits that it gets."""
    left: Iterator[Execution] = iter(executions)
    given: list[Limits] = []

    def run(limits: Limits) -> Execution:
        given.append(limits)
        return next(left)

    return run, given


def test_what_the_kernel_counts_is_read() -> None:
    before = read_load()
    assert before.used_s > 0
    assert min(before.stolen_s, before.stalled_s) >= 0
    assert read_load().at_s >= before.at_s


def test_a_command_that_was_alone_was_not_disturbed_and_one_beside_others_was(ends_with: Callable[..., Load]) -> None:
    late = ran(2.5)
    assert not ends_with(used_s=2.7, at_s=2.6).disturbed(late, LIMITS)
    assert not ends_with(used_s=3.0, at_s=9.0).disturbed(late, LIMITS), "it slept, and little else ran"
    assert ends_with(used_s=5.0, at_s=2.6).disturbed(late, LIMITS), "another CPU was busy, which may share a core"
    assert ends_with(used_s=0.0, at_s=2.6).disturbed(late, LIMITS), "nobody can say"


def test_twice_the_limit_is_plainly_too_much_even_beside_others(ends_with: Callable[..., Load]) -> None:
    assert not ends_with(used_s=30.0, at_s=10.0).disturbed(ran(BUSY_MARGIN * LIMITS.cpu_s), LIMITS)
    assert ends_with(used_s=30.0, at_s=10.0).disturbed(ran(MARGIN * LIMITS.cpu_s), LIMITS)


def test_its_share_of_the_time_that_other_virtual_machines_took_is_no_time_of_a_command(ends_with: Callable[..., Load]) -> None:
    burnt = ran(BUSY_MARGIN * LIMITS.cpu_s)
    assert ends_with(used_s=4.0, stolen_s=2.0, at_s=4.0).disturbed(burnt, LIMITS)
    assert not ends_with(used_s=16.0, stolen_s=2.0, at_s=8.0).disturbed(burnt, LIMITS), "most of it was taken from others"


def test_a_stop_at_the_cpu_limit_is_in_doubt_beside_others_alone(ends_with: Callable[..., Load]) -> None:
    stopped = ran(MARGIN * LIMITS.cpu_s, ending=Ending.CPU_LIMIT)
    busy, quiet = {"used_s": 9.0, "at_s": 4.0}, {"used_s": 2.5, "at_s": 2.5}
    assert is_doubtful(stopped, LIMITS, ends_with(**busy))
    assert settled(stopped, LIMITS, ends_with(**busy)) is None
    assert settled(stopped, LIMITS, ends_with(**quiet)) == stopped
    late = settled(ran(2.4), LIMITS, ends_with(**quiet))
    assert late is not None
    assert (late.ending, late.exit_code) == (Ending.CPU_LIMIT, None)
    assert settled(ran(1.9), LIMITS, ends_with(**busy)) == ran(1.9)


def test_who_slept_is_late_and_who_waited_for_a_cpu_or_a_disk_gets_another_chance(ends_with: Callable[..., Load]) -> None:
    slept = ran(0.1, wall_s=10.0, busy_s=0.2, ending=Ending.WALL_LIMIT)
    assert not is_doubtful(slept, LIMITS, ends_with(used_s=20.0, at_s=10.0))
    assert is_doubtful(slept, LIMITS, ends_with(used_s=20.0, stalled_s=2.0, at_s=10.0))
    starved = ran(1.5, wall_s=30.0, busy_s=29.0, ending=Ending.WALL_LIMIT)
    assert is_doubtful(starved, LIMITS, ends_with(used_s=60.0, at_s=30.0))
    assert is_doubtful(dataclasses.replace(slept, busy_s=None), LIMITS, ends_with(at_s=10.0)), "nobody can say"


def test_what_keeps_its_limit_in_the_repeat_has_kept_it() -> None:
    run, given = runs(ran(2.0))
    assert repeat(run, LIMITS).succeeded
    assert [(limits.cpu_s, limits.wall_s) for limits in given] == [(BUSY_MARGIN * LIMITS.cpu_s, LIMITS.wall_s)]


@pytest.mark.parametrize(
    "late",
    [
        ran(BUSY_MARGIN * LIMITS.cpu_s, ending=Ending.CPU_LIMIT),
        ran(0.1, wall_s=10.0, busy_s=0.1, ending=Ending.WALL_LIMIT),
        ran(0.1, wall_s=10.0, ending=Ending.WALL_LIMIT),
        ran(2.5, code=1),
    ],
)
def test_what_does_not_in_the_repeat_either_has_passed_its_limit(late: Execution, ends_with: Callable[..., Load]) -> None:
    run, given = runs(late)
    before = ends_with(used_s=20.0, stalled_s=9.0, at_s=10.0)
    assert repeat(run, LIMITS, look=lambda: before) == late
    assert len(given) == 1


def test_what_others_can_explain_is_not_held_against_a_command_that_ends(ends_with: Callable[..., Load]) -> None:
    busy = ends_with(used_s=9.0, at_s=4.0)
    assert repeat(runs(ran(2.5))[0], LIMITS, look=lambda: busy).succeeded
    quiet = ends_with(used_s=2.6, at_s=2.6)
    assert repeat(runs(ran(2.5))[0], LIMITS, look=lambda: quiet).ending is Ending.CPU_LIMIT


@pytest.mark.parametrize(
    "stopped",
    [ran(BUSY_MARGIN * LIMITS.cpu_s, ending=Ending.CPU_LIMIT), ran(1.0, wall_s=30.0, busy_s=30.0, ending=Ending.WALL_LIMIT)],
)
def test_what_a_busy_machine_cannot_tell_is_our_failure(stopped: Execution, ends_with: Callable[..., Load]) -> None:
    before = ends_with(used_s=4.0, stolen_s=3.0, at_s=4.0)
    with pytest.raises(HarnessError, match="too busy to tell"):
        repeat(runs(stopped)[0], LIMITS, look=lambda: before)


def test_counters_that_the_kernel_does_not_have_count_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(time_limits, "_read", missing)
    found = read_load()
    assert (found.used_s, found.stolen_s, found.stalled_s) == (0.0, 0.0, 0.0)
    assert with_margin(LIMITS).cpu_s == BUSY_MARGIN * LIMITS.cpu_s, "somebody may run"


def test_the_margin_is_smaller_where_nobody_else_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for said, margin in (("0.00 0.01 0.05 1/130 4711\n", MARGIN), ("2.00 1.01 0.05 3/130 4711\n", BUSY_MARGIN)):
        monkeypatch.setattr(time_limits, "_read", lambda path, said=said: said)
        assert with_margin(LIMITS).cpu_s == margin * LIMITS.cpu_s
