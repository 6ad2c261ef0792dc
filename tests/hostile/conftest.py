"""What tests of hostile candidates share."""

from collections.abc import Iterator

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.languages.language import default_cache
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.validator import BugValidator, Conditions


@pytest.fixture(scope="module")
def validator(request: pytest.FixtureRequest) -> Iterator[tuple[Bug, BugValidator]]:
    """Return a bug of `starter` and its validator, which all candidates of the bug share."""
    bug = open_benchmark("starter").bug(request.param)
    with BugValidator(Conditions(bug=bug), open_sandbox("bubblewrap", cache=default_cache())) as opened:
        yield bug, opened
