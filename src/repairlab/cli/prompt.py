"""`repairlab prompt`."""

from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark, split_reference
from repairlab.cli.llm_options import (
    CommentsName,
    Examples,
    ExampleSelector,
    PromptFile,
    SelectionName,
    Split,
    llm_settings,
)
from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.repairers.llm.client.model import Prompt
from repairlab.repairers.llm.prompts.strategies.table import names, strategy
from repairlab.runs.experiment import make_experiment
from repairlab.runs.repairing import prompts_of

NO_MODEL = "none/none"


def prompt(
    bug: Annotated[str | None, typer.Argument(help="BENCHMARK/BUG; without it, the template of the strategy is printed.")] = None,
    strategy_name: Annotated[str, typer.Option("--strategy", help=f"{', '.join(names())}.")] = "zero-shot",
    prompt_file: PromptFile = None,
    comments: CommentsName = None,
    localisation: Annotated[str, typer.Option("--localisation", help="line, hunk, function or file.")] = "line",
    show_error: Annotated[bool, typer.Option("--show-error", help="Show the first failing message of the hidden tests.")] = False,
    shots: ExampleSelector = None,
    selection: SelectionName = None,
    examples: Examples = None,
    split: Split = None,
    json: Json = False,
) -> None:
    """Show what a model would be asked about a bug, or a strategy's prompt template to copy and change."""
    strategy(strategy_name)
    if bug is None:
        from repairlab.repairers.llm.prompts.templates import source_of  # noqa: PLC0415  # loads the template engine

        if json:
            raise UserError("--json is for the prompts of a bug: repairlab prompt BENCHMARK/BUG --json")
        data().print(source_of(strategy_name), markup=False, end="")
        return
    given = {
        "strategy": strategy_name,
        "comments": comments,
        "shots": shots,
        "selection": selection,
        "examples": examples,
        "split": split,
    }
    benchmark_name, bug_id = split_reference(bug)
    benchmark = open_benchmark(benchmark_name)
    chosen = benchmark.bug(bug_id)
    settings = make_experiment(
        {
            "benchmark": benchmark_name,
            "repairer": "llm",
            "visibility": {"localisation": localisation, "error": show_error},
            "feedback": "message",
            "llm": {"model": NO_MODEL, **llm_settings(given, greedy=False, prompt_file=prompt_file)},
        }
    )
    asked = prompts_of(settings, benchmark, chosen)
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
