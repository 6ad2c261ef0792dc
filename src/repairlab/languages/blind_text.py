"""Tools that make blind test files where syntax trees tell what stands in them: edits of a text, and frozen literals."""

import json

from tree_sitter import Node

from repairlab.languages.parser import Parsed


class Edits:
    """Replacements in a text by nodes of its tree; a replaced stretch takes along all edits within it."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._made: list[tuple[int, int, str]] = []
        self._kept: list[tuple[int, int, bool]] = []

    def replace(self, first: Node, text: str, *, last: Node | None = None) -> None:
        """Put a text where a node stands, or several from the first to the last."""
        self.between(first.start_byte, (last or first).end_byte, text)

    def between(self, start: int, end: int, text: str) -> None:
        """Put a text between two byte offsets."""
        self._made.append((start, end, text))

    def keep(self, *nodes: Node) -> None:
        """Note that nodes stand in the text that replaces them."""
        self._kept += [(node.start_byte, node.end_byte, True) for node in nodes]

    def removed(self, node: Node) -> bool:
        """Return whether a node lies within something that was replaced, and is not in what stands there instead."""
        replaced = [(start, end, False) for start, end, _ in self._made if start < end]
        around = [it for it in (*replaced, *self._kept) if it[0] <= node.start_byte and node.end_byte <= it[1]]
        return bool(around) and not min(around, key=lambda it: (it[1] - it[0], it[2]))[2]

    def applied(self, node: Node) -> str:
        """Return the text of a node with all replacements in it."""
        source = self._parsed.source.encode("utf-8", "surrogatepass")
        parts, at = list[str](), node.start_byte
        for start, end, text in sorted(self._made, key=lambda made: (made[0], -made[1])):
            if start < at or end > node.end_byte:
                continue
            parts += [source[at:start].decode("utf-8", "surrogatepass"), text]
            at = end
        return "".join((*parts, source[at : node.end_byte].decode("utf-8", "surrogatepass")))


def frozen(kind: str, *value: object) -> str:
    """Return a frozen value as text.

    >>> frozen("i", "12"), frozen("n")
    ('["i","12"]', '["n"]')
    """
    return json.dumps([kind, *value], ensure_ascii=False, separators=(",", ":"))
