"""What the rows of the engine's table share: the naive way of running a command, measuring, a row and how it is printed.

A row is a module with `def row(*, quick: bool) -> Row`; `engine.py` lists them all. A row also runs alone:

    .venv/bin/python bench/java_judge.py [--quick]

which `main(row)` at the end of the module provides.
"""

import argparse
import contextlib
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from repairlab.benchmarks.bug_files import read_tree
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import apply_edits
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import Verdict
from repairlab.core.problem import Visibility, shown
from repairlab.core.record import record
from repairlab.repairers.table import repairer
from repairlab.validation.apply import normal_digest

T = TypeVar("T")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@record
class Cost:
    """What a piece of work took."""

    cpu_s: float
    """User and system time of this process and of all that it started, whether it still runs or not."""
    wall_s: float


@record
class Row:
    """One line of the table."""

    work: str
    """What was done, such as `Python judge programs, 200 × 20 cases`."""
    n: int
    """How many candidates were validated."""
    ours: Cost
    target: float
    """The CPU ratio that must be reached; for rows without a naive way, validations per second of wall time."""
    naive: Cost | None = None
    """None: there is no naive way to compare with."""
    n_different: int = 0
    """Candidates on which the two ways do not give the same verdict."""
    n_plausible: int = 0
    floor_cpu_s: float | None = None
    """CPU time of the least work that could possibly decide the same, where it was measured."""
    floor: str = ""
    """What that least work is."""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times less CPU time ours takes."""
        return self.naive.cpu_s / self.ours.cpu_s if self.naive else None

    @property
    def reached(self) -> bool:
        """Whether the target is reached."""
        return (self.ratio if self.ratio is not None else self.n / self.ours.wall_s) >= self.target


class Naive:
    """What a script would do: run the command as it is, and wait for it no longer than the wall limit."""

    name = "naive"

    def run(self, command: Command, tree: Path) -> Execution:
        """Run without isolation or measuring."""
        fixed = {"HOME": str(tree), "TMPDIR": tempfile.gettempdir(), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run(
                command.argv,
                cwd=tree / command.cwd,
                env={"PATH": os.environ["PATH"], **fixed, **dict(command.env)},
                input=command.stdin,
                capture_output=True,
                timeout=command.limits.wall_s,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return _execution(Ending.WALL_LIMIT, late.stdout or b"", late.stderr or b"")
        if done.returncode < 0:
            return _execution(Ending.SIGNALLED, done.stdout, done.stderr, signal=-done.returncode)
        return _execution(Ending.EXITED, done.stdout, done.stderr, exit_code=done.returncode)


def _execution(
    ending: Ending, stdout: bytes, stderr: bytes, *, exit_code: int | None = None, signal: int | None = None
) -> Execution:
    return Execution(
        ending=ending,
        exit_code=exit_code,
        signal=signal,
        stdout=stdout,
        stderr=stderr,
        report=b"",
        cpu_s=0.0,
        wall_s=0.0,
        peak_mb=0.0,
    )


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files with the folders above them: a generated benchmark."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def candidates_of(bug: Bug, n: int) -> list[Candidate]:
    """Return up to `n` candidates of which no two are duplicates: from templates, every fifth the reference fix with idle code."""
    proposed = repairer("templates").propose(shown(bug.problem, Visibility()), ())
    distinct: dict[str, tuple[Edit, ...]] = {}
    for candidate in proposed:
        if len(distinct) < n and len(distinct) % 5 == 4:
            distinct[f"reference {len(distinct)}"] = _with_idle_code(bug, len(distinct))
        if len(distinct) >= n:
            break
        distinct.setdefault(normal_digest(candidate, bug), candidate.edits)
    origin = Origin(repairer="templates")
    return [
        Candidate(bug_id=bug.id, edits=edits, rank=rank, origin=origin) for rank, edits in enumerate(distinct.values(), start=1)
    ]


def _with_idle_code(bug: Bug, number: int) -> tuple[Edit, ...]:
    """Return the reference fix with code of its own at the end of the file, which does nothing."""
    changed = apply_edits(bug.oracle.reference, read_tree(Path(bug.tree.source)).texts)
    idle = {
        "python": f"_variant_{number} = {number}",
        "c": f"enum {{ variant_{number} = {number} }};",
        "cpp": f"enum {{ variant_{number} = {number} }};",
        "java": f"class Variant{number} {{ }}",
    }[bug.problem.language]
    return tuple(
        Edit(path=path, text=text if text is None or path != bug.problem.path else f"{text.rstrip()}\n{idle}\n")
        for path, text in changed.items()
    )


def measure(work: Callable[[], T]) -> tuple[T, Cost]:
    """Do the work and return its result with what it took."""
    cpu_before, wall_before = _cpu_s(), time.monotonic()
    result = work()
    return result, Cost(cpu_s=_cpu_s() - cpu_before, wall_s=time.monotonic() - wall_before)


def _cpu_s() -> float:
    """Return the CPU time of this process, of what it started and waited for, and of what it started and still runs."""
    ended = sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    return ended + sum(_running_cpu_s(os.getpid()))


def _running_cpu_s(parent: int) -> Iterator[float]:
    """Yield the CPU time of each descendant that runs, with that of its own children that ended."""
    for task in Path("/proc", str(parent), "task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            for child in map(int, (task / "children").read_text().split()):
                fields = Path("/proc", str(child), "stat").read_text().rpartition(")")[2].split()
                yield sum(map(int, fields[11:15])) / _TICKS_PER_S
                yield from _running_cpu_s(child)


def compare(
    work: str,
    naive: Callable[[], Sequence[Verdict]],
    ours: Callable[[], Sequence[Verdict]],
    *,
    target: float,
    floor: tuple[str, Callable[[], object]] | None = None,
) -> Row:
    """Measure both ways on the same candidates, in this order, and compare their verdicts one by one.

    `floor` says and does the least work that could decide the same.
    """
    theirs, naive_cost = measure(naive)
    verdicts, our_cost = measure(ours)
    if len(theirs) != len(verdicts) or not verdicts:
        raise AssertionError(f"{work}: {len(theirs)} verdicts the naive way, {len(verdicts)} ours")
    return Row(
        work=work,
        n=len(verdicts),
        ours=our_cost,
        naive=naive_cost,
        target=target,
        n_different=sum(one is not other for one, other in zip(theirs, verdicts, strict=True)),
        n_plausible=sum(verdict is Verdict.PLAUSIBLE for verdict in verdicts),
        floor_cpu_s=measure(floor[1])[1].cpu_s if floor else None,
        floor=floor[0] if floor else "",
    )


HEAD = (
    f"{'work':44} {'n':>5} {'naive/s':>8} {'ours/s':>8} {'naive CPU':>10} {'our CPU':>9} {'CPU':>7} {'wall':>7} {'target':>8}"
    f" {'floor':>7}  verdicts"
)


def print_head() -> None:
    """Print the machine, its load and the names of the columns."""
    version = sys.version.split()[0]
    print(f"{platform.machine()}, {cpu_model()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {version}")
    print("rates per second of wall time; CPU per candidate; ratios naive : ours; floor: our CPU time : the least possible")
    print(HEAD, flush=True)


def print_row(row: Row) -> None:
    """Print one line of the table."""
    naive, ours = row.naive, row.ours
    cells = [
        f"{row.work:44}",
        f"{row.n:5}",
        f"{row.n / naive.wall_s:8.1f}" if naive else f"{'–':>8}",
        f"{row.n / ours.wall_s:8.1f}",
        _milliseconds(naive.cpu_s / row.n, 10) if naive else f"{'–':>10}",
        _milliseconds(ours.cpu_s / row.n, 9),
        f"{row.ratio:6.1f}×" if row.ratio is not None else f"{'–':>7}",
        f"{naive.wall_s / ours.wall_s:6.1f}×" if naive else f"{'–':>7}",
        f"{f'≥ {row.target:g}×' if naive else f'≥ {row.target:g}/s':>8}",
        f"{ours.cpu_s / row.floor_cpu_s:6.1f}×" if row.floor_cpu_s else f"{'–':>7}",
    ]
    equal = "equal" if not row.n_different else f"{row.n_different} DIFFER"
    reached = "" if row.reached else "; target missed"
    print(" ".join(cells) + f"  {equal}, {row.n_plausible} plausible, load {os.getloadavg()[0]:.1f}{reached}")
    for text in (f"floor: {row.floor}" if row.floor else "", row.note):
        if text:
            print(f"{'':4}{text}")
    sys.stdout.flush()


def _milliseconds(seconds: float, width: int) -> str:
    return f"{seconds * 1000:{width - 3}.{1 if seconds < 10 else 0}f} ms"


def cpu_model() -> str:
    """Return what the processor calls itself."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("model name", "Hardware", "CPU part")):
            return line.partition(":")[2].strip()
    return "unknown processor"


def main(row: Callable[..., Row]) -> NoReturn:
    """Run one row as a program; exit code 1 when verdicts differ."""
    parser = argparse.ArgumentParser(description=row.__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, to see that it runs")
    options = parser.parse_args()
    print_head()
    made = row(quick=options.quick)
    print_row(made)
    sys.exit(1 if made.n_different else 0)
