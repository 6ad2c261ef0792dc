"""What a network that writes trees may write: edits, pointers, rules and terminals. `recoder` and its decoder call it.

A written sequence is `modify @5 TREE`, `insert @5 TREE` (before a sibling), `append @5 TREE` (behind one), `delete @5`, any number
of these, then `end`. `@5` is a named node of the source, counted from 0. A tree is `copy @7`, a rule followed by the trees of its
named children from left to right, or a terminal.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from repairlab.core.errors import UserError
from repairlab.core.record import record, to_data
from repairlab.representations.code_tree import CodeNode

EDITS = {"modify": True, "insert": True, "append": True, "delete": False}
"""Edits, and whether a tree follows the pointer."""
END, COPY, UNKNOWN = "end", "copy", "<unknown>"
_ARROW, _IS = " -> ", "="


@record
class Grammar:
    """The rules and terminals of a set of code, with how often each occurs, and which types stand where."""

    rules: Mapping[str, int]
    terminals: Mapping[str, int]
    """As `identifier=size`."""
    slots: Mapping[str, tuple[str, ...]]
    """Type and field of a child, as in `if_statement.condition`, and the types that it has."""

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
        return TypeAdapter(Grammar).validate_python(data)
    except ValidationError as error:
        raise ValueError(str(error).splitlines()[0]) from None


def learn_grammar(trees: Iterable[CodeNode], *, min_terminals: int = 2) -> Grammar:
    """Return the rules of some trees and the terminals that occur often enough."""
    rules: Counter[str] = Counter()
    terminals: Counter[str] = Counter()
    slots: dict[str, set[str]] = {}
    for tree in trees:
        for node in tree.named():
            if node.children:
                rules[node.rule] += 1
            else:
                terminals[terminal(node)] += 1
            if node.parent is not None:
                slots.setdefault(slot_of(node.parent.type, node.symbol), set()).add(node.type)
    return Grammar(
        rules=dict(sorted(rules.items())),
        terminals={text: n for text, n in sorted(terminals.items()) if n >= min_terminals},
        slots={slot: tuple(sorted(types)) for slot, types in sorted(slots.items())},
    )


def terminal(node: CodeNode) -> str:
    """Return how a leaf is written."""
    return f"{node.type}{_IS}{node.word}"


def pointer(node: CodeNode) -> str:
    """Return how a node of the source is pointed at."""
    return f"@{node.number}"


def pointed(text: str) -> int | None:
    """Return the number that a pointer has; none when it is no pointer."""
    return int(text[1:]) if text[:1] == "@" and text[1:].isascii() and text[1:].isdigit() else None


def slot_of(parent: str, symbol: str) -> str:
    """Return the name of a place in a rule: `if_statement.condition`, or `block*` for those without a field."""
    return parent + symbol


@lru_cache(maxsize=1 << 15)
def rule_parts(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the type that a rule makes and the symbols of its children; none when the text is no rule."""
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
    """Return type and word of a terminal; none when the text is none."""
    type_, sign, word = text.partition(_IS)
    return (type_, word) if sign and type_ and word and _ARROW not in type_ and type_.isidentifier() else None


@record
class Expected:
    """What may come next in a written sequence."""

    kind: Literal["edit", "node", "tree", "nothing", "wrong"]
    """An edit or `end`; a pointer; a tree's first token; nothing, for it is complete; or no way to go on."""
    slot: str = ""
    """Where the tree goes; empty at the root of one, where anything may be."""


def expected(written: Sequence[str]) -> Expected:
    """Return what may come behind a part of a written sequence.

    >>> expected(("modify", "@3", "if_statement -> 'if' .condition .consequence"))
    Expected(kind='tree', slot='if_statement.condition')
    """
    open_slots: list[str] = []
    at: Literal["edit", "pointer", "tree", "copied"] = "edit"
    takes_tree = False
    for number, token in enumerate(written, start=1):
        if at == "edit":
            if token == END:
                return Expected(kind="nothing" if number == len(written) else "wrong")
            if token not in EDITS:
                return Expected(kind="wrong")
            at, takes_tree = "pointer", EDITS[token]
        elif at in ("pointer", "copied"):
            if pointed(token) is None:
                return Expected(kind="wrong")
            if at == "pointer" and takes_tree:
                open_slots.append("")
            at = "tree" if open_slots else "edit"
        else:
            open_slots.pop()
            rule = rule_parts(token)
            if token == COPY:
                at = "copied"
                continue
            if rule is not None:
                named = [slot_of(rule[0], symbol) for symbol in rule[1] if symbol[0] not in "'\""]
                open_slots += reversed(named)
            elif terminal_parts(token) is None:
                return Expected(kind="wrong")
            at = "tree" if open_slots else "edit"
    if at in ("pointer", "copied"):
        return Expected(kind="node")
    return Expected(kind="tree", slot=open_slots[-1]) if open_slots else Expected(kind="edit")


def fits(token: str, place: Expected, grammar: Grammar) -> bool:
    """Return whether a token may be written at a place: of the right kind and, by what the grammar has seen, of a right type."""
    if place.kind == "edit":
        return token == END or token in EDITS
    if place.kind == "node":
        return pointed(token) is not None
    if place.kind != "tree":
        return False
    if token == COPY:
        return True
    rule, leaf = rule_parts(token), terminal_parts(token)
    if rule is None and leaf is None:
        return False
    type_ = rule[0] if rule is not None else leaf[0] if leaf is not None else ""
    return not place.slot or type_ in grammar.slots.get(place.slot, ())
