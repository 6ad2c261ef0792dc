"""Compare two run folders bug by bug. Called by the verb `compare`."""

from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.metrics.compare import Difference, Overlap, difference, overlap
from repairlab.metrics.table import score, values_of
from repairlab.report.leaderboard import differing
from repairlab.report.scores import Measured, read_run


@record
class Comparison:
    """What two runs have in common and where they differ."""

    a: Measured
    b: Measured
    metric: str
    k: int
    value_a: float
    value_b: float
    difference: Difference
    first: int
    """A bug is fixed when one of this many first candidates is plausible: the smaller n of both runs."""
    overlap: Overlap
    differing: tuple[str, ...]
    """Settings that are not the same in both runs."""

    def data(self) -> dict[str, Any]:
        """Return the form of `compare --json`."""
        return {
            "a": {"run": str(self.a.folder), "repairer": self.a.manifest.experiment.repairer, "value": self.value_a},
            "b": {"run": str(self.b.folder), "repairer": self.b.manifest.experiment.repairer, "value": self.value_b},
            "benchmark": self.a.manifest.benchmark_name,
            "metric": self.metric,
            "k": self.k,
            "difference": {"value": self.difference.value, "low": self.difference.low, "high": self.difference.high},
            "n_bugs": self.difference.n_bugs,
            "fixed_among_first": self.first,
            "both": list(self.overlap.both),
            "only_a": list(self.overlap.only_a),
            "only_b": list(self.overlap.only_b),
            "neither": list(self.overlap.neither),
            "undecided": list(self.overlap.lost),
            "mcnemar_p": self.overlap.p_value,
            "differing_settings": list(self.differing),
        }


def compare_runs(folder_a: Path, folder_b: Path, *, k: int = 1) -> Comparison:
    """Compare by pass@k where both runs have it, else by top@k; both must be over the same bugs of the same benchmark."""
    a, b = read_run(folder_a), read_run(folder_b)
    if a.manifest.benchmark_digest != b.manifest.benchmark_digest:
        raise UserError(
            f"the runs are on different benchmarks: {a.settings.benchmark} in {folder_a}, {b.settings.benchmark} in {folder_b}; "
            "run both systems on the same one"
        )
    first = min(a.settings.n, b.settings.n)
    shared = overlap(a.samples, b.samples, first=first)
    metric = "pass@k" if _has("pass@k", k, a) and _has("pass@k", k, b) else "top@k"
    values_a, values_b = values_of(metric, k, a.samples, a.settings), values_of(metric, k, b.samples, b.settings)
    signatures = [score(metric, k, run.samples, run.settings).signature for run in (b, a)]
    return Comparison(
        a=a,
        b=b,
        metric=metric,
        k=k,
        value_a=values_a.value,
        value_b=values_b.value,
        difference=difference(values_a, values_b),
        first=first,
        overlap=shared,
        differing=tuple(differing(*signatures)),
    )


def _has(metric: str, k: int, run: Measured) -> bool:
    try:
        return bool(values_of(metric, k, run.samples, run.settings))
    except UserError:
        return False
