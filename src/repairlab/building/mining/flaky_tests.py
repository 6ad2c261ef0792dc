"""Tests that flip: one that did so for one fix of a project is left out of all its bugs.

Each bug alone sees a test a few times; one that depends on chance may pass each time for one and fail for its neighbour.
"""

from collections.abc import Iterable, Iterator, Mapping, Set

from repairlab.building.exclusions import exclude
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError


def leave_out(bugs: Iterable[Bug], unsteady: Mapping[str, Set[str]]) -> Iterator[str]:
    """Exclude tests from the bugs of a project by the names that are given for it; yield what there is to tell."""
    for bug in bugs:
        flipped = unsteady.get(project_of_bug(bug.id), frozenset())
        names = [test for test in (*bug.oracle.trigger, *bug.oracle.regression) if test in flipped]
        if not names:
            continue
        try:
            exclude(bug, names)
        except UserError as error:
            yield str(error)
        else:
            yield f"{bug.id}: left out, for with another fix of the project it passed and failed on one tree: {', '.join(names)}"


def project_of_bug(bug_id: str) -> str:
    """Return the project that the id of a mined bug names; nothing for others."""
    return bug_id.rpartition("@")[0]
