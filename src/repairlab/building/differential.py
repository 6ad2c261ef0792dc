"""Differential testing: whether a candidate does on new inputs, made of known ones, what the developer's fix does.

Inputs on which the fix itself fails, or answers differently twice, say nothing and are left out. One that is left and on which the
candidate answers otherwise is a counterexample, unless nobody would ever give that input: a number for people, not a verdict.

What a program may be given is not written down anywhere, so changes stay close: numbers are no smaller and no larger than those
that occur, the first line, which often counts what follows, stays as it is where there are more, and lines come and go only where
no number of the first line counts them.
"""

import dataclasses
import importlib.util
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repairlab.core.bug import Bug, Checker
from repairlab.core.installation import adding
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.languages.language import Calling, Function, language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.study.assessment.evidence import Differential
from repairlab.validation.apply import lay_out
from repairlab.validation.checkers import check
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.worktree import files_below, temporary_folder

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


Files = Mapping[str, str | None]
_EXAMPLE = 200
"""Length at which a counterexample is cut, in characters."""


@record
class _Asked:
    """The fix's answers to new inputs, asked twice."""

    inputs: tuple[str, ...] = ()
    ask: Callable[[Files], list[str | None]] = lambda files: []  # noqa: ARG005
    """Return the answers of these files to the inputs."""
    fix: tuple[str | None, ...] = ()
    again: tuple[str | None, ...] = ()
    checker: Checker = Checker(kind="exact")
    skipped: str = ""


def differential(bug: Bug, fix: Files, candidate: Files, sandbox: Sandbox, *, n: int = 60, seed: int = 0) -> Differential:
    """Compare a candidate with the fix on up to `n` new inputs; `files` are those that each changes."""
    asked = _asked(bug, tuple(sorted(fix.items())), sandbox, n, seed)  # type: ignore[arg-type]  # a sandbox is equal to itself alone
    return Differential(skipped=asked.skipped) if asked.skipped else _compared(asked, asked.ask(candidate))


@lru_cache(maxsize=2)  # many candidates share one bug and its fix
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
    """Return the function to fix, if it can be called without an object."""
    name, path, source = bug.problem.target.name, bug.problem.path, bug.problem.source
    named = (item for item in language(bug.problem.language).syntax.functions(source) if name in (item.qualified, item.signature))
    return next((item for item in named if toolchain.stands_alone(item, path, source)), None)


def _texts(bug: Bug) -> list[str]:
    """Return the texts of all tests and of other files that may call a function."""
    root = Path(bug.tree.source)
    paths = files_below(root)
    tests = set(matching(paths, bug.oracle.test.files))
    endings = tuple(language(bug.problem.language).facts.extensions)
    ordered = sorted((path for path in paths if path.endswith(endings)), key=lambda path: path not in tests)
    return [(root / path).read_text(encoding="utf-8", errors="replace") for path in ordered]


def _outputs(bug: Bug, files: Files, inputs: Sequence[str], sandbox: Sandbox) -> list[str | None]:
    """Return what a program prints for each input; None where it does not end well."""
    with temporary_folder() as folder:
        trial = TreeTester(bug, sandbox, "full", folder / "work")
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
    """Return what a function returns for each call, as text; None where it raises or the process had ended."""
    with temporary_folder() as folder:
        work = folder / "work"
        lay_out(bug, files, work)
        if TreeTester(bug, sandbox, "full", work).build():
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


_WORD = re.compile(r"\S+")
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_LINE_SHARE = 0.3
"""Share of line changes among the changes to inputs of several lines."""


def mutated_inputs(known: Sequence[str], n: int, *, seed: int = 0) -> list[str]:
    r"""Return up to `n` new inputs for a program.

    >>> mutated_inputs(["2\n3 4\n", "2\n9 9\n"], 3)
    ['2\n8 9\n', '2\n2 9\n', '2\n3 9\n']
    """
    chance = random.Random(seed)
    words = [word for text in known for word in _WORD.findall(text)]
    numbers = sorted({int(word) for word in words if _INTEGER.fullmatch(word)})
    others = sorted({word for word in words if not _INTEGER.fullmatch(word)})
    seen = set(known)
    made: list[str] = []
    is_counted = _counts_lines(known)
    for _ in range(20 * n if known else 0):
        if len(made) == n:
            break
        text = chance.choice(list(known))
        for _ in range(chance.choice((1, 1, 2, 3))):
            other_lines = not is_counted and chance.random() < _LINE_SHARE
            text = _with_other_lines(text, chance) if other_lines else _changed(text, numbers, others, chance)
        if text not in seen:
            seen.add(text)
            made.append(text)
    return made


def _counts_lines(known: Sequence[str]) -> bool:
    r"""Return whether some number of the first line is, in all inputs, the count of the lines that follow.

    >>> _counts_lines(["2 9\n1\n2\n", "1 9\n4\n"]), _counts_lines(["9\nab\n\nc\n"])
    (True, False)
    """
    heads = [[int(word) for word in text.partition("\n")[0].split() if _INTEGER.fullmatch(word)] for text in known]
    follow = [len(text.rstrip("\n").split("\n")) - 1 for text in known]
    n = min(map(len, heads), default=0)
    return any(all(head[place] == count for head, count in zip(heads, follow, strict=True)) for place in range(n))


def _with_other_lines(text: str, chance: random.Random) -> str:
    """Repeat a line after the first, drop one, or insert an empty one."""
    first, *lines = text.split("\n")
    if len(lines) < 3:
        return text
    place = chance.randrange(len(lines) - 1)
    lines[place : place + 1] = chance.choice(([lines[place]] * 2, [], ["", lines[place]]))
    return "\n".join((first, *lines))


def _changed(text: str, numbers: Sequence[int], others: Sequence[str], chance: random.Random) -> str:
    """Change one word."""
    start = text.find("\n") + 1
    if not _WORD.search(text, start):
        start = 0
    places = list(_WORD.finditer(text, start))
    if not places:
        return text
    place = chance.choice(places)
    return text[: place.start()] + _other(place[0], numbers, others, chance) + text[place.end() :]


def _other(word: str, numbers: Sequence[int], others: Sequence[str], chance: random.Random) -> str:
    if _INTEGER.fullmatch(word) and numbers:
        near = int(word) + chance.choice((-1, 1))
        chosen = chance.choice((near, numbers[0], numbers[-1], chance.choice(numbers), chance.randint(numbers[0], numbers[-1])))
        return str(min(max(chosen, numbers[0]), numbers[-1]))
    alike = [other for other in others if len(other) == len(word)]
    if chance.random() < 0.5 or len(word) < 2:
        return chance.choice(alike or [word])
    letters = list(word)
    one, two = chance.sample(range(len(letters)), 2)
    letters[one] = letters[two]
    return "".join(letters)


def similar_calls(known: Sequence[tuple[object, ...]], n: int) -> list[tuple[object, ...]]:
    """Return up to `n` new argument tuples for a function, drawn by Hypothesis from values like the known ones."""
    from hypothesis import HealthCheck, Phase, given, settings  # noqa: PLC0415  # an extra
    from hypothesis import strategies as st  # noqa: PLC0415

    by_length: dict[int, list[tuple[object, ...]]] = {}
    for arguments in known:
        by_length.setdefault(len(arguments), []).append(arguments)
    made: dict[str, tuple[object, ...]] = {}
    drawn: SearchStrategy[tuple[Any, ...]] = st.one_of(
        [st.tuples(*(_strategy([call[place] for call in calls]) for place in range(length))) for length, calls in by_length.items()]
    )

    @settings(
        max_examples=n,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def collect(arguments: tuple[object, ...]) -> None:
        made.setdefault(repr(arguments), arguments)

    if by_length:
        collect()
    given_calls = {repr(arguments) for arguments in known}
    return [arguments for text, arguments in made.items() if text not in given_calls]


def _strategy(values: Sequence[Any]) -> "SearchStrategy[Any]":
    """Return a strategy that draws the known values and others of their types."""
    from hypothesis import strategies as st  # noqa: PLC0415

    return st.one_of(st.sampled_from(list(values)), *_of_types(values, st))


def _near(text: str, place: int, letter: str, replaces: bool) -> str:
    """Return a text with one letter inserted, replaced or removed.

    >>> _near("0xa", 1, "X", True), _near("0xa", 3, "L", False), _near("0xa", 0, "", True)
    ('0Xa', '0xaL', 'xa')
    """
    place = min(place, len(text))
    return text[:place] + letter + text[place + replaces :]


def _of_types(values: Sequence[Any], st: Any) -> "Iterator[SearchStrategy[Any]]":
    of: dict[type, list[Any]] = {
        kind: [value for value in values if type(value) is kind] for kind in (bool, int, float, str, bytes, list, tuple, set, dict)
    }
    if of[bool]:
        yield st.booleans()
    for kind, draw in ((int, st.integers), (float, st.floats)):
        if of[kind]:
            low, high = min(of[kind]), max(of[kind])
            yield draw(low - (high - low) - 3, high + (high - low) + 3)
    if of[str]:
        letters = sorted({letter for text in of[str] for letter in (*text, *text.swapcase())}) or ["a"]
        longest = max(map(len, of[str]))
        yield st.text(letters, max_size=longest + 2)
        # Random letters seldom mean anything to a function; texts near known ones often do.
        yield st.builds(_near, st.sampled_from(of[str]), st.integers(0, longest), st.sampled_from(["", *letters]), st.booleans())
    if of[bytes]:
        yield st.binary(max_size=max(map(len, of[bytes])) + 2)
    for around, make in ((list, st.lists), (set, st.sets)):
        inner = [value for items in of[around] for value in items]
        if inner:
            yield make(_strategy(inner), max_size=max(map(len, of[around])) + 2)
    for items in of[tuple][:1]:
        yield st.tuples(*(_strategy([value]) for value in items))
    if any(of[dict]):
        keys, inner = [key for item in of[dict] for key in item], [value for item in of[dict] for value in item.values()]
        yield st.dictionaries(_strategy(keys), _strategy(inner), max_size=len(keys) + 2)
