"""The strategies by name; one is loaded when it is asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from repairlab.registry import Parts, lacking

if TYPE_CHECKING:
    from repairlab.repairers.llm.prompts.strategies import Strategy


_CONSTANTS = {
    "zero-shot": "ZERO_SHOT",
    "title-only": "TITLE_ONLY",
    "few-shot": "FEW_SHOT",
    "reasoning": "REASONING",
    "infill-line": "INFILL_LINE",
    "infill-hunk": "INFILL_HUNK",
    "infill-function": "INFILL_FUNCTION",
    "verdict": "VERDICT",
    "completion": "COMPLETION",
    "edit": "EDIT",
    "file": "FILE",
    "conversation": "CONVERSATION",
}

STRATEGIES: Parts["Strategy | Callable[[], Strategy]"] = Parts(
    "strategies",
    "strategy",
    {name: f"repairlab.repairers.llm.prompts.strategies:{constant}" for name, constant in _CONSTANTS.items()},
    check=lacking("name", "variables", "needs", "question"),
)
"""Strategies, or what makes one without arguments."""


def names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return tuple(STRATEGIES)


def strategy(name: str) -> "Strategy":
    """Return the strategy of this name."""
    made = STRATEGIES[name]
    return made() if callable(made) else made
