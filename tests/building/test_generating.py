"""What a program of a project makes becomes part of the tree; what it only points to does not."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.bug_trees import generate
from repairlab.building.importers.importer import Generator
from repairlab.core.bug import Bug
from repairlab.sandbox.sandbox import Sandbox

MAKES = """\
import os, shutil
os.makedirs("made/sub")
open("made/real.so", "w").write("made")
os.symlink({secret!r}, "made/leak.so")
os.symlink({folder!r}, "made/sub/folder")
if {swaps}:
    shutil.rmtree("made")
    os.symlink({folder!r}, "made")
"""


@pytest.fixture
def bug(tiny: Path, tmp_path: Path) -> Bug:
    known = open_benchmark(str(tiny)).bug("sum")
    shutil.copytree(known.tree.source, tmp_path / "tree")
    return dataclasses.replace(known, tree=dataclasses.replace(known.tree, source=str(tmp_path / "tree")))


@pytest.mark.parametrize(("folder", "swaps", "kept"), [(".", False, ["made/real.so"]), ("made", True, []), (".", True, [])])
def test_files_of_the_host_that_links_point_to_are_not_taken(
    bug: Bug, sandbox: Sandbox, tmp_path: Path, folder: str, kept: list[str], *, swaps: bool
) -> None:
    secret = tmp_path / "host/secret.so"
    secret.parent.mkdir()
    secret.write_text("of the host")
    tree = Path(bug.tree.source)
    (tree / "make.py").write_text(
        "import shutil\nshutil.rmtree('made', ignore_errors=True)\n"
        + MAKES.format(secret=str(secret), folder=str(secret.parent), swaps=swaps)
    )
    generator = Generator(program="make.py", arguments=(), env={}, folder=folder, pattern="*.so", optional=True)
    assert generate(generator, bug, sandbox) == ""
    assert sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.so")) == kept
