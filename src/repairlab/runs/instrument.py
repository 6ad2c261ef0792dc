"""Find statements of a file that can be preceded by a probe, in any language, and make a version that notes which run."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from repairlab.core.record import record
from repairlab.core.text import line_of
from repairlab.languages.facts import facts
from repairlab.languages.parser import Parsed
from repairlab.repairers.templates import node_types

_CHOICES = frozenset(
    {"switch_statement", "switch_expression", "expression_switch_statement", "type_switch_statement", "select_statement"}
)
_STEPS = (
    node_types.SIMPLE
    | node_types.DECLARATIONS
    | node_types.LOOPS
    | (node_types.COMPOUND & node_types.MOVABLE)
    | _CHOICES
    | frozenset({"match_statement", "synchronized_statement", "try_with_resources_statement"})
) - frozenset({"explicit_constructor_invocation"})  # nothing may precede these
_HEADS = ("initializer", "init", "update", "condition", "communication")
"""Fields with parts of a statement that look like statements of a block."""
_RUN = frozenset({"block", "compound_statement", "statement_block", "constructor_body", "module", "program"})
"""Nodes whose statements are run in order."""
_CLOSED = (
    node_types.FUNCTIONS
    | node_types.CLASSES
    | frozenset({"init_statement", "condition_clause", "switch_rule", "ERROR"})
    | frozenset({"translation_unit", "source_file", "declaration_list", "field_declaration_list", "class_body"})
)
"""Nodes that are not really statements, or cannot be preceded by one."""
_AROUND = frozenset({"if_statement", "else_clause", "labeled_statement", "with_statement"}) | node_types.LOOPS
"""Nodes that take one statement, which needs braces to become two."""


@record
class Instrumented:
    """A file that notes which of its statements run."""

    path: str
    text: str
    lines: tuple[int, ...]
    """The line of each place, from the first one on."""


def steps(parsed: Parsed) -> Iterator[Node]:
    """Yield the statements that can be preceded by another, outer before inner."""
    stack = [parsed.root]
    while stack:
        node = stack.pop()
        if node.type in _STEPS and _stands_in_order(node) and not _is_directive(node):
            yield node
        stack.extend(reversed(node.named_children))


def step_at(parsed: Parsed, start: int, end: int) -> Node | None:
    """Return the first statement that begins in a span, else the innermost one around its first word."""
    text = parsed.source
    word = next((place for place in range(start, end) if not text[place].isspace()), start)
    around: Node | None = None
    for node in steps(parsed):
        span = parsed.span(node)
        if start <= span.start < end:
            return node
        if span.start <= word < span.end:
            around = node
    return around


def instrumented(language: str, path: str, text: str, *, number: int, first: int, places: Sequence[str]) -> Instrumented | None:
    """Return a file whose statements are numbered from `first`; None if it has none, or the language has no probe."""
    probe = facts(language).idioms.probe
    parsed = Parsed(language, text)
    found = list(steps(parsed)) if probe else []
    if probe is None or not found:
        return None
    strings = ", ".join(f'"{place}"' for place in places)
    fixed = {"@FILE@": str(number), "@FIRST@": str(first), "@COUNT@": str(len(found)), "@PLACES@": strings}
    head, call, tail = (_filled(part, fixed) for part in (probe.head, probe.call, probe.tail))
    changes = [(_start(parsed, probe.after), head)] if head else []
    for n, node in enumerate(found, start=first):
        changes += _before(parsed, node, call.replace("@N@", str(n)))
    starts = [parsed.span(node).start for node in found]
    return Instrumented(path=path, text=_with(text, changes) + tail, lines=tuple(line_of(text, start) for start in starts))


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _start(parsed: Parsed, after: Sequence[str]) -> int:
    """Return where the first statement of a file may stand."""
    if not facts(parsed.language).is_indented and not after:
        return 0
    before = [node for node in parsed.root.named_children if node.type in after]
    if before and not facts(parsed.language).is_indented:
        return parsed.span(before[-1]).end
    rest = [node for node in parsed.root.named_children if not before or node.start_byte > before[-1].start_byte]
    first = next(node for node in rest if node.type != "comment" and not _is_directive(node))
    return parsed.span(first).start


def _is_directive(node: Node) -> bool:
    """Return whether a statement is just a string: a docstring, or `"use strict"`."""
    return node.type == "expression_statement" and [child.type for child in node.named_children] == ["string"]


def _stands_in_order(node: Node) -> bool:
    """Return whether a statement belongs to a block, not to the head of another one, a class or a file of declarations."""
    inner, outer = node, node.parent
    if node.type == "switch_expression" and outer is not None and outer.type not in _RUN:
        return False  # a value
    while outer is not None and outer.type not in _RUN:
        if outer.type in _CLOSED or any(outer.child_by_field_name(name) == inner for name in _HEADS):
            return False
        inner, outer = outer, outer.parent
    return outer is not None and not _is_constant(outer)


def _is_constant(block: Node) -> bool:
    """Return whether a compiler may run the function around a block, which then must have no side effects."""
    function = block.parent
    return (
        function is not None
        and function.type == "function_definition"
        and any(
            child.text in (b"constexpr", b"consteval")
            for child in function.named_children
            if child.type.endswith("_specifier") or child.type == "type_qualifier"
        )
    )


def _before(parsed: Parsed, node: Node, new: str) -> list[tuple[int, str]]:
    """Return the text to insert so that `new` runs before a statement."""
    text, outer = parsed.source, node.parent
    if facts(parsed.language).is_indented:
        start = parsed.span(node).start
        margin, new = text[text.rfind("\n", 0, start) + 1 : start], new.strip()
        return [(start, f"{new}; " if margin.strip() else f"{new}\n{margin}")]
    while outer is not None and (outer.type == "export_statement" or _is_named(outer, node)):
        node, outer = outer, outer.parent
    span = parsed.span(node)
    if outer is not None and outer.type in _AROUND:
        return [(span.start, f"{{ {new} "), (span.end, " }")]
    return [(span.start, f"{new} ")]


def _is_named(outer: Node, node: Node) -> bool:
    """Return whether a loop's label or the like precedes it, where `continue` needs it."""
    return outer.type == "labeled_statement" and node.type in node_types.LOOPS | _CHOICES


def _with(text: str, changes: Sequence[tuple[int, str]]) -> str:
    parts, done = [], 0
    for start, new in sorted(changes, key=lambda change: change[0]):
        parts += [text[done:start], new]
        done = start
    return "".join([*parts, text[done:]])
