"""Pages about several systems: leaderboard, comparison of two, overlap."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from repairlab.core.amounts import total_cost
from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.languages.facts import title
from repairlab.metrics.compare import overlaps
from repairlab.serve.browser.bug_pages import Plan, solve_matrix
from repairlab.serve.browser.open_runs import BugFilter, BugHead, NotReadyError, OpenBenchmark, OpenRun, Workbench
from repairlab.serve.browser.page import Page
from repairlab.study.charts import Curve, line_chart
from repairlab.study.comparison import Comparison, compare_measured
from repairlab.study.leaderboard import curve_of, curves_over_k, leaderboard
from repairlab.study.page import spending
from repairlab.study.plots import IntervalRow, forest
from repairlab.study.scores import RunScores
from repairlab.study.systems import Bar, verdict_bar

_MOST_GROUPS = 16


@record
class Choices:
    """What the leaderboard can be narrowed to."""

    benchmarks: tuple[tuple[str, str], ...]
    """Digest and name."""
    languages: tuple[str, ...]
    labels: tuple[str, ...]


def leaderboard_page(bench: Workbench, *, benchmark: str = "", language: str = "", label: str = "") -> Page:
    """Rank the systems on the wanted bugs; rows that cannot be compared are not ranked and say why."""
    wanted = BugFilter(language=language, label=label)
    choices = _choices(bench)
    if benchmark and benchmark not in {digest for digest, _ in choices.benchmarks}:
        raise UserError(f"no run is on a benchmark with digest {benchmark!r}")
    runs = [run for run in bench.runs.values() if not benchmark or run.digest == benchmark]
    entries = [(run.name, run.scores(_known(bench, run, wanted), wanted)) for run in runs]
    board = leaderboard(entries) if entries else None
    by_name = {run.name: run for run in runs}
    metric = board.metric if board and board.k else "top@k"
    curves = [(run, found) for run in runs if (found := run.curve(metric))]
    n = max((run.index.manifest.experiment.n for run, _ in curves), default=0)
    figure = curves_over_k(metric, n, [curve_of(run.name, run.number, found) for run, found in curves]) if curves else None
    return Page(
        template="leaderboard.html",
        values={
            "board": board,
            "by_name": by_name,
            "columns": board.other_metrics if board else [],
            "choices": choices,
            "wanted": wanted,
            "benchmark": benchmark,
            "chart": figure if wanted.is_all else None,
            "curve_metric": metric,
            "bars": _bars(bench, runs, wanted),
            "pictures": [picture for picture in (_cost(entries, runs), *_progress(runs)) if picture] if wanted.is_all else [],
            "is_behind": any(not run.is_computed for run in runs),
        },
    )


def _cost(entries: Sequence[tuple[str, RunScores]], runs: Sequence[OpenRun]) -> Figure | None:
    """Draw what systems cost against what they fix."""
    systems = []
    for (name, scores), run in zip(entries, runs, strict=True):
        bugs = run.index.bugs()
        tokens = sum(bug.tokens_in + bug.tokens_out for bug in bugs)
        systems.append((name, run.number, total_cost(bug.cost_usd for bug in bugs), tokens, scores.result))
    return spending([item for item, (_, scores) in zip(systems, entries, strict=True) if not scores.is_oracle])


def _bars(bench: Workbench, runs: Sequence[OpenRun], wanted: BugFilter) -> list[Bar]:
    """Return the verdicts of each run on the wanted bugs."""
    return [bar for run in runs if (bar := verdict_bar(run.name, run.number, _verdicts(run, _known(bench, run, wanted), wanted))).n]


def _verdicts(run: OpenRun, known: Mapping[str, BugHead], wanted: BugFilter) -> Counter[Verdict]:
    counted: Counter[Verdict] = Counter()
    for bug in run.index.bugs():
        if wanted.takes(bug.id, bug.language, known):
            counted.update(bug.verdicts)
    return counted


def _known(bench: Workbench, run: OpenRun, wanted: BugFilter) -> Mapping[str, BugHead]:
    """Return the labels of a run's bugs, if they matter."""
    opened = bench.benchmark_of(run) if wanted.label else None
    return opened.heads if opened else {}


def _choices(bench: Workbench) -> Choices:
    runs = bench.runs.values()
    benchmarks = {run.digest: f"{run.index.manifest.benchmark_name} {run.index.manifest.benchmark_version}" for run in runs}
    labels = {tag for opened in bench.benchmarks.values() for head in opened.known_heads.values() for tag in head.tags}
    languages = sorted({language for run in runs for language in run.index.manifest.languages})
    return Choices(benchmarks=tuple(benchmarks.items()), languages=tuple(languages), labels=tuple(sorted(labels)))


def compare_choice_page(bench: Workbench) -> Page:
    """Offer all pairs of runs on the same benchmark."""
    runs = list(bench.runs.values())
    pairs = [(a, b) for number, a in enumerate(runs) for b in runs[number + 1 :] if a.digest == b.digest]
    return Page(template="compare_choice.html", values={"pairs": pairs})


def compare_page(bench: Workbench, a: str, b: str, plan: Plan, *, k: int = 1) -> Page:
    """Compare two systems: settings, difference, where it comes from, and each bug side by side."""
    run_a, run_b = bench.run(a), bench.run(b)
    if not bench.is_opened(run_a) or any(run.index.is_behind and not run.measured().samples for run in (run_a, run_b)):
        raise NotReadyError(f"{run_a.slug} and {run_b.slug} are still being read")
    found = compare_measured(run_a.measured(), run_b.measured(), k=k)
    opened = bench.benchmark_of(run_a)
    first, second = run_a.index.manifest.experiment, run_b.index.manifest.experiment
    ks = [number for number in sorted({*first.k} & {*second.k}) if number <= min(first.n, second.n)]
    matrix = solve_matrix(opened, [run_a, run_b], plan, beside=True) if opened else None
    return Page(
        template="compare.html",
        values={"a": run_a, "b": run_b, "found": found, "k": k, "ks": ks, "matrix": matrix, "forest": _forest(found, opened)},
    )


def _forest(found: Comparison, opened: OpenBenchmark | None) -> Figure | None:
    """Draw the difference by language and label, for the groups of at least three bugs; none where there is but one group."""
    heads = opened.known_heads if opened else {}
    groups: dict[str, set[str]] = {"all bugs": set(found.values_a.by_bug)}
    for bug_id in found.values_a.by_bug:
        head = heads.get(bug_id)
        for name in (title(head.language), *sorted(head.tags)) if head else ():
            groups.setdefault(name.replace("=", ": "), set()).add(bug_id)
    kept = sorted((name for name, bugs in groups.items() if len(bugs) >= 3), key=lambda name: -len(groups[name]))[:_MOST_GROUPS]
    rows = [
        IntervalRow(
            name=f"{name} ({change.n_bugs})", index=0, value=100 * change.value, low=100 * change.low, high=100 * change.high
        )
        for name in kept
        if (change := found.difference_on(groups[name]))
    ]
    metric = found.metric.replace("@k", f"@{found.k}")
    return forest("Difference by group of bugs", f"{metric}: A − B, in points", rows, lowest=-100) if len(rows) > 1 else None


def beside_page(bench: Workbench, a: str, b: str, bug_id: str) -> str:
    """Return the address of A's candidate beside B's: of each the first plausible one, else the first."""
    ranks = []
    for run in (bench.run(a), bench.run(b)):
        run.require(bug_id)
        ranks.append(run.index.bug(bug_id).first or 1)
    return f"/run/{a}/bug/{quote(bug_id, safe='')}/{ranks[0]}?against={b}/{ranks[1]}"


def _progress(runs: Sequence[OpenRun]) -> list[Figure]:
    """Draw how many bugs are fixed when each bug may take so many tokens, or so much CPU time of validation."""
    made = []
    for place, about, name in ((0, "tokens per bug", "tokens"), (1, "CPU seconds of validation per bug", "time")):
        curves, most = [], 0.0
        for run in runs:
            spent = sorted(item[place] for item in run.index.spent_until_fixed())
            n_bugs = len(run.index.manifest.bug_ids)
            if spent and spent[-1]:
                most = max(most, spent[-1])
                points = tuple((float(amount), 100 * n / n_bugs) for n, amount in enumerate(spent, start=1))
                curves.append(Curve(name=run.name, index=run.number, points=((0.0, 0.0), *points)))
        if curves:
            words = " ".join(f"{curve.name}: {curve.points[-1][1]:.1f} % at {curve.points[-1][0]:,.1f}." for curve in curves)
            axis = Axis(low=0, high=most, label=about)
            top = next(top for top in (10.0, 25.0, 50.0, 100.0) if top == 100 or max(c.points[-1][1] for c in curves) <= top)
            made.append(
                line_chart(f"Solved over {name}", axis, Axis(low=0, high=top, label="fixed bugs", unit=" %"), curves, words)
            )
    return made


def overlap_page(bench: Workbench) -> Page:
    """Show which systems fix the same bugs, for each benchmark."""
    groups = []
    for digest in dict.fromkeys(run.digest for run in bench.runs.values()):
        runs = bench.runs_on(digest)
        fixed = {
            run.name: frozenset(bug.id for bug in run.index.bugs() if bug.verdicts.get(Verdict.PLAUSIBLE))
            for run in runs
            if run.index.manifest.experiment.repairer != "reference"
        }
        manifest = runs[0].index.manifest
        groups.append((manifest, runs, fixed, overlaps(fixed) if fixed else None))
    return Page(template="overlap.html", values={"groups": groups})
