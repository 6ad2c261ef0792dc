"""Bugs with their fixes as pairs: for training on executable bugs, and to try representations."""

from collections.abc import Iterable, Iterator

from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair


def pair_of_bug(bug: Bug) -> Pair | None:
    """Return the file to fix before and after the fix; none when the fix changes other files, too, or is not known."""
    problem = bug.problem
    try:
        after = apply_edits(bug.oracle.reference, {problem.path: problem.source})
    except UserError:
        return None
    fixed = after.get(problem.path)
    if list(after) != [problem.path] or fixed is None or fixed == problem.source:
        return None
    return Pair(
        id=bug.id,
        buggy=problem.source,
        fixed=fixed,
        repository=bug.origin.repository,
        commit=bug.origin.commit,
        verdict=problem.submission_verdict.value if problem.submission_verdict else None,
    )


def pairs_of_bugs(bugs: Iterable[Bug]) -> Iterator[tuple[str, Pair]]:
    """Yield language and pair of all bugs that can be had as one."""
    for bug in bugs:
        pair = pair_of_bug(bug)
        if pair is not None:
            yield bug.problem.language, pair
