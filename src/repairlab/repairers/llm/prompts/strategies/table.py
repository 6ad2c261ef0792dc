"""The strategies by name; called by `runs`, the command line and the repairer. Modules are imported when asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

from repairlab.core.errors import unknown

if TYPE_CHECKING:
    from repairlab.repairers.llm.prompts.strategies.question import Strategy

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


def names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return tuple(_TABLE)


def strategy(name: str) -> "Strategy":
    """Return the strategy of this name."""
    if name not in _TABLE:
        raise unknown("strategy", name, _TABLE)
    module, _, entry = _TABLE[name].partition(":")
    made: Strategy = getattr(import_module(f"repairlab.repairers.llm.prompts.strategies.{module}"), entry)
    return made
