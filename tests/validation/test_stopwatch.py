"""Each moment of a worker counts for one phase."""

import time

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
