"""How the rate of validation grows with workers: the same run of `templates` with more and more of them, without the verdict cache.

Every run must find the same; exit code 1 otherwise. The rate is over the whole command, its start and its end included.
`machine` is what the cores themselves give: as many processes that only count, beside one (cores that share a core's parts slow
each other down).
Run: PYTHONPATH=src python bench/scaling.py [-j 1,2,4,8,16] [-n 150] [-i 'python-*' …]
"""

import argparse
import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from repairlab.core.candidate import Candidate
from repairlab.core.record import record
from repairlab.runs.store import Store

REPAIRLAB = (sys.executable, "-m", "repairlab")


@record
class Measured:
    """What one run took, and what it found."""

    wall_s: float
    cpu_s: float
    first_s: float
    """Until the first outcome was stored."""
    n: int
    facts: frozenset[tuple[object, ...]]
    scores: str


def main() -> None:
    """Run with each number of workers and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", dest="workers", default="1,2,4,8,16", help="numbers of workers [default: 1,2,4,8,16]")
    parser.add_argument("-n", type=int, default=150, help="candidates per bug [default: 150]")
    parser.add_argument("-i", dest="include", action="append", help="bugs, as for `repairlab run` [default: python-*]")
    parser.add_argument("--benchmark", default="starter")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: the CPU time of processes that outlive the command counts, too
    chosen = [part for bug in options.include or ["python-*"] for part in ("-i", bug)]
    command = [*REPAIRLAB, "run", options.benchmark, "--repairer", "templates", "-n", str(options.n), *chosen, "--no-cache"]
    print(f"{len(os.sched_getaffinity(0))} cores; {' '.join(command[1:])}", flush=True)
    head = f"{'-j':>4} {'candidates':>10} {'wall s':>8} {'first s':>8} {'CPU s':>8} {'per s':>8} {'ratio':>6} {'machine':>7}  same"
    print(head, flush=True)
    first: Measured | None = None
    same = True
    with tempfile.TemporaryDirectory(prefix="scaling-") as folder:
        for workers in map(int, options.workers.split(",")):
            run = measured([*command, "-j", str(workers), "--to", f"{folder}/{workers}"], Path(folder, str(workers)))
            first = first or run
            equal = (run.facts, run.scores) == (first.facts, first.scores)
            same = same and equal
            rate, ratio = run.n / run.wall_s, run.n / run.wall_s / (first.n / first.wall_s)
            columns = (
                f"{workers:>4} {run.n:>10} {run.wall_s:>8.1f} {run.first_s:>8.1f} {run.cpu_s:>8.1f} {rate:>8.1f} {ratio:>6.2f}"
            )
            print(f"{columns} {ceiling(workers):>7.2f}  {'yes' if equal else 'NO'}", flush=True)
            for fact in sorted(map(str, run.facts ^ first.facts))[:10]:
                print(f"     differs: {fact}")
    sys.exit(0 if same else 1)


def measured(command: list[str], folder: Path, *, orphans: bool = True) -> Measured:
    """Run a command to its end, with all that it started and left behind, unless others are children of this process, too."""
    before, begin = _cpu_s(), time.monotonic()
    outcomes = folder / "outcomes.jsonl"
    first_s: float | None = None
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            if first_s is None and outcomes.exists():
                first_s = time.monotonic() - begin
            time.sleep(0.02)
        wall_s = time.monotonic() - begin
        talk = process.stderr.read() if process.stderr else ""
    if process.returncode:
        raise SystemExit(f"exit code {process.returncode}: {talk}")
    with contextlib.suppress(ChildProcessError):
        while orphans and os.waitpid(-1, 0)[0]:
            pass
    store = Store(folder)
    verdicts = {outcome.candidate_id: (outcome.verdict, outcome.equivalent_to, outcome.stage) for outcome in store.outcomes()}
    candidates = {(data["bug_id"], data["rank"], data["id"]) for _, data in store.scan_data(Candidate)}
    scores = subprocess.run(
        [*REPAIRLAB, "score", folder.name, "--json"], cwd=folder.parent, check=True, capture_output=True, text=True
    )
    return Measured(
        wall_s=wall_s,
        cpu_s=_cpu_s() - before,
        first_s=first_s or wall_s,
        n=len(candidates),
        facts=frozenset((*item, *verdicts[str(item[2])]) for item in candidates),
        scores=scores.stdout.replace(f'"{folder.name}"', '"RUN"'),
    )


def ceiling(workers: int) -> float:
    """Return how many times as much that many counting processes do as one."""
    alone, together = _counting_s(1), _counting_s(workers)
    return workers * alone / together


def _counting_s(n: int) -> float:
    begin = time.monotonic()
    counting = [sys.executable, "-S", "-c", "n = 0\nwhile n < 20_000_000: n += 1"]
    for process in [subprocess.Popen(counting) for _ in range(n)]:
        process.wait()
    return time.monotonic() - begin


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
