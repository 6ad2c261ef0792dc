"""Patterns for off-by-one errors: operands, indices, ranges, slices, loop starts and steps, and sizes."""

from collections.abc import Iterator

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, field
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import (
    argument_value,
    assignment_of,
    binaries,
    call_of,
    indices_of,
    needs_parentheses,
    subscript_of,
)

_NOT_NUMBERS = (
    node_types.STRINGS
    | node_types.CHARACTERS
    | node_types.COMPREHENSIONS
    | frozenset({"true", "false", "none", "null_literal", "null", "list", "dictionary", "tuple", "list_splat"})
    | frozenset({"lambda", "lambda_expression", "not_operator", "boolean_operator", "comparison_operator"})
)


def shifted(code: Code, node: Node) -> list[str]:
    """Return an expression one higher and one lower; an offset of one that is there is dropped or turned round."""
    text = code.text(node)
    for binary in binaries(node):
        if binary.symbol in ("+", "-") and code.text(binary.right) == "1":
            left = code.text(binary.left)
            other = "-" if binary.symbol == "+" else "+"
            return [left, f"{left} {other} 1", f"{left} {binary.symbol} 2"]
    if node.type in node_types.INTEGERS:
        if text.isdigit():
            number = int(text) if not text.startswith("0") or text == "0" else None
            return [] if number is None else [str(number + 1), str(number - 1)]
        return []
    if node.type in ("unary_operator", "unary_expression") and text.startswith("-") and text[1:].isdigit():
        number = int(text)
        return [str(number + 1), str(number - 1)]
    bare = f"({text})" if needs_parentheses(node) and not _is_sum(node) else text
    return [f"{bare} + 1", f"{bare} - 1"]


def _is_sum(node: Node) -> bool:
    return any(binary.symbol in ("+", "-", "*", "/", "//", "%") for binary in binaries(node))


def _may_be_number(site: Site, node: Node) -> bool:
    if node.type in _NOT_NUMBERS:
        return False
    if node.type == "identifier":
        kind = group(site.scope.type_of(site.code.text(node), node))
        return kind in ("", "integer", "real")
    return True


def comparison_bound(site: Site) -> Iterator[TemplateEdit]:
    """Compare with one more or one less."""
    for rank in range(3):
        for binary in site.binaries:
            if binary.symbol not in ("<", "<=", ">", ">=", "==", "!="):
                continue
            for operand, weight in ((binary.right, 1.0), (binary.left, 0.7)):
                options = shifted(site.code, operand) if _may_be_number(site, operand) else []
                if rank < len(options):
                    yield site.replace(operand, options[rank], weight=weight * (1.0 if binary.symbol[0] in "<>" else 0.5))


def index(site: Site) -> Iterator[TemplateEdit]:
    """Take the element before or behind; the last one instead of the first."""
    for node in site.expressions:
        for at in indices_of(node):
            if at.type == "slice":
                continue
            if site.code.is_python and site.code.text(at) in ("0", "-1"):
                yield site.replace(at, "-1" if site.code.text(at) == "0" else "0")
            if _may_be_number(site, at):
                for rank, option in enumerate(shifted(site.code, at)):
                    yield site.replace(at, option, weight=1.0 / (1 + rank * 0.5))


def swapped_indices(site: Site) -> Iterator[TemplateEdit]:
    """Exchange row and column: `a[i][j]`, `a[i, j]`."""
    for node in site.expressions:
        pair = indices_of(node)
        container = subscript_of(node)
        if container is not None and container[0].type == node.type:
            pair = [*indices_of(container[0]), *pair]
        if len(pair) == 2:
            yield site.swap(pair[0], pair[1])


def value(site: Site) -> Iterator[TemplateEdit]:
    """Assign, return or pass one more or one less."""
    for node in site.nodes:
        found = assignment_of(node)
        if found is not None and _may_be_number(site, found.value):
            for option in shifted(site.code, found.value)[:2]:
                yield site.replace(found.value, option, weight=0.8)
        if node.type == "return_statement" and node.named_children and _may_be_number(site, node.named_children[0]):
            for option in shifted(site.code, node.named_children[0])[:2]:
                yield site.replace(node.named_children[0], option, weight=0.8)
        call = call_of(node)
        if call is None:
            continue
        is_size = site.code.text(call.name) in (
            "malloc",
            "calloc",
            "realloc",
            "range",
            "substring",
            "substr",
            "new",
            "resize",
            "memcpy",
            "strncpy",
            "fgets",
        )
        for argument in call.arguments:
            inner = argument_value(argument)
            if _may_be_number(site, inner) and inner.type not in _NOT_NUMBERS:
                for option in shifted(site.code, inner)[:2]:
                    yield site.replace(inner, option, weight=1.0 if is_size else 0.35)


def operand(site: Site) -> Iterator[TemplateEdit]:
    """Add one to, or take one from, the result of a subexpression."""
    for binary in site.binaries:
        if binary.symbol in ("+", "-", "*", "/", "//", "%") and _may_be_number(site, binary.right):
            for part, weight in ((binary.node, 0.6), (binary.right, 0.5), (binary.left, 0.4)):
                for option in shifted(site.code, part)[:2]:
                    wrapped = (
                        part == binary.node and binary.node.parent is not None and binary.node.parent.type in node_types.BINARY
                    )
                    yield site.replace(
                        part, f"({option})" if wrapped or (part != binary.node and " " in option) else option, weight=weight
                    )


def python_range(site: Site) -> Iterator[TemplateEdit]:
    """Change start, end or step of `range`."""
    code = site.code
    for call in site.calls:
        if code.text(call.name) != "range" or not 1 <= len(call.arguments) <= 3:
            continue
        texts = [code.text(argument) for argument in call.arguments]
        start, end = ("0", texts[0]) if len(texts) == 1 else (texts[0], texts[1])
        step = texts[2:]
        lower = shifted(code, call.arguments[0]) if len(texts) > 1 else ["1"]
        upper = shifted(code, call.arguments[min(1, len(texts) - 1)])
        options = [(start, item) for item in upper] + [(item, end) for item in lower]
        options += [(item, other) for item in lower[:1] for other in upper[:2]]
        for one, two in options:
            inner = [two] if one == "0" and not step else [one, two, *step]
            yield site.replace(call.brackets, f"({', '.join(inner)})")
        if step:
            yield site.replace(call.brackets, f"({start}, {end})", weight=0.4)
            if step[0].startswith("-"):
                yield site.replace(call.brackets, f"({end}, {start}, {step[0]})", weight=0.6)
        else:
            yield site.replace(
                call.brackets, f"({end} - 1, {start} - 1, -1)" if start != "0" else f"({end} - 1, -1, -1)", weight=0.4
            )
            yield site.replace(call.brackets, f"({start}, {end}, 2)", weight=0.4)
            yield site.replace(call.brackets, f"({start}, {end}, -1)", weight=0.3)
            if len(texts) == 2:
                yield site.replace(call.brackets, f"({end})", weight=0.5)


def python_slice(site: Site) -> Iterator[TemplateEdit]:
    """Change the ends or the step of a slice; slice a whole sequence."""
    code = site.code
    for node in site.of(("slice",)):
        parts = code.text(node).split(":")
        start, end = parts[0].strip(), parts[1].strip()
        step = parts[2].strip() if len(parts) > 2 else ""
        children = list(node.named_children)
        options = [
            (option, end) if code.text(child) == start and child == children[0] else (start, option)
            for child in children
            for option in shifted(code, child)
        ]
        options += [(start, ""), ("", end), ("1", end) if not start else (start, "-1") if not end else (end, start)]
        if not start:
            options.append((end, ""))
        if not end:
            options.append(("", start))
        for one, two in options:
            yield site.replace(node, f"{one}:{two}" + (f":{step}" if step else ""))
        for option in ("-1", "2") if not step else ("",):
            yield site.replace(node, f"{start}:{end}" + (f":{option}" if option else ""), weight=0.4)


def part_of_sequence(site: Site) -> Iterator[TemplateEdit]:
    """Take only a part of a sequence, or turn it round (Python)."""
    code = site.code
    numbers = [item.name for item in site.scope.visible(site.statement) if item.is_local and group(item.type) in ("", "integer")]
    for node in site.expressions:
        parent = node.parent
        if parent is None or node.type not in ("identifier", "attribute", "list_comprehension", "call"):
            continue
        is_source = parent.type in ("for_statement", "for_in_clause") and field(parent, "right") == node
        if not is_source and parent.type not in ("argument_list", "return_statement"):
            continue
        if group(site.scope.type_of(code.text(node), node)) in ("integer", "real", "truth"):
            continue
        text = code.text(node)
        for rank, option in enumerate(
            ["1:", ":-1", "::-1", *(f"{name}:" for name in numbers[:5]), *(f":{name}" for name in numbers[:5])]
        ):
            if option.strip(":") != text:
                yield site.replace(node, f"{text}[{option}]", weight=(1.0 if is_source else 0.6) / (1 + 0.1 * rank))


def loop_header(site: Site) -> Iterator[TemplateEdit]:
    """Begin a counting loop elsewhere, or let it run the other way."""
    statement, code = site.statement, site.code
    if statement.type != "for_statement" or code.is_python:
        return
    start = field(statement, "init", "initializer")
    condition, update = field(statement, "condition"), field(statement, "update")
    if start is not None:
        for node in [start, *start.children]:
            found = assignment_of(node)
            if found is not None:
                for option in [*shifted(code, found.value), "1", "0"]:
                    yield site.replace(found.value, option)
                for item in site.scope.visible(statement):
                    if group(item.type) == "integer" and item.is_local:
                        yield site.replace(found.value, item.name, weight=0.3)
                        yield site.replace(found.value, f"{item.name} + 1", weight=0.3)
    if condition is not None:
        for binary in binaries(condition):
            for option in shifted(code, binary.right):
                yield site.replace(binary.right, option)
    if update is not None and update.type == "update_expression":
        name = code.text(update).strip("+-")
        sign = "+" if "++" in code.text(update) else "-"
        for option in (f"{name} {sign}= 2", f"{name} *= 2"):
            yield site.replace(update, option, weight=0.3)


def array_size(site: Site) -> Iterator[TemplateEdit]:
    """Make an array or buffer larger."""
    for node in site.nodes:
        sizes = [field(node, "size")] if node.type == "array_declarator" else []
        if node.type in {"dimensions_expr", "new_declarator"}:
            sizes = [next(iter(node.named_children), None)]
        for size in sizes:
            if size is not None:
                text = site.code.text(size)
                for option in [
                    *shifted(site.code, size)[:1],
                    f"{text} * 2" if not text.isdigit() else str(int(text) * 2),
                    *shifted(site.code, size)[1:2],
                ]:
                    yield site.replace(size, option)
