"""Verified commits per CPU minute: `repairlab mine` beside the naive way, with equal findings.

Naive: for every fix a fresh clone, a fresh environment, and the whole suite on both sides. Ours is the verb with its defaults,
which runs every test twice a side. The repositories, one in Python and one in C, are made here; `--python DIR` and `--c DIR`
take others (Python: pytest and nothing to install but the project; C: CMake with CTest). `--fixes N`: how many fixes are made.
`--naive N`: the naive way, whose fixes all cost the same, does only so many of them; rates are by what each did. What `mine`
sets up once is shared by all fixes of a history, and a history that is worth mining has more than a handful.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as Xml
from collections.abc import Callable, Mapping
from pathlib import Path

from repairlab.core.errors import UserError

Findings = Mapping[str, frozenset[str]]
"""Trigger tests by commit."""
N_FIXES, N_NAIVE, N_MODULES = 20, 4, 24
IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def run(*command: str | Path, cwd: Path, check: bool = True) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**os.environ, **IDENTITY}, capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def cpu_of(work: Callable[[], Findings]) -> tuple[Findings, float]:
    """Return what a way finds, and the CPU seconds of this process and all that it started."""
    before = _cpu()
    found = work()
    return found, _cpu() - before


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def make_repository(folder: Path, texts: Callable[[int, bool], Mapping[str, str]], head: Mapping[str, str], n: int) -> Path:
    """Make a history: all modules with a fault each, then a commit for each fix that also adds its test."""
    folder.mkdir(parents=True)
    run("git", "init", "-q", "-b", "main", ".", cwd=folder)

    def commit(message: str, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        run("git", "add", "-A", cwd=folder)
        run("git", "commit", "-q", "-m", message, cwd=folder)

    commit("Begin", {**head, **{name: text for module in range(N_MODULES) for name, text in texts(module, False).items()}})
    for module in range(n):
        commit(f"Fix wrong sums of module {module}", texts(module, True))
    return folder


def python_texts(module: int, fixed: bool) -> dict[str, str]:
    first = "" if fixed else "[1:]"
    tests = f"from sums.part{module} import total, slow\n\n\ndef test_slow():\n    assert slow() > 0\n"
    tests += "\n\ndef test_empty():\n    assert total([]) == 0\n"
    tests += f"\n\ndef test_total():\n    assert total([1, 2]) == {3 + module}\n" if fixed else ""
    source = f"def total(values):\n    return sum(values{first}) + ({module} if values else 0)\n"
    source += "\n\ndef slow():\n    return sum(number % 7 for number in range(200_000))\n"
    return {f"sums/part{module}.py": source, f"tests/test_part{module}.py": tests}


PYTHON_HEAD = {
    "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "sums"\nversion = "1.0"\nrequires-python = ">=3.11"\n[tool.setuptools]\npackages = ["sums"]\n',
    "sums/__init__.py": "",
    "LICENSE": "MIT License\n\nPermission is hereby granted, free of charge\n",
}


def c_texts(module: int, fixed: bool) -> dict[str, str]:
    first = 0 if fixed else 1
    more = "\n".join(f"int helper{module}_{i}(int x) {{ return x * {i} + {module}; }}" for i in range(200))
    source = f'#include "sums.h"\n{more}\nint total{module}(const int *values, int n) {{\n    int sum = 0;\n'
    source += f"    for (int i = {first}; i < n; i++)\n        sum += values[i];\n    return sum;\n}}\n"
    check = f"    if (total{module}(v, 2) != 3) return 1;\n" if fixed else ""
    tests = f'#include "sums.h"\nint main(void) {{\n    int v[] = {{1, 2}};\n{check}    return total{module}(v, 0);\n}}\n'
    return {f"src/part{module}.c": source, f"tests/test_part{module}.c": tests}


C_HEAD = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(sums C)\nenable_testing()\ninclude_directories(include)\n"
    "file(GLOB SOURCES CONFIGURE_DEPENDS src/*.c)\nadd_library(sums ${SOURCES})\n"
    f"foreach(part RANGE 0 {N_MODULES - 1})\n  add_executable(test_part${{part}} tests/test_part${{part}}.c)\n"
    "  target_link_libraries(test_part${part} sums)\n  add_test(NAME part${part} COMMAND test_part${part})\nendforeach()\n",
    "include/sums.h": "".join(f"int total{module}(const int *values, int n);\n" for module in range(N_MODULES)),
    "LICENSE": PYTHON_HEAD["LICENSE"],
}


def naive(repository: Path, commits: list[str], suite: Callable[[Path, Path], Mapping[str, bool]], sources: str) -> Findings:
    """Verify each commit by itself: a clone, an environment, the whole suite on the fixed tree and with the old sources."""
    found = {}
    for commit in commits:
        with tempfile.TemporaryDirectory(prefix="repairlab-bench-") as temporary:
            tree, environment = Path(temporary, "tree"), Path(temporary, "environment")
            run("git", "clone", "-q", repository, tree, cwd=repository)
            run("git", "checkout", "-q", commit, cwd=tree)
            after = suite(tree, environment)
            run("git", "checkout", "-q", f"{commit}~1", "--", sources, cwd=tree)
            before = suite(tree, environment)
            triggers = frozenset(test for test, passed in after.items() if passed and not before.get(test, False))
            if triggers:
                found[commit] = triggers
    return found


def python_suite(tree: Path, environment: Path) -> dict[str, bool]:
    if not environment.exists():
        run(sys.executable, "-m", "venv", environment, cwd=tree)
        run(environment / "bin/pip", "install", "-q", "--disable-pip-version-check", "pytest", "-e", tree, cwd=tree)
    run(environment / "bin/python", "-m", "pytest", "-q", "--junitxml", "report.xml", cwd=tree, check=False)
    cases = Xml.parse(tree / "report.xml").iter("testcase")
    return {f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": not len(case) for case in cases}


def c_suite(tree: Path, environment: Path) -> dict[str, bool]:
    shutil.rmtree(environment, ignore_errors=True)
    run("cmake", "-S", tree, "-B", environment, "-G", "Ninja", cwd=tree)
    run("cmake", "--build", environment, cwd=tree)
    run("ctest", "--test-dir", environment, "--output-junit", "report.xml", cwd=tree, check=False)
    cases = Xml.parse(environment / "report.xml").iter("testcase")
    return {str(case.get("name")): case.get("status") == "run" for case in cases}


def ours(repository: Path, to: Path) -> Findings:
    """Mine the repository by the verb, and read what it found."""
    made = run(Path(sys.executable).parent / "repairlab", "mine", repository, "--to", to, "-j", "1", "--json", cwd=to.parent)
    if not json.loads(made)["bugs"]:
        raise UserError(f"nothing was mined from {repository}")
    facts = [tomllib.loads(path.read_text()) for path in to.glob("bugs/*/bug.toml")]
    return {fact["origin"]["commit"]: frozenset(fact["test"]["trigger"]) for fact in facts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixes", type=int, default=N_FIXES)
    parser.add_argument("--naive", type=int, default=N_NAIVE)
    parser.add_argument("--python", type=Path)
    parser.add_argument("--c", type=Path)
    parser.add_argument("--only", choices=("python", "c"))
    options = parser.parse_args()
    ways = {
        "python": (options.python, python_texts, PYTHON_HEAD, python_suite, "sums"),
        "c": (options.c, c_texts, C_HEAD, c_suite, "src"),
    }
    with tempfile.TemporaryDirectory(prefix="repairlab-bench-") as temporary:
        for name, (given, texts, head, suite, sources) in ways.items():
            if options.only not in (None, name):
                continue
            repository = given or make_repository(Path(temporary, name), texts, head, min(options.fixes, N_MODULES))
            mined, fast = cpu_of(lambda to=Path(temporary, f"{name}-bench"), clone=repository: ours(clone, to))  # type: ignore[misc]
            commits = sorted(mined)[: options.naive]
            checked, slow = cpu_of(lambda clone=repository, ids=commits, how=suite, of=sources: naive(clone, ids, how, of))  # type: ignore[misc]
            if checked != {commit: mined[commit] for commit in commits}:
                sys.exit(f"{name}: the findings differ: {checked} and {mined}")
            rates = [60 * len(mined) / fast, 60 * len(checked) / slow]
            print(
                f"{name}: {len(mined)} commits verified, equal findings; ours {fast:.1f} CPU s, {rates[0]:.1f} a CPU minute; "
                f"naive {slow:.1f} CPU s for {len(checked)}, {rates[1]:.1f} a CPU minute; {rates[0] / rates[1]:.1f} times",
                flush=True,
            )


if __name__ == "__main__":
    main()
