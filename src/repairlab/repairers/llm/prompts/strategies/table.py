"""The strategies by name; called by `runs`, the command line and the repairer. Modules are imported when asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

from repairlab.core.errors import unknown

if TYPE_CHECKING:
    from repairlab.repairers.llm.prompts.strategies.question import Strategy

_TABLE = {
    "zero-shot": "zero_shot:ZeroShot",
    "title-only": "title_only:TitleOnly",
    "few-shot": "few_shot:FewShot",
    "reasoning": "reasoning:Reasoning",
    "infill-line": "infill:InfillLine",
    "infill-hunk": "infill:InfillHunk",
    "infill-function": "infill:InfillFunction",
    "verdict": "verdict:SubmissionVerdict",
    "completion": "completion:Completion",
    "edit": "edit:EditInput",
    "file": "file:WholeFile",
    "conversation": "conversation:Conversation",
}


def names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return tuple(_TABLE)


def strategy(name: str) -> "Strategy":
    """Return the strategy of this name."""
    if name not in _TABLE:
        raise unknown("strategy", name, _TABLE)
    module, _, entry = _TABLE[name].partition(":")
    made: Strategy = getattr(import_module(f"repairlab.repairers.llm.prompts.strategies.{module}"), entry)()
    return made
