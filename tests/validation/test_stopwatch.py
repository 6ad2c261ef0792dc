"""Each moment of a worker counts for one phase."""

import time
from collections.abc import Iterator

from repairlab.validation.stopwatch import Stopwatch


def test_a_moment_counts_for_the_innermost_phase_and_within_confirm_for_that() -> None:
    watch = Stopwatch()
    with watch.phase("test"):
        with watch.phase("build"):
            time.sleep(0.02)
        with watch.phase("confirm"), watch.phase("build"):
            time.sleep(0.04)
    seen = watch.taken()
    assert seen.keys() == {"other", "test", "build", "confirm"}
    assert seen["build"] >= 0.02 and seen["confirm"] >= 0.04
    assert list(watch.taken()) == ["other"]


def test_what_an_iterator_takes_counts_and_what_is_done_between_does_not() -> None:
    watch = Stopwatch()

    def slowly() -> Iterator[int]:
        for number in range(3):
            time.sleep(0.01)
            yield number

    assert list(watch.each("propose", slowly())) == [0, 1, 2]
    assert watch.taken()["propose"] >= 0.03
