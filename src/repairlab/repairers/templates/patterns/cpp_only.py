"""Patterns for mistakes that C++ allows: copies for references, wrong release, lost iterators, unsigned counters."""

import re
from collections.abc import Iterator

from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.fix_site import Replacement, Site, TemplateEdit
from repairlab.repairers.templates.shapes import binaries, call_of


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
    for node in site.expressions:
        call = call_of(node)
        if call is None or not call.arguments or node.parent is None or node.parent.type != "expression_statement":
            continue
        first = code.text(call.arguments[0])
        name = code.text(call.name).rpartition("::")[2]
        if name in ("erase", "insert") and first.isidentifier():
            yield site.insert(code.start(node), f"{first} = ")
        if name in ("unique", "remove", "remove_if"):
            owner = first.split(".")[0]
            yield site.replace(node, f"{owner}.erase({code.text(node)}, {owner}.end())")


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
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol in ("<", ">", "<=", ">=") and code.text(binary.right).endswith(".size()"):
                yield site.replace(binary.right, f"(int) {code.text(binary.right)}", weight=0.5)
            for inner in binaries(binary.right) if binary.symbol in ("<", "<=") else ():
                if inner.symbol == "-":
                    left = f"{code.text(binary.left)} + {code.text(inner.right)}"
                    yield site.replace(node, f"{left} {binary.symbol} {code.text(inner.left)}", weight=0.7)
