"""Which time-outs are in doubt, what repeats make of them, and what counts on a machine that is never quiet."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Ending, Execution, Limits
from repairlab.sandbox.sandbox import exited
from repairlab.validation import time_limits
from repairlab.validation.time_limits import PLAIN, REPEATS, Load, is_doubtful, read_load, repeat, with_margin

LIMITS = Limits(cpu_s=2.0, wall_s=10.0)
STOPPED_S = with_margin(LIMITS).cpu_s
QUIET = dataclasses.replace(read_load(), stolen_s=1e12, waiting_s=1e12)
"""Counters that nothing can have passed since."""
BUSY = Load(stolen_s=-1e12, waiting_s=0.0, at_s=0.0)
"""Counters that were far behind: all time since was stolen."""


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
    load = read_load()
    assert load.stolen_s >= 0
    assert load.waiting_s is None or load.waiting_s >= 0


def test_a_command_that_had_a_cpu_to_itself_was_not_disturbed() -> None:
    assert not QUIET.disturbed(ran(2.5, wall_s=2.6), LIMITS)
    assert not QUIET.disturbed(ran(2.5, wall_s=9.0), LIMITS), "it waited, but not for a CPU: nobody did"


def test_a_command_beside_which_others_waited_for_cpus_was_disturbed() -> None:
    crowded = dataclasses.replace(QUIET, waiting_s=-1e12)
    assert crowded.disturbed(ran(2.5, wall_s=9.0), LIMITS)
    assert not crowded.disturbed(ran(2.5, wall_s=2.6), LIMITS), "others waited, this one did not"
    assert dataclasses.replace(QUIET, waiting_s=None).disturbed(ran(2.5, wall_s=9.0), LIMITS), "nobody can say"


def test_who_waits_for_a_clock_or_itself_is_not_disturbed_by_load_elsewhere() -> None:
    crowded = dataclasses.replace(QUIET, waiting_s=-1e12)
    assert not crowded.disturbed(ran(2.5, wall_s=9.0, busy_s=2.6), LIMITS)
    assert crowded.disturbed(ran(2.5, wall_s=9.0, busy_s=8.0), LIMITS), "it waited for a CPU"
    assert QUIET.disturbed(ran(2.5, wall_s=9.0, busy_s=8.0), LIMITS), "its own waiting is known, whatever the machine says"
    assert not crowded.disturbed(ran(4.0, wall_s=9.0, busy_s=2.0), LIMITS), "it ran on several CPUs"


def test_time_that_was_taken_from_others_while_a_command_slept_is_not_its_own() -> None:
    before = read_load()
    taken = dataclasses.replace(before, stolen_s=before.stolen_s - 1.0)
    assert taken.disturbed(ran(2.5, wall_s=3.0, busy_s=3.0), LIMITS)
    assert not taken.disturbed(ran(2.5, wall_s=100.0, busy_s=2.6), LIMITS)


def test_time_that_other_virtual_machines_took_is_no_time_of_the_command() -> None:
    before = read_load()
    assert dataclasses.replace(before, stolen_s=before.stolen_s - 0.6).disturbed(ran(2.5, wall_s=2.5), LIMITS)
    assert not dataclasses.replace(QUIET, stolen_s=before.stolen_s + 1e6).disturbed(ran(2.5, wall_s=2.5), LIMITS)


def test_a_stop_at_the_cpu_limit_is_in_doubt_on_a_busy_machine_alone() -> None:
    stopped = ran(STOPPED_S, ending=Ending.CPU_LIMIT)
    assert is_doubtful(stopped, LIMITS, BUSY)
    assert not is_doubtful(stopped, LIMITS, QUIET)


def test_what_kept_its_limit_once_has_kept_it_however_busy_the_machine() -> None:
    run, given = runs(ran(3.0), ran(2.0))
    execution, n = repeat(run, LIMITS, ran(STOPPED_S, ending=Ending.CPU_LIMIT), look=lambda: BUSY, pause_s=0)
    assert (execution.ending, n) == (Ending.EXITED, 2)
    assert {(limits.cpu_s, limits.wall_s) for limits in given} == {(PLAIN * LIMITS.cpu_s, PLAIN * LIMITS.wall_s)}


@pytest.mark.parametrize("ending", [Ending.CPU_LIMIT, Ending.WALL_LIMIT])
def test_what_passes_the_limits_many_times_over_has_plainly_passed_them(ending: Ending) -> None:
    run, _ = runs(ran(PLAIN * LIMITS.cpu_s, wall_s=40.0, ending=ending))
    execution, n = repeat(run, LIMITS, ran(STOPPED_S, ending=Ending.CPU_LIMIT), look=lambda: BUSY, pause_s=0)
    assert (execution.ending, n) == (ending, 1)


@pytest.mark.parametrize("code", [0, 1])
def test_what_a_busy_machine_cannot_tell_is_our_failure(code: int) -> None:
    run, given = runs(*[ran(STOPPED_S + 1, code=code)] * REPEATS)
    with pytest.raises(HarnessError, match="too busy to tell"):
        repeat(run, LIMITS, ran(STOPPED_S, ending=Ending.CPU_LIMIT), look=lambda: BUSY, pause_s=0)
    assert len(given) == REPEATS


@pytest.mark.parametrize("code", [0, 1])
def test_a_repeat_on_a_quiet_machine_is_judged_as_a_first_run_would_be(code: int) -> None:
    run, _ = runs(ran(STOPPED_S + 1, code=code))
    execution, n = repeat(run, LIMITS, ran(STOPPED_S, ending=Ending.CPU_LIMIT), look=lambda: QUIET)
    assert (execution.ending, execution.exit_code, n) == (Ending.CPU_LIMIT, None, 1)


def test_what_hardly_ran_gets_no_more_time_in_its_second_chance() -> None:
    run, given = runs(ran(0.1, wall_s=10.0, ending=Ending.WALL_LIMIT))
    execution, _ = repeat(run, LIMITS, ran(0.1, wall_s=10.0, ending=Ending.WALL_LIMIT))
    assert execution.ending is Ending.WALL_LIMIT
    assert given == [with_margin(LIMITS)]


def test_what_only_waited_for_itself_gets_no_more_time_in_its_second_chance() -> None:
    slept = ran(1.5, wall_s=10.0, busy_s=1.6, ending=Ending.WALL_LIMIT)
    run, given = runs(slept)
    assert repeat(run, LIMITS, slept)[1] == 1
    assert given == [with_margin(LIMITS)]
    starved = ran(1.5, wall_s=10.0, busy_s=9.0, ending=Ending.WALL_LIMIT)
    run, given = runs(ran(1.9, wall_s=20.0))
    assert repeat(run, LIMITS, starved)[0].succeeded
    assert given[0].wall_s == PLAIN * LIMITS.wall_s


def test_counters_that_the_kernel_does_not_have_count_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(time_limits, "_read", missing)
    load = read_load()
    assert (load.stolen_s, load.waiting_s) == (0.0, None)


def test_a_kernel_that_does_not_tell_of_threads_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for told, margin in (("1\n", time_limits.THREADS_MARGIN), ("0\n", time_limits.MARGIN), (None, time_limits.MARGIN)):

        def read(path: Path, told: str | None = told) -> str:
            if told is None:
                raise FileNotFoundError(path)
            return told

        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_text", read)
            time_limits._margin.cache_clear()
            assert with_margin(LIMITS).cpu_s == LIMITS.cpu_s * margin
    time_limits._margin.cache_clear()
