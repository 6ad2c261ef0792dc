import shutil
from pathlib import Path

from repairlab.benchmarks.bug_files import TreeContext, read_tree


def test_contexts_of_equal_trees_are_equal_when_one_tree_is_gone(tmp_path: Path) -> None:
    trees = [tmp_path / name for name in ("one", "two")]
    for tree in trees:
        tree.mkdir()
        (tree / "main.py").write_text("x = 1\n")
        (tree / "other.py").write_text("y = 2\n")
    one, two = (TreeContext(tree, read_tree(tree).digest, without="main.py", hidden=()) for tree in trees)
    fewer = TreeContext(trees[1], read_tree(trees[1]).digest, without="main.py", hidden=("other.py",))
    shutil.rmtree(trees[0])
    assert one == two and hash(one) == hash(two)
    assert one != fewer
    assert two == tuple(two)
