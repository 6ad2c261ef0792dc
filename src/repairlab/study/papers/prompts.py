"""pass@k by model and prompt (NL2Fix, table 5), and its curves over k (figure 2)."""

from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.table import Table, percent
from repairlab.metrics.table import values_of
from repairlab.study.curves import curve_ks
from repairlab.study.papers.facts import PaperFacts, RunFacts


def prompts(facts: PaperFacts) -> Table:
    """Return pass@k of every run, those of the same model together."""
    ks = sorted({k for run in facts.runs for k in run.scores.run.manifest.experiment.k})
    runs = sorted(facts.runs, key=lambda run: run.model)
    return Table(
        name="prompts",
        title="pass@k by model and prompt",
        source="NL2Fix, table 5",
        columns=("model", "prompt", "decoding", *(f"pass@{k} %" for k in ks)),
        rows=tuple((run.model, run.prompt, run.decoding, *(pass_percent(run, k) for k in ks)) for run in runs),
        n_heads=3,
        notes=_refused(runs, ks),
    )


def curves(facts: PaperFacts) -> Table:
    """Return pass@k over k for every run that can have it."""
    runs = [run for run in facts.runs if pass_percent(run, 1) is not None]
    if not runs:
        raise UserError("no run has pass@k; see the table conversation for runs that stop at the first plausible candidate")
    ks = sorted({k for run in runs for k in curve_ks(run.scores.run.settings.n)})
    return Table(
        name="curves",
        title="pass@k over k, in per cent",
        source="NL2Fix, figure 2",
        columns=("k", *(run.name for run in runs)),
        rows=tuple((k, *(pass_percent(run, k) for run in runs)) for k in ks),
    )


def pass_percent(run: RunFacts, k: int) -> float | None:
    """Return pass@k in per cent; none when the run cannot have it."""
    measured = run.scores.run
    try:
        return percent(values_of("pass@k", k, measured.samples, measured.settings).value, 1)
    except UserError:
        return None


def _refused(runs: Sequence[RunFacts], ks: Sequence[int]) -> tuple[str, ...]:
    notes = []
    for run in runs:
        if ks and pass_percent(run, ks[0]) is None:
            reason = run.scores.result.left_out.get(f"pass@{ks[0]}", "none was decided")
            notes.append(f"{run.name}: {reason}")
    return tuple(notes)
