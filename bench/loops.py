"""What time-outs cost, and whether honest candidates near their limit are called late under load.

The first part validates fix patterns and tells of those that are TIMEOUT their CPU time and wall time as multiples of the limit.
The second runs the reference fix of a program that first computes for 80 % of its CPU limit, beside processes that only count.
Run: PYTHONPATH=src python bench/loops.py BENCHMARK [--candidates 4] [--honest 200] [--load 3]
"""

import argparse
import contextlib
import dataclasses
import itertools
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from side_by_side import Cost, measure

import repairlab as rl
from repairlab.benchmarks.bug_files import read_tree
from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.outcome import Verdict
from repairlab.languages.language import default_cache
from repairlab.repairers.templates.repairer import Templates
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.engines import Engines
from repairlab.validation.validator import BugValidator, Conditions

PROGRAM = "python-generator-period"
SHARE = 0.8


def main() -> None:
    """Print both parts; exit code 1 when an honest candidate is called late."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", help="name or folder")
    parser.add_argument("--candidates", type=int, default=4, help="fix patterns of each bug [default: 4]")
    parser.add_argument("--honest", type=int, default=200, help="runs of an honest candidate [default: 200]")
    parser.add_argument("--load", type=int, default=3, help="counting processes per core in both parts [default: 3]")
    options = parser.parse_args()
    sandbox = open_sandbox(cache=default_cache())
    with busy(options.load * (os.cpu_count() or 1)):
        print(f"{os.cpu_count()} cores, {options.load} counting processes each, load {os.getloadavg()[0]:.1f}", flush=True)
        judged = rl.load(options.benchmark) if options.candidates else ()
        found = [ratios for bug in judged for ratios in time_outs(bug, options.candidates, sandbox)]
        if found:
            cpu, wall = zip(*found, strict=True)
            print(f"{len(found)} time-outs: CPU {summary(cpu)}, wall {summary(wall)} times the limit", flush=True)
        late = sum(verdict is Verdict.TIMEOUT for verdict in honest(options.honest, sandbox))
    print(f"{options.honest} honest candidates at {SHARE:.0%} of their limit: {late} called late, load {os.getloadavg()[0]:.1f}")
    sys.exit(1 if late else 0)


def time_outs(bug: Bug, n: int, sandbox: Sandbox) -> Iterator[tuple[float, float]]:
    """Yield, for each candidate that is late, what that took as multiples of its limit."""
    limit = bug.oracle.limits.cpu_s
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        validator.validate(bug.unpatched)  # what is set up once for a bug is not measured
        for candidate in itertools.islice(Templates().propose(bug.problem, ()), n):
            outcome, cost = measure(lambda: validator.validate(candidate))  # noqa: B023  # called at once
            if outcome.verdict is Verdict.TIMEOUT:
                print(f"{candidate.bug_id} {candidate.rank}: {told(cost)}, limit {limit:g} s", flush=True)
                yield cost.cpu_s / limit, cost.wall_s / limit


def honest(n: int, sandbox: Sandbox) -> Iterator[Verdict]:
    """Yield verdicts on a program that computes for a share of its limit before it answers, with a single case."""
    bug = rl.load("starter")[PROGRAM]
    bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=bug.oracle.cases[:1]))
    busily = f"import time\nwhile time.process_time() < {SHARE * bug.oracle.limits.cpu_s}:\n    pass\n"
    path = bug.problem.path
    fixed = apply_edits(bug.oracle.reference, read_tree(Path(bug.tree.source)).texts)[path]
    with Engines(bug, sandbox) as engines:
        for number in range(n):
            yield engines.judge({path: f"{busily}{fixed}\n_run = {number}\n"}, "full").verdict


@contextlib.contextmanager
def busy(n: int) -> Iterator[None]:
    """Keep so many processes counting."""
    counting = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in counting:
            process.kill()
            process.wait()


def told(cost: Cost) -> str:
    """Return a cost in words."""
    return f"{cost.cpu_s:.1f} s of CPU time, {cost.wall_s:.1f} s"


def summary(ratios: tuple[float, ...]) -> str:
    """Return median and largest of ratios."""
    return f"{statistics.median(ratios):.2f} (at most {max(ratios):.2f})"


if __name__ == "__main__":
    main()
