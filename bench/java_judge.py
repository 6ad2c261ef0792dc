"""Java programs of an online judge: javac and a JVM per case, against the validator. A row of `engine.py`, or alone."""

import dataclasses
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from side_by_side import Naive, Row, candidates_of, compare, main, measure

from repairlab.benchmarks.bug_files import read_tree
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Case
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.languages.language import default_cache, language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation import checkers
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.checkers import of_case
from repairlab.validation.resident import close_compilers
from repairlab.validation.validator import BugValidator, Conditions

PER_BUG, N_CASES, WALL_S = 10, 20, 5.0
LARGEST_INPUT = 100_000


def _handshakes(pick: random.Random) -> str:
    tables = [pick.randint(0, 10 ** pick.randint(1, 6)) for _ in range(pick.randint(1, 50))]
    return f"{len(tables)}\n{' '.join(map(str, tables))}\n"


def _brackets(pick: random.Random) -> str:
    lines = ["".join(pick.choices("()[]{}x", k=pick.randint(0, 12))) for _ in range(pick.randint(1, 30))]
    return "\n".join([str(len(lines)), *lines, ""])


def _wrap(pick: random.Random) -> str:
    words = ["".join(pick.choices("abcde", k=pick.randint(1, 9))) for _ in range(pick.randint(1, 80))]
    return f"{pick.randint(1, 40)}\n{' '.join(words)}\n"


def _standings(pick: random.Random) -> str:
    teams = ("Reds", "Blues", "Greens", "Whites", "Blacks")
    games = [f"{' '.join(pick.sample(teams, 2))} {pick.randint(0, 4)} {pick.randint(0, 4)}" for _ in range(pick.randint(1, 40))]
    return "\n".join([str(len(games)), *games, ""])


BUGS: dict[str, Callable[[random.Random], str]] = {
    "java-handshakes": _handshakes,
    "java-brackets-crash": _brackets,
    "java-wrap-width": _wrap,
    "java-standings-build": _standings,
}


def row(*, quick: bool) -> Row:
    """Java judge programs, 40 × 20 cases."""
    per_bug = PER_BUG // 2 if quick else PER_BUG
    benchmark = open_benchmark("starter")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bugs = [_with_cases(benchmark.bug(bug), make, folder) for bug, make in BUGS.items()]
        sandbox = open_sandbox(cache=default_cache())
        work = [(bug, _one_in_five(bug, sandbox, per_bug)) for bug in bugs]
        close_compilers()  # ours starts with nothing running

        def naive() -> list[Verdict]:
            return [_plainly(bug, candidate, folder) for bug, candidates in work for candidate in candidates]

        def ours() -> list[Verdict]:
            verdicts = []
            for bug, candidates in work:
                with BugValidator(Conditions(bug=bug), sandbox) as validator:
                    verdicts += [validator.validate(candidate).verdict for candidate in candidates]
            return verdicts

        n = sum(len(candidates) for _, candidates in work)
        made = compare(f"Java judge programs, {n} × {N_CASES} cases", naive, ours, target=12)
        _, least = measure(lambda: [_run(folder / bugs[0].id, bugs[0].oracle.cases[0], bugs[0]) for _ in range(made.n_plausible)])
        return dataclasses.replace(made, floor_cpu_s=least.cpu_s, floor="one JVM and one case for each plausible candidate")


def _one_in_five(bug: Bug, sandbox: Sandbox, n: int) -> list[Candidate]:
    """Return candidates of which one in five is plausible: more of them are among those from templates at times."""
    wanted = {True: n // 5, False: n - n // 5}
    kept = []
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        for candidate in candidates_of(bug, 3 * n):
            passes = validator.validate(candidate).verdict is Verdict.PLAUSIBLE
            if wanted[passes]:
                wanted[passes] -= 1
                kept.append(candidate)
    return kept


def _with_cases(bug: Bug, make: Callable[[random.Random], str], folder: Path) -> Bug:
    """Return the bug with as many cases as wanted: its own small ones, then others with the reference fix's output."""
    cases = [case for case in bug.oracle.cases if len(case.input) < LARGEST_INPUT][:N_CASES]
    work = folder / bug.id
    lay_out(bug, apply_edits(bug.oracle.reference, read_tree(Path(bug.tree.source)).texts), work)
    if not _compile(work):
        raise AssertionError(f"the reference fix of {bug.id} does not compile")
    pick = random.Random(bug.id)
    while len(cases) < N_CASES:
        case = Case(id=f"more-{len(cases)}", input=make(pick), expected="", checker=cases[0].checker)
        cases.append(dataclasses.replace(case, expected=_run(work, case, bug).stdout.decode()))
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=tuple(cases)))


def _compile(work: Path) -> bool:
    sources = sorted(path.name for path in work.glob("*.java"))
    return Naive().run(Command(argv=("javac", "-d", "classes", *sources)), work).succeeded


def _run(work: Path, case: Case, bug: Bug) -> Execution:
    limits = dataclasses.replace(bug.oracle.limits, wall_s=WALL_S)
    return Naive().run(Command(argv=("java", "-cp", "classes", "Main"), stdin=case.input.encode(), limits=limits), work)


def _plainly(bug: Bug, candidate: Candidate, folder: Path) -> Verdict:
    """Do as a script would: copy, compile, run case after case up to the first that fails."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = Path(name, "work")
        lay_out(bug, changed_files(candidate, bug), work)
        if not _compile(work):
            return Verdict.UNCOMPILABLE
        for case in bug.oracle.cases:
            verdict = of_case(case, _run(work, case, bug), language("java").toolchain, checkers.compare).verdict
            if verdict is not TestVerdict.PASSED:
                return Verdict(verdict)
    return Verdict.PLAUSIBLE


if __name__ == "__main__":
    main(row)
