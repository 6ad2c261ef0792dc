"""What a network that writes trees may write: edits, pointers, rules and terminals.

A written sequence is `modify @5 TREE`, `insert @5 TREE` (before a sibling), `append @5 TREE` (behind one), `delete @5`, any number
of these, then `end`. `@5` is a named node of the source, counted from 0. A tree is `copy @7`, a rule followed by the trees of its
named children from left to right, or a terminal.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import record, to_data
from repairlab.core.storage.checking import checked
from repairlab.learning.representations.code_tree import CodeNode

EDITS = {"modify": True, "insert": True, "append": True, "delete": False}
"""Edits, and whether a tree follows the pointer."""
END, COPY, UNKNOWN = "end", "copy", "<unknown>"
ROOT = "root"
_ARROW, _IS = " -> ", "="


@record
class Grammar:
    """The rules and terminals of some code, with their frequencies, and which types stand where."""

    rules: Mapping[str, int]
    terminals: Mapping[str, int]
    """As `identifier=size`."""
    slots: Mapping[str, tuple[str, ...]]
    """The places of children by `rule_slots`, and of whole trees (`ROOT`), with the types that stand there."""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Slots that repeat, where more children may stand, and their separators."""

    def slots_of(self, rule: str) -> tuple[str, ...]:
        """Return the slots of the named children of a rule."""
        return rule_slots(rule, frozenset(self.lists))

    def save(self, path: Path) -> None:
        """Write the grammar as JSON."""
        path.write_text(json.dumps(to_data(self), ensure_ascii=False, indent=0), encoding="utf-8")

    @staticmethod
    def load(path: Path) -> "Grammar":
        """Read a grammar that `save` wrote."""
        try:
            return grammar_of(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise UserError(f"{path} is missing: it should hold a grammar") from None
        except ValueError as error:
            raise UserError(f"{path} holds no grammar: {error}") from None


def grammar_of(data: object) -> Grammar:
    """Return a grammar from what JSON holds of it; ValueError when it is none."""
    if isinstance(data, Grammar):
        return data
    try:
        return checked(Grammar, data)
    except UserError as error:
        raise ValueError(str(error)) from None


def learn_grammar(trees: Iterable[CodeNode]) -> Grammar:
    """Return the rules of some trees and the terminals that occur more than once."""
    rules: Counter[str] = Counter()
    terminals: Counter[str] = Counter()
    below: dict[str, list[set[str]]] = {}
    roots = set()
    for tree in trees:
        roots.add(tree.type)
        for node in tree.named():
            if not node.children:
                terminals[terminal(node)] += 1
                continue
            children = [child for child in node.children if child.is_named]
            rules[node.rule] += 1
            for types, child in zip(below.setdefault(node.rule, [set() for _ in children]), children, strict=True):
                types.add(child.type)
    lists = _lists(rules)
    slots = {ROOT: roots}
    for rule, found in below.items():
        for slot, types in zip(rule_slots(rule, frozenset(lists)), found, strict=True):
            slots.setdefault(slot, set()).update(types)
    return Grammar(
        rules=dict(sorted(rules.items())),
        terminals={text: n for text, n in sorted(terminals.items()) if n > 1},
        slots={slot: tuple(sorted(types)) for slot, types in sorted(slots.items())},
        lists=lists,
    )


def _lists(rules: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return the slots that repeat, some rule having one more of them than another, with what separates them."""
    found: dict[str, tuple[str, ...]] = {}
    for rule in sorted(rules):
        _, symbols = rule_parts(rule) or ("", ())
        is_named = [is_child(symbol) for symbol in symbols]
        places = [place for place, named in enumerate(is_named) if named]
        for child, (slot, place) in enumerate(zip(_open_slots(rule), places, strict=True)):
            shorter = shortened(rule, child)
            if shorter in rules and slot in _open_slots(shorter):
                words = symbols[removed(is_named, place)]
                found.setdefault(slot, tuple(word for word in words if not is_child(word)))
    return found


def terminal(node: CodeNode) -> str:
    """Return how a leaf is written."""
    return f"{node.type}{_IS}{node.word}"


def pointer(node: CodeNode) -> str:
    """Return how a node of the source is pointed at."""
    return f"@{node.number}"


def pointed(text: str) -> int | None:
    """Return the number of a pointer; None if it is not one."""
    return int(text[1:]) if text[:1] == "@" and text[1:].isascii() and text[1:].isdigit() else None


@lru_cache(maxsize=1 << 15)
def rule_slots(rule: str, lists: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the names of the places of a rule's named children.

    Those without a field are told by what stands before them and, unless they are in `lists`, by their number behind it.

    >>> rule_slots("if_statement -> 'if' .condition .consequence")
    ('if_statement.condition', 'if_statement.consequence')
    >>> rule_slots("generic_type -> * *")
    ('generic_type*', 'generic_type*1')
    >>> rule_slots("argument_list -> '(' * ',' * ')'")
    ("argument_list*'('", "argument_list*','")
    """
    seen: Counter[str] = Counter()
    made = []
    for slot in _open_slots(rule):
        made.append(f"{slot}{seen[slot]}" if seen[slot] and slot not in lists else slot)
        seen[slot] += 1
    return tuple(made)


@lru_cache(maxsize=1 << 15)
def _open_slots(rule: str) -> tuple[str, ...]:
    type_, symbols = rule_parts(rule) or ("", ())
    before, made = "", []
    for symbol in symbols:
        if is_child(symbol):
            made.append(f"{type_}*{before}" if symbol == "*" else type_ + symbol)
        if symbol != "*":
            before = symbol
    return tuple(made)


def is_child(symbol: str) -> bool:
    """Return whether a symbol of a rule stands for a named child, and not for a word."""
    return symbol[0] not in "'\""


def removed(is_named: Sequence[bool], at: int) -> slice:
    """Return which children go when one is deleted: a separator goes with it."""
    before = next((i for i in range(at - 1, -1, -1) if is_named[i]), None)
    after = next((i for i in range(at + 1, len(is_named)) if is_named[i]), None)
    first = at if before is None else before + 1
    return slice(first, at + 1 if before is not None or after is None else after)


def shortened(rule: str, child: int) -> str:
    """Return the rule without one of its named children, counted from 0.

    >>> shortened("argument_list -> '(' * ',' * ')'", 1)
    "argument_list -> '(' * ')'"
    """
    type_, symbols = rule_parts(rule) or ("", ())
    is_named = [is_child(symbol) for symbol in symbols]
    at = [place for place, found in enumerate(is_named) if found][child]
    kept = list(symbols)
    del kept[removed(is_named, at)]
    return f"{type_}{_ARROW}{' '.join(kept)}"


@lru_cache(maxsize=1 << 15)
def rule_parts(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the type that a rule makes and the symbols of its children; None if the text is not a rule."""
    type_, arrow, rest = text.partition(_ARROW)
    return (type_, tuple(_symbols(rest))) if arrow and type_ and _IS not in type_ else None


def _symbols(text: str) -> Iterable[str]:
    """Yield the symbols of a rule; a quoted word may hold blanks."""
    while text:
        if text[0] in "'\"":
            end = 1
            while end < len(text) and text[end] != text[0]:
                end += 2 if text[end] == "\\" else 1
            yield text[: end + 1]
            text = text[end + 1 :].lstrip(" ")
        else:
            symbol, _, text = text.partition(" ")
            yield symbol


def terminal_parts(text: str) -> tuple[str, str] | None:
    """Return type and word of a terminal; None if the text is not one."""
    type_, sign, word = text.partition(_IS)
    return (type_, word) if sign and type_ and word and _ARROW not in type_ and type_.isidentifier() else None
