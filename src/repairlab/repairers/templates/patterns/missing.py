"""Patterns that add what was forgotten: a return, break, continue, initialisation, update, release, or an else."""

from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.nodes import walk
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.declarations import Variable, compatible, group
from repairlab.repairers.templates.fix_site import Gap, Site, TemplateEdit, body_of
from repairlab.repairers.templates.patterns.guards import exits
from repairlab.repairers.templates.shapes import assignment_of, call_of, condition_of


def jump(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a break, continue or return."""
    if gap.function is None:
        return
    found = exits(gap.scope, gap.loop)
    is_switch = (
        gap.before is not None
        and gap.before.parent is not None
        and gap.before.parent.type in ("case_statement", "switch_block_statement_group")
    )
    is_switch = is_switch or (gap.before is not None and gap.before.type in ("case_statement", "switch_block_statement_group"))
    if is_switch or gap.loop is not None:
        yield gap.insert(f"break{gap.code.semicolon}")
    if gap.loop is not None:
        yield gap.insert(f"continue{gap.code.semicolon}")
    for rank, way in enumerate(found):
        yield gap.insert(way, weight=0.9 / (1 + 0.2 * rank))
    for item in gap.visible:
        if item.is_local and gap.scope.return_type != "void":
            yield gap.insert(f"return {item.name}{gap.code.semicolon}", weight=0.4)


def update(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a step of a counter, a local one or a field."""
    code = gap.code
    anchor = gap.before or gap.after or gap.function
    if gap.function is None or anchor is None:
        return
    inside: set[str] = set()
    if gap.loop is not None:
        condition = condition_of(gap.loop)
        inside = {code.text(node) for node in walk(condition) if node.type == "identifier"} if condition is not None else set()
    items = gap.near
    items.sort(key=lambda item: item.name not in inside)
    integers = [item for item in items if group(item.type) in ("integer", "") or (code.is_python and group(item.type) == "integer")]
    for item in integers:
        weight = 1.0 if item.name in inside or group(item.type) == "integer" else 0.4
        for text in (f"{item.name} += 1", f"{item.name} -= 1") if code.is_python else (f"{item.name}++;", f"{item.name}--;"):
            yield gap.insert(text, weight=weight)
    members = [name for name, _ in gap.scope.library.members.most_common(8)]
    for name in members:
        own = code.own(name)
        if own in code.source:
            for operator in ("+=", "-="):
                yield gap.insert(f"{own} {operator} 1{code.semicolon}", weight=0.5)


def assign(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert an assignment or addition of one variable to another, or a step along a link."""
    code = gap.code
    if gap.function is None:
        return
    for rank, item, other in _pairs(gap.near):
        if compatible(item.type, other.type):
            yield gap.insert(f"{item.name} = {other.name}{code.semicolon}", weight=0.9 / (1 + 0.05 * rank))
            if group(item.type) in ("integer", "real", "text", ""):
                yield gap.insert(f"{item.name} += {other.name}{code.semicolon}", weight=0.4)
    access = "->" if code.is_c else "."
    for name in ("next", "left", "right", "parent"):
        if name in gap.scope.library.members:
            for item in gap.near[:6]:
                yield gap.insert(f"{item.name} = {item.name}{access}{name}{code.semicolon}", weight=0.4)


def reset(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert an initialisation or a reset of a variable or field."""
    code = gap.code
    anchor = gap.before or gap.after or gap.function
    if anchor is None:
        return
    empty = ("0", "[]", "None", "False", "True", '""', "1") if code.is_python else ("0", "1")
    for item in gap.visible[:8]:
        kind = group(item.type)
        values: tuple[str, ...] = empty
        if not code.is_python and kind == "truth":
            values = ("true", "false")
        elif not code.is_python and kind not in ("integer", "real", ""):
            values = ("null",) if code.is_java else ("NULL",) if kind.endswith("*") else ()
        for value in values:
            yield gap.insert(f"{item.name} = {value}{code.semicolon}", weight=0.6 if item.is_local else 0.4)
    for name, _ in gap.scope.library.members.most_common(8):
        own = code.own(name)
        for value in (*empty[:3], name):
            if own in code.source or not code.is_python:
                yield gap.insert(f"{own} = {value}{code.semicolon}", weight=0.3)


def release(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a free, delete, close, flush, unlock or clear for a variable in scope."""
    code = gap.code
    anchor = gap.before or gap.after or gap.function
    if anchor is None or gap.function is None:
        return
    for action in code.idioms.releases:
        for item in gap.visible[:10]:
            kind = group(item.type)
            is_pointer = kind.endswith("*")
            if kind in ("integer", "real", "truth") or (code.is_plain_c and not is_pointer) or (is_pointer and "." in action):
                continue
            if code.is_cpp and not is_pointer and "." not in action:
                continue
            yield gap.insert(action.format(item.name), weight=0.6 if item.is_local else 0.5)


def call(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a call: of a function of the file, or of a method on a collection with a variable."""
    code = gap.code
    anchor = gap.before or gap.after or gap.function
    if anchor is None or gap.function is None:
        return
    items = gap.near
    methods = code.idioms.adders
    own = "self." if code.is_python else ""
    for made in gap.scope.library.signatures[:12]:
        name = f"{own}{made.name}" if made.is_method else made.name
        if made.n_parameters == 0 and not made.name.startswith("__") and made.name != "main":
            yield gap.insert(f"{name}(){code.semicolon}", weight=0.6)
        if made.n_parameters == 1 and made.returns in ("void", ""):
            for item in items[:5]:
                yield gap.insert(f"{name}({item.name}){code.semicolon}", weight=0.5)
    for rank, item, other in _pairs(gap.near):
        kind = group(item.type)
        if kind in ("integer", "real", "truth") or kind.endswith("*"):
            continue
        used = [method for method in methods if f"{item.name}.{method}(" in code.source] or [
            method for method in methods if f".{method}(" in code.source
        ]
        fitting = {"set": ("add",), "list": ("append",)}.get(kind, methods[:2]) if code.is_python else methods[:2]
        for method in used if used and kind not in ("set", "list") else fitting:
            weight = 1.0 if kind in ("list", "set") or "<" in kind else 0.6
            yield gap.insert(f"{item.name}.{method}({other.name}){code.semicolon}", weight=weight / (1 + 0.05 * rank))


def _pairs(items: list[Variable]) -> Iterator[tuple[int, Variable, Variable]]:
    """Yield pairs of different variables, those in front first."""
    for rank in range(12):
        for index in range(rank + 1):
            other = rank - index
            if index != other and max(index, other) < len(items):
                yield rank, items[index], items[other]


def otherwise(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert an else branch behind an if."""
    code = gap.code
    if gap.before is None or gap.before.type != "if_statement" or field(gap.before, "alternative") is not None:
        return
    body = body_of(gap.before)
    if body is None:
        return
    pool = [code.text(node) for node in gap.scope.statements if code.first_line(node) == code.last_line(node)]
    for text in [*exits(gap.scope, gap.loop)[:4], *dict.fromkeys(pool[:12])]:
        yield gap.insert(f"else:\n{code.indent_unit}{text}" if code.is_python else f"else {{\n{code.indent_unit}{text}\n}}")


def value_of_return(site: Site) -> Iterator[TemplateEdit]:
    """Return a value, or another one."""
    code, statement = site.code, site.statement
    if statement.type == "expression_statement":
        assigned = next((found for node in statement.named_children if (found := assignment_of(node)) is not None), None)
        text = code.text(statement).rstrip(";")
        yield site.replace(
            statement, f"return {code.text(assigned.value) if assigned is not None else text}{code.semicolon}", weight=0.8
        )
        if assigned is None and len(statement.named_children) == 1:
            yield from _assigned(site, statement.named_children[0])
    if statement.type == "return_statement":
        for item in site.scope.visible(statement):
            if item.is_local:
                yield site.replace(statement, f"return {item.name}{code.semicolon}", weight=0.7)
        for value in site.scope.return_values:
            yield site.replace(statement, f"return {value}{code.semicolon}", weight=0.5)
        if statement.named_children and call_of(statement.named_children[0]) is not None:
            yield site.replace(statement, f"{code.text(statement.named_children[0])}{code.semicolon}", weight=0.3)
    if statement.type in node_types.JUMPS:
        ways = [
            *exits(site.scope, site.loop),
            *([f"break{code.semicolon}", f"continue{code.semicolon}"] if site.loop is not None else []),
        ]
        for way in ways:
            yield site.replace(statement, way, weight=0.6)
    if statement.type == "pass_statement":
        for way in exits(site.scope, site.loop):
            yield site.replace(statement, way)


def _assigned(site: Site, value: Node) -> Iterator[TemplateEdit]:
    """Keep the result of a call whose value was thrown away."""
    code = site.code
    call = call_of(value)
    if call is None:
        return
    names = [call.receiver] if call.receiver is not None else []
    names += [argument for argument in call.arguments if argument.type == "identifier"]
    for name in names:
        yield site.insert(code.start(value), f"{code.text(name)} = ", weight=0.8)
    for item in site.scope.visible(site.statement)[:6]:
        if item.is_local:
            yield site.insert(code.start(value), f"{item.name} = ", weight=0.3)
            yield site.insert(code.start(value), f"{item.name} += ", weight=0.3)
