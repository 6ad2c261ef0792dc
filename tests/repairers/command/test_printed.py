"""Diffs in what a program prints become candidates."""

import pytest

from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits, edits_of_patch, unified_diff
from repairlab.core.errors import UserError
from repairlab.core.problem import Problem, SourceFile
from repairlab.repairers.command.repairer import printed_diffs
from tests import builders

OLD = "a\nb\nc\n"
NEW = "a\nB\nc\n"
DIFF = unified_diff("src/f.x", OLD, NEW)
OTHER = unified_diff("g.x", "1\n", "2\n")


def problem() -> Problem:
    return builders.problem(OLD, path="src/f.x", context=(SourceFile(path="g.x", text="1\n"),))


def made(diff: str) -> dict[str, str | None]:
    return apply_edits(edits_of_patch(diff, problem().files), {"src/f.x": OLD, "g.x": "1\n"})


def test_each_diff_between_other_text_is_one() -> None:
    text = f"[INFO] patch 1\n{DIFF}\n[INFO] patch 2, two files\n{OTHER}{DIFF}done\n"
    diffs = printed_diffs(text)
    assert [made(diff) for diff in diffs] == [{"src/f.x": NEW}, {"g.x": "2\n", "src/f.x": NEW}]


def test_diffs_of_one_file_in_a_row_are_several() -> None:
    assert len(printed_diffs(DIFF * 3)) == 3


def test_headings_of_git_and_svn_do_not_divide() -> None:
    git = f"diff --git a/src/f.x b/src/f.x\nindex 123..456 100644\n{DIFF}diff --git a/g.x b/g.x\n{OTHER}"
    svn = f"Index: src/f.x\n=====================\n{DIFF}Index: g.x\n=====================\n{OTHER}"
    assert [len(printed_diffs(text)) for text in (git, svn)] == [1, 1]


@pytest.mark.parametrize("root", ["/work/", "./", "a/", "", "/tree/"])
def test_paths_may_begin_at_the_folder_that_the_tool_ran_in(root: str) -> None:
    diff = DIFF.replace("a/src", f"{root}src").replace("b/src", f"{root}src")
    assert made(printed_diffs(diff)[0]) == {"src/f.x": NEW}


def test_lines_of_hunks_that_look_like_headers_stay_in_them() -> None:
    old, new = "x\n-- a\n", "x\n++ b\n"  # printed as `--- a` and `+++ b`
    diff = unified_diff("src/f.x", old, new)
    (found,) = printed_diffs(diff)
    assert found == diff


def test_created_and_deleted_files_are_edits() -> None:
    text = "--- /dev/null\n+++ b/new.x\n@@ -0,0 +1 @@\n+n\n--- a/g.x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
    (diff,) = printed_diffs(text)
    assert edits_of_patch(diff, problem().files) == (Edit(path="new.x", text="n\n"), Edit(path="g.x", text=None))


@pytest.mark.parametrize(
    ("diff", "reason"),
    [
        (DIFF.replace("-b", "-z"), "does not match"),
        (DIFF.replace("src/", "lib/"), "not in the tree"),
        (DIFF.replace("1,3 +1,3", "1,9 +1,9"), "cut short"),
    ],
)
def test_a_diff_that_does_not_fit_says_why(diff: str, reason: str) -> None:
    (found,) = printed_diffs(diff)
    with pytest.raises(UserError, match=reason):
        edits_of_patch(found, problem().files)


@pytest.mark.parametrize("text", ["", "no diff\n", "--- a\n", "@@ -1 +1 @@\n-a\n+b\n", "--- \n" * 1000, "\r\n\0\ud800"])
def test_other_text_holds_none(text: str) -> None:
    assert printed_diffs(text) == []


def test_line_ends_of_windows_are_read() -> None:
    assert made(printed_diffs(DIFF.replace("\n", "\r\n"))[0]) == {"src/f.x": NEW}
