"""What candidates make of the target function."""

import pytest

from repairlab.benchmarks.folder import find_target
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import UserError
from repairlab.core.problem import Problem
from repairlab.core.text import Span
from repairlab.study.ranking.rank import Proposals
from tests import builders

PYTHON = (
    'import sys\n\n\ndef half(n):\n    # integer half\n    return n / 2\n\n\ndef main():\n    print(half(int(sys.argv[1])), "#")\n'
)
JAVA = """\
class A {
    int half(int n) {
        return n / 3; // a third
    }
    int half(long n) {
        return 0;
    }
}
"""


def problem(source: str = PYTHON, *, name: str | None = "half", language: str = "python", path: str = "main.py") -> Problem:
    target, bare = find_target(language, source, name)
    return Problem(
        id="a", benchmark="toy", language=language, title="", description="", path=path, source=source, target=target,
        target_without_comments=bare,
    )  # fmt: skip


def candidate(*edits: Edit) -> Candidate:
    return builders.candidate("a", *edits)


def whole(text: str, path: str = "main.py") -> Candidate:
    return candidate(Edit(path=path, text=text))


def test_an_edit_of_the_target_gives_the_new_function() -> None:
    bug = problem()
    new = "def half(n):\n    return n // 2"
    found = Proposals(bug).read(candidate(Edit(path="main.py", text=new, span=bug.target.span)))
    assert (found.function, found.is_unchanged) == (new, False)


def test_an_edit_inside_the_target_and_a_new_file_are_read_alike() -> None:
    at = PYTHON.index("/")
    inside = candidate(Edit(path="main.py", text="//", span=Span(start=at, end=at + 1)))
    expected = "def half(n):\n    # integer half\n    return n // 2"
    for made in (inside, whole(PYTHON.replace("n / 2", "n // 2"))):
        assert Proposals(problem()).read(made).function.rstrip() == expected


def test_the_function_is_found_again_by_name_when_more_than_it_changed() -> None:
    text = "import math\n" + PYTHON.replace("n / 2", "math.floor(n / 2)")
    found = Proposals(problem()).read(whole(text))
    assert found.function.rstrip() == "def half(n):\n    # integer half\n    return math.floor(n / 2)"
    assert not found.is_unchanged


def test_overloads_are_told_apart_by_their_parameters_where_these_stay() -> None:
    bug = problem(JAVA, name="A.half(long n)", language="java", path="A.java")
    text = "// new\n" + JAVA.replace("return 0", "return n / 2")
    assert "n / 2;" in Proposals(bug).read(whole(text, "A.java")).function
    changed = "// new\n" + JAVA.replace("long n", "short n")
    assert "int half(int n)" in Proposals(bug).read(whole(changed, "A.java")).function


def test_without_the_function_the_whole_text_counts() -> None:
    assert Proposals(problem()).read(whole("print(1)\n")).function == "print(1)\n"
    assert Proposals(problem()).read(candidate(Edit(path="main.py", text=None))).function == ""


def test_a_whole_file_as_target_is_the_whole_text() -> None:
    assert Proposals(problem(name=None)).read(whole("print(1)\n")).function == "print(1)\n"


@pytest.mark.parametrize(
    ("text", "unchanged"),
    [
        (PYTHON, True),
        (PYTHON.replace("    # integer half\n", ""), True),
        (PYTHON.replace("# integer half", "# returns half of n, e.g. 1 / 2"), True),
        (PYTHON.replace("n / 2", "n /  2  # half"), True),
        ("# a new head\n" + PYTHON, True),
        (PYTHON.replace("n / 2", "n // 2"), False),
        (PYTHON.replace("    # integer half\n", "    # two\n    n = n\n"), False),
        (PYTHON.replace("    # integer half\n    return", "    if n:\n        pass\n    return"), False),
        (PYTHON.replace("return n / 2", "n / 2"), False),
        (PYTHON + "main()\n", False),
        (PYTHON.replace('"#"', '"# "'), False),
    ],
)
def test_comments_and_white_space_change_nothing(text: str, unchanged: bool) -> None:
    assert Proposals(problem()).read(whole(text)).is_unchanged is unchanged


def test_depth_counts_where_the_language_says_so() -> None:
    source = "def f(n):\n    if n:\n        n = 1\n    return n\n"
    moved = "def f(n):\n    if n:\n        n = 1\n        return n\n"
    assert not Proposals(problem(source, name="f")).read(whole(moved)).is_unchanged


def test_java_comments_change_nothing() -> None:
    bug = problem(JAVA, name="A.half(int n)", language="java", path="A.java")
    assert Proposals(bug).read(whole(JAVA.replace("// a third", "/* n / 2 */"), "A.java")).is_unchanged
    assert not Proposals(bug).read(whole(JAVA.replace("/ 3; // a third", "/ 2; // a third"), "A.java")).is_unchanged


def test_a_change_of_another_file_is_a_change() -> None:
    found = Proposals(problem()).read(whole("x = 1\n", "other.py"))
    assert not found.is_unchanged
    assert found.function == problem().target.text


def test_edits_that_do_not_apply_are_refused() -> None:
    with pytest.raises(UserError, match="lies outside the file"):
        Proposals(problem()).read(candidate(Edit(path="main.py", text="x", span=Span(start=0, end=9999))))
