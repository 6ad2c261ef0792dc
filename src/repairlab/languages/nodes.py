"""Going about in a syntax tree, without asking at each step whether there is anything."""

from collections.abc import Collection, Iterator

from tree_sitter import Node


def named(node: Node | None) -> list[Node]:
    """Return the children of a node that are no punctuation and no comment."""
    children = node.named_children if node is not None else []
    return [child for child in children if child.type not in ("comment", "line_comment", "block_comment")]


def part(node: Node | None, *fields: str) -> Node | None:
    """Return what a field of a node holds, or a field of that; none where something is missing on the way."""
    for field in fields:
        node = node.child_by_field_name(field) if node is not None else None
    return node


def walk(root: Node | None) -> Iterator[Node]:
    """Yield all nodes, in the order of the text, whatever the depth."""
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def own(root: Node, functions: Collection[str]) -> Iterator[Node]:
    """Yield a node and all below it, but not what functions within it do."""
    yield root
    for child in root.children:
        if child.type not in functions:
            yield from own(child, functions)


def upward(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield a node with its parent, the parent with its own, and so on."""
    while (parent := node.parent) is not None:
        yield node, parent
        node = parent


def above(node: Node | None, *types: str) -> Node | None:
    """Return the parent of a node, and its parent, and so on, if they have these types; none where one has another type."""
    for kind in types:
        node = node.parent if node is not None else None
        node = node if node is not None and kind in ("", node.type) else None
    return node


def operator_of(node: Node) -> str:
    """Return the operator of an expression; nothing where it has none."""
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""
