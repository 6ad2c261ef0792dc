"""Every rule on examples of its own: small fixes whose labels are plain to see."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from repairlab.study.labelling.actions import ACTIONS, actions
from repairlab.study.labelling.category import CATEGORIES, suggest
from repairlab.study.labelling.error_type import TYPES, error_type
from repairlab.study.labelling.extent import PLACES, difficulty, effort, ingredients, location, location_by_defects4c
from repairlab.study.labelling.file_change import FileChange
from repairlab.study.labelling.patterns import PATTERNS, SHAPES, patterns

EXAMPLES = Path(__file__).parent / "examples"


def examples(rule: str) -> list[Any]:
    found = tomllib.loads((EXAMPLES / f"{rule}.toml").read_text(encoding="utf-8"))["example"]
    return [pytest.param(item, id=f"{number}-{'-'.join(item['is'])[:40]}") for number, item in enumerate(found)]


def change_of(item: dict[str, Any]) -> FileChange:
    texts = [item["before"], item["after"]]
    if "language" not in item and not item.get("whole"):
        texts = ["void f() {\n" + "".join(f"    {line}\n" for line in text.split("\n")) + "}\n" for text in texts]
    return FileChange(language=item.get("language", "java"), path="A.java", before=texts[0], after=texts[1])


@pytest.mark.parametrize("item", examples("actions"))
def test_actions(item: dict[str, Any]) -> None:
    assert actions(change_of(item).edits) == item["is"]


@pytest.mark.parametrize("item", examples("patterns"))
def test_patterns(item: dict[str, Any]) -> None:
    change = change_of(item)
    assert patterns([change], [change.edits]) == item["is"]


@pytest.mark.parametrize("item", examples("error_type"))
def test_error_type(item: dict[str, Any]) -> None:
    found = error_type([change_of(item)])
    assert [found.type] == item["is"] if found else item["is"] == []
    if found:
        assert found.state == TYPES[found.type][0]


@pytest.mark.parametrize(
    ("before", "after", "element"),
    [
        ("x = a + b;", "x = a - b;", "token"),
        ("int n = size();", "long n = size();", "token"),
        ("x = total / n;", "x = (double) total / n;", "partial"),
        ("while (a > 0) { g(); }", "while (a > 0 && b) { g(); }", "partial"),
        ("x = f(a);", "x = f(a, 2);", "partial"),
        ("g();", "if (a == null) {\n return;\n}\ng();", "whole"),
        ("if (a) {\n g();\n}\nh();", "h();", "whole"),
        ("g(a);\nh();", "if (a > 0) {\n g(a);\n}\nh();", "whole"),
        ("g();", "if (a) {\n h();\n x = 2;\n}\ng();", "multi"),
        ("x = 1;\ny = 2;", "x = 3;\ny = 4;", "multi"),
        ("release(a);\nuse(a);\nend();", "use(a);\nend();\nrelease(a);", "multi"),
        ("for (int i = 0; i < n; i++) { g(); }", "for (int i = 1; i <= n; i++) { g(); }", "partial"),
    ],
)
def test_the_element_goes_by_the_size_of_what_changes(before: str, after: str, element: str) -> None:
    found = error_type([change_of({"before": before, "after": after})])
    assert found and found.element == element


@pytest.mark.parametrize("item", examples("category"))
def test_category(item: dict[str, Any]) -> None:
    assert [suggestion.category for suggestion in suggest([change_of(item)])] == item["is"]


@pytest.mark.parametrize(
    ("rule", "names"),
    [("actions", ACTIONS), ("patterns", [*PATTERNS, *SHAPES]), ("error_type", TYPES), ("category", CATEGORIES)],
)
def test_every_label_has_an_example(rule: str, names: list[str]) -> None:
    found = tomllib.loads((EXAMPLES / f"{rule}.toml").read_text(encoding="utf-8"))["example"]
    assert set(names) == {name for item in found for name in item["is"]}


def fix(before: str, after: str, language: str = "python") -> list[FileChange]:
    return [FileChange(language=language, path="a", before=before, after=after)]


BODY = "".join(f"    x{number} = {number}\n" for number in range(10))
FUNCTION = f"def f(x):\n{BODY}    return x\n"


@pytest.mark.parametrize(
    ("before", "after", "ours", "first", "later"),
    [
        (FUNCTION, FUNCTION.replace("return x", "return -x"), "line", "line", "hunk"),
        (FUNCTION, FUNCTION.replace("    return", "    x += 1\n    return"), "line", "hunk", "line"),
        (FUNCTION, FUNCTION.replace("return x", "x += 1\n    return -x"), "hunk", "line", "hunk"),
        (FUNCTION, FUNCTION.replace("x0 = 0", "x0 = 1").replace("return x", "return -x"), "function", "function", "function"),
        (FUNCTION, FUNCTION.replace("x5 = 5", "x5 = 1").replace("return x", "return -x"), "function", "hunk", "hunk"),
        (FUNCTION, f"y = 1\n{FUNCTION}".replace("return x", "return -x"), None, "line", "function"),
    ],
)
def test_location_by_three_ways_to_count(before: str, after: str, ours: str | None, first: str, later: str) -> None:
    assert location(fix(before, after)) == ours
    assert location_by_defects4c(fix(before, after)) == {"first": first, "later": later}


def test_a_fix_of_several_files_has_no_location() -> None:
    assert location([*fix("a", "b"), *fix("a", "b")]) is None and location_by_defects4c([]) == {}


@pytest.mark.parametrize(
    ("after", "place"),
    [
        ("return low + low", "line"),
        ("return low + high", "function"),
        ("return low + other(1)", "file"),
        ("return low + elsewhere", "project"),
        ("return low + never_seen", "outside"),
        ("return", None),
    ],
)
def test_ingredients_lie_where_their_text_does(after: str, place: str | None) -> None:
    source = "def other(n):\n    return other(1)\n\n\ndef f(low, high):\n    return low + 0\n"
    found = ingredients(fix(source, source.replace("return low + 0", after)), lambda: "elsewhere")
    assert found == place and (place is None or place in PLACES)


def test_difficulty_is_by_size_until_somebody_has_tried() -> None:
    small = effort(fix("a = 1\n", "a = 2\n"), 3)
    assert (small.files, small.places, small.lines, small.trigger_tests) == (1, 1, 1, 3)
    assert difficulty(small) == "easy" and difficulty(small, (1, 4)) == "medium" and difficulty(small, (0, 0)) == "easy"
    places = effort(fix("a = 1\nb = 1\nc = 1\n", "a = 2\nb = 1\nc = 2\n"), 1)
    assert difficulty(places) == "medium"
    large = effort(fix("", "a = 1\n\n" * 11), 1)
    assert large.lines == 11 and difficulty(large) == "hard"
    assert difficulty(effort([*fix("a", "b"), *fix("a", "b")], 1)) == "hard"
