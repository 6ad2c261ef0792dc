"""What every strategy promises: it says what it needs, and makes the same prompt of the same problem."""

from collections.abc import Iterator

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.contracts.check import Check, SelfTestContext, attempt
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.core.prompt import Prompt
from repairlab.repairers.example import Example
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.prompts.strategies.table import strategy
from repairlab.repairers.llm.settings import LlmSettings

_EXAMPLE = Example(
    id="example", language="c", title="Sum", description="It is too small.", buggy="return a;", fixed="return a + b;"
)


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a strategy."""
    del context
    yield attempt("it knows its name", lambda: "" if strategy(name).name == name else f"it calls itself {strategy(name).name!r}")
    yield attempt("it says what it needs", lambda: _needs(name))
    yield attempt("it makes a prompt", lambda: _makes(name))


def _problems() -> list[Problem]:
    bugs = list(open_benchmark("starter"))
    return [shown(bug.problem, Visibility(error=True)) for bug in bugs[:: max(1, len(bugs) // 12)]]


def _needs(name: str) -> str:
    made = strategy(name)
    answers = [made.needs(problem) for problem in _problems()]
    if any(answer is not None and not answer.strip() for answer in answers):
        return "it needs something and does not say what"
    return "" if None in answers else f"it can ask about no bug of the built-in benchmark: {answers[0]}"


def _makes(name: str) -> str:
    settings = LlmSettings(model="none/none", strategy=name)
    for problem in (item for item in _problems() if strategy(name).needs(item) is None):
        asked = [preview(settings, problem, seed=0, examples=(_EXAMPLE,)) for _ in range(2)]
        if asked[0] != asked[1]:
            return f"it asked two things about {problem.id}"
        if not any(_texts(prompt) for prompt in asked[0]):
            return f"it asks nothing about {problem.id}"
    return ""


def _texts(prompt: Prompt) -> str:
    return "".join(message.content for message in prompt.messages) + (prompt.text or "")
