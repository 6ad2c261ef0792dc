"""CodeBLEU with the grammar and the parser library of 2020, as behind CodeXGLUE's table: how near `codexglue-2020` comes to it.

CodeXGLUE's code has the sources of a value in the order of a hash table, so its data flow depends on the process (`--sets` does
as it does; try PYTHONHASHSEED=0, 1, 2). Ours has them in the order of the text.

    python -m pip install setuptools && python -m pip install --no-build-isolation --target OLD tree-sitter==0.2.0
    git clone https://github.com/tree-sitter/tree-sitter-java && git -C tree-sitter-java checkout ee0a2a0
    PYTHONPATH=src python bench/codebleu_2020.py OLD tree-sitter-java small-model.output small-model.gold [--sets]
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from repairlab.languages import codexglue_flow as flow
from repairlab.metrics import codebleu
from repairlab.metrics.codebleu import CodeBleuCounts


def main() -> None:
    """Print the four parts and the score of all pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path, help="folder with tree-sitter 0.2.0")
    parser.add_argument("grammar", type=Path, help="checkout of the grammar of Java")
    parser.add_argument("output", type=Path, help="predictions, one a line")
    parser.add_argument("gold", type=Path, help="references, one a line")
    parser.add_argument("--sets", action="store_true", help="sources in the order of a hash table")
    options = parser.parse_args()
    parsed = old_parser(options.library, options.grammar)
    for module in (codebleu, flow):
        setattr(module, "Parsed", parsed)  # noqa: B010
    if options.sets:
        setattr(flow, "_both", both_by_hash)  # noqa: B010
    counts = CodeBleuCounts("java", variant="codexglue-2020")
    with options.output.open() as outputs, options.gold.open() as golds:
        for output, gold in zip(outputs, golds, strict=True):
            counts.add(output.rstrip("\n"), gold.rstrip("\n"))
    found = counts.result()
    print(" ".join(f"{name} {100 * getattr(found, name):.2f}" for name in ("ngram", "weighted", "syntax", "flow", "value")))


def both_by_hash(one: flow.CodexglueItem, other: flow.CodexglueItem) -> flow.CodexglueItem:
    """Join what is known of a token, as CodeXGLUE does."""
    return one._replace(sources=tuple(set(one.sources + other.sources)), places=tuple(sorted({*one.places, *other.places})))


def old_parser(library: Path, grammar: Path) -> Any:
    """Return what parses Java as in 2020, with the interface that today's code expects."""
    today = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "tree_sitter"}
    sys.path.insert(0, str(library))
    old: Any = importlib.import_module("tree_sitter")
    sys.path.pop(0)
    sys.modules.update(today)
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/java.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", grammar / "src", grammar / "src/parser.c", "-o", made], check=True)
        parser = old.Parser()
        parser.set_language(old.Language(made, "java"))

    class Parsed:
        def __init__(self, _language: str, source: str) -> None:
            self._bytes = source.encode()
            self._tree = parser.parse(self._bytes)
            self.root = Node(self._tree.root_node, None, self._bytes)

        def text(self, node: "Node") -> str:
            return node.text.decode()

    return Parsed


class Node:
    """A node of the old library, with what nodes have today."""

    def __init__(self, node: Any, field: str | None, source: bytes) -> None:
        """Take a node, the field that it is in, and the whole text."""
        self._node, self.field, self._source = node, field, source
        self.type, self.is_named = node.type, node.is_named
        self.start_byte, self.end_byte = node.start_byte, node.end_byte
        self.text = source[self.start_byte : self.end_byte]

    @cached_property
    def children(self) -> list["Node"]:
        """Return the nodes below."""
        cursor, found = self._node.walk(), []
        more = cursor.goto_first_child()
        while more:
            found.append(Node(cursor.node, cursor.current_field_name(), self._source))
            more = cursor.goto_next_sibling()
        return found

    @property
    def child_count(self) -> int:
        """Return how many nodes there are below."""
        return len(self.children)

    @property
    def is_missing(self) -> bool:
        """Return whether the parser made it up."""
        return not self.text and self._node.sexp().startswith("(MISSING")

    def child_by_field_name(self, name: str) -> "Node | None":
        """Return the first node in a field."""
        return next((child for child in self.children if child.field == name), None)

    def walk(self) -> "Cursor":
        """Return a cursor at this node."""
        return Cursor(self)


class Cursor:
    """A way through a tree: nodes from the root, each with its place among its siblings."""

    def __init__(self, root: Node) -> None:
        """Begin at a node."""
        self._way = [(root, 0)]

    @property
    def node(self) -> Node:
        """Return where we are."""
        return self._way[-1][0]

    @property
    def field_name(self) -> str | None:
        """Return the field that the node is in."""
        return self.node.field

    def goto_first_child(self) -> bool:
        """Go down, if that is possible."""
        below = self.node.children
        if below:
            self._way.append((below[0], 0))
        return bool(below)

    def goto_next_sibling(self) -> bool:
        """Go on, if that is possible."""
        if len(self._way) < 2 or self._way[-1][1] + 1 >= self._way[-2][0].child_count:
            return False
        at = self._way[-1][1] + 1
        self._way[-1] = (self._way[-2][0].children[at], at)
        return True

    def goto_parent(self) -> None:
        """Go up."""
        self._way.pop()


if __name__ == "__main__":
    main()
