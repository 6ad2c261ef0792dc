"""How many subtrees of the reference a candidate has, too: the syntax part of CodeBLEU."""

from collections import Counter

from tree_sitter import Node

from repairlab.languages.parser import Parsed

_Shape = tuple[object, ...]


class SyntaxCounts:
    """Subtrees of references that are found again, for any number of pairs."""

    def __init__(self, language: str, *, clipped: bool) -> None:
        """Take whether a subtree of the candidate serves one of the reference only, or as many as are equal to it."""
        self._language, self._clipped = language, clipped
        self.matches = self.possible = 0

    def add(self, candidate: str, reference: str) -> None:
        """Count one pair of texts, free of comments."""
        ids: dict[_Shape, int] = {}
        mine, theirs = (Counter(shapes(Parsed(self._language, text).root, ids)) for text in (candidate, reference))
        self.possible += theirs.total()
        self.matches += (mine & theirs).total() if self._clipped else sum(n for shape, n in theirs.items() if shape in mine)

    @property
    def share(self) -> float | None:
        """Return the share that was found; none when there was nothing to find."""
        return self.matches / self.possible if self.possible else None


def shapes(root: Node, ids: dict[_Shape, int]) -> list[int]:
    """Return a number for the shape of every node that has children, and of the root; equal shapes have equal numbers.

    A shape is what an S-expression shows: kinds of nodes and the fields they are in, no names, values or operators.
    """
    found: list[int] = []
    cursor = root.walk()
    frames: list[tuple[Node, str | None, list[tuple[str | None, int]]]] = []
    while True:
        frames.append((cursor.node or root, cursor.field_name, []))
        if cursor.goto_first_child():
            continue
        while True:
            node, field, parts = frames.pop()
            unexpected = (node.text or b"")[:1] if node.type == "ERROR" and not node.child_count else b""
            shape = ids.setdefault((node.type, node.is_missing, unexpected, *parts), len(ids))
            if node.child_count or not frames:
                found.append(shape)
            if not frames:
                return found
            if node.is_named or node.is_missing:
                frames[-1][2].append((field, shape))
            if cursor.goto_next_sibling():
                break
            cursor.goto_parent()
