"""The warm path against the fresh one: every candidate must get the same verdict, stage and result of every test from both.

`make test-differential` runs all bugs of `starter` with template candidates; the ordinary tests a few.
"""

import itertools
import os
from collections.abc import Callable

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import Visibility, shown
from repairlab.languages.language import default_cache
from repairlab.repairers.table import repairer
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders

CANDIDATES = int(os.environ.get("REPAIRLAB_DIFFERENTIAL", "40"))
QUICK = ("python-island-count", "python-version-order", "java-brackets-crash", "c-lap-time-mean", "cpp-range-sums")


def parameters() -> list[object]:
    everything = [pytest.param(bug.id, CANDIDATES, marks=pytest.mark.differential, id=bug.id) for bug in open_benchmark("starter")]
    return [*everything, *(pytest.param(bug_id, 4, id=f"{bug_id}-quick") for bug_id in QUICK)]


def candidates_of(bug: Bug, n: int) -> list[Candidate]:
    """Return template candidates with the reference among them."""
    drawn = list(itertools.islice(repairer("templates").propose(shown(bug.problem, Visibility()), ()), n - 1))
    fix = builders.reference(bug, repairer="reference")
    return [*drawn[: n // 2], fix, *drawn[n // 2 :]]


def facts(outcome: Outcome) -> tuple[object, ...]:
    return (outcome.verdict, outcome.stage, [(test.id, test.verdict) for test in outcome.tests])


@pytest.mark.parametrize(("bug_id", "n"), parameters())
def test_warm_and_fresh_agree(bug_id: str, n: int, record_property: Callable[[str, object], None]) -> None:
    bug = open_benchmark("starter").bug(bug_id)
    sandbox = open_sandbox(cache=default_cache())
    candidates = candidates_of(bug, n)
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        warm = [validator.validate(candidate) for candidate in candidates]
    differences = [
        f"candidate {rank}: warm {facts(one)}, fresh {facts(other)}"
        for rank, (one, candidate) in enumerate(zip(warm, candidates, strict=True), start=1)
        if facts(one) != facts(other := validate(candidate, bug, sandbox))
    ]
    record_property("pairs", len(candidates))
    record_property("differences", len(differences))
    assert not differences, "\n".join(differences)
    fixed = warm[min(n // 2, len(candidates) - 1)]
    assert fixed.verdict is Verdict.PLAUSIBLE, f"the reference fix: {fixed.verdict} {fixed.message}"  # nothing was judged
