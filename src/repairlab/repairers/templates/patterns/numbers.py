"""Patterns for number types: wider variables, casts before dividing and multiplying, conversions."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Replacement, Site, TemplateEdit
from repairlab.repairers.templates.shapes import assignment_of, binaries, call_of, wrapped


def declared_type(site: Site) -> Iterator[TemplateEdit]:
    """Declare with a wider, unsigned or floating type; in a function's head, parameters and result too."""
    table = site.code.idioms.wider
    head_only = site.statement.type in node_types.FUNCTIONS
    for node in site.nodes:
        if node.type in (
            "primitive_type",
            "integral_type",
            "floating_point_type",
            "sized_type_specifier",
            "type_identifier",
            "boolean_type",
        ):
            if node.parent is not None and node.parent.type in ("sized_type_specifier",):
                continue
            for rank, option in enumerate(table.get(site.code.text(node), ())):
                yield site.replace(node, option, weight=(0.7 if head_only else 1.0) / (1 + 0.3 * rank))


def widen_everywhere(site: Site) -> Iterator[TemplateEdit]:
    """Widen the type of each variable that a line computes with, where it is declared."""
    code = site.code
    table = code.idioms.wider
    if not table or site.scope.function is None:
        return
    used = {code.text(node) for node in site.nodes if node.type == "identifier"}
    for statement in code.statements:
        if statement.type not in node_types.DECLARATIONS or site.scope.function != code.function_of(statement):
            continue
        kind = statement.child_by_field_name("type")
        names = {
            code.text(node)
            for node in statement.children_by_field_name("declarator")
            for node in [*node.children, node]
            if node.type == "identifier"
        }
        if kind is not None and names & used and statement != site.statement:
            for option in table.get(code.text(kind), ())[:2]:
                yield TemplateEdit((Replacement(code.start(kind), code.end(kind), option),), 0.5)


def cast(site: Site) -> Iterator[TemplateEdit]:
    """Cast an operand before it is multiplied, divided, added or compared."""
    code = site.code
    if code.is_python:
        yield from _convert(site)
        return
    casts = code.idioms.casts
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol not in ("*", "/", "+", "-", "<", "<=", ">", ">=", "<<", "%"):
                continue
            likely = {"/": ("double",), "*": (*casts[:1], "double"), "<<": casts[:1]}.get(binary.symbol, ())
            for kind in casts:
                weight = 1.0 if kind in likely else 0.3
                yield site.replace(binary.left, f"({kind}) {wrapped(code, binary.left)}", weight=weight)
                yield site.replace(binary.right, f"({kind}) {wrapped(code, binary.right)}", weight=weight * 0.5)
        if node.type == "cast_expression" and node.named_children:
            yield site.replace(node, code.text(node.named_children[-1]), weight=0.6)
            inner = node.named_children[-1]
            for kind in casts:
                yield site.replace(node.named_children[0], kind, weight=0.4)
            if inner.type == "parenthesized_expression":
                for binary in binaries(inner.named_children[0]):
                    head = f"({code.text(node.named_children[0])}) {wrapped(code, binary.left)}"
                    yield site.replace(node, f"{head} {binary.symbol} {code.text(binary.right)}", weight=0.7)
        call = call_of(node)
        if call is not None and code.is_c and code.text(call.name).startswith(("is", "to")):
            for argument in call.arguments[:1]:
                yield site.replace(argument, f"(unsigned char) {wrapped(code, argument)}")


def suffix(site: Site) -> Iterator[TemplateEdit]:
    """Make an integer literal long, unsigned or a floating one."""
    if site.code.is_python:
        return
    for node in site.nodes:
        text = site.code.text(node)
        if node.type in node_types.INTEGERS and re.fullmatch(r"\d+", text):
            for option in (f"{text}L", f"{text}.0") if site.code.is_java else (f"{text}LL", f"{text}.0", f"{text}U", f"{text}ULL"):
                yield site.replace(node, option)


def _convert(site: Site) -> Iterator[TemplateEdit]:
    code = site.code
    for node in site.expressions:
        call = call_of(node)
        if (
            call is not None
            and code.text(call.name) in ("int", "float", "str", "round", "list", "tuple", "set")
            and call.receiver is None
        ):
            for option in ("int", "float", "str", "round"):
                yield site.replace(call.name, option, weight=0.8)
            if len(call.arguments) == 1:
                yield site.replace(node, wrapped(code, call.arguments[0]), weight=0.8)
    for option in ("int", "str", "float", "round"):
        for node in site.expressions:
            if _is_value(site, code, node):
                yield site.replace(node, f"{option}({code.text(node)})", weight=0.6)


def _is_value(site: Site, code: Code, node: Node) -> bool:
    parent = node.parent
    if parent is None or node.type not in ("identifier", "call", "binary_operator", "subscript", "attribute"):
        return False
    assigned = assignment_of(parent)
    if assigned is not None and assigned.target == node:
        return False
    if parent.type == "keyword_argument":
        return parent.child_by_field_name("value") == node
    is_known_text = node.type == "identifier" and group(site.scope.type_of(code.text(node), node)) in ("list", "dict", "set")
    return not is_known_text and parent.type in (
        "argument_list",
        "binary_operator",
        "assignment",
        "return_statement",
        "comparison_operator",
        "augmented_assignment",
        "list",
    )
