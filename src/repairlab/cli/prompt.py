"""`repairlab prompt`."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from repairlab.benchmarks.catalog import open_benchmark, split_reference
from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json
from repairlab.cli.record_options import RecordOption, options_of, values_for, with_options
from repairlab.core.errors import UserError
from repairlab.core.model import Prompt
from repairlab.core.problem import shown
from repairlab.core.record import to_data
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.prompts.table import strategy
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import make_experiment
from repairlab.runs.repairing import read_examples, wanted_examples

NO_MODEL = "none/none"
_LLM = "llm"


def with_own_options(_arguments: Sequence[str] = ()) -> Callable[..., None]:
    """Return the verb with those settings of the repairer that decide what is asked."""
    return with_options(prompt, _options(), grouped=False)


def _options() -> tuple[RecordOption, ...]:
    names = ("strategy", "opening", "prompt", "comments", "shots", "selection", "examples", "split")
    return options_of(_LLM, "settings", LlmSettings, names)


def prompt(
    bug: Annotated[str | None, typer.Argument(help="BENCHMARK/BUG; without it, the strategy's template is printed.")] = None,
    localisation: Annotated[str, typer.Option("--localisation", help="line, hunk, function, file or none.")] = "line",
    show_error: Annotated[bool, typer.Option("--show-error", help="Show the first failing message of the hidden tests.")] = False,
    json: Json = False,
    **own: Any,
) -> None:
    """Show the prompt a model would get, or a template to edit."""
    given = values_for(_LLM, _options(), own).settings
    strategy_name = given.get("strategy", "zero-shot")
    strategy(strategy_name)
    if bug is None:
        from repairlab.repairers.llm.prompts.templates import source_of  # noqa: PLC0415  # loads the template engine

        if json:
            raise UserError("--json is for the prompts of a bug: repairlab prompt BENCHMARK/BUG --json")
        data().print(source_of(strategy_name), markup=False, end="")
        return
    benchmark_name, bug_id = split_reference(bug)
    benchmark = open_benchmark(benchmark_name)
    chosen = benchmark.bug(bug_id)
    settings = make_experiment(
        {
            "benchmark": benchmark_name,
            "repairer": _LLM,
            "visibility": {"localisation": localisation, "error": show_error},
            "feedback": "message",
            _LLM: {"model": NO_MODEL, **given},
        }
    )
    problem = shown(chosen.problem, settings.visibility)
    examples = read_examples(wanted_examples(settings), benchmark)
    asked = preview(settings.settings, problem, seed=settings.seed, examples=examples)
    if json:
        print_json([to_data(item) for item in asked])
        return
    for item in asked:
        _print(item)


def _print(asked: Prompt) -> None:
    console = data()
    parts: list[tuple[str, str]] = [(message.role, message.content) for message in asked.messages]
    parts += [(name, text) for name, text in (("prefix", asked.text), ("suffix", asked.suffix)) if text is not None]
    for name, text in parts:
        console.print(f"--- {name} ---\n{text}", markup=False)
