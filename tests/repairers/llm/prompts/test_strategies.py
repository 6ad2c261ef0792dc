"""What each strategy needs, shows and asks for."""

import dataclasses

import pytest

from repairlab.core.errors import UserError
from repairlab.core.problem import Problem, Target, Visibility, shown
from repairlab.core.text import Lines, Span
from repairlab.repairers.llm.client.model import ScriptedModel
from repairlab.repairers.llm.prompts.prompter import Prompter
from repairlab.repairers.llm.prompts.strategies import Question
from repairlab.repairers.llm.prompts.table import names, strategy
from repairlab.repairers.llm.prompts.templates import View
from repairlab.repairers.llm.settings import LlmSettings
from tests.repairers.llm.bugs import JAVA, PYTHON, java_problem, python_problem, seen_by

HOLES = ("infill-line", "infill-hunk")


def question(name: str, problem: Problem) -> Question:
    return strategy(name).question(View(problem=problem))


def text_of(name: str, problem: Problem, **settings: object) -> str:
    made = LlmSettings(model="scripted", strategy=name, **settings)  # type: ignore[arg-type]  # any field
    opening = Prompter(made, ScriptedModel(["x"]), seed=0).ask(seen_by(name, problem)).opening
    return "\n".join([*(message.content for message in opening.messages), opening.text or ""])


def at(*places: tuple[int, int], problem: Problem | None = None) -> Problem:
    bug = problem or python_problem()
    return dataclasses.replace(bug, location=tuple(Lines(path=bug.path, first=first, last=last) for first, last in places))


def test_an_unknown_strategy_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(UserError, match=r"unknown strategy 'zeroshot'.*Did you mean 'zero-shot'"):
        strategy("zeroshot")


def test_all_strategies_of_the_papers_are_there() -> None:
    assert set(names()) == {
        *("zero-shot", "title-only", "few-shot", "reasoning", "infill-line", "infill-hunk", "infill-function"),
        *("infill", "verdict", "completion", "edit", "file", "conversation", "localise"),
    }


@pytest.mark.parametrize("name", ["zero-shot", "few-shot", "reasoning", "edit", "completion"])
def test_strategies_on_issues_need_one(name: str) -> None:
    bare = dataclasses.replace(python_problem(), title=" ", description="\n")
    assert strategy(name).needs(bare) == "bug hall-1 has no issue text"
    assert strategy(name).needs(python_problem()) is None


@pytest.mark.parametrize(
    ("places", "kind", "shape"),
    [
        ([(12, 12)], "infill-line", "infill"),
        ([(11, 12)], "infill-hunk", "infill"),
        ([(13, 12)], "infill-hunk", "infill"),
        ([(11, 11), (13, 13)], "infill-function", "function"),
        ([], "infill-function", "function"),
    ],
)
def test_infill_asks_by_how_far_the_location_extends(places: list[tuple[int, int]], kind: str, shape: str) -> None:
    bug = at(*places)
    asked = question("infill", bug)
    assert (asked.notes, asked.wanted.shape) == ((("infilling", kind),), shape)
    assert strategy("infill").needs(bug) is None
    assert (">>> [ INFILL ] <<<" in text_of("infill", bug)) == (shape == "infill")


@pytest.mark.parametrize("name", ["file", "infill-function", "infill", "conversation"])
def test_other_strategies_need_none(name: str) -> None:
    bare = dataclasses.replace(python_problem(), title="", description="", error=None, location=None, submission_verdict=None)
    assert strategy(name).needs(bare) is None
    assert "issue" not in text_of(name, bare)


def test_what_is_missing_is_said_per_bug() -> None:
    bug = python_problem()
    assert strategy("title-only").needs(dataclasses.replace(bug, title="")) == "bug hall-1 has no title"
    assert strategy("verdict").needs(dataclasses.replace(bug, submission_verdict=None)) == "bug hall-1 has no submission verdict"
    for name in HOLES:
        reason = strategy(name).needs(shown(bug, Visibility(localisation="function")))
        assert reason == f"no location of bug hall-1 is shown; {name} needs localisation line or hunk"
        assert strategy(name).needs(at((1, 1))) == "bug hall-1: the lines that are shown lie outside of Hall.row_of"
    whole = shown(bug, Visibility(localisation="file"))
    assert strategy("completion").needs(whole) == "bug hall-1 is about a whole file; completion needs a function"


def test_asking_although_something_is_missing_is_an_error() -> None:
    with pytest.raises(UserError, match="bug hall-1 has no title: the strategy title-only cannot ask about it"):
        text_of("title-only", dataclasses.replace(python_problem(), title=""))


def test_the_title_alone_is_shown_where_only_the_title_is_wanted() -> None:
    assert "instead of 1" in text_of("zero-shot", python_problem())
    assert "instead of 1" not in text_of("title-only", python_problem())


def test_a_hole_is_the_buggy_line() -> None:
    for name in HOLES:
        asked = question(name, python_problem())
        assert asked.wanted.shape == "infill"
        assert asked.wanted.hole is not None
        assert asked.wanted.hole.of(PYTHON) == "        row = number // self.seats\n"
        assert asked.values["snippet"] == "        row = number // self.seats"
        assert "            raise ValueError(number)\n        >>> [ INFILL ] <<<\n        return row + 1" in asked.values["masked"]
        assert asked.values["masked"].startswith("    def row_of(self, number):\n")


def test_several_places_are_one_hole_and_noted() -> None:
    asked = question("infill-line", at((11, 11), (13, 13)))
    assert asked.values["n_lines"] == 3
    assert asked.values["snippet"].startswith("        if number < 1:")
    assert asked.notes == (("places", "2"),)


def test_places_outside_of_the_function_or_in_other_files_are_left_out() -> None:
    bug = at((1, 1), (13, 13), (17, 18))
    elsewhere = dataclasses.replace(bug, location=(*(bug.location or ()), Lines(path="other.py", first=10, last=12)))
    assert question("infill-hunk", elsewhere).values["n_lines"] == 1


def test_a_missing_line_is_an_empty_hole() -> None:
    asked = question("infill-line", at((13, 12)))
    assert asked.wanted.hole is not None
    assert asked.wanted.hole.of(PYTHON) == ""
    assert PYTHON[asked.wanted.hole.start :].startswith("        row = number")
    assert "(number)\n        >>> [ INFILL ] <<<\n        row = number" in asked.values["masked"]
    assert "A line is missing in this function" in text_of("infill-line", at((13, 12)))


@pytest.mark.parametrize(("place", "snippet"), [((9, 9), "def row_of(self, number):"), ((14, 14), "        return row + 1")])
def test_a_hole_does_not_reach_beyond_the_function(place: tuple[int, int], snippet: str) -> None:
    bug = at(place)
    asked = question("infill-hunk", bug)
    assert asked.wanted.hole is not None
    assert bug.target.span.start <= asked.wanted.hole.start <= asked.wanted.hole.end <= bug.target.span.end
    assert asked.values["snippet"] == snippet
    assert asked.values["masked"].count("\n") in (5, 6)


def test_a_hole_in_a_whole_file_may_be_anywhere() -> None:
    whole = Target(name=None, span=Span(start=0, end=len(PYTHON)), text=PYTHON)
    end = PYTHON.count("\n") + 1
    for place in ((1, 1), (1, 0), (end, end - 1)):
        bug = dataclasses.replace(at(place), target=whole)
        assert strategy("infill-hunk").needs(bug) is None
        assert ">>> [ INFILL ] <<<" in question("infill-hunk", bug).values["masked"]


def test_the_error_is_shown_only_where_the_policy_shows_it() -> None:
    for name in (*HOLES, "infill-function", "conversation"):
        assert "2 != 1" in text_of(name, shown(python_problem(), Visibility(error=True)))
        assert "2 != 1" not in text_of(name, shown(python_problem(), Visibility()))


@pytest.mark.parametrize("name", sorted(set(names()) - {"completion", "localise"}))
def test_comments_can_be_left_out(name: str) -> None:
    assert "# Seats are numbered" in text_of(name, python_problem())
    stripped = text_of(name, python_problem(), comments="stripped")
    assert "# Seats are numbered" not in stripped
    assert "return row + 1" in stripped
    assert (">>> [ INFILL ] <<<\n        return" in stripped) == (name in (*HOLES, "infill"))


def test_a_completion_begins_with_the_signature() -> None:
    python = question("completion", python_problem())
    assert python.wanted.given == "def row_of(self, number):"
    assert python.values["given"] == "    def row_of(self, number):"
    assert python.values["after"].strip().startswith("def largest")
    java = question("completion", java_problem())
    assert java.wanted.given == "int rowOf(int number) {"
    assert java.values["before"].endswith("    }\n\n    ")
    assert text_of("completion", java_problem()).endswith("\n    int rowOf(int number) {")


def test_a_completion_stops_where_the_function_ends() -> None:
    assert question("completion", java_problem()).stop == ("\n    }\n",)
    assert question("completion", python_problem()).stop == ("\n    def ", "\n    @", "\nclass ", "\ndef ")
    one_line = JAVA.replace(
        "        // Seats are numbered from 1.\n        int row = number / seats;\n        return row + 1;\n    }", "return 0; }"
    )
    start = one_line.index("int rowOf")
    span = Span(start=start, end=one_line.index("return 0; }") + len("return 0; }"))
    bug = dataclasses.replace(java_problem(), source=one_line, target=Target(name="Hall.rowOf", span=span, text=span.of(one_line)))
    assert question("completion", bug).stop == ()


def test_whole_files_are_asked_for_where_the_program_is_shown() -> None:
    for name in ("file", "verdict"):
        assert question(name, python_problem()).wanted.shape == "file"
        assert "def largest(halls)" in text_of(name, python_problem())
    assert "Wrong Answer (WA)" in text_of("verdict", python_problem())


def test_line_endings_of_windows_are_not_shown() -> None:
    source = PYTHON.replace("\n", "\r\n")
    bug = python_problem(source)
    for name in sorted(set(names())):
        assert "\r" not in text_of(name, bug)
    asked = question("infill-line", bug)
    assert asked.wanted.hole is not None
    assert asked.wanted.hole.of(source) == "        row = number // self.seats\r\n"
