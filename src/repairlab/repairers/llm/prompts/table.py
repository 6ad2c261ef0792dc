"""The strategies by name; one is loaded when it is asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from repairlab.registry import Parts, lacking

if TYPE_CHECKING:
    from repairlab.repairers.llm.prompts.strategies import Strategy


_TABLE = {
    "zero-shot": "plain:ZERO_SHOT",
    "title-only": "plain:TITLE_ONLY",
    "few-shot": "plain:FEW_SHOT",
    "reasoning": "plain:REASONING",
    "infill-line": "infill:INFILL_LINE",
    "infill-hunk": "infill:INFILL_HUNK",
    "infill-function": "plain:INFILL_FUNCTION",
    "verdict": "plain:VERDICT",
    "completion": "completion:COMPLETION",
    "edit": "plain:EDIT",
    "file": "plain:FILE",
    "conversation": "plain:CONVERSATION",
}

STRATEGIES: Parts["Strategy | Callable[[], Strategy]"] = Parts(
    "strategies",
    "strategy",
    {name: f"repairlab.repairers.llm.prompts.strategies.{path}" for name, path in _TABLE.items()},
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
