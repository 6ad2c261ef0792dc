"""What an engine is: one way to build and test candidates of a bug."""

from collections.abc import Mapping
from typing import Protocol

from repairlab.core.outcome import Policy, Verdict
from repairlab.core.record import record
from repairlab.validation.test_run import TestRun


@record
class Judgement:
    """A verdict, the line to show, and what was seen on the way."""

    verdict: Verdict
    message: str
    test_run: TestRun


class Engine(Protocol):
    """Judges candidates of one bug; all engines come to the same verdicts."""

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: this engine cannot tell, another has to.

        A test that fails is run again up to `confirm` times. Our own failures are HarnessErrors.
        """
        ...
