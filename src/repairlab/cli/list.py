"""`repairlab list`: the benchmarks, the bugs of one, or one bug."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import Benchmark, benchmark_names, find_folder, open_benchmark, open_bug, split_reference
from repairlab.benchmarks.health import CARD_NAME, Health, read_card
from repairlab.cli.options import Include, Json, Limit
from repairlab.cli.output import data, print_json, print_table
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.runs.checkout import properties

_COUNTED = ("location", "state", "element", "category", "domain", "symptom", "difficulty")


def list_bugs(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="BENCHMARK (name or folder) or BENCHMARK/BUG; without it, all built-in benchmarks."),
    ] = None,
    about: Annotated[
        bool, typer.Option("--about", help="Describe the benchmark and count its bugs by label, without listing them.")
    ] = False,
    include: Include = None,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """List benchmarks or the bugs of one, or describe a bug."""
    if name is not None and _is_bug(name):
        if include or limit is not None:
            raise UserError(f"{name} is one bug: --include and --limit choose among the bugs of a benchmark; leave them out")
        _show_bug(open_bug(name), _health(name), as_json=json)
        return
    if name is None:
        if about or include or limit is not None:
            raise UserError("--about, --include and --limit need a benchmark, such as: repairlab list starter --about")
        _list_benchmarks([open_benchmark(known) for known in benchmark_names()], as_json=json)
        return
    opened = open_benchmark(name)
    bugs = opened.select(tuple(include or ()), limit=limit)
    if about:
        _describe(opened, bugs, as_json=json)
    elif json:
        print_json([_data(bug) for bug in bugs])
    else:
        rows = [
            (bug.id, bug.problem.language, _kind(bug), bug.labels.location or "", bug.labels.symptom or "", bug.problem.title)
            for bug in bugs
        ]
        print_table(f"{opened.name} {opened.version}", ["bug", "language", "tests", "location", "symptom", "title"], rows)
        _print_counts(_counts(bugs))


def _is_bug(name: str) -> bool:
    """Whether a name is that of a bug; only if nothing else has it."""
    return "/" in name and not _is_benchmark(name) and _is_benchmark(name.rpartition("/")[0])


def _is_benchmark(name: str) -> bool:
    return name in benchmark_names() or (Path(name) / "benchmark.toml").is_file()


def _list_benchmarks(opened: Sequence[Benchmark], *, as_json: bool) -> None:
    if as_json:
        print_json([{"name": item.name, "version": item.version, "n_bugs": len(item), "digest": item.digest} for item in opened])
        return
    rows = [(item.name, item.version, len(item), item.description) for item in opened]
    print_table("Benchmarks", ["name", "version", "bugs", "description"], rows)


def _describe(benchmark: Benchmark, bugs: Sequence[Bug], *, as_json: bool) -> None:
    if as_json:
        head = {"name": benchmark.name, "version": benchmark.version, "licence": benchmark.licence, "digest": benchmark.digest}
        print_json({**head, "n_bugs": len(bugs), "counts": _counts(bugs)})
        return
    data().print(f"{benchmark.name} {benchmark.version}: {count(len(bugs), 'bug')}. {benchmark.description}")
    data().print(f"licence {benchmark.licence}, digest {benchmark.digest}")
    _print_counts(_counts(bugs))


def _counts(bugs: Sequence[Bug]) -> dict[str, Counter[str]]:
    return {
        "language": Counter(bug.problem.language for bug in bugs),
        "framework": Counter(bug.oracle.test.framework for bug in bugs),
        **{label: Counter(getattr(bug.labels, label) or "?" for bug in bugs) for label in _COUNTED},
    }


def _print_counts(counts: dict[str, Counter[str]]) -> None:
    rows = [
        (label, ", ".join(f"{value} {n}" for value, n in sorted(found.items())))
        for label, found in counts.items()
        if set(found) != {"?"}
    ]
    print_table("", ["label", "bugs"], rows)


def _health(name: str) -> Health | None:
    """Return what the last check of a bug showed, if its benchmark has a health card and the bug has not changed since."""
    benchmark, bug_id = split_reference(name)
    place = find_folder(benchmark) / CARD_NAME
    digest = open_bug(name).digest
    cards = read_card(place).bugs if place.is_file() else ()
    return next((health for health in cards if (health.bug_id, health.digest) == (bug_id, digest)), None)


def _show_bug(bug: Bug, health: Health | None, *, as_json: bool) -> None:
    if as_json:
        problem = {"title": bug.problem.title, "description": bug.problem.description}
        known = {"properties": properties(bug), "labels": to_data(bug.labels), "limits": to_data(bug.oracle.limits)}
        print_json({**problem, **known, "strength": health.strength if health else None})
        return
    console = data()
    console.print(f"[bold]{bug.id}[/bold] ({bug.problem.language}): ", end="")
    console.print(bug.problem.title, markup=False)
    console.print(bug.problem.description, markup=False)
    console.print()
    for name, values in properties(bug).items():
        console.print(f"{name}: {', '.join(values)}", markup=False)
    labels = ", ".join(f"{name} {value}" for name, value in to_data(bug.labels).items() if value)
    console.print(f"labels: {labels}", markup=False)
    if health and health.strength:
        console.print(f"strength of a pass: {health.strength}", markup=False)


def _kind(bug: Bug) -> str:
    n_tests = len(bug.oracle.trigger) + len(bug.oracle.regression)
    return f"{count(len(bug.oracle.cases), 'case')}" if bug.oracle.cases else f"{n_tests} {bug.oracle.test.framework}"


def _data(bug: Bug) -> dict[str, object]:
    return {
        "id": bug.id,
        "language": bug.problem.language,
        "title": bug.problem.title,
        "path": bug.problem.path,
        "target": bug.problem.target.name,
        "framework": bug.oracle.test.framework,
        "location": bug.labels.location,
        "symptom": bug.labels.symptom,
        "difficulty": bug.labels.difficulty,
    }
