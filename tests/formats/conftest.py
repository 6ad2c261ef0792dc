"""What tests of formats share: a benchmark with bugs in three languages, named as other benchmarks name theirs."""

from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.cli.contracts.scoring import new_tree
from repairlab.core.candidate import Candidate
from repairlab.formats.format import ExternalCandidate, Unreadable
from repairlab.formats.table import FORMATS
from tests.builders import write_files

COMMIT = "3367d5d1aa00bb11cc22dd33ee44ff5566778899"
JAVA = """\
package demo;

public class GCD {
    /** Euclid's. */
    public static int gcd(int a, int b) {
        if (b == 0) {
            return a; // done
        } else {
            return gcd(a % b, b);
        }
    }

    static int twice(int n) {
        return n + n;
    }
}
"""
C = "#include <stdio.h>\n\nint half(int n) {\n    return n / 3;\n}\n"
FIX = "--- a/{path}\n+++ b/{path}\n@@ -{line},1 +{line},1 @@\n-{old}\n+{new}\n"


@pytest.fixture
def mixed(tiny: Path) -> Path:
    """Return the folder of the tiny benchmark with three more bugs: gcd and Csv-4 (Java), half (C, with a commit)."""
    gcd = (9, "            return gcd(a % b, b);", "            return gcd(b, a % b);")
    _bug(tiny / "bugs/gcd", 'language = "java"\npath = "demo/GCD.java"\ntarget = "GCD.gcd"', JAVA, gcd)
    twice = (14, "        return n + n;", "        return 2 * n;")
    _bug(tiny / "bugs/Csv-4", 'language = "java"\npath = "src/main/java/demo/GCD.java"\ntarget = "GCD.twice"', JAVA, twice)
    half = (4, "    return n / 3;", "    return n / 2;")
    _bug(
        tiny / "bugs/half", 'language = "c"\npath = "src/half.c"\ntarget = "half"', C, half, more=f'[origin]\ncommit = "{COMMIT}"\n'
    )
    return tiny


def _bug(folder: Path, facts: str, source: str, fix: tuple[int, str, str], *, more: str = "") -> None:
    path = facts.split('"')[3]
    line, old, new = fix
    texts = {
        "bug.toml": f'schema = 1\n{facts}\n[test]\nframework = "stdio"\n{more}',
        "issue.md": "It is wrong\n",
        f"buggy/{path}": source,
        "fix.patch": FIX.format(path=path, line=line, old=old, new=new),
        "cases/1.in": "",
        "cases/1.out": "",
    }
    write_files(folder, texts)


@pytest.fixture
def benchmark(mixed: Path) -> Benchmark:
    """Return that benchmark, read."""
    return open_benchmark(str(mixed))


def read(name: str, path: Path, benchmark: Benchmark) -> tuple[list[ExternalCandidate], list[Unreadable]]:
    """Return what a format reads: candidates and what is unreadable."""
    items = list(FORMATS[name].read(path, benchmark))
    return [item for item in items if isinstance(item, ExternalCandidate)], [item for item in items if isinstance(item, Unreadable)]


def new_file(candidate: Candidate, benchmark: Benchmark) -> str:
    """Return the file to fix as a candidate leaves it."""
    return new_tree(candidate, benchmark)[benchmark.bug(candidate.bug_id).problem.path] or ""
