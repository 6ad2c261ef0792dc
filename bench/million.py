"""A run of a million candidates: 1,000 bugs × 1,000 candidates. Time and peak memory of `score`, `report`, `publish` and `view`.

Each verb runs in a process of its own. `view` is measured twice: with no index, when pages come while the run is still being read,
and with the index that the first time left. `-n` takes fewer candidates per bug; `--keep DIR` leaves benchmark and run there, and
uses what is there already.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from report_scale import CHANCES, BufferedStore, Viewed, function, measure, outcome, write_benchmark

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import Experiment, Manifest

N_BUGS, N = 1000, 1000
N_LINES = 12
N_RIGHT = 3
"""A bug has so many ways to be fixed, and half of the bugs have none."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=N, help="candidates per bug")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", action="append", choices=("score", "report", "publish", "view"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="million-") as name:
        root = asked.keep or Path(name)
        if not (root / "run/seal.json").is_file():
            start = time.monotonic()
            write_run(root, asked.n)
            print(f"written in {time.monotonic() - start:.0f} s", flush=True)
        run = root / "run"
        size = sum(path.stat().st_size for path in run.iterdir() if path.is_file()) / 2**20
        print(f"{N_BUGS} bugs × {asked.n} candidates = {N_BUGS * asked.n:,}, {size:,.0f} MB on disk", flush=True)
        wanted = asked.only or ("score", "report", "publish", "view")
        shutil.rmtree(root / "tables", ignore_errors=True)
        places: dict[str, list[str]] = {
            "score": [],
            "report": ["-o", str(root / "report.html")],
            "publish": ["--to", str(root / "tables")],
        }
        for verb, more in places.items():
            if verb in wanted:
                cost = measure([sys.executable, "-m", "repairlab", verb, str(run), "--json", *more])
                label = f"repairlab {verb}"
                print(f"{label:<20} {cost.wall_s:6.1f} s wall {cost.cpu_s:6.1f} s CPU {cost.peak_mb:7.0f} MB peak", flush=True)
        if "view" in wanted:
            with tempfile.TemporaryDirectory(prefix="cache-", dir=root) as cache:
                for label in ("view, no index", "view, with index"):
                    watch_view(label, run, Path(cache))


def write_run(root: Path, n: int) -> None:
    """Write a benchmark and a run over it; the lines are those that a run would write, but not one at a time."""
    draw = random.Random(5)
    ids = tuple(f"Project{number % 40}-{number + 1}" for number in range(N_BUGS))
    functions = {bug_id: function(draw, n_lines=N_LINES) for bug_id in ids}
    write_benchmark(root / "benchmark", functions)
    store = BufferedStore(root / "run")
    experiment = Experiment(benchmark=str(root / "benchmark"), repairer="templates", n=n, k=(1, 10, 100))
    store.create(
        Manifest(
            experiment=experiment, benchmark_name="scale", benchmark_version="1.0.0",
            benchmark_digest=open_benchmark(str(root / "benchmark")).digest, bug_ids=ids, languages=("python",) * N_BUGS,
            repairlab="0.1.0", environment={}, environment_digest="0" * 16, created="2026-01-02T03:04:05+00:00",
        )
    )  # fmt: skip
    for bug_id in ids:
        judged: set[str] = set()
        for candidate, verdict in drawn(bug_id, functions[bug_id], n, draw):
            store.append(candidate)
            if candidate.id not in judged:
                store.append(outcome(candidate, candidate.id, verdict, is_full=False))
            judged.add(candidate.id)
    store.end(ids)


def drawn(bug_id: str, text: str, n: int, draw: random.Random) -> Iterator[tuple[Candidate, Verdict]]:
    """Draw candidates of a bug: most differ, as those of a beam search do."""
    is_fixable = draw.random() < 0.5
    kinds, weights = list(CHANCES), list(CHANCES.values())
    lines = text.split("\n")
    for rank in range(1, n + 1):
        verdict = draw.choices(kinds, weights)[0]
        number = draw.randrange(N_RIGHT) if verdict is Verdict.PLAUSIBLE else N_RIGHT + draw.randrange(10**6)
        if verdict is Verdict.PLAUSIBLE and not is_fixable:
            verdict = Verdict.WRONG
        at = 1 + number % (N_LINES - 2)
        changed = "\n".join([*lines[:at], f"    value_{number % 40} = repaired(value, {number})", *lines[at + 1 :]])
        edits = (Edit(path="main.py", text=changed),)
        yield Candidate(bug_id=bug_id, edits=edits, rank=rank, origin=Origin(repairer="templates")), verdict


def watch_view(label: str, run: Path, cache: Path) -> None:
    """Open a run and say how long it took to the first page, to pages deep inside, and until everything is known."""
    deep = ("/run/run/bug/Project0-1/500", "/run/run/candidates?verdict=CRASH&page=400", "/")
    with Viewed([run], cache) as viewed:
        took = {path: viewed.get(path).wall_s for path in ("/run/run", "/run/run/bug/Project0-1")}
        viewed.wait("run")
        later = {path: viewed.get(path).wall_s for path in (*took, *deep)}
        ready_s, peak_mb = viewed.ready_s, viewed.peak_mb()
    first = f"first page after {viewed.first_s:.1f} s ({viewed.first_cpu_s:.1f} s CPU)"
    print(f"{label:<16} {first}, all read and scored after {ready_s:.1f} s, {peak_mb:.0f} MB peak")
    for path, took_s in later.items():
        before = f"{took[path]:.2f} s while reading, " if path in took else ""
        print(f"    {path:<46} {before}{took_s:.2f} s", flush=True)


if __name__ == "__main__":
    main()
