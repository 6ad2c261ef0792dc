"""Declared names with their types and the lines on which they are visible."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repairlab.languages.nodes import walk
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, enclosing, field

_SCOPES = (
    node_types.BLOCKS
    | node_types.LOOPS
    | node_types.FUNCTIONS
    | frozenset({"lambda_expression", "lambda", "catch_clause", "try_with_resources_statement"})
)


class Variable(NamedTuple):
    """A variable, parameter, field or constant."""

    name: str
    type: str
    """Declared type without qualifiers, pointers and arrays kept as `*`; guessed from use in Python; may be empty."""
    start: int
    """Visible from this byte …"""
    end: int
    """… to this one."""
    is_local: bool


def variables(code: Code) -> list[Variable]:
    """Return all declared variables of a file."""
    found = _python(code) if code.is_python else _typed(code)
    return list(dict.fromkeys(found))


_PARAMETERS = frozenset({"formal_parameter", "parameter_declaration", "optional_parameter_declaration", "spread_parameter"})
_LOOP_NAMES = frozenset({"enhanced_for_statement", "for_range_loop", "catch_formal_parameter"})


def _typed(code: Code) -> Iterator[Variable]:
    for node in walk(code.root):
        if node.type in ("local_variable_declaration", "declaration", "field_declaration", "resource"):
            kind = _type_text(code, node)
            for declarator in node.children_by_field_name("declarator") or ([node] if node.type == "resource" else []):
                yield from _declared(code, declarator, kind, node)
        elif node.type in _PARAMETERS | _LOOP_NAMES:
            inner = [child for child in node.named_children if child.type == "variable_declarator"]
            name = field(node, "declarator", "name") or next(iter(inner), None)
            is_used = node.type in _LOOP_NAMES or enclosing(node, node_types.FUNCTIONS | {"lambda_expression"}) is not None
            if name is not None and is_used:
                yield from _declared(code, name, _type_text(code, node), node)
        elif node.type == "enumerator":
            yield Variable(code.text(node.children[0]), "int", 0, len(code.source) * 4, False)
        elif node.type == "preproc_def":
            name, value = field(node, "name"), field(node, "value")
            if name is not None and value is not None:
                yield Variable(code.text(name), "int" if code.text(value).strip().isdigit() else "", 0, len(code.source) * 4, False)


def _type_text(code: Code, node: Node) -> str:
    found = field(node, "type")
    if found is None:
        return ""
    text = code.text(found).removeprefix("std::").removeprefix("struct ")
    for sibling in node.children:  # `unsigned` and the like stand in the type already; `...` marks varargs
        if sibling.type == "...":
            text += "[]"
    return text


def _declared(code: Code, declarator: Node, kind: str, declaration: Node) -> Iterator[Variable]:
    node = declarator
    value = field(node, "value") if node.type in ("init_declarator", "variable_declarator") else None
    while node.type not in node_types.NAMES:
        if node.type in ("pointer_declarator", "array_declarator") or field(node, "dimensions") is not None:
            kind += "*" if code.is_c else "[]"
        if node.type in ("function_declarator", "structured_binding_declarator"):
            return
        inner = field(node, "declarator", "name") or next((c for c in node.named_children if c.type in node_types.NAMES), None)
        if inner is None:
            return
        node = inner
    if kind in ("auto", "var") and value is not None:
        kind = _literal_type(code, value)
    in_function = enclosing(declaration, node_types.FUNCTIONS) is not None and declaration.type != "field_declaration"
    if not in_function:
        yield Variable(code.text(node), kind, 0, len(code.source) * 4, False)
        return
    holder = declaration if declaration.type in _SCOPES else declaration.parent and enclosing(declaration.parent, _SCOPES)
    end = holder.end_byte if holder is not None else len(code.source) * 4
    yield Variable(code.text(node), kind, node.start_byte, end, True)


def _python(code: Code) -> Iterator[Variable]:
    for node in walk(code.root):
        if node.type in ("parameters", "lambda_parameters"):
            owner = node.parent or node
            for child in node.named_children:
                name = child if child.type == "identifier" else field(child, "name") or next(iter(child.named_children), None)
                if name is not None and name.type == "identifier" and code.text(name) not in ("self", "cls"):
                    kind = field(child, "type")
                    value = field(child, "value")
                    guess = code.text(kind) if kind is not None else "" if value is None else _literal_type(code, value)
                    yield Variable(code.text(name), guess, owner.start_byte, owner.end_byte, True)
        elif node.type in ("assignment", "for_statement", "for_in_clause", "named_expression", "as_pattern"):
            left = field(node, "left", "name", "alias")
            right = field(node, "right")
            if left is None:
                continue
            holder = enclosing(node, node_types.FUNCTIONS | node_types.COMPREHENSIONS)
            value_type = _literal_type(code, right) if right is not None and node.type == "assignment" else ""
            value_type = "int" if right is not None and code.text(right).startswith("range(") else value_type
            for name in walk(left):
                if name.type == "identifier" and (name.parent is None or name.parent.type not in ("attribute", "subscript")):
                    if holder is None:
                        yield Variable(code.text(name), value_type, 0, len(code.source) * 4, False)
                    else:
                        yield Variable(code.text(name), value_type, name.start_byte, holder.end_byte, True)


def _literal_type(code: Code, value: Node) -> str:
    text = code.text(value)
    by_type = {
        "integer": "int",
        "decimal_integer_literal": "int",
        "number_literal": "int",
        "float": "float",
        "string": "str",
        "string_literal": "String",
        "list": "list",
        "list_comprehension": "list",
        "dictionary": "dict",
        "set": "set",
        "tuple": "tuple",
        "true": "bool",
        "false": "bool",
        "comparison_operator": "bool",
        "boolean_operator": "bool",
        "not_operator": "bool",
    }
    if value.type in by_type:
        return by_type[value.type]
    for prefix, kind in (
        ("len(", "int"),
        ("sum(", "int"),
        ("int(", "int"),
        ("sorted(", "list"),
        ("list(", "list"),
        ("set(", "set"),
        ("dict(", "dict"),
        ("str(", "str"),
    ):
        if text.startswith(prefix):
            return kind
    return ""


_GROUPS = {
    "integer": ("int", "long", "short", "size_t", "ssize_t", "unsigned", "byte", "char", "integer", "uint", "int64", "ptrdiff_t"),
    "real": ("float", "double"),
    "truth": ("bool", "boolean", "_bool"),
    "text": ("string", "str", "charsequence", "stringbuilder"),
}


def group(kind: str) -> str:
    """Return the family of a type: types of one family can stand for each other."""
    lowered = kind.lower()
    if not lowered or lowered.endswith(("*", "[]")) or "<" in lowered:
        return lowered
    for name, words in _GROUPS.items():
        if any(
            lowered == word or lowered.startswith((word + " ", word + "8", word + "1", word + "3", word + "6")) for word in words
        ):
            return name
    if any(word in lowered.split() for word in ("int", "long", "short", "char", "unsigned")):
        return "integer"
    if lowered.endswith("_t"):
        return "integer"
    return lowered


def compatible(one: str, two: str) -> bool:
    """Whether a name of one type can plausibly stand where a name of the other stood; unknown types can."""
    first, second = group(one), group(two)
    numeric = {"integer", "real"}
    return not first or not second or first == second or (first in numeric and second in numeric)
