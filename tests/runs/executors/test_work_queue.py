from collections.abc import Callable
from typing import Any

import pytest

from repairlab.runs.executors.executor import Source, Work
from repairlab.runs.executors.work_queue import run_each


class _Cluster:
    """Four workers that end, by turns of the script, before one of them does its item."""

    is_remote = False
    workers = 4

    def __init__(self, *ends: str | None) -> None:
        self._ends = list(ends)

    def run(
        self, work: Work[Any, Any], source: Source[Any], receive: Callable[[Any, int], None], *, wakeup: int | None = None
    ) -> None:
        del work, wakeup
        while (item := source.take(0)) is not None:
            if self._ends:
                source.lose(0, "it ended", machine=self._ends.pop(0))
            else:
                receive(item, 0)
                source.finish(0)


@pytest.mark.parametrize(
    ("ends", "is_done"),
    [(["a"] * 9, True), (["a", "b", "a", "b"], True), ([None] * 3, False), (["a", None, None], False), (["a", "b", "c"], False)],
)
def test_workers_that_end_with_their_machine_are_one_death(ends: list[str | None], is_done: bool) -> None:
    done: list[str] = []
    lost: list[str] = []
    run_each(_no_work, ["item"], _Cluster(*ends), done.append, lambda item, reason: lost.append(f"{item}: {reason}"))
    assert (done, lost) == ((["item"], []) if is_done else ([], ["item: it ended, 3 times over the same work"]))


def _no_work(sandbox: Any, emit: Any) -> Any:
    raise NotImplementedError
