"""Opening a benchmark of 1,000 trees, and one of 1,000 programs with cases: through the index, and the naive way, which reads
every file; time and peak memory.

Each way runs in a process of its own. `--bugs`, `--files` and `--cases` say how large they are, `--keep DIR` leaves them there.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from repairlab.benchmarks.writing import toml, write_head
from repairlab.core.record import SCHEMA_VERSION

N_BUGS, N_FILES, N_LINES, N_TESTS = 1000, 100, 100, 300
N_CASES, N_NUMBERS = 100, 500
MEASURE = """
import resource, sys, time
start = time.perf_counter()
{body}
wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
print(f"{{wall:.2f}} {{used.ru_utime + used.ru_stime:.2f}} {{used.ru_maxrss / 1024:.0f}}")
"""
IMPORTS = "from repairlab.benchmarks.catalog import find_folder, open_benchmark\n"
NAIVE = """
from pathlib import Path
from repairlab.benchmarks.folder import load_bug, read_head
head, folders = read_head(Path(sys.argv[1]))
bugs = (load_bug(folder, head.name) for folder in folders.values())
held = [(bug, tuple(bug.problem.context), tuple(bug.oracle.cases)) for bug in bugs]
"""
WAYS = {
    "naive: every file of every bug read": NAIVE,
    "opened, one bug of it read": "opened = open_benchmark(sys.argv[1]); bug = opened.bug(opened.ids[-1])",
    "all bugs for the first time (makes the index)": "ids = [bug.id for bug in open_benchmark(sys.argv[1])]",
    "all bugs again (list, select)": "bugs = open_benchmark(sys.argv[1]).select()",
    "the digest over all bugs (run, check)": "open_benchmark(sys.argv[1]).digest",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bugs", type=int, default=N_BUGS)
    parser.add_argument("--files", type=int, default=N_FILES)
    parser.add_argument("--cases", type=int, default=N_CASES)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="repairlab-bench-") as temporary:
        place, cache = options.keep or Path(temporary), Path(temporary, "cache")
        if not (place / "trees").exists():
            write_trees(place / "trees", options.bugs, options.files)
        measure(f"{options.bugs} trees of {options.files} files", place / "trees", cache)
        if not (place / "programs").exists():
            write_programs(place / "programs", options.bugs, options.cases)
        measure(f"{options.bugs} programs with {options.cases} cases", place / "programs", cache)


def measure(title: str, folder: Path, cache: Path) -> None:
    """Print a row for each way to open a benchmark."""
    print(title)
    print(f"{'way':48} {'wall s':>8} {'cpu s':>8} {'peak MB':>8} {'naive/this':>10}")
    first = None
    for name, body in WAYS.items():
        measured = subprocess.run(
            [sys.executable, "-c", IMPORTS + MEASURE.format(body=body), str(folder)],
            env={**os.environ, "REPAIRLAB_CACHE": str(cache)},
            check=True,
            capture_output=True,
            text=True,
        )
        wall, cpu, peak = map(float, measured.stdout.split())
        first = first or wall
        print(f"{name:48} {wall:8.2f} {cpu:8.2f} {peak:8.0f} {first / wall:10.1f}", flush=True)


def write_trees(folder: Path, n_bugs: int, n_files: int) -> None:
    """Write a benchmark of Python projects, each with a bug in one of its files."""
    folder.mkdir(parents=True)
    write_head(folder, name="thousand", version="1", licence="MIT", description="made for measuring")
    for number in range(n_bugs):
        bug = folder / "bugs" / f"bug-{number:04}"
        (bug / "buggy" / "package").mkdir(parents=True)
        for place in range(n_files):
            lines = [f"def f_{number}_{place}_{line}(x):\n    return x + {line}\n" for line in range(N_LINES // 2)]
            (bug / "buggy" / "package" / f"part_{place}.py").write_text("\n".join(lines), encoding="utf-8")
        path = f"package/part_{number % n_files}.py"
        old = f" def f_{number}_{number % n_files}_0(x):\n-    return x + 0\n+    return x + 1\n"
        (bug / "fix.patch").write_text(f"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n{old}", encoding="utf-8")
        (bug / "issue.md").write_text("Zero is added\n", encoding="utf-8")
        tests = [f"tests/test_package.py::test_{test}" for test in range(N_TESTS)]
        facts = {
            "schema": SCHEMA_VERSION,
            "language": "python",
            "path": path,
            "target": f"f_{number}_{number % n_files}_0",
            "test": {"framework": "pytest", "files": ["tests/**"], "trigger": tests[:1], "regression": tests[1:]},
        }
        (bug / "bug.toml").write_text(toml(facts), encoding="utf-8")


def write_programs(folder: Path, n_bugs: int, n_cases: int) -> None:
    """Write a benchmark of Python programs, each of which adds many numbers."""
    folder.mkdir(parents=True)
    write_head(folder, name="programs", version="1", licence="MIT", description="made for measuring")
    facts = {"schema": SCHEMA_VERSION, "language": "python", "path": "main.py", "test": {"framework": "stdio"}}
    buggy, fixed = "print(sum(map(int, input().split())) + 1)\n", "print(sum(map(int, input().split())))\n"
    for number in range(n_bugs):
        bug = folder / "bugs" / f"bug-{number:04}"
        texts = {
            "bug.toml": toml(facts),
            "issue.md": "One too many\n",
            "fix.patch": f"--- a/main.py\n+++ b/main.py\n@@ -1,1 +1,1 @@\n-{buggy}+{fixed}",
            "buggy/main.py": buggy,
        }
        for case in range(n_cases):
            numbers = range(number + case, number + case + N_NUMBERS)
            texts |= {f"cases/{case:03}.in": " ".join(map(str, numbers)) + "\n", f"cases/{case:03}.out": f"{sum(numbers)}\n"}
        (bug / "buggy").mkdir(parents=True)
        (bug / "cases").mkdir()
        for path, text in texts.items():
            (bug / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
