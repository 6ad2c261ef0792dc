"""Code as a tree of grammar rules, and a tree as code again.

Line breaks and depth are leaves where the language counts them, so that the leaves of a tree are the tokens of its code.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.facts import facts
from repairlab.languages.language import Token
from repairlab.languages.parser import Parsed
from repairlab.learning.representations.code import LAYOUT, NEWLINE, read_tokens, words
from repairlab.learning.representations.representation import Unrepresentable

_MAX_DEPTH = 200
"""Of a tree: what walks over it calls itself."""


class CodeNode:
    """A node of the syntax tree: a leaf with a word, or a rule with children. Only named nodes can be pointed at."""

    __slots__ = ("children", "field", "is_named", "number", "parent", "span", "type", "word")

    def __init__(self, type_: str, word: str = "", *, is_named: bool, field: str = "", span: Span | None = None) -> None:
        """Take the type in the grammar and, for a leaf, its word; nodes of written trees have no span."""
        self.type, self.word, self.is_named, self.field, self.span = type_, word, is_named, field, span
        self.children: list[CodeNode] = []
        self.parent: CodeNode | None = None
        self.number = -1

    def add(self, child: CodeNode) -> None:
        """Put a child behind the others."""
        child.parent = self
        self.children.append(child)

    def copy(self) -> CodeNode:
        """Return a fresh copy of the tree, without a parent."""
        made = CodeNode(self.type, self.word, is_named=self.is_named, field=self.field, span=self.span)
        made.number = self.number
        for child in self.children:
            made.add(child.copy())
        return made

    def walk(self) -> Iterator[CodeNode]:
        """Yield the node and all below it, in text order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def named(self) -> list[CodeNode]:
        """Return the named nodes, this one first: what numbers count."""
        return [node for node in self.walk() if node.is_named]

    def words(self) -> tuple[str, ...]:
        """Return the words of the leaves."""
        return tuple(node.word for node in self.walk() if not node.children and node.word)

    @property
    def rule(self) -> str:
        """Return the rule that makes the children: `if_statement -> 'if' .condition .consequence`."""
        return f"{self.type} -> {' '.join(child.symbol for child in self.children)}"

    @property
    def symbol(self) -> str:
        """Return what stands for the node in its parent's rule: its field, `*`, or the word of an unnamed node."""
        if not self.is_named:
            return repr(self.word)
        return f".{self.field}" if self.field else "*"


@lru_cache(maxsize=64)
def read_tree(language: str, text: str) -> CodeNode:
    """Return the tree of a function, or of whatever the grammar takes as a whole; nobody may change it.

    Unrepresentable when it does not parse, or when the leaves of its tree are not its tokens.
    """
    if not facts(language).grammar:
        raise Unrepresentable("there is no grammar of the language")
    tokens = read_tokens(language, text)
    if not tokens:
        raise Unrepresentable("there is no code")
    root = _Builder(language, text, tokens).root()
    if "".join(root.words()) != "".join(words(tokens)):
        raise Unrepresentable("the leaves of the tree are not the tokens of the code")
    for number, node in enumerate(root.named()):
        node.number = number
    return root


class _Builder:
    """One reading of a text."""

    def __init__(self, language: str, text: str, tokens: list[Token]) -> None:
        self.language, self.text = language, text
        self.whole = Span(start=tokens[0].span.start, end=tokens[-1].span.end)
        self.layout = [token for token in tokens if token.kind in LAYOUT]
        self.starts = [token.span.start for token in self.layout]
        self.ends = {token.span.start: token.span.end for token in tokens if token.kind not in LAYOUT}
        self.directives = {token.span.start for token in tokens if token.kind == "directive" and token.text == "#"}
        self.offset = 0
        self.parsed = Parsed(language, text)

    def root(self) -> CodeNode:
        around = facts(self.language).method_around
        if self.parsed.root.has_error and around:
            self.parsed = Parsed(self.language, around % self.text)
            self.offset = around.index("%s")
        node = self.parsed.root
        if node.has_error:
            raise Unrepresentable("the code does not parse")
        while self._span(node) != self.whole or node.parent is None:
            inner = next((child for child in node.children if not child.is_extra and self._holds(child)), None)
            if inner is None:
                break
            node = inner
        found = self._span(node)
        if found.start < 0 or found.end > len(self.text) or not self._holds(node):
            raise Unrepresentable("the code is not one function")
        return self._node(node, "")

    def _holds(self, node: Node) -> bool:
        span = self.parsed.span(node)
        return span.start <= self.whole.start + self.offset and self.whole.end + self.offset <= span.end

    def _span(self, node: Node) -> Span:
        span = self.parsed.span(node)
        start, end = span.start - self.offset, span.end - self.offset
        return Span(start=max(start, 0), end=max(end, 0)) if start >= 0 else Span(start=0, end=len(self.text) + 1)

    def _node(self, node: Node, field: str, depth: int = 0) -> CodeNode:
        if depth > _MAX_DEPTH:
            raise Unrepresentable(f"the tree is deeper than {_MAX_DEPTH} nodes")
        span = self._span(node)
        text = span.of(self.text)
        # A string is one token, whatever the grammar finds in it; a name that is a whole expression is a separate node.
        is_token = self.ends.get(span.start) == span.end and all(self._span(child) != span for child in node.children)
        if not node.child_count or is_token:
            return CodeNode(node.type, text, is_named=node.is_named, field=field, span=span)
        made = CodeNode(node.type, is_named=True, field=field, span=span)
        end = -1
        for at, child in enumerate(node.children):
            inner = self._span(child)
            if child.is_extra or not inner.of(self.text).strip():
                continue
            if end >= 0:
                self._add_layout(made, end, inner.start)
                if inner.start in self.directives and made.children[-1].word != NEWLINE:
                    made.add(CodeNode("layout", NEWLINE, is_named=False))
            made.add(self._node(child, node.field_name_for_child(at) or "", depth + 1))
            end = made.children[-1].span.end if made.children[-1].span else inner.end
        return made

    def _add_layout(self, parent: CodeNode, start: int, end: int) -> None:
        for at in range(bisect_left(self.starts, start), len(self.layout)):
            token = self.layout[at]
            if token.span.start > end:
                return
            parent.add(CodeNode("layout", LAYOUT[token.kind], is_named=False, span=token.span))
