"""A function over items in several processes: the order stays, nothing is lost, little is held."""

import os
from collections.abc import Iterator
from functools import partial

import pytest

from repairlab.runs.executors.work_queue import map_in_order


def square(number: int) -> int:
    return number * number


def die_elsewhere(home: int, number: int) -> int:
    if os.getpid() != home and number % 5 == 2:
        os._exit(1)
    return square(number)


def fail(number: int) -> int:
    raise ValueError(f"no {number}")


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_their_items(workers: int) -> None:
    assert list(map_in_order(square, range(50), workers=workers)) == [n * n for n in range(50)]
    assert list(map_in_order(square, [], workers=workers)) == []


def test_what_workers_die_over_is_done_all_the_same() -> None:
    found = map_in_order(partial(die_elsewhere, os.getpid()), range(30), workers=2)
    assert list(found) == [n * n for n in range(30)]


def test_an_error_in_a_worker_is_raised_here() -> None:
    with pytest.raises(RuntimeError, match="ValueError: no 0"):
        list(map_in_order(fail, [0], workers=2))


def test_items_are_taken_only_a_little_ahead() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    found = map_in_order(square, items(), workers=2)
    assert next(found) == 0
    assert len(taken) <= 8
    found.close()  # type: ignore[attr-defined]  # it is a generator
