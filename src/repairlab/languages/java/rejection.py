"""What a Java compiler rejects beside syntax errors, as far as the syntax tree shows it; repairers ask by `Facts.rejection`."""

from collections.abc import Callable

from tree_sitter import Node

from repairlab.languages.java.reachability import has_dead_code
from repairlab.languages.java.scoping import has_wrong_names, local_names


def rejection(file: Node) -> Callable[[Node], bool]:
    """Return what tells whether a version of a part of this file would be rejected."""
    names = local_names(file)
    return lambda part: has_dead_code(part) or has_wrong_names(part, names)
