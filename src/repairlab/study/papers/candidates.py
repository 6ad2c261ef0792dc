"""What the candidates of each run are like, averaged over bugs (NL2Fix, table 2)."""

from repairlab.core.table import Cell, Table, mean, percent
from repairlab.metrics.rates import compile_rate, duplicate_rate, plausible_rate
from repairlab.metrics.values import Values, decided
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts


def candidates(facts: PaperFacts) -> Table:
    """Return duplicates, compile, regression and plausible rates; every bug weighs the same."""
    rows = tuple(_row(run) for run in facts.runs)
    notes = ["Each rate is taken within a bug, over its decided candidates, and averaged over bugs."]
    if any(row[5] is not None for row in rows):
        notes.append("Regression: the share that passes every regression test, trigger tests or not.")
    why_not: dict[str, list[str]] = {}
    for run, row in zip(facts.runs, rows, strict=True):
        if row[5] is None:
            why_not.setdefault(_why_no_regression(run), []).append(run.name)
    notes += [f"No regression % for {', '.join(names)}: {reason}." for reason, names in why_not.items()]
    columns = ("system", "decoding", "candidates", "duplicate %", "compile %", "regression %", "breaks regression %", "plausible %")
    return Table(
        name="candidates",
        title="Candidates: repeated, compiling, passing the regression tests, plausible",
        source="NL2Fix, table 2",
        columns=columns,
        rows=rows,
        n_heads=2,
        notes=tuple(notes),
    )


def _row(run: RunFacts) -> tuple[Cell, ...]:
    samples = run.scores.run.samples
    bugs = [bug for bug in run.bugs if decided(bug.samples)]
    return (
        run.name,
        run.decoding,
        sum(len(item.verdicts) for item in samples),
        _percent(duplicate_rate(samples)),
        _percent(compile_rate(samples)),
        None if _is_cut(run) else mean([_share(bug, bug.n_kept) for bug in bugs if bug.n_kept is not None]),
        mean([_share(bug, bug.n_broken) for bug in bugs]),
        _percent(plausible_rate(samples)),
    )


def _is_cut(run: RunFacts) -> bool:
    """Whether a candidate stopped before the regression tests: the bugs where none did would not be a fair choice."""
    return any(bug.is_regression_cut for bug in run.bugs)


def _why_no_regression(run: RunFacts) -> str:
    if _is_cut(run):
        return "candidates stopped at the first failing test; run with --policy full"
    return "its bugs have no regression tests" if run.has_texts else "the benchmark is not at hand"


def _share(bug: BugFacts, n: int) -> float:
    return 100 * n / len(decided(bug.samples))


def _percent(values: Values) -> float | None:
    return percent(values.value, 1) if values.by_bug else None
