"""Validation the naive way and ours, side by side on the same candidates: CPU and wall time per candidate, and equal verdicts.

Naive: a fresh copy, a full build, a fresh process per batch of tests, no sandbox. Ours: what `repairlab run` does.
Run: .venv/bin/python benchmarks/engine.py [-n CANDIDATES] [BUG …]
"""

import argparse
import itertools
import os
import platform
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import Outcome
from repairlab.core.problem import Visibility, shown
from repairlab.languages.table import default_cache
from repairlab.repairers.table import repairer
from repairlab.runs.catalog import open_benchmark
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.validate import validate, workbench

BUGS = (
    "python-island-count",
    "python-version-order",
    "java-handshakes",
    "java-ledger-balance",
    "c-lap-time-mean",
    "c-ring-buffer-wrap",
    "cpp-range-sums",
    "cpp-rational-sign",
)


class Naive:
    """What a script would do: run the command as it is, and wait for it no longer than the wall limit."""

    name = "naive"

    def run(self, command: Command, tree: Path) -> Execution:
        """Run without isolation or measuring."""
        read, write = os.pipe()
        fixed = {"HOME": str(tree), "TMPDIR": tempfile.gettempdir(), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen(
            command.argv,
            cwd=tree / command.cwd,
            env={"PATH": os.environ["PATH"], **fixed, **dict(command.env)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: os.dup2(write, 3),  # noqa: PLW1509  # one thread only
            pass_fds=(3, write),
        )
        os.close(write)
        ending, code = Ending.EXITED, None
        try:
            stdout, stderr = process.communicate(command.stdin, timeout=command.limits.wall_s)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            ending = Ending.WALL_LIMIT
        with os.fdopen(read, "rb") as file:
            report = file.read()
        if code is not None and code < 0:
            ending = Ending.SIGNALLED
        return Execution(
            ending=ending,
            exit_code=code if ending is Ending.EXITED else None,
            signal=-code if ending is Ending.SIGNALLED and code else None,
            stdout=stdout,
            stderr=stderr,
            report=report,
            cpu_s=0.0,
            wall_s=0.0,
            peak_mb=0.0,
        )

    def reside(self, command: Command, tree: Path) -> None:
        """There is nothing that stays."""
        raise NotImplementedError


def measure(work: Callable[[], list[Outcome]]) -> tuple[list[Outcome], float, float]:
    """Return the outcomes with CPU seconds (children and ourselves) and wall seconds."""

    def cpu() -> float:
        return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))

    cpu_before, wall_before = cpu(), time.monotonic()
    outcomes = work()
    return outcomes, cpu() - cpu_before, time.monotonic() - wall_before


def candidates_of(bug: Bug, n: int) -> list[Candidate]:
    """Return template candidates, every fifth replaced by the reference fix with a comment that makes it differ."""
    proposed = repairer("templates").propose(shown(bug.problem, Visibility()), ())
    drawn = list(itertools.islice(proposed, n))
    reference = Candidate(bug_id=bug.id, edits=bug.oracle.reference, rank=1, origin=Origin(repairer="reference"))
    return [reference if index % 5 == 4 else candidate for index, candidate in enumerate(drawn)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("bugs", nargs="*", default=BUGS)
    options = parser.parse_args()
    benchmark = open_benchmark("starter")
    sandbox = open_sandbox(cache=default_cache())
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.n} candidates per bug")
    print(f"{'bug':24} {'naive CPU':>10} {'our CPU':>10} {'ratio':>6} {'wall ratio':>10}  verdicts")
    for name in options.bugs:
        bug = benchmark.bug(name)
        drawn = candidates_of(bug, options.n)

        def naive(bug: Bug = bug, drawn: list[Candidate] = drawn) -> list[Outcome]:
            return [validate(candidate, bug, Naive()) for candidate in drawn]

        def ours(bug: Bug = bug, drawn: list[Candidate] = drawn) -> list[Outcome]:
            with workbench(bug, sandbox) as bench:
                return [bench.validate(candidate) for candidate in drawn]

        ours(bug, drawn[:2])  # caches that are made once per machine
        slow, slow_cpu, slow_wall = measure(naive)
        fast, fast_cpu, fast_wall = measure(ours)
        differ = sum(one.verdict != other.verdict for one, other in zip(slow, fast, strict=True))
        n = len(drawn)
        print(
            f"{name:24} {slow_cpu / n:9.3f}s {fast_cpu / n:9.3f}s {slow_cpu / fast_cpu:6.1f} {slow_wall / fast_wall:10.1f}"
            f"  {'equal' if not differ else f'{differ} differ'}"
        )


if __name__ == "__main__":
    main()
