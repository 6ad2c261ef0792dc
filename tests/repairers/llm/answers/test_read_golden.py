"""Golden cases of reading answers, in `cases/`: one file each, so that adding one needs no Python.

A case starts with `key: value` lines: `problem` (a file of `cases/problems/`, there with `.source` behind its name), `target`
(a qualified name; `-` for the whole file) and `wanted` (`function`, `edit`, `file`, `infill FIRST-LAST` by lines,
`infill LINE:FROM-TO` by columns, `completion` after the header, or `completion N` after N lines of the target). Then comes the
answer behind `--- answer ---`, and either `--- changes ---` with the differences of the patched file or `--- problem ---` with the
reason. `ending: crlf` gives the answer such line ends, `ending: none` takes the last one away.
"""

import difflib
from pathlib import Path
from typing import NamedTuple

import pytest

from repairlab.core.diff import apply_edits
from repairlab.core.problem import Problem
from repairlab.core.text import Span, line_span
from repairlab.languages.language import language, language_of_path
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.answers.reading import NO_PLACE, REASONS, TOO_LONG, Wanted
from tests import builders

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("*.case"))


class Case(NamedTuple):
    """One golden case."""

    problem: Problem
    wanted: Wanted
    answer: str
    expected: str
    is_problem: bool


def load(path: Path) -> Case:
    """Read a case."""
    text = path.read_bytes().decode("utf-8")
    head, _, rest = text.partition("--- answer ---\n")
    keys = dict(line.split(": ", 1) for line in head.splitlines() if line.strip())
    is_problem = "--- problem ---\n" in rest
    answer, _, expected = rest.partition("--- problem ---\n" if is_problem else "--- changes ---\n")
    if keys.get("ending") == "crlf":
        answer = answer.replace("\n", "\r\n")
    elif keys.get("ending") == "none":
        answer = answer.removesuffix("\n")
    problem = made(keys["problem"], keys["target"])
    return Case(problem, wanted(problem, keys["wanted"]), answer, expected, is_problem)


def made(name: str, target: str) -> Problem:
    """Return the problem of a source file and a qualified name, told from its overloads by `(parameters)`."""
    source = (FOLDER / "problems" / f"{name}.source").read_bytes().decode("utf-8")
    spoken = language_of_path(name)
    assert spoken is not None
    span = Span(start=0, end=len(source))
    if target != "-":
        span = next(f.span for f in language(spoken).syntax.functions(source) if target in (f.qualified, f.signature))
    function = None if target == "-" else target.split("(", maxsplit=1)[0]
    return builders.problem(source, language=spoken, path=name, target=function, span=span)


def wanted(problem: Problem, text: str) -> Wanted:
    """Return what a case asks for."""
    shape, _, rest = text.partition(" ")
    if shape == "infill":
        line, _, columns = rest.partition(":")
        if columns:
            start = line_span(problem.source, int(line), int(line)).start
            first, last = map(int, columns.split("-"))
            return Wanted(shape="infill", hole=Span(start=start + first - 1, end=start + last))
        first, last = map(int, line.split("-"))
        return Wanted(shape="infill", hole=line_span(problem.source, first, last))
    if shape == "completion":
        code = problem.target.text
        if rest:
            return Wanted(shape="completion", given="".join(code.splitlines(keepends=True)[: int(rest)]))
        function = next(f for f in language(problem.language).syntax.functions(problem.source) if f.span == problem.target.span)
        return Wanted(
            shape="completion", given=problem.source[function.span.start : function.body.start + (problem.language != "python")]
        )
    assert shape in ("function", "edit", "file")
    return Wanted(shape=shape)  # type: ignore[arg-type]  # checked above


def changes(old: str, new: str) -> str:
    """Return the differences of two texts, without context."""
    old_lines, new_lines = (text.replace("\r\n", "\n").split("\n") for text in (old, new))
    lines = difflib.unified_diff(old_lines, new_lines, n=0, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_answer_is_read_as_expected(path: Path) -> None:
    case = load(path)
    reading = read(case.answer, case.problem, case.wanted)
    if case.is_problem:
        assert (reading.problem, reading.edits) == (case.expected.strip(), ())
        assert reading.problem in REASONS
    else:
        assert reading.problem is None
        patched = apply_edits(reading.edits, {case.problem.path: case.problem.source})[case.problem.path]
        assert patched is not None
        assert changes(case.problem.source, patched) == case.expected
        if "\r\n" in case.problem.source:
            assert patched.count("\r\n") == patched.count("\n")


def test_the_corpus_is_large_and_holds_every_language_and_reason() -> None:
    cases = [load(path) for path in CASES]
    assert len(cases) >= 120
    assert {case.problem.language for case in cases} == {"python", "java", "c", "cpp"}
    assert {case.wanted.shape for case in cases} == {"function", "infill", "completion", "edit", "file"}
    assert {case.expected.strip() for case in cases if case.is_problem} == set(REASONS) - {TOO_LONG, NO_PLACE}


def test_every_reason_is_documented() -> None:
    text = (Path(__file__).parents[4] / "docs" / "how-it-works" / "answers.md").read_text(encoding="utf-8")
    assert [reason for reason in REASONS if f"| `{reason}` |" not in text] == []
