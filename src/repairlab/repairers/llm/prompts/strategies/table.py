"""The strategies by name; called by `runs`, the command line and the repairer. Modules are imported when asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from repairlab.registry import Parts, lacking

if TYPE_CHECKING:
    from repairlab.repairers.llm.prompts.strategies.question import Strategy

_TABLE = {
    "zero-shot": "repairlab.repairers.llm.prompts.strategies.zero_shot:ZeroShot",
    "title-only": "repairlab.repairers.llm.prompts.strategies.title_only:TitleOnly",
    "few-shot": "repairlab.repairers.llm.prompts.strategies.few_shot:FewShot",
    "reasoning": "repairlab.repairers.llm.prompts.strategies.reasoning:Reasoning",
    "infill-line": "repairlab.repairers.llm.prompts.strategies.infill:InfillLine",
    "infill-hunk": "repairlab.repairers.llm.prompts.strategies.infill:InfillHunk",
    "infill-function": "repairlab.repairers.llm.prompts.strategies.infill:InfillFunction",
    "verdict": "repairlab.repairers.llm.prompts.strategies.verdict:SubmissionVerdict",
    "completion": "repairlab.repairers.llm.prompts.strategies.completion:Completion",
    "edit": "repairlab.repairers.llm.prompts.strategies.edit:EditInput",
    "file": "repairlab.repairers.llm.prompts.strategies.file:WholeFile",
    "conversation": "repairlab.repairers.llm.prompts.strategies.conversation:Conversation",
}

STRATEGIES: Parts[Callable[[], "Strategy"]] = Parts(
    "strategies", "strategy", _TABLE, check=lacking("name", "variables", "needs", "question", callable_too=True)
)
"""Classes that take no arguments."""


def names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return tuple(STRATEGIES)


def strategy(name: str) -> "Strategy":
    """Return the strategy of this name."""
    return STRATEGIES[name]()
