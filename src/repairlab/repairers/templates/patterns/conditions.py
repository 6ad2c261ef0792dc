"""Patterns that negate, strengthen, weaken, replace or reorder conditions (TBar, kPAR, Kali)."""

from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.tree_syntax import walk
from repairlab.repairers.templates.code import Code, field
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.patterns.predicates import about, parameters, truths
from repairlab.repairers.templates.shapes import binaries, clauses, condition_of, is_condition, negated

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
    for item in site.scope.visible(site.statement):
        if not item.is_local:
            continue
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
