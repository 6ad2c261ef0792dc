"""Slots that turn from tree to tree: what ran for one tree leaves nothing for the next, and what has read a tree ends with it."""

import os
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Limits
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.sandbox.trees import folder_of_trees
from tests.sandbox.conftest import SERVER


@pytest.fixture
def trees() -> tuple[Path, Path]:
    """Two trees that one slot can turn to."""
    made = (folder_of_trees() / f"one-{os.urandom(4).hex()}", folder_of_trees() / f"two-{os.urandom(4).hex()}")
    for tree in made:
        tree.mkdir()
        (tree / "name").write_text(tree.name)
    return made


def shell(slot: Runner, tree: Path, script: str, *, private: bool = False) -> str:
    done = slot.run(Command(argv=("sh", "-c", script), private=private, limits=Limits()), tree)
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("private", [False, True])
def test_each_tree_is_shown_alone_in_the_place_of_the_one_before(sandbox: Sandbox, trees: tuple[Path, Path], private: bool) -> None:
    script = "cat name; ls /trees; (echo x > new); ls -A $HOME $TMPDIR | grep -v :; echo x > $HOME/a"
    said = []
    for tree in (*trees, trees[0]):
        with sandbox.slot(tree) as slot:
            said.append(shell(slot, tree, f"{{ {script}; }} 2>/dev/null", private=private).strip())
    assert said == [trees[0].name, trees[1].name, trees[0].name]
    assert sorted(path.name for tree in trees for path in tree.iterdir()) == ["name", "name"]


def test_a_slot_that_is_left_serves_the_next_tree_where_there_are_layers(sandbox: Sandbox, trees: tuple[Path, Path]) -> None:
    if not (isinstance(sandbox, BubblewrapSandbox) and sandbox.settings["layers"]):
        pytest.skip("without layers each tree has a place of its own")
    with sandbox.slot(trees[0]) as one:
        shell(one, trees[0], "true")
        with sandbox.slot(trees[1]) as other:
            assert other is not one
    with sandbox.slot(trees[1]) as again:
        assert again is one
        assert shell(again, trees[1], "cat name") == trees[1].name


def test_the_folder_of_trees_is_hidden_and_stays_so(sandbox: Sandbox, trees: tuple[Path, Path]) -> None:
    with sandbox.slot(trees[0]) as slot:
        tried = "chmod 777 /trees; umount /trees; ls /trees; cd /trees; cat /proc/1/root/trees/*/name /proc/self/fd/*/*/name"
        for private in (False, True):
            assert trees[0].name not in shell(slot, trees[0], f"{{ {tried}; }} 2>/dev/null", private=private)


def test_a_fork_server_of_one_tree_is_not_that_of_the_next(sandbox: Sandbox, trees: tuple[Path, Path]) -> None:
    seen = []
    for tree in trees:
        (tree / "server.py").write_text(SERVER)
        command = Command(
            argv=("python3", "-S", "server.py"), stdin=b"print(open('name').read())", env=(("RUNS", "9"),), forks=True
        )
        with sandbox.slot(tree) as slot:
            seen += [slot.run(command, tree).stdout.decode().strip() for _ in range(2)]
    assert seen == [trees[0].name, trees[0].name, trees[1].name, trees[1].name]
