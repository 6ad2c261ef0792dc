"""`repairlab info`."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import benchmark_names, open_benchmark, open_bug
from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.record import to_data
from repairlab.core.words import count
from repairlab.runs.checkout import properties


def info(
    name: Annotated[str, typer.Argument(help="BENCHMARK or BENCHMARK/BUG.")],
    json: Json = False,
) -> None:
    """Describe a benchmark or a bug."""
    if "/" in name and not _is_benchmark(name):
        _show_bug(open_bug(name), as_json=json)
    else:
        _show_benchmark(open_benchmark(name), as_json=json)


def _is_benchmark(name: str) -> bool:
    return name in benchmark_names() or (Path(name) / "benchmark.toml").is_file()


def _show_benchmark(benchmark: Benchmark, *, as_json: bool) -> None:
    counts: dict[str, Counter[str]] = {
        "language": Counter(bug.problem.language for bug in benchmark),
        "framework": Counter(bug.oracle.test.framework for bug in benchmark),
        "location": Counter(bug.labels.location or "?" for bug in benchmark),
        "state": Counter(bug.labels.state or "?" for bug in benchmark),
        "element": Counter(bug.labels.element or "?" for bug in benchmark),
        "category": Counter(bug.labels.category or "?" for bug in benchmark),
        "symptom": Counter(bug.labels.symptom or "?" for bug in benchmark),
        "difficulty": Counter(bug.labels.difficulty or "?" for bug in benchmark),
    }
    if as_json:
        head = {"name": benchmark.name, "version": benchmark.version, "licence": benchmark.licence, "digest": benchmark.digest}
        print_json({**head, "n_bugs": len(benchmark), "counts": counts})
        return
    data().print(f"{benchmark.name} {benchmark.version}: {count(len(benchmark), 'bug')}. {benchmark.description}")
    data().print(f"licence {benchmark.licence}, digest {benchmark.digest}")
    rows = [(label, ", ".join(f"{value} {n}" for value, n in sorted(count.items()))) for label, count in counts.items()]
    print_table("", ["label", "bugs"], rows)


def _show_bug(bug: Bug, *, as_json: bool) -> None:
    if as_json:
        exported = properties(bug)
        problem = {"title": bug.problem.title, "description": bug.problem.description}
        print_json({**problem, "properties": exported, "labels": to_data(bug.labels), "limits": to_data(bug.oracle.limits)})
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
