"""Trees are read from clones as they were, bare or not, without a work tree."""

from pathlib import Path

import pytest

from repairlab.building.importers.importer import Settings, TreeFile
from repairlab.building.importers.repository import Repository, clone_of
from repairlab.core.errors import UserError
from tests.builders import git


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "src").mkdir()
    (folder / "src/run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "src/run.sh").chmod(0o755)
    (folder / "ä.bin").write_bytes(b"\x00\xff")
    (folder / "link").symlink_to("src/run.sh")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    (folder / "src/run.sh").unlink()
    git(folder, "commit", "-qam", "two")
    return folder


def test_a_tree_has_modes_links_and_bytes(clone: Path) -> None:
    repository = Repository(clone)
    assert repository.tree("HEAD~1") == {
        "src/run.sh": TreeFile(content=b"#!/bin/sh\n", executable=True),
        "ä.bin": TreeFile(content=b"\x00\xff"),
        "link": TreeFile(content=b"src/run.sh", link=True),
    }
    assert sorted(repository.tree("HEAD")) == ["link", "ä.bin"] == sorted(repository.files("HEAD"))
    assert repository.tree("HEAD~1", ["src"]).keys() == {"src/run.sh"}
    assert repository.read("HEAD~1", "src/run.sh") == b"#!/bin/sh\n" and repository.read("HEAD", "src/run.sh") is None


def test_contents_that_a_clone_lacks_are_left_out(clone: Path) -> None:
    name = git(clone, "rev-parse", "HEAD~1:ä.bin")
    (clone / ".git/objects" / name[:2] / name[2:]).unlink()
    assert Repository(clone).tree("HEAD~1") == {
        "src/run.sh": TreeFile(content=b"#!/bin/sh\n", executable=True),
        "link": TreeFile(content=b"src/run.sh", link=True),
    }


def test_a_bare_clone_serves_and_a_missing_one_is_made(clone: Path, tmp_path: Path) -> None:
    settings = Settings(clones=tmp_path / "clones")
    head = git(clone, "rev-parse", "HEAD")
    assert clone_of("project", str(clone), settings).has(head)
    again = clone_of("project", None, settings)
    assert again.folder == tmp_path / "clones/project.git" and again.has(head) and not again.has("0" * 40)


def test_what_is_no_clone_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no clone: git finds no repository"):
        Repository(tmp_path)
    with pytest.raises(UserError, match="--clones DIR"):
        clone_of("project", None, Settings())
    with pytest.raises(UserError, match=r"no clone called project or project\.git"):
        clone_of("project", None, Settings(clones=tmp_path))
    with pytest.raises(UserError, match="could not be cloned"):
        clone_of("project", str(tmp_path / "nowhere"), Settings(clones=tmp_path / "clones"))
