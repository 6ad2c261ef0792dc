"""Rates averaged over bugs: what candidates are like; pass@k and TCA@k by model, prompt, temperature, language and kind of bug."""

from collections.abc import Callable, Sequence

from repairlab.core.errors import UserError
from repairlab.core.score import Samples
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.metrics.metric import Values, decided
from repairlab.metrics.rates import compile_rate, duplicate_rate, plausible_rate
from repairlab.metrics.table import values_of
from repairlab.study.leaderboard import curve_ks
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts, ks_of


def candidates(facts: PaperFacts) -> Table:
    """Return duplicates, compile, regression and plausible rates; every bug weighs the same."""
    rows = tuple(_candidate_row(run) for run in facts.runs)
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


def _candidate_row(run: RunFacts) -> tuple[Cell, ...]:
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


def prompts(facts: PaperFacts) -> Table:
    """Return pass@k of every run, those of the same model together."""
    ks = facts.ks
    runs = sorted(facts.runs, key=lambda run: run.model)
    return Table(
        name="prompts",
        title="pass@k by model and prompt",
        source="NL2Fix, table 5",
        columns=("model", "prompt", "decoding", *(f"pass@{k} %" for k in ks)),
        rows=tuple((run.model, run.prompt, run.decoding, *(pass_percent(run, k) for k in ks)) for run in runs),
        n_heads=3,
        notes=_without_pass_at_k(runs, ks),
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
    return _metric_percent(run, run.scores.run.samples, "pass@k", k)


def _without_pass_at_k(runs: Sequence[RunFacts], ks: Sequence[int]) -> tuple[str, ...]:
    notes = []
    for run in runs:
        if ks and pass_percent(run, ks[0]) is None:
            reason = run.scores.result.left_out.get(f"pass@{ks[0]}", "none was decided")
            notes.append(f"{run.name}: {reason}")
    return tuple(notes)


def single_round(facts: PaperFacts) -> Table:
    """Return a row for each model and prompt, with greedy pass@1 first and then each temperature."""
    runs = [run for run in facts.runs if run.llm and pass_percent(run, 1) is not None]
    if not runs:
        raise UserError("no run is single-round repair by a language model")
    temperatures = sorted({run.llm.temperature for run in runs if run.llm and run.llm.temperature})
    ks = ks_of(runs)
    sampled = [(temperature, k) for temperature in temperatures for k in ks]
    groups: dict[tuple[str, str], list[RunFacts]] = {}
    for run in runs:
        groups.setdefault((run.model, run.prompt), []).append(run)
    rows: list[tuple[Cell, ...]] = [
        (*group, _at_temperature(found, 0.0, 1), *(_at_temperature(found, temperature, k) for temperature, k in sampled))
        for group, found in groups.items()
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


def _at_temperature(runs: list[RunFacts], temperature: float, k: int) -> float | None:
    run = next((run for run in runs if run.llm and run.llm.temperature == temperature), None)
    return pass_percent(run, k) if run else None


_METRICS = ("pass@k", "TCA@k")
LENGTHS = (50, 100, 200, 400)
"""Tokens up to which a program belongs to a group; the last group is longer."""


def execution(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k of every run, each language for itself."""
    languages = sorted({bug.samples.language for run in facts.runs for bug in run.bugs})
    groups = {name: _is_in(name) for name in languages}
    return _grouped(facts, "execution", "by language", "language", groups, source="FixEval, table 4")


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


def _grouped(
    facts: PaperFacts,
    name: str,
    title: str,
    column: str,
    groups: dict[str, Callable[[BugFacts], bool]],
    *,
    source: str = "FixEval, figures 3 and 4",
) -> Table:
    measured = [(metric, k) for metric in _METRICS for k in facts.ks]
    rows = [
        (run.name, group, len(bugs), *(_metric_percent(run, [bug.samples for bug in bugs], *at) for at in measured))
        for run in facts.runs
        for group, belongs in groups.items()
        if (bugs := [bug for bug in run.bugs if belongs(bug)])
    ]
    return Table(
        name=name,
        title=f"pass@k and test case average {title}",
        source=source,
        columns=("system", column, "bugs", *(f"{metric.replace('k', str(k))} %" for metric, k in measured)),
        rows=tuple(rows),
        n_heads=2,
        notes=_without_metric(facts),
    )


def _is_in(language: str) -> Callable[[BugFacts], bool]:
    return lambda bug: bug.samples.language == language


def _has_verdict(name: str) -> Callable[[BugFacts], bool]:
    return lambda bug: bug.submission_verdict == name


def _is_between(low: int, high: int | None) -> Callable[[BugFacts], bool]:
    return lambda bug: bug.n_tokens is not None and bug.n_tokens > low and (high is None or bug.n_tokens <= high)


def _without_metric(facts: PaperFacts) -> tuple[str, ...]:
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


def _metric_percent(run: RunFacts, samples: Sequence[Samples], metric: str, k: int) -> float | None:
    """Return a metric over some bugs in per cent; none when the run cannot have it."""
    try:
        return percent(values_of(metric, k, samples, run.scores.run.settings).value, 1)
    except UserError:
        return None
