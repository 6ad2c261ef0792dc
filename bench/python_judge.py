"""Python judge programs: `python3 main.py` for each case, against the fork server in the sandbox."""

import dataclasses
import functools
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from side_by_side import Naive, Row, candidates_of, compare, main, measure

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.execution import Command
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.languages.language import default_cache, language
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.checkers import check, of_process
from repairlab.validation.validator import BugValidator, Conditions

_FLOOR = """
import io, json, os, sys
program, trees, inputs = json.load(sys.stdin)
for tree in trees:
    os.chdir(tree)
    try:
        code = compile(open(program, "rb").read(), program, "exec")
    except (SyntaxError, ValueError):
        continue
    for text in inputs:
        sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(text.encode())), io.TextIOWrapper(io.BytesIO())
        try:
            exec(code, {"__name__": "__main__"})
        except (Exception, SystemExit):
            pass
"""
N_CASES = 20
N_PROGRAMS = 200
LONG_S = 0.1


def row(*, quick: bool) -> Row:
    """Judge 200 programs on 20 cases each, running all cases."""
    sandbox = open_sandbox(cache=default_cache())
    judged = [with_cases(bug) for bug in open_benchmark("starter") if bug.problem.language == "python" and bug.oracle.cases]
    bugs = [bug for bug in judged if ends_soon(candidates_of(bug, 5)[-1], bug)]  # the fifth is the reference fix
    n = N_PROGRAMS // 10 if quick else N_PROGRAMS
    work: list[tuple[Bug, list[Candidate]]] = []
    for index, bug in enumerate(bugs):
        share = n * (index + 1) // len(bugs) - n * index // len(bugs)
        chosen = (candidate for candidate in candidates_of(bug, 3 * share) if ends_soon(candidate, bug))
        work.append((bug, list(itertools.islice(chosen, share))))

    def naive() -> list[Verdict]:
        return [judge(candidate, bug) for bug, candidates in work for candidate in candidates]

    def ours() -> list[Verdict]:
        verdicts = []
        for bug, candidates in work:
            with BugValidator(Conditions(bug=bug), sandbox) as validator:
                verdicts += [validator.validate(candidate, policy="full").verdict for candidate in candidates]
        return verdicts

    def floor() -> None:
        for bug, candidates in work:
            run_in_process(bug, candidates)

    made = compare(
        f"Python judge programs, {n} × {N_CASES} cases",
        naive,
        ours,
        target=6,
        floor=("the programs run on all cases in one process, spawning nothing", floor),
    )
    return dataclasses.replace(
        made, note=f"programs that take more than {LONG_S} s on a case are left out: their own work is the same on both sides"
    )


def with_cases(bug: Bug) -> Bug:
    """Return a bug with as many cases as wanted: its own, again and again."""
    cases = itertools.islice(itertools.cycle(bug.oracle.cases), N_CASES)
    numbered = tuple(dataclasses.replace(case, id=f"{number:02}") for number, case in enumerate(cases, start=1))
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=numbered))


def ends_soon(candidate: Candidate, bug: Bug) -> bool:
    """Return whether a program comes nowhere near a limit on any case and does not compute for long."""
    command = ("sh", "-c", 'ulimit -t 1; ulimit -v 500000; ulimit -f 1000; exec "$@" > output 2>&1', "sh", *command_of(bug).argv)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(bug, changed_files(candidate, bug), Path(folder) / "work")
        for text in dict.fromkeys(case.input for case in bug.oracle.cases):
            done, cost = measure(
                functools.partial(
                    subprocess.run,
                    command,
                    cwd=Path(folder) / "work",
                    env=dict(command_of(bug).env),
                    input=text.encode(),
                    check=False,
                )
            )
            full = (Path(folder) / "work/output").stat().st_size >= 500_000
            if done.returncode < 0 or done.returncode > 100 or full or cost.cpu_s > LONG_S:
                return False
    return True


def command_of(bug: Bug) -> Command:
    """Return the command that a script would run for each case, with the interpreter that ours uses."""
    known = language("python").toolchain.program(bug.oracle.build, bug.oracle.test)
    libraries = tuple((name, value) for name, value in known.env if name == "LD_LIBRARY_PATH")
    return Command(argv=(known.argv[0], bug.oracle.test.program or "main.py"), env=libraries, limits=bug.oracle.limits)


def judge(candidate: Candidate, bug: Bug) -> Verdict:
    """Judge one program as a script would."""
    toolchain, command = language("python").toolchain, command_of(bug)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "work"
        lay_out(bug, changed_files(candidate, bug), tree)
        try:
            for path in tree.rglob("*.py"):
                compile(path.read_bytes(), path.name, "exec")
        except (SyntaxError, ValueError):
            return Verdict.UNCOMPILABLE
        verdicts = []
        for case in bug.oracle.cases:
            execution = Naive().run(dataclasses.replace(command, stdin=case.input.encode()), tree)
            verdicts.append(of_process(execution, toolchain) or check(execution.stdout, case.expected, case.checker))
    failed = next((verdict for verdict in verdicts if verdict is not TestVerdict.PASSED), None)
    return Verdict(failed) if failed else Verdict.PLAUSIBLE


def run_in_process(bug: Bug, candidates: list[Candidate]) -> None:
    """Run programs on all cases, one after the other in one process."""
    with tempfile.TemporaryDirectory() as folder:
        trees = [f"{folder}/{candidate.rank}" for candidate in candidates]
        for tree, candidate in zip(trees, candidates, strict=True):
            lay_out(bug, changed_files(candidate, bug), Path(tree))
        request = json.dumps([command_of(bug).argv[1], trees, [case.input for case in bug.oracle.cases]])
        command = [sys.executable, "-S", "-c", _FLOOR]
        subprocess.run(command, input=request, text=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(row)
