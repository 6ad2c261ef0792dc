"""What a program changed is read as edits; what it left besides does no harm and is named."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits
from repairlab.validation import changes
from repairlab.validation.changes import LARGEST_FILE, Changes, read_changes, read_plain
from tests.builders import write_files

FILES = {"a.py": "one\ntwo\nthree\n", "lib/b.py": "b\n", "lib/deep/c.py": "c\n", "data.bin": "\0\1"}


@pytest.fixture
def given_tree(tmp_path: Path) -> Path:
    return write(tmp_path / "given")


@pytest.fixture
def left(tmp_path: Path, given_tree: Path) -> Path:
    shutil.copytree(given_tree, tmp_path / "left", symlinks=True)
    return tmp_path / "left"


def write(folder: Path) -> Path:
    write_files(folder, FILES)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def read(given_tree: Path, left: Path) -> Changes:
    return read_changes(given_tree, left, lambda path: "a test file" if path.startswith("tests/") else "")


def test_nothing_changed_is_nothing(given_tree: Path, left: Path) -> None:
    (left / "a.py").touch()
    assert read(given_tree, left) == Changes(edits=(), left_out=())


def test_changed_new_and_deleted_files_are_edits(given_tree: Path, left: Path) -> None:
    (left / "a.py").write_text("one\n2\nthree\n")
    (left / "lib/new/n.py").parent.mkdir()
    (left / "lib/new/n.py").write_text("n\n")
    (left / "lib/b.py").unlink()
    found = read(given_tree, left)
    assert [edit.path for edit in found.edits] == ["a.py", "lib/b.py", "lib/new/n.py"]
    assert found.edits[0].text == "2\n"
    assert apply_edits(found.edits, FILES) == {"a.py": "one\n2\nthree\n", "lib/b.py": None, "lib/new/n.py": "n\n"}


def test_the_whole_tree_deleted_is_as_many_edits(given_tree: Path, left: Path) -> None:
    shutil.rmtree(left)
    left.mkdir()
    assert read(given_tree, left).edits == tuple(Edit(path=path, text=None) for path in sorted(FILES))


def test_hidden_files_and_git_do_not_count(given_tree: Path, left: Path) -> None:
    for path in (
        "tests/test_a.py",
        ".git/hooks/post-checkout",
        ".git/config",
        "lib/.git/config",
        "__pycache__/a.pyc",
        ".repairlab/log",
    ):
        (left / path).parent.mkdir(parents=True, exist_ok=True)
        (left / path).write_text("x")
    assert read(given_tree, left) == Changes(edits=(), left_out=("'tests/test_a.py': a test file",))


def test_links_are_neither_followed_nor_taken(given_tree: Path, left: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    (left / "stolen.py").symlink_to(secret)
    (left / "a.py").unlink()
    (left / "a.py").symlink_to(secret)
    shutil.rmtree(left / "lib")
    (left / "lib").symlink_to(tmp_path)
    (left / "loop").symlink_to("loop")
    found = read(given_tree, left)
    assert found.edits == ()
    assert sorted(found.left_out) == [f"'{path}': no plain file" for path in ("a.py", "lib", "loop", "stolen.py")]
    assert read_plain(left / "stolen.py") is None


def test_pipes_and_devices_are_not_opened(given_tree: Path, left: Path) -> None:
    os.mkfifo(left / "pipe")
    (left / "lib/b.py").unlink()
    os.mkfifo(left / "lib/b.py")
    assert read(given_tree, left) == Changes(edits=(), left_out=("'pipe': no plain file", "'lib/b.py': no plain file"))
    assert read_plain(left / "pipe") is None
    assert read_plain(Path("/dev/zero")) is None


def test_files_that_are_no_text_are_left_out_and_named(given_tree: Path, left: Path) -> None:
    (left / "a.py").write_bytes(b"\xff\xfe")
    (left / "new.bin").write_bytes(b"a\0b")
    (left / "data.bin").write_bytes(b"\0\2")
    left_out = {"'a.py': no UTF-8 text", "'new.bin': no text", "'data.bin': no text"}
    assert read(given_tree, left) == Changes(edits=(), left_out=tuple(sorted(left_out, key=read(given_tree, left).left_out.index)))


def test_a_deleted_file_that_is_no_text_is_left_out(given_tree: Path, left: Path) -> None:
    (given_tree / "image.png").write_bytes(b"\x89PNG")
    assert read(given_tree, left) == Changes(edits=(), left_out=("'image.png': no UTF-8 text",))


def test_huge_files_are_not_read(given_tree: Path, left: Path) -> None:
    with (left / "huge.txt").open("wb") as file:
        file.truncate(50 * LARGEST_FILE)
    assert read(given_tree, left).left_out == (f"'huge.txt': larger than {LARGEST_FILE} bytes, or closed",)


def test_a_large_file_that_stays_as_it_was_is_no_change(given_tree: Path, left: Path) -> None:
    for folder in (given_tree, left):
        with (folder / "large.bin").open("wb") as file:
            file.truncate(2 * LARGEST_FILE)
    assert read(given_tree, left) == Changes(edits=(), left_out=())


@pytest.mark.parametrize("name", [b"new\nline.py", b"\xff.py", b"back\\slash.py", b"\x1b[31m.py"])
def test_names_that_no_edit_can_have_are_left_out(given_tree: Path, left: Path, name: bytes) -> None:
    (Path(os.fsdecode(os.fsencode(left) + b"/" + name))).write_text("x")
    found = read(given_tree, left)
    assert found.edits == ()
    assert len(found.left_out) == 1
    assert found.left_out[0].isprintable()


def test_too_many_files_are_no_candidate(given_tree: Path, left: Path) -> None:
    for number in range(60):
        (left / f"{number}.py").touch()
    found = read_changes(given_tree, left, lambda _: "", most=59)
    assert found == Changes(edits=(), left_out=("everything: more than 59 files and folders are new",))
    assert len(read_changes(given_tree, left, lambda _: "", most=60).edits) == 60


def test_only_some_of_what_is_left_out_is_named(given_tree: Path, left: Path) -> None:
    for number in range(30):
        (left / f"{number}.bin").write_bytes(b"\0")
    assert read(given_tree, left).left_out[-1] == "and 10 more"


def test_caches_of_tools_are_no_change(given_tree: Path, left: Path) -> None:
    (left / ".pytest_cache/v").mkdir(parents=True)
    (left / ".pytest_cache/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    (left / ".pytest_cache/v/nodeids").write_text("[]")
    assert read(given_tree, left) == Changes(edits=(), left_out=())


def test_folders_that_are_closed_or_too_deep_do_no_harm(given_tree: Path, left: Path) -> None:
    here = Path.cwd()
    try:
        os.chdir(left)
        for _ in range(60):
            Path("d" * 200).mkdir()
            os.chdir("d" * 200)
    finally:
        os.chdir(here)
    assert read(given_tree, left).edits == ()
    shutil.rmtree(left, ignore_errors=True)


TEXTS = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r", "\u2028", "é", " ", "\f"]), max_size=12).map("".join)


@settings(max_examples=150)
@given(old=TEXTS, new=TEXTS)
def test_the_edit_of_a_file_makes_exactly_what_was_left(old: str, new: str) -> None:
    edit = changes._smallest("f", old, new)  # its law is worth more than its privacy
    assert apply_edits([edit], {"f": old}) == {"f": new}
