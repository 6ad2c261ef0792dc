"""Compare two run folders bug by bug."""

import dataclasses
import itertools
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.table import html_table, text_table
from repairlab.metrics.compare import Difference, Overlap, difference, holm, overlap
from repairlab.metrics.metric import Values
from repairlab.metrics.table import score, values_of
from repairlab.runs.store import Store
from repairlab.study.leaderboard import letter, settings_beside
from repairlab.study.scores import Measured, read_run, system_name

COLUMNS = ("bugs", "number")
PAIR_COLUMNS = (
    "first", "second", "metric", "score of first", "score of second", "difference, 95 %", "only first", "only second",
    "p", "p (Holm)",
)  # fmt: skip


@record
class Comparison:
    """What two runs have in common and where they differ."""

    a: Measured
    b: Measured
    metric: str
    k: int
    values_a: Values
    values_b: Values
    difference: Difference
    first: int
    """A bug is fixed if one of this many first candidates is plausible: the smaller n of both runs."""
    overlap: Overlap
    settings: tuple[tuple[str, str, str], ...]
    """Name, and the values in A and B, of all settings that scores depend on."""

    @property
    def value_a(self) -> float:
        """Return the metric of A."""
        return self.values_a.value

    @property
    def value_b(self) -> float:
        """Return the metric of B."""
        return self.values_b.value

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the settings that are not the same in both runs."""
        return tuple(f"{name} = {a} (A), {b} (B)" for name, a, b in self.settings if a != b)

    def difference_on(self, bugs: Container[str]) -> Difference | None:
        """Return the difference over some bugs; None if none of them has a value in both runs."""
        parts = [
            dataclasses.replace(values, by_bug={bug: value for bug, value in values.by_bug.items() if bug in bugs})
            for values in (self.values_a, self.values_b)
        ]
        return difference(*parts) if parts[0].by_bug.keys() & parts[1].by_bug.keys() else None

    def rows(self) -> list[tuple[str, int]]:
        """Return how many bugs each run fixed."""
        shared = self.overlap
        return [
            (f"fixed by both (first {self.first})", len(shared.both)),
            ("fixed only by A", len(shared.only_a)),
            ("fixed only by B", len(shared.only_b)),
            ("fixed by neither", len(shared.neither)),
        ]

    @property
    def summary(self) -> str:
        """Say in one line by how much the runs differ."""
        metric, change = self.metric.replace("@k", f"@{self.k}"), self.difference
        values = f"{metric}: A {100 * self.value_a:.1f} %, B {100 * self.value_b:.1f} %"
        interval = f"A − B = {100 * change.value:+.1f} points [{100 * change.low:+.1f}, {100 * change.high:+.1f}]"
        return f"{values}, {interval} (95 %, paired bootstrap over {count(change.n_bugs, 'bug')})"

    @property
    def names(self) -> tuple[str, str]:
        """Say which run is A and which is B."""
        a, b = (f"{name}: {system_name(Store(run.folder))}, {run.folder}" for name, run in (("A", self.a), ("B", self.b)))
        return a, b

    def __repr__(self) -> str:
        table = text_table(COLUMNS, self.rows())
        return "\n".join([*self.names, table, f"exact McNemar test: p = {self.overlap.p_value:.4f}", self.summary])

    def _repr_html_(self) -> str:
        below = f"exact McNemar test: p = {self.overlap.p_value:.4f}; {self.summary}"
        return html_table("; ".join(self.names), COLUMNS, self.rows(), below=below)

    def data(self) -> dict[str, Any]:
        """Return the form of `score --compare --json`."""
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
            "unfinished": list(self.missing),
        }

    @property
    def missing(self) -> tuple[str, ...]:
        """Say what unfinished runs lack."""
        return tuple(text for run in (self.a, self.b) if (text := run.missing))


@record
class PairwiseComparison:
    """Every pair of several runs."""

    runs: tuple[Measured, ...]
    pairs: tuple[Comparison, ...]
    adjusted: tuple[float, ...]
    """The p-value of each pair, adjusted by Holm's method for their number."""

    @property
    def names(self) -> tuple[str, ...]:
        """Say which run has which letter."""
        return tuple(f"{letter(number)}: {system_name(Store(run.folder))}, {run.folder}" for number, run in enumerate(self.runs))

    def rows(self) -> list[tuple[object, ...]]:
        """Return one row per pair, with PAIR_COLUMNS."""
        letters = itertools.combinations(map(letter, range(len(self.runs))), 2)
        return [
            (
                a,
                b,
                pair.metric.replace("@k", f"@{pair.k}"),
                f"{100 * pair.value_a:.1f} %",
                f"{100 * pair.value_b:.1f} %",
                f"{100 * pair.difference.value:+.1f} [{100 * pair.difference.low:+.1f}, {100 * pair.difference.high:+.1f}]",
                len(pair.overlap.only_a),
                len(pair.overlap.only_b),
                f"{pair.overlap.p_value:.4f}",
                f"{adjusted:.4f}",
            )
            for (a, b), pair, adjusted in zip(letters, self.pairs, self.adjusted, strict=True)
        ]

    def data(self) -> dict[str, Any]:
        """Return the form of `score --compare --json` for more than two runs."""
        return {"pairs": [{**pair.data(), "holm_p": p} for pair, p in zip(self.pairs, self.adjusted, strict=True)]}


def compare_all(folders: Sequence[Path], *, k: int = 1, partial: bool = False) -> PairwiseComparison:
    """Compare every pair of runs; all must be over the same bugs of the same benchmark."""
    runs = tuple(read_run(folder, partial=partial) for folder in folders)
    pairs = tuple(compare_measured(a, b, k=k) for a, b in itertools.combinations(runs, 2))
    return PairwiseComparison(runs=runs, pairs=pairs, adjusted=holm([pair.overlap.p_value for pair in pairs]))


def compare_runs(folder_a: Path, folder_b: Path, *, k: int = 1, partial: bool = False) -> Comparison:
    """Compare by pass@k if both runs have it, else by top@k; both must be over the same bugs of the same benchmark.

    With `partial`, runs may be unfinished; only bugs that both have finished count.
    """
    return compare_measured(read_run(folder_a, partial=partial), read_run(folder_b, partial=partial), k=k)


def compare_measured(a: Measured, b: Measured, *, k: int = 1) -> Comparison:
    """Compare two runs already read; if one is unfinished, only bugs that both have finished count."""
    if a.manifest.benchmark_digest != b.manifest.benchmark_digest:
        raise UserError(
            f"the runs are on different benchmarks: {a.settings.benchmark} in {a.folder}, {b.settings.benchmark} in {b.folder}; "
            "run both systems on the same one"
        )
    if a.n_unfinished or b.n_unfinished:
        a, b = _shared(a, b), _shared(b, a)
    first = min(a.settings.n, b.settings.n)
    shared = overlap(a.samples, b.samples, first=first)
    metric = "pass@k" if _has("pass@k", k, a) and _has("pass@k", k, b) else "top@k"
    values_a, values_b = values_of(metric, k, a.samples, a.settings), values_of(metric, k, b.samples, b.settings)
    signatures = [score(metric, k, run.samples, run.settings).signature for run in (a, b)]
    return Comparison(
        a=a,
        b=b,
        metric=metric,
        k=k,
        values_a=values_a,
        values_b=values_b,
        difference=difference(values_a, values_b),
        first=first,
        overlap=shared,
        settings=settings_beside(*signatures),
    )


def _shared(run: Measured, other: Measured) -> Measured:
    """Return a run with only those bugs that the other one has finished or never asked for."""
    theirs = {item.bug_id for item in other.samples} | (set(run.manifest.bug_ids) - set(other.manifest.bug_ids))
    samples = tuple(item for item in run.samples if item.bug_id in theirs)
    if not samples:
        raise UserError(f"no bug is finished in both {run.folder} and {other.folder}")
    return dataclasses.replace(run, samples=samples)


def _has(metric: str, k: int, run: Measured) -> bool:
    try:
        return bool(values_of(metric, k, run.samples, run.settings))
    except UserError:
        return False
