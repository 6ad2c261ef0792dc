"""Parse with tree-sitter: the one place that knows the grammars and converts byte offsets to character offsets."""

from bisect import bisect_right
from functools import cache, cached_property
from importlib import import_module

from tree_sitter import Language, Node, Parser, Tree

from repairlab.core.text import Span
from repairlab.languages.facts import facts


class Parsed:
    """A source text with its syntax tree; spans are in characters of the text."""

    def __init__(self, language: str, source: str) -> None:
        """Parse `source`, which may hold any text: the tree then has ERROR nodes."""
        self.language = language
        self.source = source
        self._bytes = source.encode("utf-8", "surrogatepass")
        self._is_ascii = len(self._bytes) == len(source)
        self.tree: Tree = Parser(_grammar(language)).parse(self._bytes)

    @property
    def root(self) -> Node:
        """Return the root node."""
        return self.tree.root_node

    def offset(self, byte: int) -> int:
        """Return the character offset of a byte offset."""
        if self._is_ascii:
            return byte
        ends, offsets = self._wide
        index = bisect_right(ends, byte) - 1
        return byte if index < 0 else offsets[index] + byte - ends[index]

    @cached_property
    def _wide(self) -> tuple[list[int], list[int]]:
        """Byte and character offsets behind every character that takes several bytes."""
        ends: list[int] = []
        offsets: list[int] = []
        extra = 0
        for index, char in enumerate(self.source):
            if char > "\x7f":
                extra += len(char.encode("utf-8", "surrogatepass")) - 1
                offsets.append(index + 1)
                ends.append(index + 1 + extra)
        return ends, offsets

    def span(self, node: Node) -> Span:
        """Return the span of a node."""
        return Span(start=self.offset(node.start_byte), end=self.offset(node.end_byte))

    def text(self, node: Node | None) -> str:
        """Return the text of a node; nothing where there is none."""
        return "" if node is None else self._bytes[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")


@cache
def _grammar(language: str) -> Language:
    # Each grammar is imported when first needed: most runs use one language.
    return Language(import_module(facts(language).grammar).language())
