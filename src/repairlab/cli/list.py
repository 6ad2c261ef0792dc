"""`repairlab list`."""

from typing import Annotated

import typer

from repairlab.benchmarks.catalog import benchmark_names, open_benchmark
from repairlab.cli.options import Include, Json, Limit
from repairlab.cli.output import print_json, print_table
from repairlab.core.bug import Bug
from repairlab.core.words import count


def list_bugs(
    benchmark: Annotated[
        str | None, typer.Argument(help="Name or folder of a benchmark; without it the built-in ones are listed.")
    ] = None,
    include: Include = None,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """List the benchmarks, or the bugs of one."""
    if benchmark is None:
        opened = [open_benchmark(name) for name in benchmark_names()]
        if json:
            print_json(
                [{"name": item.name, "version": item.version, "n_bugs": len(item), "digest": item.digest} for item in opened]
            )
        else:
            rows = [(item.name, item.version, len(item), item.description) for item in opened]
            print_table("Benchmarks", ["name", "version", "bugs", "description"], rows)
        return
    opened_one = open_benchmark(benchmark)
    bugs = opened_one.select(tuple(include or ()), limit=limit)
    if json:
        print_json([_data(bug) for bug in bugs])
        return
    rows_of_bugs = [
        (bug.id, bug.problem.language, _kind(bug), bug.labels.location or "", bug.labels.symptom or "", bug.problem.title)
        for bug in bugs
    ]
    print_table(
        f"{opened_one.name} {opened_one.version}", ["bug", "language", "tests", "location", "symptom", "title"], rows_of_bugs
    )


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
