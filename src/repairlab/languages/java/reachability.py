"""Which statements can be reached, where the language demands it: Java rejects those that cannot, and methods without a return.

After the Java Language Specification, §14.22, on the syntax tree alone: what needs types or values of names counts as fine.
"""

from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from repairlab.languages.tree_syntax import walk

_JUMPS = frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement"})
_LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "enhanced_for_statement"})
_SWITCHES = frozenset({"switch_statement", "switch_expression"})
_BODIES_APART = frozenset({"class_body", "lambda_expression"})
"""Code in these does not run where it stands."""


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
    # Rules with arrows are left to the compiler.
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
