"""`recoder`: the syntax tree of the method and the edits of it (Recoder), or one subtree of it written anew (CODIT)."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from repairlab.core.record import to_data
from repairlab.core.text import common_ends
from repairlab.languages.facts import facts
from repairlab.learning.networks.inputs import TreeNode
from repairlab.learning.representations.code import (
    LAYOUT,
    choices,
    indent_of,
    indented,
    is_glued,
    join,
    outdented,
    read_tokens,
    syntax_of,
    words,
)
from repairlab.learning.representations.code_tree import CodeNode, read_tree
from repairlab.learning.representations.recoder_edits import applied, subtree_edit, written_edits
from repairlab.learning.representations.recoder_grammar import (
    ROOT,
    UNKNOWN,
    Grammar,
    grammar_of,
    learn_grammar,
    rule_parts,
    rule_slots,
    shortened,
    terminal_parts,
)
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable


class RecoderTree:
    """The nodes of the buggy method's tree, and a sequence of edits, rules, terminals and copies that makes the fixed one.

    What may be written says `recoder_grammar`.
    """

    name = "recoder"
    languages: frozenset[str] | None = None
    unit: Unit = "method"

    def __init__(
        self,
        *,
        grammar: Grammar | Mapping[str, Any] | None = None,
        max_nodes: int = 500,
        max_written: int = 60,
        max_recovered: int = 100,
        subtree: bool = False,
    ) -> None:
        """Take the grammar (none: every rule and terminal may be written) and limits.

        They are on the nodes read, the tokens written, and the ways to fill placeholders. With `subtree`, a fix is one change of
        the smallest node that holds all of it.
        """
        self._edits = subtree_edit if subtree else written_edits
        self.grammar = None if grammar is None else grammar_of(grammar)
        self.max_nodes, self.max_written, self.max_recovered = max_nodes, max_written, max_recovered
        self._examples: dict[str, str] = {}

    @staticmethod
    def learn(pairs: Iterable[tuple[Sample, str]]) -> Mapping[str, Any]:
        """Return the grammar of all fixed methods, and of the buggy ones."""
        return {"grammar": to_data(learn_grammar(_trees(pairs)))}

    def encode(self, sample: Sample) -> Encoded:
        """Return the nodes of the tree, or of the widest part around the bug that is small enough."""
        indent = indent_of(sample)
        text = outdented(sample.buggy, indent)
        root = read_tree(sample.language, text)
        marked = _marked(sample, indent)
        top = self._top(root, marked)
        nodes = top.named()
        inner = {id(node) for node in nodes if marked and node.span and node.span.end > marked[0] and node.span.start < marked[1]}
        memory = {
            "language": sample.language,
            "indent": indent,
            "text": text,
            "root": top.number,
            "nodes": tuple(self._tree_node(node, top, inner) for node in nodes),
            "names": _names(sample.language, sample.file or text),
        }
        return Encoded(source=tuple(map(_label, nodes)), memory=memory)

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the nodes and the edits; a terminal that the grammar lacks becomes a placeholder."""
        encoded = self.encode(sample)
        new = read_tree(sample.language, outdented(fixed, encoded.memory["indent"]))
        written = self._edits(part_read(encoded), self._same_part(encoded, new))
        if self.grammar is not None:
            if any(rule_parts(token) and token not in self.grammar.rules for token in written):
                raise Unrepresentable("the fix needs a rule that the grammar does not have")
            hidden = tuple(self._hidden(token) for token in written)
            missing = tuple(terminal_parts(old) or ("", "") for old, now in zip(written, hidden, strict=True) if old != now)
            found = itertools.islice(self._fillings(encoded, hidden), self.max_recovered)
            if missing and tuple(word for _, word in missing) not in found:
                raise Unrepresentable("the fix has names that are not among the likeliest of the file")
            written = hidden
        if len(written) > self.max_written:
            raise Unrepresentable(f"the fix takes more than {self.max_written} steps")
        return encoded, written

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the edited method if it parses; placeholders are filled with the file's most frequent names."""
        made = []
        for filling in itertools.islice(self._fillings(encoded, written), self.max_recovered):
            rest = iter(filling)
            tree = applied(part_read(encoded), [_filled(token, rest) for token in written])
            if tree is None:
                return ()
            text = _text(encoded, tree)
            if _parses(encoded.memory["language"], text):
                made.append(indented(text, encoded.memory["indent"]))
        return tuple(dict.fromkeys(made))

    def _tree_node(self, node: CodeNode, top: CodeNode, inner: set[int]) -> TreeNode:
        """Return what a decoder must know of a node of the part that is read; `inner` are those in the bug."""
        grammar = self.grammar or Grammar(rules={}, terminals={}, slots={})
        lists = frozenset(grammar.lists)
        parent = node.parent
        siblings = [child for child in parent.children if child.is_named] if parent else [node]
        at = siblings.index(node)
        inside = parent if node is not top else None
        alike = [child for child in siblings if child.symbol == node.symbol]
        slot = rule_slots(parent.rule, lists)[at] if parent else ROOT
        return TreeNode(
            tag=_tag(node, inner),
            parent=inside.number - top.number if inside else -1,
            left=siblings[at - 1].number - top.number if inside and at else -1,
            first=(alike[0] if inside else node).number - top.number,
            end=node.number - top.number + len(node.named()),
            type=node.type,
            slot=slot,
            repeats=inside is not None and slot in lists,
            separated=bool(grammar.lists.get(slot)),
            vanishes=inside is not None and shortened(inside.rule, at) in grammar.rules,
        )

    def _fillings(self, encoded: Encoded, written: Sequence[str]) -> Iterator[tuple[str, ...]]:
        open_places = [token.removesuffix(f"={UNKNOWN}") for token in written if token.endswith(f"={UNKNOWN}")]
        return choices([encoded.memory["names"].get(self._kind(encoded, type_), []) for type_ in open_places])

    def _kind(self, encoded: Encoded, type_: str) -> str:
        """Return which kind of token a leaf of this type is, as the grammar's terminals show."""
        if self.grammar is not None:
            if not self._examples:
                self._examples = {found[0]: found[1] for found in map(terminal_parts, self.grammar.terminals) if found}
            if type_ in self._examples:
                return syntax_of(encoded.memory["language"]).tokens(self._examples[type_])[0].kind
        return "name"

    def _hidden(self, token: str) -> str:
        leaf = terminal_parts(token)
        known = leaf is None or self.grammar is None or token in self.grammar.terminals
        return token if known or leaf is None else f"{leaf[0]}={UNKNOWN}"

    def _top(self, root: CodeNode, marked: tuple[int, int] | None) -> CodeNode:
        node = root
        while len(node.named()) > self.max_nodes:
            inner = [
                child
                for child in node.children
                if marked and child.is_named and child.span and child.span.start <= marked[0] and marked[1] <= child.span.end
            ]
            if not inner:
                raise Unrepresentable(f"the code around the bug has more than {self.max_nodes} nodes")
            node = inner[0]
        return node

    def _same_part(self, encoded: Encoded, new: CodeNode) -> CodeNode:
        """Return the part of the fixed tree that corresponds to the part that is read of the buggy one."""
        old, number = read_tree(encoded.memory["language"], encoded.memory["text"]), encoded.memory["root"]
        path: list[int] = []
        node = next(node for node in old.named() if node.number == number)
        while node is not old and node.parent is not None:
            path.append(node.parent.children.index(node))
            node = node.parent
        part, whole = new, old
        for place in reversed(path):
            if len(part.children) != len(whole.children) or part.rule != whole.rule:
                raise Unrepresentable("the fix changes code outside of what is read")
            others = [at for at in range(len(part.children)) if at != place]
            if any(part.children[at].words() != whole.children[at].words() for at in others):
                raise Unrepresentable("the fix changes code outside of what is read")
            part, whole = part.children[place], whole.children[place]
        return part


def _trees(pairs: Iterable[tuple[Sample, str]]) -> Iterator[CodeNode]:
    for sample, fixed in pairs:
        indent = indent_of(sample)
        for text in (sample.buggy, fixed):
            try:
                yield read_tree(sample.language, outdented(text, indent))
            except Unrepresentable:
                continue


def part_read(encoded: Encoded) -> CodeNode:
    """Return the tree that is read, its nodes numbered from 0."""
    return _numbered(encoded.memory["language"], encoded.memory["text"], encoded.memory["root"])


@lru_cache(maxsize=64)
def _numbered(language: str, text: str, number: int) -> CodeNode:
    part = next(node for node in read_tree(language, text).named() if node.number == number).copy()
    for at, node in enumerate(part.named()):
        node.number = at
    return part


def _label(node: CodeNode) -> str:
    """Return what a network reads of a node: the word of a leaf, otherwise the type with its operator."""
    if not node.children:
        return node.word
    return " ".join((node.type, *(child.word for child in node.children if child.field and not child.is_named)))


def _tag(node: CodeNode, inner: set[int]) -> int:
    if id(node) in inner:
        return 2
    beside = node.parent is not None and any(id(sibling) in inner for sibling in node.parent.children)
    return 1 if beside else 0


def _marked(sample: Sample, indent: str) -> tuple[int, int] | None:
    """Return where the bug is in the outdented text."""
    if sample.marked is None:
        return None
    start, end = (len(outdented(sample.buggy[:place], indent)) for place in sample.marked)
    return start, end


def _names(language: str, text: str) -> dict[str, list[str]]:
    """Return the names and literals of a file by kind, most frequent first: what placeholders are filled with."""
    tokens = syntax_of(language).tokens(text)
    counts = Counter((token.kind, token.text) for token in tokens if token.kind in ("name", "number", "string"))
    made: dict[str, list[str]] = {}
    for kind, name in sorted(counts, key=lambda found: (-counts[found], found)):
        made.setdefault(kind, []).append(name)
    return made


def _filled(token: str, names: Iterator[str]) -> str:
    return token.removesuffix(UNKNOWN) + next(names) if token.endswith(f"={UNKNOWN}") else token


def _text(encoded: Encoded, tree: CodeNode) -> str:
    """Return the method with a new tree instead of what was read; unchanged parts keep their comments and layout."""
    language, text, number = encoded.memory["language"], str(encoded.memory["text"]), encoded.memory["root"]
    part = next(node for node in read_tree(language, text).named() if node.number == number)
    start, end = (part.span.start, part.span.end) if part.span else (0, len(text))
    new = _closed(tree.words())
    if facts(language).is_indented:
        tokens = read_tokens(language, text)
        before = words([token for token in tokens if token.span.end <= start and token.span.start < start])
        after = words([token for token in tokens if token.span.start >= end])
        return join(language, (*before, *new, *after))
    tokens = [token for token in read_tokens(language, text) if start <= token.span.start and token.span.end <= end]
    old = words(tokens)
    if len(old) != len(tokens):
        return text[:start] + join(language, new) + text[end:]
    head, tail = common_ends(old, new)
    first = tokens[head - 1].span.end if head else start
    last = end
    if tail:  # a line break may be a token that has no length, and stands where the next one begins
        next_ = tokens[len(tokens) - tail]
        last = tokens[len(tokens) - tail - 1].span.end if next_.kind in LAYOUT and tail < len(tokens) else next_.span.start
    line = text[text.rfind("\n", 0, first) + 1 : first]
    middle = indented(join(language, new[head : len(new) - tail]), line[: len(line) - len(line.lstrip(" \t"))])
    left = _between(language, text[:first], new[:head][-1:], middle, new[head:][:1])
    right = _between(language, middle or text[:first], new[: len(new) - tail][-1:], text[last:], new[len(new) - tail :][:1])
    return text[:first] + left + middle + right + text[last:]


def _between(language: str, left: str, last: Sequence[str], right: str, first: Sequence[str]) -> str:
    """Return the blank between two pieces of code, of which the last and the first word are given, or nothing."""
    is_open = not left or not right or left[-1].isspace() or right[0].isspace()
    return "" if is_open or (last and first and is_glued(language, last[0], first[0])) else " "


def _parses(language: str, text: str) -> bool:
    try:
        read_tree(language, text)
    except Unrepresentable:
        return False
    return True


def _closed(parts: Sequence[str]) -> list[str]:
    """Return words with neighbouring `>` as one: the grammar ends nested type arguments with two, the lexer reads one."""
    made: list[str] = []
    for part in parts:
        if part == ">" and made and made[-1].strip(">") == "" and made[-1]:
            made[-1] += part
        else:
            made.append(part)
    return made
