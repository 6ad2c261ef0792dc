"""The strategies by name; one is loaded when it is asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from repairlab.core.record import record
from repairlab.registry import Parts, lacking

if TYPE_CHECKING:
    from repairlab.repairers.llm.prompts.strategies import Strategy


@record
class StrategyForm:
    """What one strategy does, for lists of parts and the reference."""

    shows: str
    asks: str = "the whole function"
    needs: str = "an issue text"
    """What a bug must have."""
    after: str = ""
    """The paper that describes it."""
    module: str = "strategies"


FORMS = {
    "zero-shot": StrategyForm(shows="title, description, function", after="nl2fix § 3.3.1"),
    "title-only": StrategyForm(shows="title, function", needs="a title", after="nl2fix § 4.3"),
    "few-shot": StrategyForm(shows="fixed bugs, then title, description, function", after="nl2fix § 3.3.2"),
    "reasoning": StrategyForm(
        shows="title, description, function, then its own answers",
        asks="three answers in turn: the wrong lines, the reason, the whole function",
        after="nl2fix § 3.3.3",
    ),
    "infill-line": StrategyForm(
        shows="the function with a mark for the buggy line, that line, the error",
        asks="what belongs at the mark",
        needs="a location",
        after="Defects4C § 5.3",
    ),
    "infill-hunk": StrategyForm(
        shows="the function with a mark for the whole range of lines, these lines, the error",
        asks="what belongs at the mark",
        needs="a location",
        after="Defects4C § 5.3",
    ),
    "infill-function": StrategyForm(shows="function, error", needs="nothing", after="Defects4C § 5.3"),
    "infill": StrategyForm(
        shows="as the infill strategy that fits the location",
        asks="what belongs at the mark, or the whole function",
        needs="nothing",
        after="Defects4C § 5.3",
    ),
    "verdict": StrategyForm(
        shows="whole file, the judge's verdict, the issue",
        asks="the whole file",
        needs="a submission verdict",
        after="FixEval § 4",
    ),
    "completion": StrategyForm(
        shows="issue, function, signature of the fixed function; no chat",
        asks="the rest of the function",
        needs="an issue text, a function with a body",
        after="nl2fix § 3.2, completion model",
    ),
    "edit": StrategyForm(
        shows="the issue as an instruction, function",
        asks="search/replace blocks or a diff",
        after="nl2fix § 3.2, edit model",
    ),
    "file": StrategyForm(
        shows="whole file, the issue",
        asks="the whole file",
        needs="nothing",
        after="FixEval, without the verdict",
    ),
    "conversation": StrategyForm(
        shows="function, issue, error; then each candidate and how it failed",
        asks="the whole function, again and again",
        needs="feedback",
        after="ChatRepair; with --opening infill --follow-up replace Defects4C appendix B",
    ),
    "localise": StrategyForm(
        shows="the tree and the issue, then functions of the chosen files, then their code",
        asks="files, functions, and search/replace blocks, in three questions",
        needs="`--localisation none`",
        after="Agentless",
        module="localising",
    ),
}

STRATEGIES: Parts["Strategy | Callable[[], Strategy]"] = Parts(
    "strategies",
    "strategy",
    {name: f"repairlab.repairers.llm.prompts.{form.module}:{name.upper().replace('-', '_')}" for name, form in FORMS.items()},
    about={name: f"Shows {form.shows}; asks for {form.asks}." for name, form in FORMS.items()},
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
