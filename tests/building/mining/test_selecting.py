"""Histories are read whole, and each filter leaves what it should."""

import subprocess
from pathlib import Path

import pytest

from repairlab.building.importers.repository import Repository
from repairlab.building.mining.funnel import Funnel
from repairlab.building.mining.selecting import read_history, select
from repairlab.building.mining.settings import MiningSettings, message_rule, preset
from repairlab.core.errors import UserError
from repairlab.languages.fix_extent import Extent, _headers, fixed_function, too_wide
from tests.building.mining.conftest import History


def test_a_history_is_read_with_odd_names_and_messages(history: History) -> None:
    (history.folder / "a b\nc.py").write_text("1", encoding="utf-8")
    (history.folder / "é.py").write_text("1", encoding="utf-8")
    first = history.commit("One\n\nM\tnot a path\n")
    history.commit("Empty")
    (history.folder / "é.py").unlink()
    last = history.commit("Two")
    commits = list(read_history(Repository(history.folder)))
    assert [commit.message for commit in commits] == ["Two", "Empty", "One\n\nM\tnot a path"]
    assert [(change.status, change.path) for change in commits[0].changes] == [("D", "é.py")]
    assert commits[1].changes == ()
    assert {change.path for change in commits[2].changes} == {"a b\nc.py", "é.py"}
    assert (commits[0].id, commits[2].id, commits[2].parents) == (last, first, ())


def test_a_bare_clone_is_as_good_and_a_shallow_one_is_refused(shop: History, tmp_path: Path) -> None:
    bare, shallow = tmp_path / "bare.git", tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--bare", str(shop.folder), str(bare)], check=True)
    subprocess.run(["git", "clone", "-q", "--depth", "2", f"file://{shop.folder}", str(shallow)], check=True)
    assert len(list(read_history(Repository(bare)))) == 7
    with pytest.raises(UserError, match=r"is a shallow clone.*--unshallow"):
        list(read_history(Repository(shallow)))


def test_every_stage_counts_what_it_leaves(shop: History) -> None:
    funnel = Funnel()
    found = list(select(Repository(shop.folder), MiningSettings(), funnel))
    assert [item.commit.message for item in found] == ["Fix the total: the first price was lost (#1)"]
    assert [(stage.name, stage.n) for stage in funnel.stages] == [("commits", 6), ("message", 5), ("files", 4), ("change", 1)]
    assert funnel.stages[3].reasons == {
        "the signature is changed": 1,
        "more than one function, or code outside of functions, is changed": 1,
        "only comments, docstrings or blanks are changed": 1,
    }


def test_presets_differ_in_what_they_take(shop: History) -> None:
    def messages(name: str) -> list[str]:
        return [item.commit.message for item in select(Repository(shop.folder), preset(name), Funnel())]

    assert messages("defects4c") == ["Fix two bugs"]
    assert messages("defects4c-paper") == ["Fix labels for more", "Fix the total: the first price was lost (#1)"]
    assert messages("npr4j") == []
    assert messages("swe") == [
        "Fix labels for more",
        "Fix two bugs",
        "Speed up totals",
        "Fix the total: the first price was lost (#1)",
    ]


def test_a_limit_counts_fixes_and_dates_bound_them(shop: History) -> None:
    repository = Repository(shop.folder)
    assert len(list(select(repository, preset("swe", limit=2), Funnel()))) == 2
    assert list(select(repository, preset("swe", until="2001-01-01"), Funnel())) == []
    assert list(select(repository, preset("swe", language="java"), Funnel())) == []


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [("functoins", {}, "preset"), ("swe", {"extent": "class"}, "extent"), ("swe", {"max_lines": 0}, "at least 1 line")],
)
def test_odd_settings_are_refused(name: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        preset(name, **given)


def test_messages_follow_the_papers() -> None:
    both = "Fix error in parser"
    assert message_rule("defects4c")(both)
    assert not message_rule("defects4c")("Fix the parser!!")
    assert message_rule("defects4c-paper")("Fix the parser!!")
    assert not message_rule("defects4c-paper")("fix it")  # too short
    assert not message_rule("defects4c-paper")("Merge branch of a fix")
    assert message_rule("npr4j")("Issue #12") and not message_rule("npr4j")("issue tracker")
    assert message_rule("/CVE-[0-9]+/")("see CVE-2020") and not message_rule("/CVE-[0-9]+/")("cve")
    with pytest.raises(UserError, match="is no rule for messages"):
        message_rule("fixes")
    with pytest.raises(UserError, match="is no regular expression"):
        message_rule("/(/")


JAVA = "class A {{ // {note}\n  int f(int a) {{ return a {op} 1; }}\n  int g(int a) {{ return a {other} 2; }}\n}}\n"
C = "#include <a.h>\n/* {note} */\nint f(int a) {{ return a {op} 1; }}\nint g(int a) {{ return a {other} 2; }}\n"
PYTHON = """import a


def f(a):
    '''{note}'''
    return a {op} 1


class B:
    def g(self, a):
        return a {other} 2
"""


@pytest.mark.parametrize(
    ("language", "text", "names"), [("java", JAVA, ("A.f", "A.g")), ("c", C, ("f", "g")), ("python", PYTHON, ("f", "B.g"))]
)
def test_one_function_is_found_whatever_the_comments_say(language: str, text: str, names: tuple[str, str]) -> None:
    before = text.format(op="+", other="+", note="old")
    assert fixed_function(language, before, text.format(op="-", other="+", note="new")) == names[0]
    assert fixed_function(language, before, text.format(op="+", other="-", note="new")) == names[1]
    assert fixed_function(language, before, text.format(op="-", other="-", note="old")) is None
    assert (
        fixed_function(language, before, before.replace("a.h", "b.h").replace("import a", "import b").replace("class A", "class C"))
        is None
    )
    assert (
        too_wide(language, before, text.format(op="+", other="+", note="new"), "function", 10)
        == "only comments, docstrings or blanks are changed"
    )


@pytest.mark.parametrize(
    ("extent", "after", "said"),
    [
        ("file", "a = 2\nb = 1\nc = 2\n", ""),
        ("hunk", "a = 2\nb = 1\nc = 2\n", "several runs of lines"),
        ("hunk", "a = 2\nb = 3\nc = 1\n", ""),
        ("file", "a = 2\nb = 3\nc = 4\nd = 5\n", "more than 6 lines"),
        ("function", "a = 2\nb = 1\nc = 1\n", "more than one function"),
    ],
)
def test_extents_bound_what_a_fix_changes(extent: Extent, after: str, said: str) -> None:
    reason = too_wide("python", "a = 1\nb = 1\nc = 1\n", after, extent, 6)
    assert said in reason if said else reason == ""


OVERLOADS = "class A {{\n  int f(int x) {{ return {0}; }}\n  int f(long x) {{ return {1}; }}\n}}\n"


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (OVERLOADS.format("x", "2"), "A.f(long x)"),
        (OVERLOADS.format("x + 1", "1"), "A.f(int x)"),
        (OVERLOADS.format("x + 1", "2"), None),
        (OVERLOADS.format("x", "1").replace("  int f(int x) { return x; }\n", ""), None),
    ],
)
def test_of_overloads_the_one_that_differs_is_named(after: str, name: str | None) -> None:
    assert fixed_function("java", OVERLOADS.format("x", "1"), after) == name
    said = too_wide("java", OVERLOADS.format("x", "1"), after, "function", 20)
    assert said == ("" if name else "more than one function, or code outside of functions, is changed")


C = """int low(int x)
{
    int y = x;
    y += 1;
    y += 2;
    y += 3;
    return y;
}

int high(int x)
{
    int z = x;
    z += 1;
    z += 2;
    z += 3;
    return z;
}
"""


@pytest.mark.parametrize(
    ("changes", "one_function", "one_header"),
    [
        ({"int y = x": "int y = 2 * x"}, True, True),
        ({"int y = x": "int y = 2 * x", "return y": "return y + 1"}, True, True),
        ({"low(int x)": "low(long x)"}, True, True),
        ({"int y = x": "int y = 2 * x", "return z": "return z + 1"}, False, False),
        # Three lines before the function are shown with its first change, so its header is that of the function above.
        ({"int y = x": "int y = 2 * x", "int z = x": "int z = 2 * x"}, False, False),
        ({"return y": "return y + 1", "int z = x": "int z = 2 * x"}, False, True),
        ({"int low": "int n;\n\nint low"}, False, True),
    ],
)
def test_one_function_is_judged_as_the_paper_says_and_as_its_scripts_do(
    changes: dict[str, str], one_function: bool, one_header: bool
) -> None:
    after = C
    for old, new in changes.items():
        after = after.replace(old, new)
    assert (too_wide("c", C, after, "one-function", 200) == "") == one_function
    assert (too_wide("c", C, after, "one-header", 200) == "") == one_header


def test_hunks_have_the_headers_that_git_shows(history: History) -> None:
    history.commit("Begin", a="".join(f"{'f' if number % 7 == 0 else ' '}{number}\n" for number in range(60)))
    before = (history.folder / "a").read_text(encoding="utf-8")
    for lines in ((8, 9), (8, 20), (3, 40), (30, 33, 50), (0,), (29, 36)):
        after = "".join("x\n" if number in lines else line for number, line in enumerate(before.splitlines(keepends=True)))
        (history.folder / "a").write_text(after, encoding="utf-8")
        shown = {line.split("@@")[2].strip() for line in history.git("diff").splitlines() if line.startswith("@@")}
        assert _headers(before, after) == shown


CLASS = "import a.B;\nclass A {{\n  {0}\n  int f(int x) {{ return {1}; }}\n  int g(long x) {4} {{ return {2}; }}\n{3}}}\n"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (("", "x + 1", "1", "", ""), ""),
        (("static int LIMIT = 3;", "LIMIT", "1", "  int f(String x) { return 7; }\n  int h() { return 3; }\n", ""), ""),
        (("", "x", "1", "", "throws Exception"), ""),
        (("", "x + 1", "2", "", ""), "2 existing functions are changed"),
        (("int n;", "x", "1", "", ""), "no existing function is changed"),
        (("", "x /* y */", "1", "", ""), "only comments, docstrings or blanks"),
    ],
)
def test_one_method_is_changed_whatever_is_new_beside_it(after: tuple[str, ...], said: str) -> None:
    reason = too_wide("java", CLASS.format("", "x", "1", "", ""), CLASS.format(*after), "method", 50)
    assert said in reason if said else reason == ""
