"""What a Java compiler rejects beside syntax errors, as far as the syntax tree shows it: dead code, and wrong names of variables.

Reachability is that of the Java Language Specification, §14.22; what needs types or values of names counts as fine. Of names, only
those are looked at that the buggy file knows as local variables, and as nothing else.
"""

from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from repairlab.languages.nodes import walk


def rejection(file: Node) -> Callable[[Node], bool]:
    """Return what tells whether a version of a part of this file would be rejected."""
    names = local_names(file)
    return lambda part: has_dead_code(part) or has_wrong_names(part, names)


_JUMPS = frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement"})
_LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "enhanced_for_statement"})
_SWITCHES = frozenset({"switch_statement", "switch_expression"})
_BODIES_APART = frozenset({"class_body", "lambda_expression"})
"""Code in these does not run where it is written."""


class _UnreachableError(Exception):
    """A statement follows one that never ends normally."""


def has_dead_code(root: Node) -> bool:
    """Return whether a compiler would say `unreachable statement` or `missing return statement` of a method in a tree."""
    try:
        return any(_lacks_return(node) for node in walk(root) if node.type in ("method_declaration", "constructor_declaration"))
    except _UnreachableError:
        return True


def _lacks_return(method: Node) -> bool:
    body, returned = method.child_by_field_name("body"), method.child_by_field_name("type")
    ends = body is not None and _sequence_ends(_statements(body))
    return ends and returned is not None and returned.type != "void_type"


def _statements(node: Node) -> list[Node]:
    return [child for child in node.named_children if "comment" not in child.type]


def _sequence_ends(statements: list[Node]) -> bool:
    """Return whether the last of these can complete normally; raises when one is never reached."""
    for index, statement in enumerate(statements):
        if not _ends(statement):
            if index + 1 < len(statements):
                raise _UnreachableError
            return False
    return True


def _ends(node: Node, label: str = "") -> bool:
    """Return whether a statement can complete normally; raises when one within it is never reached."""
    kind = node.type
    if kind in _JUMPS:
        return False
    if kind in _LOOPS:
        return _loop_ends(node, label)
    if kind == "labeled_statement":
        name, body = _statements(node)[0], _statements(node)[-1]
        return _ends(body, _text(name)) or _breaks(body, _text(name), inside=True)
    by_kind = _COMPOUND.get(kind)
    return by_kind is None or by_kind(node)


def _block_ends(node: Node) -> bool:
    return _sequence_ends(_statements(node))


def _if_ends(node: Node) -> bool:
    other = node.child_by_field_name("alternative")
    ends = _ends(_part(node, "consequence"))
    return (other is None or _ends(other)) or ends


def _body_ends(node: Node) -> bool:
    return _ends(_part(node, "body"))


def _loop_ends(node: Node, label: str) -> bool:
    body = _part(node, "body")
    ends = _ends(body)
    if node.type == "enhanced_for_statement":
        return True
    condition = node.child_by_field_name("condition")
    always = _is(condition, "true") or (node.type == "for_statement" and condition is None)
    if _is(condition, "false") and node.type != "do_statement":
        raise _UnreachableError
    if _breaks(body, label):
        return True
    if node.type == "do_statement":
        return not always and (ends or any(child.type == "continue_statement" for child in walk(body)))
    return not always


def _try_ends(node: Node) -> bool:
    ends = _ends(_part(node, "body"))
    for child in node.named_children:
        if child.type == "catch_clause":
            ends = _ends(_part(child, "body")) or ends
        elif child.type == "finally_clause":
            ends = _ends(_statements(child)[-1]) and ends
    return ends


def _switch_ends(node: Node) -> bool:
    body = _part(node, "body")
    groups = [child for child in body.named_children if child.type == "switch_block_statement_group"]
    has_default = any(_text(child).startswith("default") for group in groups for child in group.named_children[:8])
    last = True
    for group in groups:
        last = _sequence_ends([child for child in _statements(group) if child.type != "switch_label"])
    # Arrow rules are left to the compiler.
    return not groups or not has_default or last or _breaks(body, "")


def _breaks(body: Node, label: str, *, inside: bool = False) -> bool:
    """Return whether a `break` within a body ends the statement around it, which may have a label."""
    return any(
        ((name := _label(node)) == label and label != "") or (name == "" and is_own and not inside) for node, is_own in _jumps(body)
    )


def _jumps(body: Node) -> Iterator[tuple[Node, bool]]:
    """Yield the breaks of a body, and whether no other loop or switch is around them."""
    stack = [(body, True)]
    while stack:
        node, is_own = stack.pop()
        if node.type == "break_statement":
            yield node, is_own
        if node.type in _BODIES_APART:
            continue
        inner = is_own and node.type not in _LOOPS and node.type not in _SWITCHES
        stack.extend((child, inner) for child in node.named_children)


def _label(node: Node) -> str:
    return _text(node.named_children[0]) if node.named_children else ""


def _part(node: Node, name: str) -> Node:
    return node.child_by_field_name(name) or node.named_children[-1]


def _is(condition: Node | None, word: str) -> bool:
    return condition is not None and _text(condition).strip("() \t\r\n") == word


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_COMPOUND: Mapping[str, Callable[[Node], bool]] = {
    "block": _block_ends,
    "constructor_body": _block_ends,
    "if_statement": _if_ends,
    "synchronized_statement": _body_ends,
    "try_statement": _try_ends,
    "try_with_resources_statement": _try_ends,
    **dict.fromkeys(_SWITCHES, _switch_ends),
}
"""Whether a compound statement can complete normally, by its kind."""


_OPENING = frozenset(
    {"block", "for_statement", "enhanced_for_statement", "catch_clause", "lambda_expression", "try_with_resources_statement"}
    | {"switch_block", "constructor_body", "method_declaration", "constructor_declaration", "class_body"}
)
_NAMED = frozenset({"variable_declarator", "formal_parameter", "catch_formal_parameter", "resource", "enhanced_for_statement"})
_INFERRED = ("lambda_expression", "inferred_parameters")


def local_names(root: Node) -> frozenset[str]:
    """Return the names that a file uses only for local variables."""
    declared, other = set[str](), set[str]()
    for node in walk(root):
        if name := _declared(node):
            (other if _is_field(node) else declared).add(name)
        elif node.type in ("enum_constant", "class_declaration", "interface_declaration", "enum_declaration"):
            other.add(_spelling(node.child_by_field_name("name")))
    # Inheritance is not visible here: a name used outside its methods may be a field of another file.
    return frozenset(declared - other - _free(root, declared))


def has_wrong_names(root: Node, names: frozenset[str]) -> bool:
    """Return whether a method declares one of these names twice in one scope, or uses it undeclared."""
    return any(kind != "fine" for name, kind in _uses(root, names))


def _free(root: Node, names: set[str]) -> set[str]:
    return {name for name, kind in _uses(root, frozenset(names)) if kind != "fine"}


def _uses(root: Node, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield each relevant name with whether it is fine, `twice` or `unknown`, in text order."""
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
        if node.type == "identifier" and (name := _spelling(node)) in names and _is_use(node):
            yield name, "fine" if name in scope else "unknown"
        stack.extend((child, scope, depth) for child in reversed(node.children))


def _declared(node: Node) -> str:
    """Return the name that a node declares."""
    return _spelling(node.child_by_field_name("name")) if node.type in _NAMED else ""


def _parameters(node: Node) -> Iterator[str]:
    given = node.child_by_field_name("parameters")
    if given is not None and given.type == "identifier":
        yield _spelling(given)
    elif given is not None:
        yield from (_spelling(child) for child in given.named_children if child.type == "identifier")


def _is_field(node: Node) -> bool:
    return (
        node.type == "variable_declarator"
        and node.parent is not None
        and node.parent.type in ("field_declaration", "constant_declaration")
    )


def _is_use(node: Node) -> bool:
    """Whether an identifier is a variable, not a method, member, label or declaration."""
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


def _spelling(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")
