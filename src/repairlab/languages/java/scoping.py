"""Names of local variables in Java methods: a candidate that declares one twice, or uses one where none is, does not compile.

On the syntax tree alone: only names that the buggy file knows as local variables, and as nothing else, are looked at.
"""

from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.tree_syntax import walk

_OPENING = frozenset(
    {"block", "for_statement", "enhanced_for_statement", "catch_clause", "lambda_expression", "try_with_resources_statement"}
    | {"switch_block", "constructor_body", "method_declaration", "constructor_declaration", "class_body"}
)
_METHODS = ("method_declaration", "constructor_declaration")
_NAMED = frozenset({"variable_declarator", "formal_parameter", "catch_formal_parameter", "resource", "enhanced_for_statement"})
_INFERRED = ("lambda_expression", "inferred_parameters")


def local_names(root: Node) -> frozenset[str]:
    """Return the names that a file uses for local variables alone."""
    declared, other = set[str](), set[str]()
    for node in walk(root):
        if name := _declared(node):
            (other if _is_field(node) else declared).add(name)
        elif node.type in ("enum_constant", "class_declaration", "interface_declaration", "enum_declaration"):
            other.add(_text(node.child_by_field_name("name")))
    # What is inherited is not seen here: a name that is used outside of its methods may be a field of another file.
    return frozenset(declared - other - _free(root, declared))


def has_wrong_names(root: Node, names: frozenset[str]) -> bool:
    """Return whether a method declares one of these names twice in one scope, or uses one that is not declared there."""
    return any(kind != "fine" for name, kind in _uses(root, names))


def _free(root: Node, names: set[str]) -> set[str]:
    return {name for name, kind in _uses(root, frozenset(names)) if kind != "fine"}


def _uses(root: Node, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield each name of interest with whether it is fine, `twice` or `unknown`, in the order of the text."""
    # Names in scope, with how many classes are around them: a class within a method sees its names, and may use them anew.
    stack: list[tuple[Node, dict[str, int], int]] = [(root, {}, 0)]
    while stack:
        node, scope, depth = stack.pop()
        if node.type in _OPENING:
            scope = dict(scope)
        depth += node.type == "class_body"
        for name in (_declared(node), *(_parameters(node) if node.type == "lambda_expression" else ())):
            if name in names and not _is_field(node):
                yield name, "twice" if scope.get(name) == depth else "fine"
            scope[name] = depth
        if node.type == "identifier" and (name := _text(node)) in names and _is_use(node):
            yield name, "fine" if name in scope else "unknown"
        stack.extend((child, scope, depth) for child in reversed(node.children))


def _declared(node: Node) -> str:
    """Return the name that a node declares."""
    return _text(node.child_by_field_name("name")) if node.type in _NAMED else ""


def _parameters(node: Node) -> Iterator[str]:
    given = node.child_by_field_name("parameters")
    if given is not None and given.type == "identifier":
        yield _text(given)
    elif given is not None:
        yield from (_text(child) for child in given.named_children if child.type == "identifier")


def _is_field(node: Node) -> bool:
    return (
        node.type == "variable_declarator"
        and node.parent is not None
        and node.parent.type in ("field_declaration", "constant_declaration")
    )


def _is_use(node: Node) -> bool:
    """Whether an identifier stands for a variable: not for a method, a member, a label or a declaration."""
    parent = node.parent
    if parent is None or parent.type in (*_NAMED, *_INFERRED, "labeled_statement", "break_statement", "continue_statement"):
        return parent is not None and parent.child_by_field_name("value") == node
    if parent.type == "method_invocation":
        return parent.child_by_field_name("name") != node
    if parent.type == "field_access":
        return parent.child_by_field_name("object") == node
    return parent.type not in (
        "method_declaration",
        "scoped_identifier",
        "marker_annotation",
        "annotation",
        "element_value_pair",
        "switch_label",
        "method_reference",
    )


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")
