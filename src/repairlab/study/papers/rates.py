"""Rates averaged over bugs: properties of candidates; pass@k and TCA@k by model, prompt, temperature, language and kind of bug."""

import bisect
import dataclasses
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from repairlab.core.bug import Difficulty
from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure, named
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.metrics.bleu import BleuCounts, bleu, tokens_of
from repairlab.metrics.metric import Values, decided
from repairlab.metrics.rates import compile_rate, duplicate_rate, plausible_rate
from repairlab.metrics.statistics import spearman
from repairlab.metrics.table import values_of
from repairlab.study.charts import Curve, line_chart
from repairlab.study.leaderboard import chart, curve_ks
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts, ks_of


def candidates(facts: PaperFacts) -> Table:
    """Return duplicates, compile, regression and plausible rates; every bug has the same weight."""
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
    """Whether a candidate stopped before the regression tests: bugs where none did would be a biased sample."""
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
        figure=chart("pass@k", [(run.name, run.index, run.scores) for run in runs]),
    )


def pass_percent(run: RunFacts, k: int) -> float | None:
    """Return pass@k in per cent; None if the run cannot have it."""
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
    runs = [run for run in facts.runs if _temperature(run) is not None and pass_percent(run, 1) is not None]
    if not runs:
        raise UserError("no run is single-round repair by a language model")
    temperatures = sorted({heat for run in runs if (heat := _temperature(run))})
    ks = ks_of(runs)
    sampled = [(temperature, k) for temperature in temperatures for k in ks]
    best = ks if len(temperatures) > 1 else []
    groups: dict[tuple[str, str], list[RunFacts]] = {}
    for run in runs:
        groups.setdefault((run.model, run.prompt), []).append(run)
    rows: list[tuple[Cell, ...]] = [
        (
            *group,
            _at_temperature(found, 0.0, 1),
            *(_at_temperature(found, temperature, k) for temperature, k in sampled),
            *(cell for k in best for cell in _best(found, temperatures, k)),
        )
        for group, found in groups.items()
    ]
    return Table(
        name="single-round",
        title="Single-round repair: pass@k by model and temperature, in per cent",
        source="Defects4C, tables 3 and 6",
        columns=(
            *("model", "prompt", "greedy pass@1"),
            *(f"T={temperature:g} pass@{k}" for temperature, k in sampled),
            *(text for k in best for text in (f"best pass@{k}", f"T* of {k}")),
        ),
        rows=tuple(rows),
        n_heads=2,
        notes=("Of several runs with the same model, prompt and temperature, the first is shown.",),
    )


def _temperature(run: RunFacts) -> float | None:
    """Return the temperature of sampled answers, 0 for greedy ones; None for other repairers."""
    if run.decoding == "greedy":
        return 0.0
    return float(run.decoding.removeprefix("T=").split()[0]) if run.decoding.startswith("T=") else None


def _best(runs: list[RunFacts], temperatures: Sequence[float], k: int) -> tuple[float | None, float | None]:
    """Return the best pass@k of all temperatures and its temperature, the lowest of equals."""
    found = [(rate, -temperature) for temperature in temperatures if (rate := _at_temperature(runs, temperature, k)) is not None]
    rate, negated = max(found, default=(None, None))
    return rate, None if negated is None else -negated


def _at_temperature(runs: list[RunFacts], temperature: float, k: int) -> float | None:
    run = next((run for run in runs if _temperature(run) == temperature), None)
    return pass_percent(run, k) if run else None


_METRICS = ("pass@k", "TCA@k")
LENGTHS = (50, 100, 200, 400)
"""Number of tokens up to which a program belongs to a group; the last group is longer."""
LIKENESS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Where groups of similar buggy and fixed code begin, after the first."""


@record
class _Groups:
    """How a table of pass@k and TCA@k puts bugs into groups."""

    name: str
    about: tuple[str, str]
    """Head of the column, and what the groups go by."""
    source: str
    of: Callable[[RunFacts, BugFacts], str | None]
    """Group of a bug; None if it is in none."""
    why_not: str = ""
    """Message where every group is empty."""
    order: Sequence[str] = ()
    with_bleu: bool = False


def execution(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k of every run, by language."""
    about, of = ("language", "language"), lambda _, bug: bug.samples.language
    return _grouped(facts, _Groups(name="execution", about=about, source="FixEval, table 4", of=of))


def by_verdict(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k by what the judge said of the buggy program."""
    groups = _Groups(
        name="by-verdict",
        about=("verdict", "verdict of the submission"),
        source="FixEval, figure 4b",
        of=lambda _, bug: bug.submission_verdict,
        why_not="no bug of these runs is a submission with a verdict (submission_verdict)",
    )
    return _grouped(facts, groups)


def by_difficulty(facts: PaperFacts) -> Table:
    """Return pass@k, TCA@k and BLEU by how hard the task is."""
    groups = _Groups(
        name="by-difficulty",
        about=("difficulty", "difficulty"),
        source="FixEval, figures 2, 3a and 4a",
        of=lambda _, bug: bug.difficulty,
        why_not="no bug of these runs says how hard it is (labels.difficulty)",
        order=get_args(Difficulty),
        with_bleu=True,
    )
    return _grouped(facts, groups)


def by_edits(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k by how similar the buggy code is to its fix, and their rank correlation."""
    names = (f"below {LIKENESS[0]:g}", *(f"from {low:g}" for low in LIKENESS))
    groups = _Groups(
        name="by-edits",
        about=("similarity", "edit similarity of buggy and fixed code"),
        source="FixEval, figure 3b",
        of=lambda _, bug: None if bug.likeness is None else names[bisect.bisect(LIKENESS, bug.likeness)],
        why_not="no fix of these runs is at hand",
        order=names,
    )
    table, rows = _grouped(facts, groups), []
    for run in facts.runs:
        likeness = {bug.samples.bug_id: bug.likeness for bug in run.bugs if bug.likeness is not None}
        cells = [_correlation(run, likeness, metric, k) for metric in _METRICS for k in facts.ks]
        rows.append((run.name, "Spearman's ρ", len(likeness), *cells))
    return dataclasses.replace(table, rows=(*table.rows, *rows))


def _correlation(run: RunFacts, likeness: Mapping[str, float], metric: str, k: int) -> float | None:
    try:
        found = values_of(metric, k, run.scores.run.samples, run.scores.run.settings).by_bug
    except UserError:
        return None
    both = [(likeness[bug], value) for bug, value in found.items() if bug in likeness]
    return spearman([one for one, _ in both], [other for _, other in both])


def by_length(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k by the length of the buggy code."""
    names = (*(f"{low + 1}–{high}" for low, high in itertools.pairwise((0, *LENGTHS))), f"over {LENGTHS[-1]}")
    groups = _Groups(
        name="by-length",
        about=("tokens", "length of the buggy function or program"),
        source="",
        of=lambda _, bug: names[bisect.bisect_left(LENGTHS, bug.n_tokens)] if bug.n_tokens else None,
        why_not="the buggy code of these runs is not at hand",
        order=names,
    )
    return _grouped(facts, groups)


def decoding(facts: PaperFacts) -> Table:
    """Return pass@k and TCA@k by how candidates are drawn: greedy, by beam size, by temperature."""
    drawn = sorted((run for run in facts.runs if run.decoding != "–"), key=lambda run: _decoding_order(run.decoding))
    runs = tuple(dataclasses.replace(run, name=f"{run.model} · {run.prompt}" if run.llm else run.model) for run in drawn)
    groups = _Groups(
        name="decoding",
        about=("decoding", "decoding"),
        source="FixEval, figure 5",
        of=lambda run, _: run.decoding,
        why_not="no run has a model whose answers are drawn",
        order=tuple(run.decoding for run in runs),
    )
    return _grouped(dataclasses.replace(facts, runs=runs), groups)


def _decoding_order(name: str) -> tuple[int, list[float]]:
    """Return a key that puts greedy first, then beams by size, then temperatures."""
    kinds = ("greedy", "beam", "T=", "sampled")
    return next(place for place, kind in enumerate(kinds) if name.startswith(kind)), [float(n) for n in re.findall(r"[\d.]+", name)]


def _grouped(facts: PaperFacts, groups: _Groups) -> Table:
    found = {group for run in facts.runs for bug in run.bugs if (group := groups.of(run, bug))}
    if not found:
        raise UserError("; ".join(facts.missing) or groups.why_not)
    measured = [(metric, k) for metric in _METRICS for k in facts.ks]
    bleus = ("BLEU",) if groups.with_bleu else ()
    rows = [
        (
            run.name,
            group,
            len(bugs),
            *(_metric_percent(run, [bug.samples for bug in bugs], *at) for at in measured),
            *(_bleu(bugs) for _ in bleus),
        )
        for run in facts.runs
        for group in dict.fromkeys(groups.order or sorted(found))
        if (bugs := [bug for bug in run.bugs if groups.of(run, bug) == group])
    ]
    table = Table(
        name=groups.name,
        title=f"pass@k and test case average by {groups.about[1]}",
        source=groups.source,
        columns=("system", groups.about[0], "bugs", *(f"{metric.replace('k', str(k))} %" for metric, k in measured), *bleus),
        rows=tuple(rows),
        n_heads=2,
        notes=_without_metric(facts),
    )
    return dataclasses.replace(table, figure=None if groups.name == "execution" else _lines(table))


def _lines(table: Table) -> Figure | None:
    """Draw the columns of a table over its groups, which its second column names; with several systems, only the lowest k."""
    systems = list(dict.fromkeys(row[0] for row in table.rows))
    groups = list(dict.fromkeys(str(row[1]) for row in table.rows))
    shown = [(place, name.removesuffix(" %")) for place, name in enumerate(table.columns) if place > 2]
    if len(systems) > 1:
        firsts = {name.partition("@")[0]: (place, name) for place, name in reversed(shown)}
        shown = sorted(firsts.values())
    curves: list[Curve] = []
    for system in systems:
        for place, name in shown:
            found = [(groups.index(str(row[1])), row[place]) for row in table.rows if row[0] == system]
            points = tuple((float(at), float(value)) for at, value in found if isinstance(value, int | float))
            if points:
                texts = tuple(f"{groups[int(at)]}: {value:.1f} %" for at, value in points)
                label = name if len(systems) == 1 else f"{name} {system}"
                curves.append(Curve(name=label, index=len(curves), points=points, texts=texts))
    if len(groups) < 2 or not curves:
        return None
    words = "; ".join(f"{curve.name}: {', '.join(curve.texts)}" for curve in curves)
    top = max(value for curve in curves for _, value in curve.points)
    return line_chart(table.title, named(groups, table.columns[1]), Axis(low=0, high=top or 1.0, unit=" %"), curves, words)


def _bleu(bugs: list[BugFacts]) -> float | None:
    """Return BLEU of the first candidates."""
    counts = BleuCounts()
    texts = [bug.first for bug in bugs if bug.first is not None]
    for item in texts:
        counts.add(tokens_of(item.candidate, "codexglue"), tokens_of(item.fixed, "codexglue"))
    return percent(bleu(counts, variant="codexglue"), 1) if texts else None


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
    """Return a metric over some bugs in per cent; None if the run cannot have it."""
    try:
        return percent(values_of(metric, k, samples, run.scores.run.settings).value, 1)
    except UserError:
        return None
