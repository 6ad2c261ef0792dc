"""Pages about several systems: leaderboard, comparison of two, overlap."""

from collections import Counter
from collections.abc import Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.metrics.compare import overlaps
from repairlab.serve.browser.open_runs import BugFilter, BugHead, OpenRun, Workbench
from repairlab.serve.browser.page import Page
from repairlab.study.comparison import compare_measured
from repairlab.study.leaderboard import curve_of, curves_over_k, leaderboard
from repairlab.study.systems import Bar, verdict_bar


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
            "is_behind": any(not run.is_computed for run in runs),
        },
    )


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


def compare_page(bench: Workbench, a: str, b: str, *, k: int = 1) -> Page:
    """Compare two systems bug by bug."""
    run_a, run_b = bench.run(a), bench.run(b)
    found = compare_measured(run_a.measured(), run_b.measured(), k=k)
    lists = {
        f"only {run_a.name}": found.overlap.only_a,
        f"only {run_b.name}": found.overlap.only_b,
        "both": found.overlap.both,
        "neither": found.overlap.neither,
        "undecided in one of them": found.overlap.lost,
    }
    opened = bench.benchmark_of(run_a)
    heads = opened.known_heads if opened else {}
    first, second = run_a.index.manifest.experiment, run_b.index.manifest.experiment
    ks = [number for number in sorted({*first.k} & {*second.k}) if number <= min(first.n, second.n)]
    return Page(
        template="compare.html",
        values={"a": run_a, "b": run_b, "found": found, "lists": lists, "heads": heads, "k": k, "ks": ks},
    )


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
