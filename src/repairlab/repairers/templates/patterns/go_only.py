"""Patterns for mistakes that Go allows: variables hidden by others of their name, bytes taken for letters."""

from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.fix_site import Site, TemplateEdit


def hidden_variable(site: Site) -> Iterator[TemplateEdit]:
    """Assign to the variable of the scope around instead of declaring another one, or the other way round."""
    for node in site.nodes:
        if node.type == ":=" and not node.is_named:
            yield site.replace(node, "=")
        elif node.type == "=" and node.parent is not None and node.parent.type == "assignment_statement":
            yield site.replace(node, ":=", weight=0.4)


def letters(site: Site) -> Iterator[TemplateEdit]:
    """Count or take letters, not bytes."""
    for node in site.nodes:
        parent = node.parent
        if (
            node.type in node_types.NAMES
            and parent is not None
            and parent.type in ("argument_list", "slice_expression", "range_clause")
        ):
            yield site.replace(node, f"[]rune({site.code.text(node)})")
