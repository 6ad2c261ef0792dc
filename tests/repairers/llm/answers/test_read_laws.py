"""Laws of reading answers: any text is read without failing, and any function comes back out of any wrapper."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.diff import apply_edits
from repairlab.core.problem import Problem
from repairlab.core.text import Span, line_span
from repairlab.languages.language import language, language_of_path
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.answers.reading import REASONS, TOO_LONG, Wanted
from tests import builders

FOLDER = Path(__file__).parent / "cases" / "problems"
FILES = sorted(path for path in FOLDER.iterdir() if path.name != "sum.py.source")
WRAPPERS: dict[str, Callable[[str], str]] = {
    "bare": lambda code: code,
    "prose": lambda code: f"Here is the fixed function:\n\n{code}\n\nI hope it doesn't break anything.",
    "fence": lambda code: f"```\n{code}\n```",
    "fence with prose": lambda code: f"Sure! The fix:\n\n```python\n{code}\n```\n\nIt's done.",
    "long fence": lambda code: f"````java\n{code}\n````",
    "tildes": lambda code: f"~~~\n{code}\n~~~",
    "unclosed fence": lambda code: f"```\n{code}",
    "tag": lambda code: f"<fix>\n{code}\n</fix>",
    "tag and fence": lambda code: f"<answer>\n```\n{code}\n```\n</answer>",
    "brackets": lambda code: f"[CODE]\n{code}\n[/CODE]",
    "thought": lambda code: f"<think>\nHm.\n</think>\n```\n{code}\n```",
    "json": lambda code: json.dumps({"explanation": "a bug", "fixed_code": code}),
    "json in a fence": lambda code: "```json\n" + json.dumps({"code": code}) + "\n```",
    "line numbers": lambda code: "```\n40: \n" + "\n".join(f"{n}: {line}" for n, line in enumerate(code.split("\n"), 41)) + "\n```",
    "carriage returns": lambda code: f"```\n{code}\n```".replace("\n", "\r\n"),
    "list item": lambda code: "1. So:\n\n" + "\n".join(f"   {line}" for line in f"```\n{code}\n```".split("\n")),
}


def all_problems() -> list[Problem]:
    """Return a problem for each function of the sources of the golden cases."""
    made: list[Problem] = []
    for path in FILES:
        name = path.name.removesuffix(".source")
        source = path.read_bytes().decode("utf-8")
        spoken = language_of_path(name) or ""
        made.extend(
            builders.problem(
                source, id=function.qualified, language=spoken, path=name, target=function.qualified, span=function.span
            )
            for function in language(spoken).syntax.functions(source)
        )
    return made


PROBLEMS = all_problems()


def patched(problem: Problem, answer: str, wanted: Wanted) -> str | None:
    """Return the file that an answer makes; none when it could not be read."""
    reading = read(answer, problem, wanted)
    assert reading == read(answer, problem, wanted)
    assert (reading.problem is None) == bool(reading.edits)
    assert reading.problem is None or reading.problem in REASONS
    if reading.problem:
        return None
    assert all(edit.span is None or edit.span.end <= len(problem.source) for edit in reading.edits)
    return apply_edits(reading.edits, {problem.path: problem.source})[problem.path]


def shapes(problem: Problem) -> list[Wanted]:
    """Return something of every shape to ask for."""
    middle = problem.source.count("\n", 0, problem.target.span.start) + 2
    return [
        Wanted(),
        Wanted(shape="infill", hole=line_span(problem.source, middle, middle)),
        Wanted(shape="infill", hole=Span(start=problem.target.span.start + 3, end=problem.target.span.start + 5)),
        Wanted(shape="completion", given=problem.target.text.split("\n", 1)[0]),
        Wanted(shape="edit"),
        Wanted(shape="file"),
    ]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: f"{problem.path}-{problem.id}")
def test_a_function_in_any_wrapper_is_read_as_that_function(problem: Problem, wrapper: str) -> None:
    answer = WRAPPERS[wrapper](problem.target.text.replace("\r\n", "\n"))
    assert patched(problem, answer, Wanted()) == problem.source


PIECES = [
    "```", "```python\n", "~~~", "\n", "\n\n", "    ", "<fix>", "</fix>", "<think>", "</think>", "@@ -1,2 +3 @@\n",
    "--- a\n+++ b\n", "-", "+", " ", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "{", "}", "(", ")", '"', "'",
    '"""', "// ... rest of the code ...\n", "return result\n", "def total(self, names):\n",
    "public int total(int limit) {\n", "static int ring_sum(const struct ring *ring)\n", "T largest(", "# ...\n",
    '{"fixed_code": "', "\\n", "&lt;", "1: ", "import os\n", "#include <x>\n", "é“”", "\ud800", "\x00", "\r", "result = 0\n",
    "}\n", "*** Begin Patch\n", ">>> [ INFILL ] <<<\n", "I'm sorry", "class Main {\n", "@Override\n", "::", "/*", "\\",
    "sum += price;\n", "[CODE]", "<search>a</search><replace>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=200), st.sampled_from(PROBLEMS))
@settings(max_examples=150)
def test_any_text_is_read_without_failing(answer: str, problem: Problem) -> None:
    for wanted in shapes(problem):
        patched(problem, answer, wanted)


@given(st.data(), st.sampled_from(PROBLEMS))
@settings(max_examples=60)
def test_a_cut_answer_is_read_without_failing(data: st.DataObject, problem: Problem) -> None:
    wrapped = WRAPPERS[data.draw(st.sampled_from(sorted(WRAPPERS)))](problem.target.text)
    answer = wrapped[: data.draw(st.integers(0, len(wrapped)))]
    for wanted in shapes(problem):
        patched(problem, answer, wanted)


def test_an_answer_of_a_million_characters_is_refused() -> None:
    assert read("x = 1\n" * 200_000, PROBLEMS[0], Wanted()).problem == TOO_LONG
