"""Facts worth testing about the expressions of a statement: not null, not empty, not zero, within bounds."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repairlab.languages.tree_syntax import walk
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Site
from repairlab.repairers.templates.scope import Scope
from repairlab.repairers.templates.shapes import argument_value, assignment_of, binaries, call_of, subscript_of


class Guard(NamedTuple):
    """A condition and its opposite."""

    holds: str
    fails: str
    is_needed: bool
    """Whether the expression breaks without it (a null access, a division by zero)."""


_COLLECTIONS = ("list", "set", "map", "deque", "queue", "stack", "collection", "vector", "string")


def about(site: Site, root: Node) -> list[Guard]:
    """Return guards for what is used under a node, the most needed first."""
    return guards(site.scope, root)


def parameters(scope: Scope) -> list[Guard]:
    """Return guards for the parameters of the function."""
    function = scope.function
    if function is None:
        return []
    declarator = field(function, "declarator") or function
    listed = field(declarator, "parameters")
    return [] if listed is None else guards(scope, listed)


def guards(scope: Scope, root: Node) -> list[Guard]:
    """Return guards for what is used under a node, each once."""
    made = [*_needed(scope, root), *_useful(scope, root)]
    return list({guard.holds: guard for guard in reversed(made)}.values())[::-1]


def _needed(scope: Scope, root: Node) -> Iterator[Guard]:
    code = scope.code
    for node in walk(root):
        if node.type in node_types.STATEMENTS and node != root and node.type not in node_types.DECLARATIONS:
            continue
        subscript = subscript_of(node)
        if subscript is not None:
            yield from _bounds(scope, code.text(subscript[0]), subscript[1])
        for binary in binaries(node):
            if binary.symbol in ("/", "//", "%") and binary.right.type not in node_types.LITERALS:
                text = code.text(binary.right)
                yield Guard(f"{text} != 0", f"{text} == 0", True)
        owner = None
        if node.type in node_types.MEMBERS:
            owner = field(node, "object", "argument")
        call = call_of(node)
        if call is not None and call.receiver is not None:
            owner = call.receiver
        if node.type == "pointer_expression" and code.text(node).startswith("*"):
            owner = field(node, "argument")
        if owner is not None and owner.type in ("identifier", "field_access", "attribute", "field_expression", "method_invocation"):
            yield from _null(scope, owner)


def _bounds(scope: Scope, container: str, index: Node) -> Iterator[Guard]:
    code = scope.code
    text = code.text(index)
    if index.type in node_types.LITERALS or index.type == "slice":
        if code.is_python:
            yield Guard(container, f"not {container}", True)
            if text.isdigit():
                yield Guard(f"len({container}) > {text}", f"len({container}) <= {text}", True)
        return
    if index.type == "unary_operator":
        yield Guard(container, f"not {container}", True)
        return
    if code.is_python:
        yield Guard(f"{text} in {container}", f"{text} not in {container}", True)
        yield Guard(f"{text} < len({container})", f"{text} >= len({container})", True)
    elif code.is_java:
        yield Guard(f"{text} < {container}.length", f"{text} >= {container}.length", True)
    elif code.is_cpp:
        yield Guard(f"{text} < {container}.size()", f"{text} >= {container}.size()", True)
    yield Guard(f"{text} >= 0", f"{text} < 0", True)
    if not code.is_python:
        for name in ("n", "size", "len", "length", "count", "capacity"):
            if any(item.name == name for item in scope.visible(index)):
                yield Guard(f"{text} < {name}", f"{text} >= {name}", True)


def _null(scope: Scope, owner: Node) -> Iterator[Guard]:
    code = scope.code
    text = code.text(owner)
    if text in ("self", "this", "cls", "Math", "System", "std") or (code.is_java and text[:1].isupper() and "." not in text):
        return
    kind = scope.type_of(text, owner)
    if code.is_python:
        yield Guard(f"{text} is not None", f"{text} is None", True)
    elif code.is_java:
        if group(kind) not in ("integer", "real", "truth") or kind[:1].isupper():
            yield Guard(f"{text} != null", f"{text} == null", True)
            if any(word in kind.lower() for word in _COLLECTIONS):
                yield Guard(f"!{text}.isEmpty()", f"{text}.isEmpty()", True)
    elif kind.endswith("*") or owner.type == "field_expression" or not kind:
        null = "NULL" if code.is_plain_c else "nullptr"
        yield Guard(f"{text} != {null}", f"{text} == {null}", True)
    elif code.is_cpp:
        yield Guard(f"!{text}.empty()", f"{text}.empty()", True)


def _useful(scope: Scope, root: Node) -> Iterator[Guard]:
    code = scope.code
    for node in walk(root):
        if node.type != "identifier" or (node.parent is not None and _is_written_or_called(node, node.parent)):
            continue
        name = code.text(node)
        kind = scope.type_of(name, node)
        family = group(kind)
        if family in ("integer", "real"):
            yield Guard(f"{name} > 0", f"{name} <= 0", False)
            yield Guard(f"{name} != 0", f"{name} == 0", False)
            yield Guard(f"{name} >= 0", f"{name} < 0", False)
        elif code.is_python:
            if any(item.name == name for item in scope.visible(node)):
                yield Guard(name, f"not {name}", False)
                yield Guard(f"{name} is not None", f"{name} is None", False)
                yield Guard(f"{name} > 0", f"{name} <= 0", False)
        elif code.is_java and family not in ("truth", ""):
            yield Guard(f"{name} != null", f"{name} == null", False)
            if kind.endswith("[]"):
                yield Guard(f"{name}.length > 0", f"{name}.length == 0", False)
            elif family == "text" or any(word in family for word in _COLLECTIONS):
                yield Guard(f"!{name}.isEmpty()", f"{name}.isEmpty()", False)
        elif code.is_c and family.endswith("*"):
            yield Guard(name, f"!{name}", False)
        elif code.is_cpp and (family == "text" or "<" in family):
            yield Guard(f"!{name}.empty()", f"{name}.empty()", False)


def _is_written_or_called(node: Node, parent: Node) -> bool:
    assigned = assignment_of(parent)
    if assigned is not None and assigned.target == node:
        return True
    call = call_of(parent)
    if call is not None and call.name == node:
        return True
    return parent.type in ("keyword_argument", "type", "scoped_type_identifier") and argument_value(parent) != node


def truths(site: Site) -> list[str]:
    """Return the flags and questions that are visible: boolean variables, and predicates of one argument in the file."""
    found = [item.name for item in site.scope.visible(site.statement) if group(item.type) == "truth"]
    names = [item.name for item in site.scope.visible(site.statement) if item.is_local][:4]
    for made in site.scope.library.signatures:
        if made.n_parameters == 1 and (group(made.returns) == "truth" or made.name.startswith(("is_", "has_", "is", "can_"))):
            if site.code.is_python and made.is_method:
                continue
            found += [f"{made.name}({name})" for name in names]
    return found
