"""A bug of a Java project with a JUnit suite: javac of everything and JUnit each, against ours. A row of `engine.py`."""

import re
import tempfile
from pathlib import Path

from side_by_side import Naive, Row, compare, main, write_texts

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.execution import Command, Limits
from repairlab.core.outcome import Verdict
from repairlab.languages.java.jars import junit_jars
from repairlab.languages.language import Tools, default_cache
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.resident import close_compilers
from repairlab.validation.validator import BugValidator, Conditions

N_BRANCHES = 6
"""Times four source files and one of tests, with eight tests."""
BROKEN = 4
_PARTS = Path(__file__).with_name("java_project_parts")
_SOURCES, _TESTS = ("Account", "Stock", "Shift", "Branch"), "BranchTest"
_FIXED = "return deposits.subList(0, Math.min(n, deposits.size()));"
_BUGGY = "return deposits.subList(0, Math.min(n, deposits.size() - 1));"


def row(*, quick: bool) -> Row:
    """Validate 100 candidates, a fifth of them plausible, for a project of 24 source files and 48 tests."""
    n = 10 if quick else 100
    with tempfile.TemporaryDirectory(prefix="java-project-") as name:
        folder = Path(name)
        bug = open_benchmark(str(write_project(folder / "validator"))).bug("shop")
        candidates = [candidate_for(bug, number) for number in range(n)]
        sandbox = open_sandbox(cache=default_cache())

        def naive() -> list[Verdict]:
            return [judge(candidate, bug, folder) for candidate in candidates]

        def ours(candidates: list[Candidate] = candidates) -> list[Verdict]:
            with BugValidator(Conditions(bug=bug), sandbox) as validator:
                return [validator.validate(candidate).verdict for candidate in candidates]

        def least() -> None:
            work = folder / "least"
            lay_out(bug, {}, work)
            build(work)
            for _ in range(n // 5):
                run_tests(work)

        ours(candidates[:5])  # our servers and archives are made once per machine
        close_compilers()
        floor = ("the project compiled once, then JUnit in a JVM for each plausible candidate, and no more", least)
        return compare(f"Java project bug, {n} candidates", naive, ours, target=14, floor=floor)


def candidate_for(bug: Bug, number: int) -> Candidate:
    """Return a candidate: the fix in a form of its own, wrong answers, what throws, or what does not compile."""
    bodies = (
        f"return deposits.subList(0, Math.min(n, deposits.size()) / {number + 2});",
        f"return deposits.subList({number + 1}, deposits.size());",
        f"return deposits.subList(0, Math.min(n, deposits.size() - missing{number}));",
        f"deposits.add({number}L);\n        return deposits.subList(0, Math.min(n, deposits.size()));",
        f"int wanted = n + {number} - {number};\n        return deposits.subList(0, Math.min(wanted, deposits.size()));",
    )
    text = bug.problem.source.replace(_BUGGY, bodies[number % len(bodies)])
    edits = (Edit(path=bug.problem.path, text=text),)
    return Candidate(bug_id=bug.id, edits=edits, rank=number + 1, origin=Origin(repairer="file"))


def judge(candidate: Candidate, bug: Bug, folder: Path) -> Verdict:
    """Copy the project, write the change, compile everything, run JUnit, and believe its exit code."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = Path(name) / "work"
        lay_out(bug, changed_files(candidate, bug), work)
        if not build(work):
            return Verdict.UNCOMPILABLE
        return Verdict.PLAUSIBLE if run_tests(work) else Verdict.WRONG


def build(work: Path) -> bool:
    """Compile sources and tests."""
    files = sorted(str(path.relative_to(work)) for path in work.rglob("*.java"))
    return bool(Naive().run(Command(argv=("javac", "-cp", _jars(), "-d", "classes", *files)), work).succeeded)


def run_tests(work: Path) -> bool:
    """Run all tests with JUnit's own program."""
    names = [f"shop.Branch{number}Test" for number in range(N_BRANCHES)]
    command = Command(argv=("java", "-cp", f"classes:{_jars()}", "org.junit.runner.JUnitCore", *names), limits=Limits(wall_s=60))
    return bool(Naive().run(command, work).succeeded)


def _jars() -> str:
    return ":".join(map(str, junit_jars("junit4", Tools(cache=str(default_cache())))))


def write_project(folder: Path) -> Path:
    """Write a benchmark of one bug: a project of many branches of a shop."""
    parts = {name: (_PARTS / f"{name}.java").read_text(encoding="utf-8") for name in (*_SOURCES, _TESTS)}
    files = {}
    for number in range(N_BRANCHES):
        for name in _SOURCES:
            files[f"src/shop/{name}{number}.java"] = parts[name].replace("NUMBER", str(number))
        files[f"test/shop/Branch{number}Test.java"] = parts[_TESTS].replace("NUMBER", str(number))
    path = f"src/shop/Account{BROKEN}.java"
    line = files[path].splitlines().index(f"        {_FIXED}") + 1
    files[path] = files[path].replace(_FIXED, _BUGGY)
    methods = re.findall(r"public void (\w+)\(\)", parts[_TESTS].partition("@Test")[2])
    names = [f"shop.Branch{number}Test::{method}" for number in range(N_BRANCHES) for method in methods]
    trigger = f"shop.Branch{BROKEN}Test::largestDepositsComeFirst"
    regression = "".join(f'  "{name}",\n' for name in names if name != trigger)
    texts = {
        "benchmark.toml": 'schema = 1\nname = "generated"\nversion = "1.0.0"\nlicence = "MIT"\n',
        "bugs/shop/issue.md": "The smallest deposit is missing\n\nThe list of the largest deposits never has all of them.\n",
        "bugs/shop/fix.patch": f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-        {_BUGGY}\n+        {_FIXED}\n",
        "bugs/shop/bug.toml": (
            f'schema = 1\nlanguage = "java"\npath = "{path}"\ntarget = "Account{BROKEN}.largest"\n'
            '[build]\ntool = "javac"\nsources = ["src/**/*.java"]\ntests = ["test/**/*.java"]\n'
            f'[test]\nframework = "junit4"\nfiles = ["test/**"]\ntrigger = ["{trigger}"]\nregression = [\n{regression}]\n'
        ),
        **{f"bugs/shop/buggy/{name}": text for name, text in files.items()},
    }
    write_texts(folder, texts)
    return folder


if __name__ == "__main__":
    main(row)
