"""Differential testing: does a candidate do on new inputs what the developer's fix does? Called by `evidence`; runs in the sandbox.

Inputs on which the fix itself fails, or answers differently twice, say nothing and are left out. One that is left and on which the
candidate answers otherwise is a counterexample, unless nobody would ever give that input: a number for people, not a verdict.
"""

import dataclasses
import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from repairlab.building.inputs import mutated_inputs, similar_calls
from repairlab.core.bug import Bug
from repairlab.core.extra import adding
from repairlab.core.glob import matching
from repairlab.core.oracle import Checker
from repairlab.core.outcome import TestVerdict
from repairlab.core.record import record
from repairlab.languages.language import Calling, Function
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.study.assessment.evidence import Differential
from repairlab.validation.apply import lay_out
from repairlab.validation.checkers import check
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import files_below, temporary_folder

Files = Mapping[str, str | None]
_EXAMPLE = 200
"""Characters of a counterexample that are kept."""


@record
class _Asked:
    """What a fix answered to new inputs, twice."""

    inputs: tuple[str, ...] = ()
    ask: Callable[[Files], list[str | None]] = lambda files: []  # noqa: ARG005
    """Return what files answer to them."""
    fix: tuple[str | None, ...] = ()
    again: tuple[str | None, ...] = ()
    checker: Checker = Checker(kind="exact")
    skipped: str = ""


def differential(bug: Bug, fix: Files, candidate: Files, sandbox: Sandbox, *, n: int = 60, seed: int = 0) -> Differential:
    """Compare a candidate with the fix on up to `n` new inputs; files are those that each changes."""
    asked = _asked(bug, tuple(sorted(fix.items())), sandbox, n, seed)  # type: ignore[arg-type]  # a sandbox is equal to itself alone
    return Differential(skipped=asked.skipped) if asked.skipped else _compared(asked, asked.ask(candidate))


@lru_cache(maxsize=2)  # a bug has many candidates and one fix
def _asked(bug: Bug, fix: tuple[tuple[str, str | None], ...], sandbox: Sandbox, n: int, seed: int) -> _Asked:
    if bug.oracle.cases:
        checker = bug.oracle.cases[0].checker
        if checker.kind == "program":
            return _Asked(skipped="a program decides which outputs are right, and knows it for its own cases alone")
        inputs = mutated_inputs([case.input for case in bug.oracle.cases], n, seed=seed)
        return _answered(inputs, lambda files: _outputs(bug, files, inputs, sandbox), fix, checker)
    toolchain = language(bug.problem.language).toolchain
    if not isinstance(toolchain, Calling):
        return _Asked(skipped="functions of this language cannot be called by themselves here")
    function = _function(bug, toolchain)
    if function is None:
        return _Asked(skipped="the place to fix is no function that can be called by itself")
    if importlib.util.find_spec("hypothesis") is None:
        return _Asked(skipped=f"Hypothesis is not installed; install it with: {adding('assess')}")
    known = toolchain.example_calls(function, _texts(bug))
    if not known:
        return _Asked(skipped="no test calls the function with values alone, and it states no types")
    calls = similar_calls(known, n)
    shown = [repr(call) for call in calls]
    return _answered(shown, lambda files: _called(bug, files, function, calls, toolchain, sandbox), fix, Checker(kind="exact"))


def _answered(
    inputs: Sequence[str],
    ask: Callable[[Files], list[str | None]],
    fix: tuple[tuple[str, str | None], ...],
    checker: Checker,
) -> _Asked:
    first, again = (tuple(ask(dict(fix))) for _ in range(2))
    return _Asked(inputs=tuple(inputs), ask=ask, fix=first, again=again, checker=checker)


def _function(bug: Bug, toolchain: Calling) -> Function | None:
    """Return the function to fix, where it needs no object of its own."""
    name, path, source = bug.problem.target.name, bug.problem.path, bug.problem.source
    named = (item for item in language(bug.problem.language).syntax.functions(source) if name in (item.qualified, item.signature))
    return next((item for item in named if toolchain.stands_alone(item, path, source)), None)


def _texts(bug: Bug) -> list[str]:
    """Return the texts of all tests, and the other files that may call a function."""
    root = Path(bug.tree.source)
    paths = files_below(root)
    tests = set(matching(paths, bug.oracle.test.files))
    endings = tuple(language(bug.problem.language).facts.extensions)
    ordered = sorted((path for path in paths if path.endswith(endings)), key=lambda path: path not in tests)
    return [(root / path).read_text(encoding="utf-8", errors="replace") for path in ordered]


def _outputs(bug: Bug, files: Files, inputs: Sequence[str], sandbox: Sandbox) -> list[str | None]:
    """Return what a program prints for each input; none where it does not end well."""
    with temporary_folder() as folder:
        trial = TestRun(bug, sandbox, "full", folder / "work")
        lay_out(bug, files, trial.work)
        if trial.build():
            return [None] * len(inputs)
        command = trial.toolchain.program(bug.oracle.build, bug.oracle.test).under(bug.oracle.limits)
        found = []
        with sandbox.slot(trial.work) as slot:
            for text in inputs:
                done = slot.run(dataclasses.replace(command, stdin=text.encode()), trial.work)
                found.append(done.stdout.decode("utf-8", "replace") if done.succeeded else None)
        return found


def _called(
    bug: Bug, files: Files, function: Function, calls: Sequence[tuple[object, ...]], toolchain: Calling, sandbox: Sandbox
) -> list[str | None]:
    """Return what a function returns for each call, as text; none where it raises, or the process ended before."""
    with temporary_folder() as folder:
        work = folder / "work"
        lay_out(bug, files, work)
        if TestRun(bug, sandbox, "full", work).build():
            return [None] * len(calls)
        command = toolchain.calls(bug.oracle.build, function, bug.problem.path, bug.problem.source, calls)
        done = sandbox.run(command.under(bug.oracle.limits), work)
    answers = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("[")]
    found = [f"{answer[1]} (arguments then: {answer[2]})" if answer[0] == "returned" else None for answer in answers[: len(calls)]]
    return found + [None] * (len(calls) - len(found))


def _compared(asked: _Asked, mine: Sequence[str | None]) -> Differential:
    fix = asked.fix
    valid = [place for place, answer in enumerate(fix) if answer is not None and answer == asked.again[place]]
    differ = [place for place in valid if not _agrees(mine[place], fix[place] or "", asked.checker)]
    example = ""
    if differ:
        place = differ[0]
        answer = mine[place]
        parts = (asked.inputs[place], fix[place] or "", "no answer" if answer is None else answer)
        example = " | ".join(
            f"{name}: {text.strip()[:_EXAMPLE]!r}" for name, text in zip(("input", "fix", "candidate"), parts, strict=True)
        )
    return Differential(n_inputs=len(asked.inputs), n_valid=len(valid), n_differ=len(differ), example=example)


def _agrees(answer: str | None, expected: str, checker: Checker) -> bool:
    return answer is not None and check(answer.encode("utf-8", "surrogatepass"), expected, checker) is TestVerdict.PASSED
