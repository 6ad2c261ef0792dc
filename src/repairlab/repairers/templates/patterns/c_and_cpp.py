"""Patterns for mistakes that only C and C++ allow: sizes, addresses, uninitialised memory, copies for references, wrong release."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.fix_site import Gap, Replacement, Site, TemplateEdit
from repairlab.repairers.templates.shapes import Call, assignment_of, binaries, condition_of, wrapped

_SIZED = frozenset({"malloc", "realloc", "memset", "memcpy", "memmove", "alloca"})


def size_of_value(site: Site) -> Iterator[TemplateEdit]:
    """Take the size of what a pointer points to, the length of a string, or the number of elements."""
    for node in site.of(("sizeof_expression",)):
        inner = site.code.text(node).removeprefix("sizeof").strip().strip("()")
        yield site.replace(node, f"sizeof(*{inner})" if not inner.startswith("*") else f"sizeof({inner[1:]})")
        yield site.replace(node, f"strlen({inner})", weight=0.4)
        yield site.replace(node, f"sizeof({inner}) / sizeof({inner}[0])", weight=0.5)
        yield site.replace(node, f"sizeof({inner}) - 1", weight=0.5)
        if inner.endswith("*"):
            yield site.replace(node, f"sizeof({inner[:-1].strip()})")
        else:
            yield site.replace(node, f"sizeof({inner} *)", weight=0.3)


def size(site: Site) -> Iterator[TemplateEdit]:
    """Leave room for the final NUL; count elements in bytes; clear what is allocated."""
    code = site.code
    for call in site.calls:
        name = code.text(call.name)
        if name == "strlen":
            yield site.replace(call.node, f"{code.text(call.node)} + 1")
            yield site.replace(call.node, f"{code.text(call.node)} - 1", weight=0.5)
        if name in _SIZED and call.arguments:
            yield from _bytes(site, call)
        if name == "malloc" and len(call.arguments) == 1:
            yield site.replace(call.node, f"calloc(1, {code.text(call.arguments[0])})", weight=0.7)
            for binary in binaries(call.arguments[0]):
                if binary.symbol == "*":
                    yield site.replace(call.node, f"calloc({code.text(binary.left)}, {code.text(binary.right)})", weight=0.8)


def _bytes(site: Site, call: Call) -> Iterator[TemplateEdit]:
    """Change the number of bytes, the last argument of a call."""
    code = site.code
    last = call.arguments[-1]
    text = code.text(last)
    yield site.replace(last, f"{text} + 1")
    if "sizeof" not in text:
        target = _assigned_type(site, call.node) or _pointed(site, call.arguments[0]) or "int"
        yield site.replace(last, f"{wrapped(code, last)} * sizeof({target})")
        yield site.replace(last, f"({text} + 1) * sizeof({target})", weight=0.4)
        return
    for binary in binaries(last):
        for part in (binary.left, binary.right):
            if "sizeof" not in code.text(part):
                yield site.replace(part, f"({code.text(part)} + 1)", weight=0.8)
    for item in site.scope.visible(call.node)[:6]:
        yield site.replace(last, f"{item.name} * {text}", weight=0.5)


def _assigned_type(site: Site, node: Node) -> str:
    current: Node | None = node
    while current is not None and current.type not in ("init_declarator", "assignment_expression", "expression_statement"):
        current = current.parent
    found = None if current is None else assignment_of(current)
    if found is None:
        return ""
    return "*" + site.code.text(found.target).lstrip("* ")


def _pointed(site: Site, node: Node) -> str:
    kind = site.scope.type_of(site.code.text(node), node)
    return kind[:-1] if kind.endswith("*") else ""


def address(site: Site) -> Iterator[TemplateEdit]:
    """Add or drop `&` or `*`, and exchange `.` and `->`."""
    code = site.code
    for node in site.nodes:
        parent = node.parent
        if parent is None:
            continue
        if node.type == "pointer_expression" and node.named_children:
            yield site.replace(node, code.text(node.named_children[0]))
        if node.type in ("identifier", "subscript_expression", "field_expression", "update_expression") and parent.type not in (
            "pointer_expression",
            "call_expression",
            "field_expression",
        ):
            is_target = assignment_of(parent) is not None and field(parent, "left") == node
            if parent.type == "argument_list":
                yield site.replace(node, f"&{code.text(node)}")
            if parent.type in (
                "argument_list",
                "binary_expression",
                "return_statement",
                "assignment_expression",
                "init_declarator",
            ) and not (parent.type == "init_declarator" and field(parent, "declarator") == node):
                yield site.replace(node, f"*{code.text(node)}", weight=0.7 if is_target else 0.5)
                if not is_target:
                    yield site.replace(node, f"&{code.text(node)}", weight=0.3)
            if parent.type in ("update_expression",):
                yield site.replace(parent, f"(*{code.text(node)}){code.text(parent).replace(code.text(node), '')}", weight=0.8)
        if node.type in (".", "->") and parent.type == "field_expression":
            yield site.replace(node, "->" if node.type == "." else ".")


def confused_equals(site: Site) -> Iterator[TemplateEdit]:
    """Compare instead of assigning in a condition; assign instead of comparing in a statement."""
    condition = condition_of(site.statement)
    for node in site.nodes:
        operator = field(node, "operator")
        if operator is None:
            continue
        in_condition = condition is not None and condition.start_byte <= node.start_byte < condition.end_byte
        if node.type == "assignment_expression" and operator.type == "=" and in_condition:
            yield site.replace(operator, "==")
        if node.type == "binary_expression" and operator.type == "==" and site.statement.type == "expression_statement":
            yield site.replace(operator, "=")


def precedence(site: Site) -> Iterator[TemplateEdit]:
    """Put the parentheses that `!`, `&` and `|` need beside a comparison."""
    code = site.code
    for binary in site.binaries:
        left, right, symbol = binary.left, binary.right, binary.symbol
        if left.type == "unary_expression" and code.text(left).startswith("!") and left.named_children:
            yield site.replace(binary.node, f"!({code.text(left.named_children[0])} {symbol} {code.text(right)})")
        if symbol in ("&", "|", "^"):
            for inner in binaries(right):
                if inner.symbol in ("==", "!=", "<", ">", "<=", ">="):
                    grouped = f"({code.text(left)} {symbol} {code.text(inner.left)})"
                    yield site.replace(binary.node, f"{grouped} {inner.symbol} {code.text(inner.right)}")


def initialise(site: Site) -> Iterator[TemplateEdit]:
    """Give a declared variable a value."""
    code, statement = site.code, site.statement
    if statement.type not in ("declaration", "field_declaration"):
        return
    for declarator in statement.children_by_field_name("declarator"):
        if declarator.type in ("identifier", "field_identifier"):
            for option in (" = 0", "{}", " = 1", " = NULL") if code.is_cpp else (" = 0", " = 1", " = NULL"):
                yield site.insert(code.end(declarator), option, weight=1.0 if option == " = 0" else 0.5)
        if declarator.type == "pointer_declarator":
            yield site.insert(code.end(declarator), " = NULL" if code.is_plain_c else " = nullptr")
        if declarator.type == "array_declarator":
            yield site.insert(code.end(declarator), " = {0}" if code.is_plain_c else " = {}")
    text = code.text(statement)
    yield site.insert(code.start(statement), "static ", weight=0.3)
    if text.startswith("static "):
        yield site.replace(statement, text.removeprefix("static "))
    if text.startswith("const "):
        yield site.replace(statement, text.removeprefix("const "), weight=0.4)


def clear_memory(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a `memset`, a final NUL, or a check of an allocation."""
    code = gap.code
    anchor = gap.before or gap.after
    if gap.function is None or anchor is None:
        return
    null = "NULL" if code.is_plain_c else "nullptr"
    names = [item for item in gap.visible if item.is_local]
    integers = [item.name for item in names if item.type in ("int", "size_t", "unsigned", "long", "unsigned int")]
    for item in names[:10]:
        if item.type.endswith("*"):
            yield gap.insert(f"memset({item.name}, 0, sizeof({item.name}));", weight=0.5)
            if "char" in item.type:
                for at in [*integers[:4], f"strlen({item.name})", f"sizeof({item.name}) - 1"]:
                    yield gap.insert(f"{item.name}[{at}] = '\\0';", weight=0.8)
                yield gap.insert(f"*{item.name} = '\\0';", weight=0.3)
            for value in ("NULL", "-1", "0", "1"):
                yield gap.insert(f"if ({item.name} == {null}) {{\n{code.indent_unit}return {value};\n}}", weight=0.3)


def references(site: Site) -> Iterator[TemplateEdit]:
    """Pass, return or iterate by reference, or by value (C++)."""
    code = site.code
    for node in site.nodes:
        if node.type in ("parameter_declaration", "for_range_loop") or (node.type == "declaration" and node == site.statement):
            kind, name = field(node, "type"), field(node, "declarator")
            if kind is None or name is None:
                continue
            inner = field(name, "declarator") if name.type == "init_declarator" else name
            if inner is not None and inner.type == "identifier":
                yield site.insert(code.start(inner), "&")
                has_const = any(child.type == "type_qualifier" for child in node.children)
                if not has_const:
                    yield TemplateEdit(
                        (
                            Replacement(code.start(kind), code.start(kind), "const "),
                            Replacement(code.start(inner), code.start(inner), "&"),
                        ),
                        0.5,
                    )
            elif inner is not None and inner.type == "reference_declarator":
                yield site.replace(inner, code.text(inner).lstrip("&").strip(), weight=0.6)
                qualifier = next((child for child in node.children if child.type == "type_qualifier"), None)
                if qualifier is not None:
                    yield site.replace(qualifier, "", weight=0.5)
    if site.statement.type == "function_definition":
        kind = field(site.statement, "type")
        declarator = field(site.statement, "declarator")
        if kind is not None and declarator is not None and declarator.type == "function_declarator":
            yield site.insert(code.start(declarator), "&", weight=0.4)


def ownership(site: Site) -> Iterator[TemplateEdit]:
    """Match `new` with `delete`, arrays with `delete[]`; make a destructor or method virtual (C++)."""
    code = site.code
    for node in site.nodes:
        text = code.text(node)
        if node.type == "delete_expression":
            yield site.replace(
                node,
                re.sub(r"^delete\s+", "delete[] ", text) if "[" not in text[:9] else re.sub(r"^delete\s*\[\]\s*", "delete ", text),
            )
        if node.type == "new_expression":
            yield site.replace(node, text + "()" if not text.endswith((")", "}")) else text, weight=0.7)
    if site.statement.type in ("function_definition", "field_declaration"):
        head = code.text(site.statement)
        if "virtual" in head.split("(")[0]:
            yield site.replace(site.statement, head.replace("virtual ", "", 1), weight=0.3)
        else:
            yield site.insert(code.start(site.statement), "virtual ")
        declarator = next((node for node in site.nodes if node.type == "function_declarator"), None)
        if declarator is not None and site.statement.type in ("function_definition", "field_declaration"):
            text = code.text(declarator)
            yield (
                site.insert(code.end(declarator), " const", weight=0.6)
                if not text.endswith("const")
                else site.replace(declarator, text.removesuffix("const").rstrip(), weight=0.6)
            )
            yield site.insert(code.end(declarator), " override", weight=0.5)


def iterator(site: Site) -> Iterator[TemplateEdit]:
    """Go on from what `erase` returns; erase what `unique` and `remove` leave behind."""
    code = site.code
    for call in site.calls:
        if not call.arguments or call.node.parent is None or call.node.parent.type != "expression_statement":
            continue
        first = code.text(call.arguments[0])
        name = code.text(call.name).rpartition("::")[2]
        if name in ("erase", "insert") and first.isidentifier():
            yield site.insert(code.start(call.node), f"{first} = ")
        if name in ("unique", "remove", "remove_if"):
            owner = first.split(".")[0]
            yield site.replace(call.node, f"{owner}.erase({code.text(call.node)}, {owner}.end())")


def unsigned_loop(site: Site) -> Iterator[TemplateEdit]:
    """Count with a signed variable, or down without passing zero."""
    code, statement = site.code, site.statement
    if statement.type != "for_statement":
        return
    start, condition, update = (field(statement, name) for name in ("initializer", "condition", "update"))
    kind = None if start is None else field(start, "type")
    if kind is not None and code.text(kind) in ("size_t", "std::size_t", "unsigned", "unsigned int", "auto"):
        for option in ("int", "long", "long long"):
            yield site.replace(kind, option)
    if condition is not None and update is not None and "--" in code.text(update):
        for binary in binaries(condition):
            if binary.symbol == ">=":
                down = Replacement(code.start(condition), code.end(condition), f"{code.text(binary.left)}-- > 0")
                yield TemplateEdit((down, Replacement(code.start(update), code.end(update), "")), 0.6)


def unsigned_comparison(site: Site) -> Iterator[TemplateEdit]:
    """Compare sizes without passing below zero."""
    code = site.code
    for binary in site.binaries:
        if binary.symbol in ("<", ">", "<=", ">=") and code.text(binary.right).endswith(".size()"):
            yield site.replace(binary.right, f"(int) {code.text(binary.right)}", weight=0.5)
        for inner in binaries(binary.right) if binary.symbol in ("<", "<=") else ():
            if inner.symbol == "-":
                left = f"{code.text(binary.left)} + {code.text(inner.right)}"
                yield site.replace(binary.node, f"{left} {binary.symbol} {code.text(inner.left)}", weight=0.7)
