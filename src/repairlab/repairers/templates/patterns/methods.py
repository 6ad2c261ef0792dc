"""Patterns that call a sibling of a well-known function or method: strip and rstrip, equals and compareTo, get and getOrDefault."""

from collections.abc import Iterator
from functools import cache

from repairlab.languages.facts import facts
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import binaries, call_of


@cache
def families(language: str) -> tuple[tuple[str, ...], ...]:
    """Return the families of a language."""
    return tuple(tuple(family.split()) for family in facts(language).idioms.families.split(";"))


def sibling(site: Site) -> Iterator[TemplateEdit]:
    """Call a function of the same family."""
    for node in site.nodes:
        call = call_of(node)
        name = call.name if call is not None else node if node.type in ("identifier", "field_identifier") else None
        if name is None:
            continue
        text = site.code.text(name)
        prefix, _, last = text.rpartition("::")
        options = [word for family in families(site.code.language) if last in family for word in family if word != last]
        is_call = call is not None
        for rank, option in enumerate(dict.fromkeys(options)):
            yield site.replace(
                name, f"{prefix}::{option}" if prefix else option, weight=(1.0 if is_call else 0.3) / (1 + 0.2 * rank)
            )


def append_call(site: Site) -> Iterator[TemplateEdit]:
    """Call a common method on a value."""
    code = site.code
    for rank, suffix in enumerate(code.idioms.appended):
        for node in site.expressions:
            parent = node.parent
            if parent is None or node.type not in (
                "identifier",
                "call",
                "method_invocation",
                "subscript",
                "attribute",
                "field_access",
            ):
                continue
            is_value = parent.type in (
                "argument_list",
                "return_statement",
                "for_statement",
                "for_in_clause",
                "enhanced_for_statement",
                "comparison_operator",
            )
            is_value = is_value or parent.type in ("binary_expression", "binary_operator", "for_range_loop")
            is_source = parent.child_by_field_name("right") == node or parent.child_by_field_name("value") == node
            if (is_value and parent.child_by_field_name("left") != node) or is_source or parent.type == "comparison_operator":
                yield site.replace(node, code.text(node) + suffix, weight=1.0 / (1 + 0.2 * rank))


def equality(site: Site) -> Iterator[TemplateEdit]:
    """Compare contents, not identities (Java, C), or the other way round."""
    code = site.code
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol not in ("==", "!="):
                continue
            left, right = code.text(binary.left), code.text(binary.right)
            bang = "!" if binary.symbol == "!=" else ""
            if code.is_java and "null" not in (left, right):
                primitive = (
                    binary.left.type in node_types.NUMBERS | node_types.CHARACTERS
                    or binary.right.type in node_types.NUMBERS | node_types.CHARACTERS
                )
                weight = 0.2 if primitive else 1.0
                yield site.replace(node, f"{bang}{left}.equals({right})", weight=weight)
                yield site.replace(node, f"{bang}Objects.equals({left}, {right})", weight=weight * 0.7)
                yield site.replace(node, f"{bang}{right}.equals({left})", weight=weight * 0.5)
            if code.is_c and (binary.right.type in node_types.STRINGS or site.scope.type_of(left, binary.left) == "char*"):
                yield site.replace(node, f"strcmp({left}, {right}) {binary.symbol} 0")
    for node in site.expressions:
        call = call_of(node)
        if call is None:
            continue
        name = code.text(call.name)
        if name == "equals" and call.receiver is not None and len(call.arguments) == 1:
            yield site.replace(node, f"{code.text(call.receiver)} == {code.text(call.arguments[0])}", weight=0.4)
            yield site.replace(node, f"Objects.equals({code.text(call.receiver)}, {code.text(call.arguments[0])})", weight=0.7)
        if (
            name in ("strcmp", "strncmp", "memcmp", "compareTo")
            and node.parent is not None
            and node.parent.type != "binary_expression"
        ):
            yield site.replace(node, f"{code.text(node)} == 0")
            yield site.replace(node, f"{code.text(node)} != 0")
