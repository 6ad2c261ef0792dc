"""pass@k of single-round repair by model and temperature (Defects4C, table 3)."""

from repairlab.core.errors import UserError
from repairlab.core.table import Cell, Table
from repairlab.study.papers.facts import PaperFacts, RunFacts
from repairlab.study.papers.prompts import pass_percent


def single_round(facts: PaperFacts) -> Table:
    """Return a row for each model and prompt, with greedy pass@1 first and then each temperature."""
    runs = [run for run in facts.runs if run.llm and pass_percent(run, 1) is not None]
    if not runs:
        raise UserError("no run is single-round repair by a language model")
    temperatures = sorted({run.llm.temperature for run in runs if run.llm and run.llm.temperature})
    ks = sorted({k for run in runs for k in run.scores.run.manifest.experiment.k})
    sampled = [(temperature, k) for temperature in temperatures for k in ks]
    groups: dict[tuple[str, str], list[RunFacts]] = {}
    for run in runs:
        groups.setdefault((run.model, run.prompt), []).append(run)
    rows: list[tuple[Cell, ...]] = [
        (*group, _at(found, 0.0, 1), *(_at(found, temperature, k) for temperature, k in sampled)) for group, found in groups.items()
    ]
    return Table(
        name="single-round",
        title="Single-round repair: pass@k by model and temperature, in per cent",
        source="Defects4C, table 3",
        columns=("model", "prompt", "greedy pass@1", *(f"T={temperature:g} pass@{k}" for temperature, k in sampled)),
        rows=tuple(rows),
        n_heads=2,
        notes=("Of several runs with the same model, prompt and temperature, the first is shown.",),
    )


def _at(runs: list[RunFacts], temperature: float, k: int) -> float | None:
    run = next((run for run in runs if run.llm and run.llm.temperature == temperature), None)
    return pass_percent(run, k) if run else None
