"""A tree that is put back: whatever a candidate did to it, the next one finds the kept state, byte for byte and time for time."""

import mmap
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.validation.worktree import WorkTree, files_below


def picture(root: Path) -> dict[str, object]:
    """Return all that a build tool or a program could tell of a tree."""
    seen: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        found = path.lstat()
        content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        times = None if stat.S_ISDIR(found.st_mode) or stat.S_ISLNK(found.st_mode) else found.st_mtime_ns
        seen[path.relative_to(root).as_posix()] = (stat.S_IFMT(found.st_mode), found.st_mode, content, times)
    return seen


@pytest.fixture
def tree(tmp_path: Path) -> WorkTree:
    made = WorkTree(tmp_path)
    (made.work / "src/deep").mkdir(parents=True)
    (made.work / "src/main.c").write_text("int main(void) { return 0; }\n")
    (made.work / "src/deep/data.bin").write_bytes(bytes(range(256)) * 40)
    (made.work / "run.sh").write_text("#!/bin/sh\n")
    (made.work / "run.sh").chmod(0o755)
    (made.work / "link").symlink_to("src")
    for path in made.work.rglob("*.c"):
        os.utime(path, ns=(10**18, 10**18))
    made.keep()
    return made


def overwrite_in_place(work: Path) -> None:
    file = work / "src/main.c"
    found = file.stat()
    file.write_text("int main(void) { return 1; }\n")
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


def write_through_a_memory_map(work: Path) -> None:
    with (work / "src/deep/data.bin").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[5:9] = b"evil"


def swap_folder_for_link(work: Path) -> None:
    shutil.move(work / "src/deep", work / "elsewhere")
    (work / "src/deep").symlink_to("../elsewhere")


def swap_link_for_folder(work: Path) -> None:
    (work / "link").unlink()
    (work / "link").mkdir()
    (work / "link/main.c").write_text("not the one in src\n")


def leave_odd_things(work: Path) -> None:
    os.mkfifo(work / "src/pipe")
    (work / "src/a file\nwith \udcff odd name").write_text("x")
    (work / "deep" / "/".join("d" * 50)).mkdir(parents=True)
    (work / "dangling").symlink_to("/nowhere/at/all")
    os.link(work / "src/main.c", work / "second name")


def file_becomes_folder(work: Path) -> None:
    (work / "run.sh").unlink()
    (work / "run.sh/x").mkdir(parents=True)


def folder_becomes_file(work: Path) -> None:
    shutil.rmtree(work / "src/deep")
    (work / "src/deep").write_text("x")


def link_goes_elsewhere(work: Path) -> None:
    (work / "link").unlink()
    (work / "link").symlink_to("/etc")


HARM: dict[str, Callable[[Path], object]] = {
    "nothing": lambda work: work,
    "overwritten with the old time": overwrite_in_place,
    "written through a memory map": write_through_a_memory_map,
    "deleted": lambda work: shutil.rmtree(work / "src"),
    "emptied": lambda work: (work / "src/main.c").write_text(""),
    "other mode": lambda work: (work / "run.sh").chmod(0o600),
    "closed folder": lambda work: (work / "src/deep").chmod(0o500),
    "file becomes folder": file_becomes_folder,
    "folder becomes file": folder_becomes_file,
    "folder becomes link": swap_folder_for_link,
    "link becomes folder": swap_link_for_folder,
    "link goes elsewhere": link_goes_elsewhere,
    "odd things": leave_odd_things,
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_reset_tree_is_as_it_was_kept(tree: WorkTree, harm: Callable[[Path], object]) -> None:
    before = picture(tree.work)
    for _ in range(2):
        harm(tree.work)
        tree.reset()
        assert picture(tree.work) == before


@pytest.mark.parametrize(
    "changed",
    [
        {"src/main.c": "int main(void) { return 1; }\n"},
        {"run.sh": None, "src/deep/data.bin": None},
        {"new.c": "", "new/deep/a.c": "a", "new/b.c": "b", "src/deep/c.c": "c"},
        {"src/main.c": None, "src/other/main.c": "x", "gone.c": None},
    ],
)
def test_what_was_written_can_be_undone_without_a_look_at_the_rest(tree: WorkTree, changed: dict[str, str | None]) -> None:
    def moments() -> dict[Path, int]:
        return {path: path.lstat().st_mtime_ns for path in (tree.work, *tree.work.rglob("*"))}

    before, times = picture(tree.work), moments()
    for _ in range(2):
        tree.write(changed)
        assert picture(tree.work) != before
        tree.reset(only_written=True)
        assert (picture(tree.work), moments()) == (before, times)
    overwrite_in_place(tree.work)
    tree.reset()
    assert picture(tree.work) == before


def test_links_are_never_followed_out_of_the_tree(tree: WorkTree, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "main.c").write_text("keep me\n")
    shutil.rmtree(tree.work / "src")
    (tree.work / "src").symlink_to(precious)
    tree.reset()
    assert (precious / "main.c").read_text() == "keep me\n"
    assert not (tree.work / "src").is_symlink()


def test_what_did_not_change_is_not_written_again(tree: WorkTree) -> None:
    inode = (tree.work / "src/deep/data.bin").stat().st_ino
    overwrite_in_place(tree.work)
    tree.reset()
    assert (tree.work / "src/deep/data.bin").stat().st_ino == inode


def test_a_new_state_can_be_kept(tree: WorkTree) -> None:
    (tree.work / "build").mkdir()
    (tree.work / "build/main.o").write_bytes(b"object")
    tree.keep()
    before = picture(tree.work)
    (tree.work / "build/main.o").write_bytes(b"changed")
    tree.write({"src/main.c": "int x;\n", "src/new/file.c": "int y;\n", "run.sh": None})
    tree.reset()
    assert picture(tree.work) == before


def test_an_edit_that_clashes_with_the_tree_is_the_candidates_fault(tree: WorkTree) -> None:
    with pytest.raises(UserError, match="clashes with the tree"):
        tree.write({"src": "a file where a folder is"})
    with pytest.raises(UserError, match="clashes with the tree"):
        tree.write({"run.sh/below": "a folder where a file is"})


@settings(max_examples=30, deadline=None)
@given(order=st.lists(st.sampled_from(sorted(HARM)), min_size=1, max_size=4, unique=True))
def test_harm_upon_harm_is_undone(order: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    made = WorkTree(tmp_path_factory.mktemp("tree"))
    (made.work / "src/deep").mkdir(parents=True)
    for name in ("src/main.c", "src/deep/data.bin", "run.sh"):
        (made.work / name).write_bytes(name.encode() * 99)
    (made.work / "link").symlink_to("src")
    made.keep()
    before = picture(made.work)
    for name in order:
        try:
            HARM[name](made.work)
        except OSError:
            continue  # an earlier one has taken its object away
    made.reset()
    assert picture(made.work) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_tree_that_was_handed_to_another_user_is_not_written_again(tree: WorkTree) -> None:
    files = [path for path in tree.work.rglob("*") if path.is_file() and not path.is_symlink()]
    for path in (tree.work, *tree.work.rglob("*")):
        os.chown(path, 64000, 64000, follow_symlinks=False)
    before = {path: path.stat().st_ino for path in files}
    tree.reset()
    assert {path: path.stat().st_ino for path in files} == before
    tree.write({"src/main.c": "changed"})
    tree.reset(only_written=True)
    assert (tree.work / "src/main.c").stat().st_uid == 64000


def test_a_link_that_leads_in_a_circle_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    assert files_below(tmp_path) == ["file", "link"]
