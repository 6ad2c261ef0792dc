"""The strategy `localise`: from the tree to edits, in three questions, without a word of where the bug is."""

from collections.abc import Callable

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.model import Prompt
from repairlab.core.problem import Problem, SourceFile, Visibility, shown
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.answers.reading import NO_PLACE, NO_SEARCH_TEXT, SEARCH_NOT_FOUND, Wanted
from repairlab.repairers.llm.client.model import ScriptedModel, estimate_tokens
from repairlab.repairers.llm.prompts.localising import likeliest
from repairlab.repairers.llm.prompts.strategies import ListedPart
from repairlab.repairers.llm.repairer import Llm
from repairlab.repairers.llm.settings import LlmSettings
from tests import builders

OPEN = Visibility(localisation="none")
EDITS = """\
packages/version.py
<<<<<<< SEARCH
{old}
=======
{new}
>>>>>>> REPLACE
"""
OLD, NEW = '    return tuple(text.split("."))', '    return tuple(int(part) for part in text.split("."))'


@pytest.fixture
def problem() -> Problem:
    return shown(open_benchmark("starter").bug("python-version-order").problem, OPEN)


def proposed(problem: Problem, *answers: str, n: int = 1, window: int | None = None) -> tuple[list[Candidate], list[Prompt]]:
    """Return what comes of the answers to the three questions of each chain, and the questions."""
    step: Callable[[Prompt], int] = lambda prompt: next(  # noqa: E731
        number
        for number, word in enumerate(("Which files", "Which functions", "Fix the bug"))
        if word in prompt.messages[-1].content
    )
    model = ScriptedModel(lambda prompt, number: answers[step(prompt)], context_window=window)
    settings = LlmSettings(model="scripted", strategy="localise", max_tokens=100)
    return list(Llm(settings, model, n=n, seed=1).propose(problem, ())), model.asked


def fixed(problem: Problem, candidate: Candidate) -> str:
    (text,) = apply_edits(candidate.edits, problem.files).values()
    assert text is not None
    return text


def test_three_questions_lead_to_an_edit(problem: Problem) -> None:
    files = "The likeliest are:\n1. `./packages/version.py`\n2. packages/resolver.py"
    functions = "packages/version.py: version_key(text)\npackages/resolver.py: best"
    old = problem.files["packages/version.py"].split("def version_key")[1].split("\n")[-2]
    (made,), asked = proposed(problem, files, functions, EDITS.format(old=old, new="    return [text]"))
    assert made.problem is None
    assert "    return [text]\n" in fixed(problem, made)
    assert made.edits[0].path == "packages/version.py"
    assert (made.origin.turn, dict(made.origin.settings)["places"].split(":")[0]) == (2, "packages/version.py")
    first, second, third = (prompt.messages[-1].content for prompt in asked)
    assert "packages/index.py" in first
    assert "version_key(text)" not in first
    assert "packages/index.py" not in second
    assert "Index.publish" not in third
    assert third.index("def version_key") < third.index("def best")


def test_an_edit_may_lie_in_the_second_file_and_lack_its_path(problem: Problem) -> None:
    old = problem.files["packages/resolver.py"].split("\n")[0]
    block = EDITS.format(old=old, new="# changed").split("\n", 1)[1]
    (made,), _ = proposed(
        problem, "packages/version.py\npackages/resolver.py", "version_key\nbest", f"packages/resolver.py\n{block}"
    )
    assert [edit.path for edit in made.edits] == ["packages/resolver.py"]


@pytest.mark.parametrize(
    ("answers", "reason", "turn"),
    [
        (("no idea", "", ""), "the answer names no file of the project", 0),
        (("", "", ""), "the answer names no file of the project", 0),
        (("packages/version.py", "version_key", "packages/version.py\nno code"), "no code in the answer", 2),
    ],
)
def test_an_answer_that_leads_nowhere_is_no_edit(problem: Problem, answers: tuple[str, ...], reason: str, turn: int) -> None:
    (made,), asked = proposed(problem, *answers)
    assert (made.edits, made.problem, made.origin.turn) == ((), reason, turn)
    assert len(asked) == turn + 1
    assert made.origin.tokens_in > 0


def test_files_without_a_chosen_function_are_shown_whole(problem: Problem) -> None:
    _, asked = proposed(problem, "version.py", "I cannot tell.", "")
    assert problem.files["packages/version.py"].rstrip() in asked[-1].messages[-1].content


def test_what_is_shown_of_a_large_tree_fits_the_model() -> None:
    files = [SourceFile(path=f"src/part{n}.py", text=f"def area{n}(side):\n    return side * {n}\n") for n in range(3000)]
    files[2222] = SourceFile(path="src/geo.py", text="def hexagon_perimeter(side):\n    return side * 5\n")
    whole = builders.problem("", title="The perimeter of a hexagon is too short", path="", context=tuple(files))
    (made,), asked = proposed(whole, "src/geo.py", "hexagon_perimeter", EDITS.format(old="", new=""), window=2000)
    first = asked[0].messages[-1].content
    assert "src/geo.py" in first
    assert estimate_tokens(first) < 1900
    assert "without 2" in first
    assert first.count("\nsrc/part") > 100
    assert made.origin.turn == 2


def test_a_window_without_room_for_a_single_part_makes_no_candidate(problem: Problem) -> None:
    (made,), asked = proposed(problem, "", window=150)
    assert made.problem is not None
    assert "takes 150 in all" in made.problem
    assert not asked


def test_parts_with_rare_words_of_the_issue_come_first() -> None:
    parts = [
        ListedPart(text=f"a{n}", about=about)
        for n, about in enumerate(("return value or value", "return parseVersion", "return 1", "value of the parsedVersion"))
    ]
    assert likeliest(parts, "The version value is wrong") == [3, 0, 1, 2]


def test_it_is_refused_where_the_place_is_shown() -> None:
    known = open_benchmark("starter").bug("python-version-order").problem
    llm = Llm(LlmSettings(model="scripted", strategy="localise"), ScriptedModel(()), n=1, seed=1)
    assert "--localisation none" in str(llm.needs(known))
    with pytest.raises(UserError, match="--localisation none"):
        list(llm.propose(known, ()))


def test_other_strategies_are_refused_where_no_place_is_shown(problem: Problem) -> None:
    llm = Llm(LlmSettings(model="scripted"), ScriptedModel(()), n=1, seed=1)
    assert "localise" in str(llm.needs(problem))


@pytest.mark.parametrize("language", ["python", "javascript", "java", "c", "cpp", "go"])
def test_it_sees_functions_of_every_language(language: str) -> None:
    bug = next(bug for bug in open_benchmark("starter") if bug.problem.language == language and bug.problem.target.name)
    open_problem = shown(bug.problem, OPEN)
    name = str(bug.problem.target.name).split("(")[0].split(".")[-1]
    _, asked = proposed(open_problem, bug.problem.path, f"{bug.problem.path}: {name}", "")
    assert f"{bug.problem.path}: " in asked[1].messages[-1].content
    assert bug.problem.target.text.strip().split("\n")[-2] in asked[2].messages[-1].content


@pytest.mark.parametrize(
    "answer", ["def version_key(text):\n    return 1", EDITS.format(old="", new="x"), EDITS.format(old="no such line", new="x")]
)
def test_without_a_place_an_answer_has_to_name_a_file(problem: Problem, answer: str) -> None:
    reading = read(f"```python\n{answer}\n```", problem, Wanted())
    assert reading.edits == ()
    assert reading.problem in (NO_PLACE, SEARCH_NOT_FOUND, NO_SEARCH_TEXT)


def test_without_a_place_the_only_file_with_the_lines_is_meant(problem: Problem) -> None:
    old = problem.files["packages/resolver.py"].split("\n")[0]
    (edit,) = read(EDITS.format(old=old, new="# x").split("\n", 1)[1], problem, Wanted()).edits
    assert edit.path == "packages/resolver.py"
