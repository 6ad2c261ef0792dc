"""Tests that flip: one that did so for one fix of a project is left out of all its bugs. Called by `mine`.

Each bug alone sees a test a few times; one that depends on chance may pass each time for one and fail for its neighbour.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from repairlab.benchmarks.catalog import find_target
from repairlab.benchmarks.exclusions import exclude
from repairlab.benchmarks.folder import load_bug
from repairlab.core.errors import UserError


def leave_out(benchmark: Path, bugs: Sequence[str], unsteady: Mapping[str, Set[str]]) -> Iterator[str]:
    """Exclude tests from the bugs of a project by the names that are given for it; yield what there is to tell."""
    for bug_id in bugs:
        bug = load_bug(benchmark / "bugs" / bug_id, benchmark.name, find_target)
        flipped = unsteady.get(project_of_bug(bug_id), frozenset())
        names = [test for test in (*bug.oracle.trigger, *bug.oracle.regression) if test in flipped]
        if not names:
            continue
        try:
            exclude(bug, names)
        except UserError as error:
            yield str(error)
        else:
            yield f"{bug_id}: left out, for with another fix of the project it passed and failed on one tree: {', '.join(names)}"


def project_of_bug(bug_id: str) -> str:
    """Return the project that a bug's id names."""
    return bug_id.rpartition("@")[0]
