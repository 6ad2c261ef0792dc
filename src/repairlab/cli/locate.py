"""`repairlab locate`."""

from collections.abc import Sequence
from statistics import mean
from typing import Annotated, Any

import typer

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.cli.options import Include, Json, Limit, on_machine
from repairlab.cli.output import print_json, print_table, progress_bar, say, write
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.errors import Interrupted, UserError, unknown
from repairlab.core.record import to_data
from repairlab.core.table import shown
from repairlab.metrics.suspiciousness import FORMULAS, average_precision
from repairlab.runs.spectrum import Spectrum, measure_spectra
from repairlab.runs.suspects import RankedPlaces, fault_of, rank_functions, rank_lines
from repairlab.validation.machine import Machine

_TOPS = (1, 5, 10)


@on_machine("workers", "sandbox", "allow_unsafe")
def locate(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    bug: Annotated[str | None, typer.Argument(help="Show the places of this bug.")] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="ochiai, dstar or tarantula. [default: ochiai; over bugs, all three]")
    ] = None,
    include: Include = None,
    limit: Limit = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Rank suspicious lines and functions from test runs."""
    if metric is not None and metric not in FORMULAS:
        raise unknown("metric", metric, FORMULAS)
    opened = open_benchmark(benchmark)
    if bug is not None:
        if include or limit is not None:
            raise UserError(f"--include and --limit choose among bugs, but {bug} is named; leave one of them out")
        chosen = opened.bug(bug)
        _show_places(chosen, measured([chosen], here)[0], metric or "ochiai", as_json=json)
        return
    bugs = opened.select(tuple(include or ()), limit=limit)
    _show_scores(opened, bugs, measured(bugs, here), [metric] if metric else list(FORMULAS), as_json=json)


def measured(bugs: Sequence[Bug], here: Machine) -> list[Spectrum]:
    """Measure what the tests of bugs run, with a progress bar."""
    found: dict[str, Spectrum] = {}
    with progress_bar() as progress:
        task = progress.add_task("bugs located", total=len(bugs))

        def receive(spectrum: Spectrum) -> None:
            found[spectrum.bug_id] = spectrum
            progress.advance(task)

        try:
            measure_spectra(bugs, here, receive)
        except Interrupted:
            done = f"stopped; {len(found)} of {count(len(bugs), 'bug')} are located, and the same command goes on"
            raise Interrupted(done) from None
    return [found[bug.id] for bug in bugs]


_SHOWN = 20


def _show_places(bug: Bug, spectrum: Spectrum, metric: str, *, as_json: bool) -> None:
    """Show the places of one bug; a UserError when there are none."""
    if spectrum.problem:
        raise UserError(f"bug {bug.id} cannot be located: {spectrum.problem}")
    rankings = {"function": rank_functions(spectrum, metric), "line": rank_lines(spectrum, metric)}
    if as_json:
        print_json(_head(spectrum) | {"metric": metric} | {f"{level}s": _places(ranking) for level, ranking in rankings.items()})
        return
    texts = {path: text.split("\n") for path, text in bug.problem.files.items()}
    for level, ranking in rankings.items():
        rows = []
        for item in [item for item in ranking.places if item.score > 0][:_SHOWN]:
            place = item.place
            what = place.function or "(file)" if level == "function" else texts[place.path][place.line - 1].strip()[:60]
            where = f"{place.path}:{place.begins or place.line}" if level == "function" else f"{place.path}:{place.line}"
            rows.append((item.rank, shown(item.score), where, what))
        print_table(f"{bug.id}: {level}s by {metric}", ["rank", "score", "place", level], rows)
    write(_share(spectrum))


def _share(spectrum: Spectrum) -> str:
    run = spectrum.n_failed + spectrum.n_passed
    said = f"{run} of {count(spectrum.n_tests, 'test')} were run, {spectrum.n_failed} failed; {spectrum.n_lines} lines looked at"
    return said + (f"; files that could not be looked at: {', '.join(spectrum.left_out)}" if spectrum.left_out else "")


def _head(spectrum: Spectrum) -> dict[str, Any]:
    return {name: value for name, value in to_data(spectrum).items() if name != "places"}


def _places(ranking: RankedPlaces) -> list[dict[str, Any]]:
    """Return places for JSON, which has no infinity: such a score is null."""
    return [
        to_data(item.place) | {"rank": item.rank, "score": None if item.score == float("inf") else item.score}
        for item in ranking.places
    ]


def _show_scores(
    opened: Benchmark, bugs: Sequence[Bug], spectra: Sequence[Spectrum], metrics: Sequence[str], *, as_json: bool
) -> None:
    located = [(bug, spectrum) for bug, spectrum in zip(bugs, spectra, strict=True) if not spectrum.problem]
    if not located:
        raise UserError(f"no bug of {opened.name} can be located; {spectra[0].bug_id}: {spectra[0].problem}")
    faults = {bug.id: fault_of(bug) for bug in bugs}
    results = []
    for metric in metrics:
        for level in ("line", "function"):
            by_bug = {}
            for bug, spectrum in located:
                ranking = (rank_lines if level == "line" else rank_functions)(spectrum, metric)
                faulty = faults[bug.id].lines if level == "line" else faults[bug.id].functions
                by_bug[bug.id] = (_ranks(ranking, faulty, level), ranking)
            results.append(
                {"metric": metric, "level": level, **_scores(by_bug), "ranks": {name: ranks for name, (ranks, _) in by_bug.items()}}
            )
    if as_json:
        print_json({"benchmark": opened.name, "version": opened.version, "bugs": list(map(_head, spectra)), "results": results})
        return
    columns = ["metric", "level", *(f"top-{n}" for n in _TOPS), "MAP", "EXAM"]
    rows = [[shown(result[column]) for column in columns] for result in results]
    print_table(f"{opened.name} {opened.version}: {len(located)} of {count(len(bugs), 'bug')} located", columns, rows)
    for spectrum in spectra:
        if spectrum.problem:
            say(f"{spectrum.bug_id}: {spectrum.problem}")


def _ranks(ranking: RankedPlaces, faulty: set[tuple[str, int]], level: str) -> list[float]:
    """Return the ranks of what the fix changes; places that no test runs, or without a statement, are last."""
    known = {(item.place.path, item.place.line if level == "line" else item.place.begins): item.rank for item in ranking.places}
    return sorted(known.get(place, ranking.last) for place in faulty) or [ranking.last]


def _scores(by_bug: dict[str, tuple[list[float], RankedPlaces]]) -> dict[str, Any]:
    return {
        **{f"top-{n}": sum(ranks[0] <= n for ranks, _ in by_bug.values()) for n in _TOPS},
        "MAP": mean(average_precision(ranks) for ranks, _ in by_bug.values()),
        "EXAM": mean(ranks[0] / ranking.n for ranks, ranking in by_bug.values()),
    }
