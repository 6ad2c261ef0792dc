import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.candidate import Edit
from repairlab.core.diff import added_lines, apply_edits, changed_lines, edits_of_patch, parse_patch, unified_diff
from repairlab.core.errors import UserError
from repairlab.core.text import Lines, Span, line_of, line_span, newline_of, replace_span, split_lines

lines = st.lists(st.sampled_from(["a", "b", "c", "", "  d", "-e", "+f", "@@", "--- x", "\\ g"]), max_size=12)
files = st.tuples(lines, st.booleans()).map(lambda made: "\n".join(made[0]) + ("\n" if made[0] and made[1] else ""))


@given(files.filter(lambda text: not text or text.endswith("\n")), files.filter(lambda text: not text or text.endswith("\n")))
def test_a_diff_that_we_write_reads_back_as_edits_that_make_the_new_text(old: str, new: str) -> None:
    patch = unified_diff("x.c", old, new)
    edits = edits_of_patch(patch, {"x.c": old}) if patch else ()
    assert apply_edits(edits, {"x.c": old}).get("x.c", old) == new


@given(files, files)
def test_changed_lines_are_in_order_and_inside_the_old_text(old: str, new: str) -> None:
    last = 0
    for found in changed_lines("x", old, new):
        assert last < found.first <= len(split_lines(old)) + 1
        assert found.first - 1 <= found.last <= len(split_lines(old))
        last = found.last


@given(files, files)
def test_what_is_added_is_in_the_new_text_and_nothing_is_added_to_the_same(old: str, new: str) -> None:
    assert Counter(added_lines(old, new)) <= Counter(split_lines(new))
    assert Counter(split_lines(new)) - Counter(added_lines(old, new)) <= Counter(split_lines(old))
    assert added_lines(new, new) == []


@given(files, files)
def test_lines_that_are_not_changed_are_in_the_new_text_in_the_same_order(old: str, new: str) -> None:
    changed = {line for found in changed_lines("x", old, new) for line in range(found.first, found.last + 1)}
    left = iter(split_lines(new))
    assert all(line in left for number, line in enumerate(split_lines(old), 1) if number not in changed)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nb\nc\n", "a\nb\nc\n", (3, 3)),  # either b; the longer of the equal ends is kept whole
        ("a\nb\nb\nc\nd\n", "a\nb\nc\nd\n", (2, 2)),
        ("a\na\n", "a\na\na\n", (3, 2)),
        ("a\n", "", (1, 1)),
        ("", "a\n", (1, 0)),
    ],
)
def test_a_repeated_line_is_changed_at_one_place(old: str, new: str, expected: tuple[int, int]) -> None:
    assert changed_lines("x", old, new) == (Lines(path="x", first=expected[0], last=expected[1]),)


def test_a_diff_of_git_with_several_hunks_and_files_is_read(tmp_path: Path) -> None:
    old, new = tmp_path / "a", tmp_path / "b"
    for side, words in ((old, ("one", "ten")), (new, ("eins", "zehn"))):
        (side / "src").mkdir(parents=True)
        (side / "src" / "x.c").write_text(words[0] + "\n" + "mid\n" * 20 + words[1] + "\n")
    (new / "extra.txt").write_text("new\n")
    (old / "gone.txt").write_text("old\n")
    patch = subprocess.run(
        ["git", "diff", "--no-index", "--no-prefix", "a", "b"], cwd=tmp_path, capture_output=True, text=True, check=False
    ).stdout
    sources = {"src/x.c": (old / "src/x.c").read_text(), "gone.txt": "old\n"}
    edits = edits_of_patch(patch.replace("a/a/", "a/").replace("b/b/", "b/"), sources)
    changed = apply_edits(edits, sources)
    assert changed == {"src/x.c": (new / "src/x.c").read_text(), "extra.txt": "new\n", "gone.txt": None}


def test_a_hunk_is_found_although_its_line_numbers_are_wrong() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -90,2 +90,2 @@\n two\n-three\n+3\n"
    assert apply_edits(edits_of_patch(patch, {"x": "one\ntwo\nthree\n"}), {"x": "one\ntwo\nthree\n"}) == {"x": "one\ntwo\n3\n"}


def test_crlf_files_keep_their_line_endings() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n"
    source = "one\r\ntwo\r\n"
    assert apply_edits(edits_of_patch(patch, {"x": source}), {"x": source}) == {"x": "one\r\n2\r\n3\r\n"}


def test_a_file_without_final_newline_stays_without() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n-two\n\\ No newline at end of file\n+2\n+3\n\\ No newline at end of file\n"
    assert apply_edits(edits_of_patch(patch, {"x": "one\ntwo"}), {"x": "one\ntwo"}) == {"x": "one\n2\n3"}
    appended = "--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n one\n+two\n"
    assert apply_edits(edits_of_patch(appended, {"x": "one"}), {"x": "one"}) == {"x": "one\ntwo"}


NEW = "diff --git a/y b/y\nnew file mode"


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ("hello", "no unified diff"),
        ("--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "not in the tree"),
        ("--- a/x\n+++ b/z\n@@ -1 +1 @@\n-one\n+b\n", "renames"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-nothing like it\n+b\n", "does not match"),
        ("--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-one\n", "cut short"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one\n*two\n", "cut short"),
        ("Binary files a/x and b/x differ\n", "binary"),
        ("rename from x\nrename to y\n", "rename"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n+three\n", "more lines than it says"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n-two\n+2\n", "more lines than it says"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+1\n more\n", "more lines than it says"),
        ("--- a/x\n+++ b/x\n@@ -1,0 +1,2 @@\n+1\n-one\n+2\n", "more lines than it says"),
        ("--- /dev/null\n+++ b/y\n@@ -1 +1,2 @@\n a\n+b\n", "must be in it before"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n", "do not match"),
        (f"{NEW} 120000\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", "link or submodule"),
        (f"{NEW} 160000\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+Subproject commit 1234\n", "link or submodule"),
        ("diff --git a/x b/x\nindex 12..34 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n", "link or submodule"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 120000\n", "link or submodule"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "no unified diff"),
    ],
)
def test_a_diff_that_does_not_apply_says_why(patch: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        edits_of_patch(patch, {"x": "one\n"})


def test_plain_paths_and_dropped_blanks_of_context_lines_are_accepted() -> None:
    assert parse_patch("--- x.c\t2026\n+++ x.c\t2026\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")[0].hunks[0].lines == (" a", " ", "-b", "+c")


def test_edits_that_overlap_or_leave_the_file_are_refused() -> None:
    def edit(start: int, end: int) -> Edit:
        return Edit(path="x", text="!", span=Span(start=start, end=end))

    assert apply_edits((edit(0, 1), edit(2, 3)), {"x": "abc"}) == {"x": "!b!"}
    for edits, message in [
        ((edit(0, 2), edit(1, 3)), "overlap"),
        ((edit(0, 9),), "outside the file"),
        ((edit(0, 1), Edit(path="x", text="y")), "as a whole and edited in part"),
        ((Edit(path="y", text="y", span=Span(start=0, end=0)),), "not in the tree"),
    ]:
        with pytest.raises(UserError, match=message):
            apply_edits(edits, {"x": "abc"})


@given(st.text(alphabet="ab\r\n", max_size=20), st.data())
def test_replacing_a_span_by_itself_changes_nothing(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = Span(start=start, end=data.draw(st.integers(start, len(text))))
    if newline_of(text) == "\n":
        assert replace_span(text, span, span.of(text)) == text
    assert "".join(split_lines(text)) == text


def test_line_spans_count_from_one_and_know_gaps() -> None:
    text = "a\nbb\nccc"
    assert line_span(text, 2, 3).of(text) == "bb\nccc"
    assert line_span(text, 2, 1) == Span(start=2, end=2)
    assert line_of(text, 3) == 2
    assert changed_lines("x", text, "a\nnew\nbb\nccc") == (Lines(path="x", first=2, last=1),)
    for first, last in [(0, 0), (5, 5), (1, 4), (3, 1)]:
        with pytest.raises(UserError, match="outside the file"):
            line_span(text, first, last)


def test_a_hunk_with_more_lines_than_the_file_does_not_match() -> None:
    with pytest.raises(UserError, match="does not match 'x' near line 1"):
        edits_of_patch("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n a\n-b\n", {"x": "a\n"})


def test_a_span_beyond_the_text_is_refused() -> None:
    with pytest.raises(UserError, match=r"span 1\.\.9 lies outside the file, which has 3 characters"):
        replace_span("abc", Span(start=1, end=9), "")


@pytest.mark.parametrize(
    ("quoted", "path"),
    [
        (r'"b/na\303\257ve.c"', "naïve.c"),
        (r'"b/a\tb\"c\\d"', 'a\tb"c\\d'),
        (r'"b/\056\056/\145tc"', "../etc"),
        ("b/two words.c\t", "two words.c"),
        (r'"/etc/\160asswd"', "/etc/passwd"),
    ],
)
def test_paths_are_read_as_git_writes_them(quoted: str, path: str) -> None:
    (edit,) = edits_of_patch(f"--- /dev/null\n+++ {quoted}\n@@ -0,0 +1 @@\n+a\n", {})
    assert edit == Edit(path=path, text="a\n")


def test_the_end_of_a_mail_and_an_executable_are_no_further_lines() -> None:
    patch = "old mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n-- \n2.39.2\n\n"
    assert apply_edits(edits_of_patch(patch, {"x": "one\n"}), {"x": "one\n"}) == {"x": "two\n"}


names = st.sampled_from(["x.c", "dir/y.c", "two words.c", "na\u00efve.c", 'quo"te.c', "tab\there.c", "a/b.c"])
trees = st.dictionaries(names, files, max_size=4)


@given(before=trees, after=trees, context=st.integers(0, 3))
@settings(max_examples=25)
def test_diffs_of_git_are_applied_as_git_applies_them(before: dict[str, str], after: dict[str, str], context: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)

        def git(*argv: str) -> str:
            environment = {"PATH": os.environ["PATH"], "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
            return subprocess.run(["git", *argv], cwd=root, capture_output=True, env=environment, check=True).stdout.decode()

        git("init", "-q")
        written: list[str] = []
        for tree in (before, after):
            for path in set(before) - set(tree):
                (root / path).unlink()
            for path, text in tree.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_bytes(text.encode())
            git("add", "-A")
            written.append(git("write-tree").strip())
        patch = git("diff", "--no-renames", f"-U{context}", *written)
    if patch:
        changed = apply_edits(edits_of_patch(patch, before), before)
        assert {path: text for path, text in {**before, **changed}.items() if text is not None} == after
    else:
        assert before == after
