"""Patterns that guard a statement: wrap it, leave early before it, give a default value, throw or catch (PAR, TBar)."""

from collections.abc import Iterator

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Gap, Site, TemplateEdit
from repairlab.repairers.templates.patterns.conditions import guards, parameters
from repairlab.repairers.templates.scope import Scope
from repairlab.repairers.templates.shapes import assignment_of, call_of


def exits(scope: Scope, loop: Node | None) -> list[str]:
    """Return the ways to leave early here, likeliest first."""
    code = scope.code
    found = [f"return {value}{code.semicolon}" for value in _values(scope)]
    if not found or scope.return_type == "void" or (code.is_python and not scope.return_values):
        found.insert(0, f"return{code.semicolon}")
    if loop is not None:
        found[1:1] = [f"continue{code.semicolon}", f"break{code.semicolon}"]
    return list(dict.fromkeys(found))


def _values(scope: Scope) -> list[str]:
    """Return sensible return values: the type's own defaults, and simple ones that the function returns elsewhere."""
    simple = [value for value in scope.return_values if len(value) < 24 and "\n" not in value]
    code = scope.code
    if code.is_python:
        if not scope.return_values:
            return []
        texts = " ".join(scope.return_values)
        defaults = ["[]"] if "[" in texts else []
        defaults += ['""'] if '"' in texts or "'" in texts or "str" in scope.return_type else []
        defaults += (
            ["True", "False"]
            if "True" in texts or "False" in texts or scope.return_type == "bool"
            else ["0", "None", "[]", "False"]
        )
        return list(dict.fromkeys([*simple[:3], *defaults]))
    kind = scope.return_type
    if kind in ("void", "") or scope.function is None:
        return []
    body = scope.function.child_by_field_name("body") or scope.function
    own = [item.name for item in scope.visible(body) if item.is_local and group(item.type) == group(kind)]
    simple += [name for name in own if name not in simple][:2]
    family = group(kind)
    if family == "truth":
        return ["false", "true"]
    if family in ("integer", "real"):
        return list(dict.fromkeys([*(value for value in simple if value.lstrip("-").isdigit()), "0", "-1", *simple[:4], "1"]))
    if code.is_java:
        extra = ['""'] if kind == "String" else ["new ArrayList<>()", "Collections.emptyList()"] if "List" in kind else []
        return list(dict.fromkeys([*extra, "null", *simple[:3]]))
    if kind.endswith("*"):
        return list(dict.fromkeys(["NULL" if code.is_plain_c else "nullptr", *simple[:3]]))
    return list(dict.fromkeys([*simple[:2], "{}"]))


def guarded(code: Code, condition: str, body: str) -> str:
    """Return statements below a condition."""
    inner = "\n".join(code.indent_unit + line for line in body.split("\n"))
    return f"if {condition}:\n{inner}" if code.is_python else f"if ({condition}) {{\n{inner}\n}}"


def leave_early(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert `if (unsafe) return …;` before the statement that needs it."""
    if gap.function is None:
        return
    code = gap.code
    subject = gap.after if gap.after is not None else gap.before
    if subject is None:
        return
    ways = exits(gap.scope, gap.loop)
    found = guards(gap.scope, subject)[:10]
    if gap.exact or gap.before is None:
        found += [guard for guard in parameters(gap.scope) if guard not in found][:6]
    for rank in range(len(found) + len(ways)):
        for index, guard in enumerate(found[: rank + 1]):
            if rank - index < len(ways):
                weight = (1.0 if guard.is_needed else 0.6) / (1 + 0.3 * (rank - index))
                yield gap.insert(guarded(code, guard.fails, ways[rank - index]), weight=weight)
    for condition in gap.scope.conditions[:6]:
        for way in ways[:2]:
            yield gap.insert(guarded(code, code.text(condition), way), weight=0.2)


def wrap(site: Site) -> Iterator[TemplateEdit]:
    """Run the statement only if it is safe."""
    statement, code = site.statement, site.code
    if statement.type not in node_types.SIMPLE - {"break_statement", "pass_statement"} or "\n" in code.text(statement):
        return
    if statement.parent is None or statement.parent.type not in node_types.BLOCKS:
        return
    text = code.text(statement)
    indent = code.indent(code.first_line(statement))
    found = guards(site.scope, statement)
    options = [(guard.holds, 1.0 if guard.is_needed else 0.5) for guard in found]
    options += [(guard.fails, 0.4) for guard in found if not guard.is_needed]
    options += [(code.text(node), 0.3) for node in site.scope.conditions if code.start(node) < code.start(statement)]
    for condition, weight in options:
        body = guarded(code, condition, text).replace("\n", "\n" + indent)
        yield site.replace(statement, body, weight=weight)


def default_value(site: Site) -> Iterator[TemplateEdit]:
    """Take a default where the value may be missing: a conditional expression or `or`."""
    code = site.code
    zero = "None" if code.is_python else "null" if code.is_java else "0"
    for node in site.nodes:
        assigned = assignment_of(node)
        value = assigned.value if assigned is not None and assigned.operator == "=" else None
        if node.type == "return_statement" and node.named_children:
            value = node.named_children[0]
        if value is None or value.type in node_types.LITERALS:
            continue
        for guard in guards(site.scope, value):
            for default in ("0", zero, '""'):
                weight = (1.0 if guard.is_needed else 0.4) * (1.0 if default == "0" else 0.7)
                if code.is_python:
                    yield site.replace(value, f"{code.text(value)} if {guard.holds} else {default}", weight=weight)
                else:
                    yield site.replace(value, f"{guard.fails} ? {default} : {code.text(value)}", weight=weight)


def fallback(site: Site) -> Iterator[TemplateEdit]:
    """Use `or` to fall back to an empty value (Python)."""
    holders = ("argument_list", "assignment", "return_statement", "keyword_argument", "for_statement")
    for node in site.expressions:
        if node.type in ("identifier", "attribute", "call") and node.parent is not None and node.parent.type in holders:
            for default in ("[]", '""', "0"):
                yield site.replace(node, f"{site.code.text(node)} or {default}", weight=0.5)


def clamp(site: Site) -> Iterator[TemplateEdit]:
    """Bound a value with `max`, `min` or take its absolute value."""
    code = site.code
    prefix = "Math." if code.is_java else "std::" if code.is_cpp else ""
    for node in site.expressions:
        parent = node.parent
        if parent is None or node.type in node_types.LITERALS | node_types.NAMES or call_of(node) is not None:
            continue
        for part in [node] if node.type in node_types.BINARY and any(s in code.text(node) for s in ("-", "+")) else []:
            if part.type in {"comparison_operator", "boolean_operator"}:
                continue
            text = code.text(part)
            yield site.replace(part, f"{'' if code.is_plain_c else prefix}abs({text})", weight=0.7)
            if not code.is_plain_c:
                yield site.replace(part, f"{prefix}max({text}, 0)" if not code.is_python else f"max(0, {text})", weight=0.4)


def keep_best(site: Site) -> Iterator[TemplateEdit]:
    """Keep the larger or smaller of the old and the new value."""
    code = site.code
    prefix = "Math." if code.is_java else "std::" if code.is_cpp else ""
    for node in site.nodes:
        assigned = assignment_of(node)
        if assigned is None or assigned.operator != "=" or node.type not in node_types.ASSIGNMENTS or code.is_plain_c:
            continue
        call = call_of(assigned.value)
        parts = (
            [code.text(argument) for argument in call.arguments]
            if call is not None and code.text(call.name) in ("max", "min")
            else []
        )
        for name in ("max", "min"):
            yield site.replace(
                assigned.value, f"{prefix}{name}({code.text(assigned.target)}, {', '.join(parts) or code.text(assigned.value)})"
            )
            if not parts:
                yield site.replace(assigned.value, f"{prefix}{name}(0, {code.text(assigned.value)})", weight=0.6)


def unwrap(site: Site) -> Iterator[TemplateEdit]:
    """Run the guarded statements always."""
    statement, code = site.statement, site.code
    if statement.type != "if_statement" or statement.child_by_field_name("alternative") is not None:
        return
    body = statement.child_by_field_name("consequence")
    if body is None:
        return
    inner = code.text(body)
    if body.type == "compound_statement" or (body.type == "block" and code.is_java):
        inner = inner[1:-1].strip()
    extra = len(code.indent_unit)
    lines = inner.split("\n")
    text = "\n".join([lines[0], *(line[extra:] if line[:extra].isspace() else line for line in lines[1:])])
    yield site.replace(statement, text)


def other_exception(site: Site) -> Iterator[TemplateEdit]:
    """Name another exception type."""
    names = site.code.idioms.exceptions
    for node in site.nodes:
        text = site.code.text(node)
        is_name = node.type in ("identifier", "type_identifier", "qualified_identifier", "catch_type")
        if is_name and (text in names or text.endswith(("Error", "Exception"))) and node.child_count <= 3:
            for name in names:
                yield site.replace(node, name)
            if site.code.is_python:
                yield site.replace(node, f"({text}, {'TypeError' if text != 'TypeError' else 'ValueError'})", weight=0.5)


def throw(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a check that throws."""
    code = gap.code
    subject = gap.after if gap.after is not None else gap.before
    if gap.function is None or subject is None or code.is_plain_c:
        return
    known = [name for name in code.idioms.exceptions if name in code.source]
    for name in [*known, *code.idioms.exceptions[:3]]:
        for guard in guards(gap.scope, subject)[:6]:
            action = (
                f"raise {name}"
                if code.is_python
                else f"throw {'new ' if code.is_java else ''}{name}({chr(34) * 2 if code.is_cpp else ''});"
            )
            yield gap.insert(guarded(code, guard.fails, action))


def catch(site: Site) -> Iterator[TemplateEdit]:
    """Run the statement under a handler that goes on, returns or keeps the default."""
    code, statement = site.code, site.statement
    if statement.type not in ("expression_statement", "return_statement") or code.is_plain_c or "\n" in code.text(statement):
        return
    if statement.parent is None or statement.parent.type not in node_types.BLOCKS:
        return
    unit, indent, text = code.indent_unit, code.indent(code.first_line(statement)), code.text(statement)
    ways = exits(site.scope, site.loop)[:4]
    for name in ("Exception", "ValueError", "KeyError") if code.is_python else ("Exception",) if code.is_java else ("...",):
        for way in ["pass", *ways] if code.is_python else ways:
            if code.is_python:
                body = f"try:\n{unit}{text}\nexcept {name}:\n{unit}{way}"
            else:
                body = f"try {{\n{unit}{text}\n}} catch ({name + ' e' if name != '...' else name}) {{\n{unit}{way}\n}}"
            yield site.replace(statement, body.replace("\n", "\n" + indent))
