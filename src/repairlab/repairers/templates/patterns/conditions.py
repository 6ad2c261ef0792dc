"""Patterns on conditions (TBar, kPAR, Kali), and the facts worth testing: not null, not empty, not zero, within bounds."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repairlab.languages.nodes import walk
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, field
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.scope import Scope
from repairlab.repairers.templates.shapes import (
    argument_value,
    binaries,
    call_of,
    clauses,
    condition_of,
    is_assigned,
    is_condition,
    negated,
    subscript_of,
)


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
    if is_assigned(node):
        return True
    call = call_of(parent)
    if call is not None and call.name == node:
        return True
    return parent.type in ("keyword_argument", "type", "scoped_type_identifier") and argument_value(parent) != node


def truths(site: Site) -> list[str]:
    """Return the flags and questions that are visible: boolean variables, and predicates of one argument in the file."""
    found = [item.name for item in site.scope.visible(site.statement) if group(item.type) == "truth"]
    names = [item.name for item in site.scope.local(site.statement)][:4]
    for made in site.scope.library.signatures:
        if made.n_parameters == 1 and (group(made.returns) == "truth" or made.name.startswith(("is_", "has_", "is", "can_"))):
            if site.code.is_python and made.is_method:
                continue
            found += [f"{made.name}({name})" for name in names]
    return found


_CONNECTIVES = ("&&", "||", "and", "or")


def _conditions(site: Site) -> Iterator[Node]:
    """Yield the conditions of a site: of its statement, of ternaries in it, and truth values it returns or assigns."""
    seen = set()
    for node in site.nodes:
        condition = condition_of(node)
        if condition is None and node.is_named and is_condition(node) and node.type not in ("true", "false"):
            condition = node if node.parent is None or not is_condition(node.parent) else None
        if condition is not None and condition.id not in seen:
            seen.add(condition.id)
            yield condition


def negate(site: Site) -> Iterator[TemplateEdit]:
    """Turn a condition, or one clause of it, into its opposite."""
    for condition in _conditions(site):
        parts = clauses(condition)
        yield site.replace(condition, negated(site.code, condition))
        if len(parts) > 1:
            for part in parts:
                yield site.replace(part, negated(site.code, part), weight=0.8)


def drop_clause(site: Site) -> Iterator[TemplateEdit]:
    """Leave out one clause of a condition."""
    for condition in _conditions(site):
        for node in walk(condition):
            for binary in binaries(node):
                if binary.symbol in _CONNECTIVES:
                    yield site.replace(node, site.code.text(binary.left))
                    yield site.replace(node, site.code.text(binary.right))


def reorder(site: Site) -> Iterator[TemplateEdit]:
    """Exchange the clauses, so that the guard comes first."""
    for condition in _conditions(site):
        for node in walk(condition):
            for binary in binaries(node):
                if binary.symbol in _CONNECTIVES:
                    yield site.swap(binary.left, binary.right)


def _joined(code: Code, condition: Node, word: str, extra: str, *, first: bool = False) -> str:
    text = code.text(condition)
    loose = "or" if code.is_python else "||"
    is_loose = any(binary.symbol in (loose, "conditional_expression") for binary in binaries(condition))
    if (word in ("and", "&&") and is_loose) or condition.type in (
        "conditional_expression",
        "ternary_expression",
        "assignment_expression",
        "named_expression",
    ):
        text = f"({text})"
    if word in ("and", "&&") and f" {loose} " in extra:
        extra = f"({extra})"
    return f"{extra} {word} {text}" if first else f"{text} {word} {extra}"


def strengthen(site: Site) -> Iterator[TemplateEdit]:
    """Add a clause that must hold too."""
    yield from _extended(site, "and" if site.code.is_python else "&&")


def weaken(site: Site) -> Iterator[TemplateEdit]:
    """Add a clause that suffices as well."""
    yield from _extended(site, "or" if site.code.is_python else "||")


def _extended(site: Site, word: str) -> Iterator[TemplateEdit]:
    code = site.code
    is_and = word in ("and", "&&")
    for condition in _conditions(site):
        present = code.text(condition)
        guards = [guard for guard in about(site, condition) if guard.holds not in present]
        for guard in guards:
            # A guard before use comes first: `p && p->x`, `!p || p->x`.
            yield site.replace(
                condition, _joined(code, condition, word, guard.holds if is_and else guard.fails, first=guard.is_needed)
            )
            if not guard.is_needed:
                yield site.replace(condition, _joined(code, condition, word, guard.fails if is_and else guard.holds), weight=0.5)
        known = {guard.holds for guard in guards}
        for guard in parameters(site.scope):
            if guard.holds not in known and guard.holds not in present:
                text = guard.holds if is_and else guard.fails
                yield site.replace(condition, _joined(code, condition, word, text), weight=0.4)
        for other in site.scope.conditions:
            if code.text(other) not in present and code.start(other) < code.end(site.statement):
                yield site.replace(condition, _joined(code, condition, word, code.text(other)), weight=0.5)
                yield site.replace(condition, _joined(code, condition, word, negated(code, other)), weight=0.3)
        for text in truths(site):
            if text not in present:
                yield site.replace(condition, _joined(code, condition, word, text), weight=0.4)
                opposite = f"not {text}" if code.is_python else f"!{text}"
                yield site.replace(condition, _joined(code, condition, word, opposite), weight=0.4)


def replace_condition(site: Site) -> Iterator[TemplateEdit]:
    """Test something else: another condition of the function, a flag, always or never."""
    code = site.code
    for condition in _conditions(site):
        constants = ("True", "False") if code.is_python else ("1", "0") if code.is_plain_c else ("true", "false")
        for constant in constants:
            yield site.replace(condition, constant, weight=0.3)
        for guard in about(site, condition):
            yield site.replace(condition, guard.fails, weight=0.5)
            yield site.replace(condition, guard.holds, weight=0.4)
        for text in truths(site):
            yield site.replace(condition, text, weight=0.6)
        for other in site.scope.conditions:
            yield site.replace(condition, code.text(other), weight=0.3)


def truthiness(site: Site) -> Iterator[TemplateEdit]:
    """Tell apart none, empty, zero and false (Python)."""
    code = site.code
    for condition in _conditions(site):
        for part in clauses(condition):
            text = code.text(part)
            inner = field(part, "argument") if part.type == "not_operator" else None
            if inner is not None and inner.type in ("identifier", "attribute", "subscript", "call"):
                for option in (f"{code.text(inner)} is None", f"len({code.text(inner)}) == 0", f"{code.text(inner)} == 0"):
                    yield site.replace(part, option)
            elif part.type in ("identifier", "attribute", "subscript", "call"):
                for option in (f"{text} is not None", f"len({text}) > 0", f"{text} > 0", f"not {text}", f"len({text}) > 1"):
                    yield site.replace(part, option)
            for binary in binaries(part):
                name, other = code.text(binary.left), code.text(binary.right)
                if other == "None":
                    yield site.replace(part, f"not {name}" if binary.symbol in ("is", "==") else name)


def keyword(site: Site) -> Iterator[TemplateEdit]:
    """Turn `if` into `while` or back, `elif` into `if` or back."""
    code, statement = site.code, site.statement
    first = statement.children[0] if statement.children else None
    if first is None or code.first_line(first) not in range(site.first, site.last + 1):
        return
    swaps = {"if_statement": "while", "while_statement": "if", "elif_clause": "if"}
    if statement.type in swaps and first.type in ("if", "while", "elif") and field(statement, "alternative") is None:
        yield site.replace(first, swaps[statement.type])
    if statement.type == "if_statement":
        before = statement.prev_named_sibling
        if before is not None and before.type == "if_statement" and field(before, "alternative") is None:
            yield site.replace(first, "elif" if code.is_python else "else if")
        parent = statement.parent
        if parent is not None and parent.type == "else_clause" and parent.children:
            yield site.replace(parent.children[0], "")
        elif (
            parent is not None
            and parent.type == "if_statement"
            and statement.prev_sibling is not None
            and statement.prev_sibling.type == "else"
        ):
            yield site.replace(statement.prev_sibling, "")


def loop_condition(site: Site) -> Iterator[TemplateEdit]:
    """Let a loop run while something is left: a worklist, a counter, a pair of bounds."""
    code = site.code
    if site.statement.type not in ("while_statement", "for_statement"):
        return
    condition = condition_of(site.statement)
    if condition is None:
        return
    for item in site.scope.local(site.statement):
        kind = group(item.type)
        if code.is_python:
            yield site.replace(condition, item.name, weight=0.8 if kind in ("", "list", "set", "dict") else 0.3)
        elif code.is_java and kind not in ("integer", "real", "truth", "text") and not kind.endswith("[]"):
            yield site.replace(condition, f"!{item.name}.isEmpty()", weight=0.5)
            yield site.replace(condition, f"{item.name} != null", weight=0.5)
        elif code.is_cpp and "<" in item.type:
            yield site.replace(condition, f"!{item.name}.empty()", weight=0.6)
        elif kind == "integer":
            yield site.replace(condition, f"{item.name} > 0", weight=0.3)
            yield site.replace(condition, f"{item.name} != 0", weight=0.3)
        elif kind.endswith("*"):
            yield site.replace(condition, item.name, weight=0.4)
