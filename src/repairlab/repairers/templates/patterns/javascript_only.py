"""Patterns for mistakes that JavaScript allows: values taken for missing, promises not waited for, shared objects."""

from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import binaries, call_of

_STRICT = {"==": "===", "!=": "!==", "===": "==", "!==": "!="}
_ORDERS = ("(a, b) => a - b", "(a, b) => b - a", "(a, b) => a.localeCompare(b)")


def missing_value(site: Site) -> Iterator[TemplateEdit]:
    """Take only null and undefined for missing, not 0 and the empty text, or the other way round."""
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol in ("||", "??"):
                yield site.replace(binary.operator, "??" if binary.symbol == "||" else "||")


def strict_equality(site: Site) -> Iterator[TemplateEdit]:
    """Compare with or without conversion."""
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol in _STRICT:
                yield site.replace(binary.operator, _STRICT[binary.symbol])


def awaited(site: Site) -> Iterator[TemplateEdit]:
    """Wait for what a call promises, or do not."""
    for node in site.nodes:
        if node.type == "await_expression" and node.named_children:
            yield site.replace(node, site.code.text(node.named_children[-1]), weight=0.4)
        elif node.type == "call_expression" and node.parent is not None and node.parent.type != "await_expression":
            yield site.replace(node, f"await {site.code.text(node)}")


def order(site: Site) -> Iterator[TemplateEdit]:
    """Sort by number: without a function, `sort` compares texts."""
    for node in site.expressions:
        call = call_of(node)
        if call is not None and site.code.text(call.name) in ("sort", "toSorted") and not call.arguments:
            for rank, option in enumerate(_ORDERS):
                yield site.replace(call.brackets, f"({option})", weight=1.0 / (1 + rank))


def copied(site: Site) -> Iterator[TemplateEdit]:
    """Work on a copy of an array or object; use an object that inherits nothing, or a map."""
    for node in site.nodes:
        text = site.code.text(node)
        if (
            node.type in node_types.NAMES
            and node.parent is not None
            and node.parent.type not in (*node_types.MEMBERS, "formal_parameters")
        ):
            yield site.replace(node, f"[...{text}]", weight=0.6)
            yield site.replace(node, f"{{ ...{text} }}", weight=0.3)
        elif node.type == "object" and not node.named_children:
            yield site.replace(node, "Object.create(null)")
