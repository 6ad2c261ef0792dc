"""Scores, tables and reports of a large run: 283 bugs × 100 candidates, as nl2fix drew them; time and peak memory of each verb.

Each verb runs in a process of its own. Beside it stands the naive way: every candidate and outcome read into memory as a record.
`--quick` takes a tenth of the bugs; `--keep DIR` leaves the run folder there.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Outcome, Stage, TestResult, TestVerdict, Verdict
from repairlab.core.record import record
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.integrity import write_seal
from repairlab.runs.store import BugEnd, Store

N_BUGS, N = 283, 100
N_LINES = 30
PROJECTS = ("Chart", "Cli", "Codec", "Compress", "Csv", "JacksonCore", "JacksonDatabind", "Math", "Mockito")
TRIGGER, REGRESSION = "test_new", tuple(f"test_{number}" for number in range(40))
CHANCES = {
    Verdict.PLAUSIBLE: 12,
    Verdict.WRONG: 38,
    Verdict.CRASH: 4,
    Verdict.TIMEOUT: 2,
    Verdict.UNCOMPILABLE: 40,
    Verdict.UNAPPLICABLE: 4,
}
NAIVE = """
import sys
from pathlib import Path
from repairlab.runs.store import Store
store = Store(Path(sys.argv[1]))
candidates, outcomes = list(store.candidates()), list(store.outcomes())
ids = {candidate.id for candidate in candidates}
verdicts = {outcome.candidate_id: outcome.verdict for outcome in outcomes}
print(len(candidates), len(ids), len(verdicts))
"""


@record
class Measured:
    """What one process cost."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="report-scale-") as name:
        root = asked.keep or Path(name)
        n_bugs = N_BUGS // 10 if asked.quick else N_BUGS
        run = write_run(root, n_bugs)
        size = sum(path.stat().st_size for path in run.iterdir()) / 2**20
        print(f"{n_bugs} bugs × {N} candidates = {n_bugs * N}, {size:.0f} MB on disk")
        verb = [sys.executable, "-m", "repairlab"]
        rows = {
            "naive: all records in memory": [sys.executable, "-c", NAIVE, str(run)],
            "repairlab score": [*verb, "score", str(run), "--json"],
            "repairlab score --duplicates merged": [*verb, "score", str(run), "--json", "--duplicates", "merged"],
            "repairlab report --tables": [*verb, "report", "--tables", str(run), "--json"],
            "repairlab report": [*verb, "report", str(run), "--json"],
        }
        for label, command in rows.items():
            cost = measure(command)
            print(f"{label:<38} {cost.wall_s:6.1f} s wall {cost.cpu_s:6.1f} s CPU {cost.peak_mb:7.0f} MB peak")


def measure(command: Sequence[str]) -> Measured:
    """Run a command in a child of its own, so that the peak is that of this command alone."""
    watch = (
        "import resource,subprocess,sys\n"
        "done=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL)\n"
        "used=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime+used.ru_stime,used.ru_maxrss/1024,done.returncode)"
    )
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", watch, *command], capture_output=True, text=True, check=True)
    wall_s = time.monotonic() - start
    cpu_s, peak_mb, code = done.stdout.split()
    if code != "0":
        raise SystemExit(f"{' '.join(command[:4])} … failed: {done.stderr[-2000:]}")
    return Measured(wall_s=wall_s, cpu_s=float(cpu_s), peak_mb=float(peak_mb))


def write_run(root: Path, n_bugs: int) -> Path:
    """Write a benchmark and a run over it."""
    draw = random.Random(5)
    benchmark = root / "benchmark"
    ids = tuple(f"{PROJECTS[number % len(PROJECTS)]}-{number + 1}" for number in range(n_bugs))
    functions = {bug_id: function(draw) for bug_id in ids}
    write_benchmark(benchmark, functions)
    opened = open_benchmark(str(benchmark))
    store = Store(root / "run")
    llm = LlmSettings(model="acme/large", strategy="zero-shot")
    experiment = Experiment(benchmark=str(benchmark), repairer="llm", n=N, k=(1, 5, 20, 100), policy="full", settings=llm)
    store.create(
        Manifest(
            experiment=experiment, benchmark_name="scale", benchmark_version="1.0.0", benchmark_digest=opened.digest,
            bug_ids=ids, languages=("python",) * n_bugs, repairlab="0.1.0", environment={}, environment_digest="0" * 16,
            created="2026-01-02T03:04:05+00:00",
        )
    )  # fmt: skip
    for bug_id in ids:
        judged: set[str] = set()
        for candidate, verdict in drawn(bug_id, functions[bug_id], draw):
            store.append(candidate)
            if candidate.id not in judged:
                store.append(outcome(candidate, candidate.id, verdict))
            judged.add(candidate.id)
        store.append(BugEnd(bug_id=bug_id, ended="asked"))
    write_seal(store)
    return store.folder


def function(draw: random.Random, *, n_lines: int = N_LINES) -> str:
    lines = [
        f"    value_{draw.randrange(40)} = compute(value, {draw.randrange(1000)}, scale={draw.random():.3f})"
        for _ in range(n_lines - 2)
    ]
    return "\n".join(["def answer(value):", *lines, "    return value"]) + "\n"


def changed(text: str, draw: random.Random) -> str:
    lines = text.split("\n")
    lines[draw.randrange(1, N_LINES)] = f"    value_{draw.randrange(40)} = repaired(value, {draw.randrange(10**6)})"
    return "\n".join(lines)


def write_benchmark(folder: Path, functions: dict[str, str]) -> None:
    for bug_id, text in functions.items():
        bug = folder / "bugs" / bug_id
        (bug / "buggy").mkdir(parents=True)
        (bug / "buggy" / "main.py").write_text(text, encoding="utf-8")
        old = text.split("\n")[4]
        (bug / "fix.patch").write_text(
            f"--- a/main.py\n+++ b/main.py\n@@ -5,1 +5,1 @@\n-{old}\n+    value_1 = repaired(value, 7)\n", encoding="utf-8"
        )
        (bug / "issue.md").write_text("# The answer is wrong\n\nIt should be right.\n", encoding="utf-8")
        (bug / "bug.toml").write_text(
            'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "answer"\n'
            f'[test]\nframework = "pytest"\nfiles = ["test_main.py"]\ntrigger = ["{TRIGGER}"]\nregression = {list(REGRESSION)}\n'
            '[labels]\nlocation = "line"\ncategory = "D.1"\n',
            encoding="utf-8",
        )
        (bug / "buggy" / "test_main.py").write_text("def test_new():\n    assert True\n", encoding="utf-8")
    (folder / "benchmark.toml").write_text('schema = 1\nname = "scale"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8")


def drawn(bug_id: str, text: str, draw: random.Random) -> Iterator[tuple[Candidate, Verdict]]:
    """Draw candidates of a bug: three of five repeat an earlier one."""
    made: list[tuple[tuple[Edit, ...], Verdict]] = []
    is_easy = draw.random() < 0.5
    for rank in range(1, N + 1):
        if made and draw.random() < 0.6:
            edits, verdict = draw.choice(made)
        else:
            verdict = draw.choices(list(CHANCES), list(CHANCES.values()))[0]
            if verdict is Verdict.PLAUSIBLE and not is_easy:
                verdict = Verdict.WRONG
            edits = (Edit(path="main.py", text=changed(text, draw)),)
            made.append((edits, verdict))
        origin = Origin(repairer="llm", model="acme/large", prompt="0" * 16, tokens_in=900, tokens_out=400, cost_usd=0.002)
        yield Candidate(bug_id=bug_id, edits=edits, rank=rank, origin=origin), verdict


def outcome(candidate: Candidate, name: str, verdict: Verdict, *, is_full: bool = True) -> Outcome:
    ran = verdict not in (Verdict.UNAPPLICABLE, Verdict.UNCOMPILABLE)
    of_trigger = TestVerdict(verdict) if ran else TestVerdict.WRONG
    tests = tuple(
        TestResult(id=name, verdict=of_trigger if name == TRIGGER else TestVerdict.PASSED) for name in (TRIGGER, *REGRESSION)
    )
    run = tests if is_full or verdict is Verdict.PLAUSIBLE else tests[:1]
    failed: Stage = "apply" if verdict is Verdict.UNAPPLICABLE else "build"
    return Outcome(
        candidate_id=name, bug_id=candidate.bug_id, verdict=verdict,
        stage="regression" if verdict is Verdict.PLAUSIBLE else "trigger" if ran else failed,
        policy="full" if is_full else "first-failure", message="" if verdict is Verdict.PLAUSIBLE else "expected 1, got 2",
        tests=run if ran else (), n_tests=len(tests), evidence="" if ran else "main.py:3: error: expected ';'\n" * 8,
    )  # fmt: skip


if __name__ == "__main__":
    main()
