"""pass@k and TCA@k by language (FixEval, table 4), and by what is fixed: verdict and length of the submission (its figures)."""

from collections.abc import Callable, Sequence

from repairlab.core.errors import UserError
from repairlab.core.samples import Samples
from repairlab.core.table import Cell, Table, percent
from repairlab.metrics.table import values_of
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts

_METRICS = ("pass@k", "TCA@k")
LENGTHS = (50, 100, 200, 400)
"""Tokens up to which a program belongs to a group; the last group is longer."""


def execution(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k of every run, each language for itself."""
    ks = _ks(facts)
    languages = sorted({bug.samples.language for run in facts.runs for bug in run.bugs})
    rows = [
        (run.name, language, len(bugs), *(_percent(run, bugs, metric, k) for metric in _METRICS for k in ks))
        for run in facts.runs
        for language in languages
        if (bugs := [bug for bug in run.bugs if bug.samples.language == language])
    ]
    return Table(
        name="execution",
        title="pass@k and test case average by language",
        source="FixEval, table 4",
        columns=("system", "language", "bugs", *(f"{metric.replace('k', str(k))} %" for metric in _METRICS for k in ks)),
        rows=tuple(rows),
        n_heads=2,
        notes=_refused(facts),
    )


def by_verdict(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k by what the judge said of the buggy program."""
    if not any(bug.submission_verdict for run in facts.runs for bug in run.bugs):
        raise UserError("; ".join(facts.missing) or "no bug of these runs is a submission with a verdict (submission_verdict)")
    names = sorted({bug.submission_verdict for run in facts.runs for bug in run.bugs if bug.submission_verdict})
    return _grouped(facts, "by-verdict", "by verdict of the submission", "verdict", {name: _has_verdict(name) for name in names})


def by_length(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k by the length of the buggy code."""
    if not any(bug.n_tokens for run in facts.runs for bug in run.bugs):
        raise UserError("; ".join(facts.missing) or "the buggy code of these runs is not at hand")
    groups = {
        f"{low + 1}–{high}" if high else f"over {low}": _is_between(low, high)
        for low, high in zip((0, *LENGTHS), (*LENGTHS, None), strict=True)
    }
    return _grouped(facts, "by-length", "by length of the buggy function or program", "tokens", groups)


def _grouped(facts: PaperFacts, name: str, title: str, column: str, groups: dict[str, Callable[[BugFacts], bool]]) -> Table:
    ks = _ks(facts)
    rows = [
        (run.name, group, len(bugs), *(_percent(run, bugs, metric, k) for metric in _METRICS for k in ks))
        for run in facts.runs
        for group, belongs in groups.items()
        if (bugs := [bug for bug in run.bugs if belongs(bug)])
    ]
    return Table(
        name=name,
        title=f"pass@k and test case average {title}",
        source="FixEval, figures 3 and 4",
        columns=("system", column, "bugs", *(f"{metric.replace('k', str(k))} %" for metric in _METRICS for k in ks)),
        rows=tuple(rows),
        n_heads=2,
        notes=_refused(facts),
    )


def _has_verdict(name: str) -> Callable[[BugFacts], bool]:
    return lambda bug: bug.submission_verdict == name


def _is_between(low: int, high: int | None) -> Callable[[BugFacts], bool]:
    return lambda bug: bug.n_tokens is not None and bug.n_tokens > low and (high is None or bug.n_tokens <= high)


def _refused(facts: PaperFacts) -> tuple[str, ...]:
    """Say which runs cannot have a metric at any k, and why."""
    why_not: dict[str, list[str]] = {}
    for run in facts.runs:
        for metric in _METRICS:
            try:
                values_of(metric, 1, run.scores.run.samples, run.scores.run.settings)
            except UserError as error:
                why_not.setdefault(str(error), []).append(run.name)
    return tuple(
        f"No {metric} for {', '.join(names)}:{reason}."
        for text, names in why_not.items()
        for metric, _, reason in [text.partition(":")]
    )


def _ks(facts: PaperFacts) -> list[int]:
    return sorted({k for run in facts.runs for k in run.scores.run.manifest.experiment.k})


def _percent(run: RunFacts, bugs: Sequence[BugFacts], metric: str, k: int) -> Cell:
    """Return a metric over some bugs in per cent; none when the run cannot have it."""
    samples: list[Samples] = [bug.samples for bug in bugs]
    try:
        return percent(values_of(metric, k, samples, run.scores.run.settings).value, 1)
    except UserError:
        return None
