"""Measure what differential testing says of patches that people judged: Liu et al. (ICSE 2020) on Defects4J, in the sandbox.

python -m scripts.overfitting_figures --patches patches.jsonl --defects4j framework/projects --clone Lang=DIR --clone Math=DIR
    --bug Lang-24 takes this bug alone (may be repeated), --inputs N new inputs each

Of each patch of a bug that is fixed in a static method with plain parameters: does it differ from the fix on new arguments? A
difference stands for "only plausible". Of a tree only the fixed file and what it needs is compiled.
"""

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.writing import toml
from repairlab.building.differential import differential
from repairlab.core.bug import Bug
from repairlab.core.diff import unified_diff
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.foreign import field, read_json_lines
from repairlab.core.record import record
from repairlab.languages.fix_extent import fixed_function
from repairlab.languages.language import default_cache
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.study.assessment.evidence import Differential
from repairlab.study.assessment.rules import Programs, proposed_rules
from scripts.assessment_figures import programs, revision_of, share

_RELEASE = 8


@record
class Judged:
    """One patch: what people said, and what was found."""

    bug: str
    is_correct: bool
    is_fix: bool
    found: Differential


def bug_of(name: str, made: Programs, folder: Path, clone: Path, revision: str) -> Bug | None:
    """Write the bug as a benchmark of its own, which compiles the fixed file alone; none where no one function is fixed."""
    changed = [path for path, text in made.fixed.items() if text != made.buggy[path]]
    if len(changed) != 1:
        return None
    path = changed[0]
    buggy, fixed = made.buggy[path] or "", made.fixed[path] or ""
    function = fixed_function("java", buggy, fixed)
    if function is None:
        return None
    root = path.partition("/org/")[0]
    told = subprocess.run(["git", "-C", str(clone), "archive", revision, "src"], capture_output=True, check=True)
    home = folder / "bugs" / name
    home.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(told.stdout)) as packed:
        packed.extractall(home / "buggy", filter="data")
    for file in (home / "buggy").rglob("*.java"):
        try:
            file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            file.write_text(file.read_text(encoding="iso-8859-1"), encoding="utf-8")
    (home / "buggy" / path).write_text(buggy, encoding="utf-8")
    (home / "fix.patch").write_text(unified_diff(path, buggy, fixed), encoding="utf-8")
    (home / "issue.md").write_text(f"{name}\n", encoding="utf-8")
    flags = ["-sourcepath", root, "-implicit:class"]
    facts = {
        "schema": 1,
        "language": "java",
        "path": path,
        "target": function,
        "build": {"tool": "javac", "sources": [path], "release": _RELEASE, "flags": flags},
        "test": {"framework": "junit4", "files": ["src/test/**"], "trigger": ["none::none"]},
        "limits": {"cpu_s": 30.0, "wall_s": 300.0, "memory_mb": 1024},
    }
    (home / "bug.toml").write_text(toml(facts), encoding="utf-8")
    (folder / "benchmark.toml").write_text(toml({"schema": 1, "name": name, "version": "1", "licence": "Apache-2.0"}))
    return open_benchmark(str(folder)).bug(name)


def judged(arguments: argparse.Namespace, sandbox: Sandbox) -> Iterator[Judged]:
    """Yield each patch that could be measured, bug after bug; equal patches count once."""
    clones = {name: Path(folder) for name, _, folder in (item.partition("=") for item in arguments.clone)}
    patches: dict[str, dict[str, str]] = {}
    for where, entry in read_json_lines(arguments.patches):
        bug = field(entry, "bug", str, where)
        if bug.partition("-")[0] in clones and bug in (arguments.bug or [bug]):
            patches.setdefault(bug, {})[field(entry, "patch", str, where)] = field(entry, "label", str, where)
    for name, labels in patches.items():
        with tempfile.TemporaryDirectory(prefix="repairlab-figures-") as folder:
            yield from _of_bug(name, labels, Path(folder), arguments, clones, sandbox)


def _of_bug(  # what a script was told
    name: str, labels: Mapping[str, str], folder: Path, arguments: argparse.Namespace, clones: Mapping[str, Path], sandbox: Sandbox
) -> Iterator[Judged]:
    bug, clone, seen = None, clones[name.partition("-")[0]], set()
    for patch, label in labels.items():
        try:
            made = programs(name, patch, arguments.defects4j, clones)
            if bug is None:
                bug = bug_of(name, made, folder, clone, revision_of(arguments.defects4j, name))
            if bug is None:
                return
            text = tuple(sorted(made.candidate.items()))
            if text in seen or set(made.candidate) - set(made.fixed):
                continue
            seen.add(text)
            is_fix = proposed_rules(made) == ("R0",)
            fix, mine = ({path: of[path] for path in (bug.problem.path,)} for of in (made.fixed, made.candidate))
            found = Differential() if is_fix else differential(bug, fix, mine, sandbox, n=arguments.inputs)
        except (UserError, HarnessError) as error:
            sys.stderr.write(f"{name}: {' '.join(str(error).split())[:200]}\n")
            continue
        if found.skipped:
            sys.stderr.write(f"{name}: {found.skipped}\n")
            return
        yield Judged(bug=name, is_correct=label == "correct", is_fix=is_fix, found=found)


def main() -> None:
    """Print a line per patch, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--patches", type=Path, required=True)
    parser.add_argument("--defects4j", type=Path, required=True, help="the folder framework/projects of Defects4J")
    parser.add_argument("--clone", action="append", default=[], help="PROJECT=FOLDER; may be repeated")
    parser.add_argument("--bug", action="append", help="only this one; may be repeated")
    parser.add_argument("--inputs", type=int, default=100)
    arguments = parser.parse_args()
    sandbox = open_sandbox(cache=default_cache())
    measured: list[Judged] = []
    for item in judged(arguments, sandbox):
        measured.append(item)
        said, found = ("correct" if item.is_correct else "plausible"), item.found
        print(item.bug, said, "R0" if item.is_fix else f"{found.n_differ} of {found.n_valid}", found.example, flush=True)
    asked = [item for item in measured if not item.is_fix and item.found.n_valid]
    differing = [item for item in asked if item.found.n_differ]
    wrong = [item for item in asked if not item.is_correct]
    hits = sum(not item.is_correct for item in differing)
    print(f"{len(measured)} patches of {len({item.bug for item in measured})} bugs, {sum(item.is_fix for item in measured)} by R0")
    print(f"differs → only plausible, of {len(asked)}: precision {share(hits, len(differing))}, recall {share(hits, len(wrong))}")


if __name__ == "__main__":
    main()
