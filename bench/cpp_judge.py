"""C++ programs of an online judge: g++ and a process per case, against the validator. A row of `engine.py`, or alone."""

import dataclasses
import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from side_by_side import Row, candidates_of, compare, main, measure

from repairlab.benchmarks.bug_files import read_tree
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Case
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.languages.language import default_cache, language
from repairlab.languages.native.reuse import first_includes, precompiled
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation import checkers
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.checkers import of_case
from repairlab.validation.validator import BugValidator, Conditions

PER_BUG, N_CASES = 10, 20
PATIENCE_S = 3.0
"""How long both ways wait for one case."""
LIMITS = (Verdict.TIMEOUT, Verdict.OUTPUT_LIMIT, Verdict.OUT_OF_MEMORY)
LARGEST_INPUT = 100_000
FLAGS = ("-std=c++17", "-O1", "-fsigned-char")
"""As the tool chain has them, so that both ways make the same code."""


def _range_sums(pick: random.Random) -> str:
    n = pick.randint(1, 60)
    values = [pick.randint(-(10**9), 10**9) for _ in range(n)]
    queries = [sorted((pick.randint(1, n), pick.randint(1, n))) for _ in range(pick.randint(1, 40))]
    return "\n".join([f"{n} {len(queries)}", " ".join(map(str, values)), *(f"{low} {high}" for low, high in queries), ""])


def _trie(pick: random.Random) -> str:
    words = ["".join(pick.choices("ab", k=pick.randint(1, 5))) for _ in range(pick.randint(1, 60))]
    return "\n".join([str(len(words)), *(f"{pick.choice(('add', 'count'))} {word}" for word in words), ""])


def _months(pick: random.Random) -> str:
    months = [f"{pick.randint(28, 31)} {pick.randint(0, 6)}" for _ in range(pick.randint(1, 30))]
    return "\n".join([str(len(months)), *months, ""])


def _desk(pick: random.Random) -> str:
    lines = [pick.choice(("take ada", "take emmy", "next", "waiting")) for _ in range(pick.randint(1, 60))]
    return "\n".join([str(len(lines)), *lines, ""])


BUGS: dict[str, Callable[[random.Random], str]] = {
    "cpp-range-sums": _range_sums,
    "cpp-trie-prefix": _trie,
    "cpp-month-calendar": _months,
    "cpp-ticket-desk": _desk,
}


def row(*, quick: bool) -> Row:
    """C++ judge programs, 40 × 20 cases."""
    per_bug = PER_BUG // 2 if quick else PER_BUG
    benchmark = open_benchmark("starter")
    sandbox = open_sandbox(cache=default_cache())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bugs = [_with_cases(benchmark.bug(bug), make, folder) for bug, make in BUGS.items()]
        # Choosing by verdict also makes what is made once per machine.
        work = [(bug, _one_in_five(bug, per_bug, sandbox)) for bug in bugs]
        ready = {bug.id: _made_ready(bug, folder) for bug in bugs}

        def naive() -> list[Verdict]:
            return [_plainly(bug, candidate, folder) for bug, candidates in work for candidate in candidates]

        def ours() -> list[Verdict]:
            verdicts = []
            for bug, candidates in work:
                with BugValidator(Conditions(bug=bug), sandbox) as validator:
                    verdicts += [validator.validate(candidate).verdict for candidate in candidates]
            return verdicts

        def least() -> list[Verdict]:
            return [_barely(bug, candidate, ready[bug.id]) for bug, candidates in work for candidate in candidates]

        n = sum(len(candidates) for _, candidates in work)
        floor = ("g++ with a precompiled header for the changed file, gold, and the cases, with nothing around them", least)
        made = compare(f"C++ judge programs, {n} × {N_CASES} cases", naive, ours, target=2, floor=floor)
        once = measure(lambda: [_header(bug, folder / "empty") for bug in bugs])[1].cpu_s
        ratio = made.naive.cpu_s / (made.ours.cpu_s + once) if made.naive else 0.0
        note = f"not counted: precompiled headers, made once per machine, {once:.1f} s of CPU for these; with them {ratio:.1f}×"
        return dataclasses.replace(made, note=note)


def _with_cases(bug: Bug, make: Callable[[random.Random], str], folder: Path) -> Bug:
    """Return the bug with as many cases as wanted: its own small ones, then others with the reference fix's output."""
    cases = [case for case in bug.oracle.cases if len(case.input) < LARGEST_INPUT][:N_CASES]
    work = folder / f"{bug.id}-fixed"
    lay_out(bug, apply_edits(bug.oracle.reference, read_tree(Path(bug.tree.source)).texts), work)
    if not _run(work, "g++", *FLAGS, *_sources(work), "-o", "program").succeeded:
        raise AssertionError(f"the reference fix of {bug.id} does not compile")
    pick = random.Random(bug.id)
    while len(cases) < N_CASES:
        text = make(pick)
        output = _run(work, "./program", stdin=text).stdout.decode()
        cases.append(Case(id=f"more-{len(cases)}", input=text, expected=output, checker=cases[0].checker))
    limits = dataclasses.replace(bug.oracle.limits, wall_s=PATIENCE_S)
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=tuple(cases), limits=limits))


def _one_in_five(bug: Bug, n: int, sandbox: Sandbox) -> list[Candidate]:
    """Return candidates of which one in five is plausible, and none runs into a limit: then both ways just wait."""
    drawn = candidates_of(bug, 3 * n)
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        verdicts = [validator.validate(candidate).verdict for candidate in drawn]
    good = [candidate for candidate, verdict in zip(drawn, verdicts, strict=True) if verdict is Verdict.PLAUSIBLE]
    bad = [candidate for candidate, verdict in zip(drawn, verdicts, strict=True) if verdict not in (Verdict.PLAUSIBLE, *LIMITS)]
    return sorted((*good[: n // 5], *bad[: n - n // 5]), key=lambda candidate: candidate.rank)


def _run(work: Path, *argv: str, stdin: str = "", patience_s: float = 300.0) -> Execution:
    """Run a program as a script would."""
    code, stdout, stderr, ending = 0, b"", b"", Ending.WALL_LIMIT
    try:
        done = subprocess.run(argv, cwd=work, input=stdin.encode(), capture_output=True, timeout=patience_s, check=False)
        code, stdout, stderr = done.returncode, done.stdout, done.stderr
        ending = Ending.EXITED if code >= 0 else Ending.SIGNALLED
    except subprocess.TimeoutExpired:
        pass
    return Execution(
        ending=ending,
        exit_code=code if ending is Ending.EXITED else None,
        signal=-code if ending is Ending.SIGNALLED else None,
        stdout=stdout,
        stderr=stderr,
        report=b"",
        cpu_s=0.0,
        wall_s=0.0,
        peak_mb=0.0,
    )


def _plainly(bug: Bug, candidate: Candidate, folder: Path) -> Verdict:
    """Do as a script would: copy, compile, run case after case up to the first that fails."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = Path(name, "work")
        lay_out(bug, changed_files(candidate, bug), work)
        if not _run(work, "g++", *FLAGS, *_sources(work), "-o", "program").succeeded:
            return Verdict.UNCOMPILABLE
        return _judge(bug, work)


def _judge(bug: Bug, work: Path) -> Verdict:
    toolchain = language("cpp").toolchain
    for case in bug.oracle.cases:
        execution = _run(work, "./program", stdin=case.input, patience_s=PATIENCE_S)
        verdict = of_case(case, execution, toolchain, checkers.compare).verdict
        if verdict is not TestVerdict.PASSED:
            return Verdict(verdict)
    return Verdict.PLAUSIBLE


def _sources(work: Path) -> list[str]:
    return sorted(path.name for path in work.glob("*.cpp"))


def _header(bug: Bug, cache: Path) -> bytes:
    """Return the precompiled header that the tool chain would make."""
    texts = read_tree(Path(bug.tree.source)).texts
    return precompiled(first_includes(bug.problem.path, texts.get, ()), FLAGS, cache)


def _made_ready(bug: Bug, folder: Path) -> Path:
    """Return a tree in which all is made that does not depend on the candidate."""
    work = folder / f"{bug.id}-ready"
    lay_out(bug, {}, work)
    (work / "first.hpp").write_text("")
    (work / "first.hpp.gch").write_bytes(_header(bug, default_cache()))
    for source in _sources(work):
        if source != bug.problem.path:
            _run(work, "g++", *FLAGS, "-c", source, "-o", f"{source}.o")
    return work


def _barely(bug: Bug, candidate: Candidate, work: Path) -> Verdict:
    """Do only what has to be done for this candidate."""
    for path, text in changed_files(candidate, bug).items():
        (work / path).write_text(text or "")
    source = bug.problem.path
    first = ("-include", "first.hpp") if (work / "first.hpp.gch").stat().st_size else ()
    if not _run(work, "g++", *FLAGS, *first, "-c", source, "-o", f"{source}.o").succeeded:
        return Verdict.UNCOMPILABLE
    if not _run(work, "g++", "-fuse-ld=gold", *(f"{each}.o" for each in _sources(work)), "-o", "program").succeeded:
        return Verdict.UNCOMPILABLE
    return _judge(bug, work)


if __name__ == "__main__":
    main(row)
