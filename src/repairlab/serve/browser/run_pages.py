"""Pages about one run: what came of it, its candidates by verdict, and how far it is while it goes on."""

from collections import Counter
from typing import Any

from repairlab.core.amounts import total_cost
from repairlab.core.errors import unknown
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record, to_data
from repairlab.serve.browser.open_runs import BugFilter, OpenRun, Workbench
from repairlab.serve.browser.page import Page, Pager
from repairlab.serve.browser.run_index import BugCounts, Place
from repairlab.study.leaderboard import curve_of, curves_over_k
from repairlab.study.page_templates import VERDICTS
from repairlab.study.scores import SCORE_COLUMNS, score_rows, settings_of, worth_saying
from repairlab.study.systems import verdict_bar


@record
class Total:
    """What a run cost."""

    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    cpu_s: float
    n_fixed: int
    n_ended: int


@record
class Listed:
    """One candidate of a list."""

    place: Place
    outcome: Outcome | None
    n: int
    """How many of the listed candidates of its bug are equal to it, itself among them."""


def run_page(bench: Workbench, slug: str, *, page: int = 1) -> Page:
    """Show a run: funnel, scores, curve, cost, time, bugs."""
    run = bench.run(slug)
    bugs = run.index.bugs()
    pager = Pager.at(page, len(bugs), rows=500)
    opened = bench.benchmark_of(run)
    return Page(
        template="run.html",
        values=live_values(run, bugs)
        | {
            "scores": score_rows(run.scores({}, BugFilter()).result),
            "score_columns": SCORE_COLUMNS,
            "left_out": worth_saying(run.scores({}, BugFilter()).result),
            "chart": _chart(run),
            "bugs": bugs[pager.start : pager.start + pager.rows],
            "pager": pager,
            "heads": opened.known_heads if opened else {},
            "no_texts": bench.why_no_texts(run),
            "damages": run.index.damages,
            "conditions": settings_of(run.index.manifest, "counted").conditions,
            "settings": list((to_data(run.index.manifest.experiment.settings) or {}).items()),
            "slowest": sorted(bugs, key=lambda bug: -bug.cpu_s)[:5],
        },
    )


def live_page(bench: Workbench, slug: str) -> Page:
    """Return the part of a run's page that changes while the run goes on."""
    run = bench.run(slug)
    return Page(template="live.html", values=live_values(run, run.index.bugs()))


def live_values(run: OpenRun, bugs: list[BugCounts]) -> dict[str, Any]:
    """Return what is known of a run at this moment."""
    counts = run.index.verdicts()
    judged = sum(counts.values())
    applied = judged - counts[Verdict.UNAPPLICABLE] - counts[Verdict.UNDECIDED]
    return {
        "run": run,
        "manifest": run.index.manifest,
        "funnel": {
            "proposed": sum(bug.n for bug in bugs),
            "judged": judged,
            "could be applied": applied,
            "built": applied - counts[Verdict.UNCOMPILABLE],
            "plausible": counts[Verdict.PLAUSIBLE],
        },
        "total": Total(
            tokens_in=sum(bug.tokens_in for bug in bugs),
            tokens_out=sum(bug.tokens_out for bug in bugs),
            cost_usd=total_cost(bug.cost_usd for bug in bugs),
            cpu_s=sum(bug.cpu_s for bug in bugs),
            n_fixed=sum(bug.first is not None for bug in bugs),
            n_ended=sum(bug.ended != "unfinished" for bug in bugs),
        ),
        "counts": [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
        "bar": verdict_bar(run.name, run.number, counts),
        "newest": [_listed(run, place) for place in run.index.newest()],
        "share": run.index.share,
        "is_live": not run.is_computed or any(bug.ended == "unfinished" for bug in bugs),
    }


def state(bench: Workbench, slug: str) -> dict[str, Any]:
    """Return how far reading is, for programs."""
    run = bench.run(slug)
    return {"run": slug, "share": run.index.share, "is_behind": not run.is_computed, "damages": run.index.damages}


def candidates_page(bench: Workbench, slug: str, bug_id: str | None = None, *, verdict: str = "", page: int = 1) -> Page:
    """List candidates of a run by bug and rank: of all bugs or one, of one verdict or all."""
    run = bench.run(slug)
    if bug_id is not None:
        run.require(bug_id)
    wanted = _verdict(verdict)
    bugs = run.index.bugs() if bug_id is None else [run.index.bug(bug_id)]
    counts = sum((Counter(bug.verdicts) for bug in bugs), Counter[Verdict]())
    pager = Pager.at(page, counts[wanted] if wanted else sum(bug.n for bug in bugs))
    equal: dict[tuple[str, str], list[Place]] = {}
    for place in run.index.page(bug_id=bug_id, verdict=wanted, start=pager.start, n=pager.rows):
        equal.setdefault((place.bug_id, place.candidate_id), []).append(place)
    return Page(
        template="candidates.html",
        values={
            "run": run,
            "bug_id": bug_id,
            "verdict": verdict,
            "pager": pager,
            "listed": [_listed(run, places[0], n=len(places)) for places in equal.values()],
            "counts": [(item, counts[item]) for item in VERDICTS if counts[item]],
        },
    )


def _verdict(text: str) -> Verdict | None:
    if not text:
        return None
    try:
        return Verdict(text)
    except ValueError:
        raise unknown("verdict", text, Verdict) from None


def _listed(run: OpenRun, place: Place, *, n: int = 1) -> Listed:
    return Listed(place=place, outcome=None if place.outcome is None else run.index.store.at(Outcome, place.outcome), n=n)


def _chart(run: OpenRun) -> Any:
    for metric in ("pass@k", "top@k"):
        if found := run.curve(metric):
            return curves_over_k(metric, run.index.manifest.experiment.n, [curve_of(run.name, run.number, found)])
    return None
