"""The only way from validation back to a repairer."""

from typing import Literal

from repairlab.core.outcome import Outcome

Feedback = Literal["none", "verdict", "message"]
"""What a repairer may learn: nothing (tests stay hidden), the verdict, or the verdict with the first failing message."""


def feedback(outcome: Outcome, policy: Feedback) -> str | None:
    """Return what the policy tells of an outcome."""
    if policy == "none":
        return None
    if policy == "verdict" or not outcome.message:
        return outcome.verdict.value
    return f"{outcome.verdict.value} at {outcome.stage}: {outcome.message}"
