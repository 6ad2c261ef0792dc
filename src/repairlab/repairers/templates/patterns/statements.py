"""Patterns that delete, move, copy and duplicate whole statements (Kali, TBar, plastic surgery)."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, enclosing
from repairlab.repairers.templates.declarations import compatible
from repairlab.repairers.templates.fix_site import Gap, Replacement, Site, TemplateEdit, body_statements, neighbours
from repairlab.repairers.templates.patterns.names import similarity


def whole_lines(code: Code, node: Node) -> tuple[int, int] | None:
    """Return the span of the lines of a node if it has them for itself."""
    start, end = code.line_start(code.first_line(node)), code.line_start(code.last_line(node) + 1)
    around = code.source[start : code.start(node)] + code.source[code.end(node) : end]
    return (start, end) if not around.strip(" \t\r\n;") else None


def delete(site: Site) -> Iterator[TemplateEdit]:
    """Leave the statement out."""
    statement, code = site.statement, site.code
    if statement.type in node_types.FUNCTIONS | node_types.CLASSES | {
        "else_clause",
        "case_statement",
        "switch_block_statement_group",
    }:
        if statement.type == "else_clause":
            yield site.replace(statement, "")
        return
    lines = whole_lines(code, statement)
    siblings = (
        [child for child in statement.parent.named_children if "comment" not in child.type] if statement.parent is not None else []
    )
    if code.is_python and len(siblings) == 1 and statement.parent is not None and statement.parent.type == "block":
        yield site.replace(statement, "pass")
        return
    is_in_block = statement.parent is not None and statement.parent.type in node_types.BLOCKS | node_types.BODIES | {
        "translation_unit",
        "program",
    }
    if not is_in_block and not code.is_python:
        yield site.replace(statement, ";")
    elif lines is not None:
        yield TemplateEdit((Replacement(*lines, ""),))
    else:
        yield site.replace(statement, "")


def delete_lines(site: Site) -> Iterator[TemplateEdit]:
    """Leave out all suspicious lines at once."""
    code = site.code
    if site.last > site.first and code.first_line(site.statement) == site.first:
        yield TemplateEdit((Replacement(code.line_start(site.first), code.line_start(site.last + 1), ""),))


def move(site: Site) -> Iterator[TemplateEdit]:
    """Exchange the statement with a neighbour, or move it into, out of, or past blocks."""
    statement, code = site.statement, site.code
    if statement.type not in node_types.MOVABLE:
        return
    before, after = neighbours(statement)
    for other in (before, after):
        if other is not None and other.type in node_types.MOVABLE:
            yield site.swap(statement, other)
    lines = whole_lines(code, statement)
    if lines is None:
        return
    text = code.source[lines[0] : lines[1]]
    for other, at_end in ((before, True), (after, False)):
        for block in (
            []
            if other is None
            else [other, *(child for child in other.named_children if child.type in ("else_clause", "elif_clause"))]
        ):
            inside = [item for item in body_statements(block) if item.parent is not None and item.parent.type in node_types.BLOCKS]
            if inside:
                target = inside[-1] if at_end else inside[0]
                yield _moved(code, lines, text, target, behind=at_end)
                yield _moved(code, lines, text, inside[0] if at_end else inside[-1], behind=not at_end)
    outer = (
        None
        if statement.parent is None
        else enclosing(statement.parent, node_types.LOOPS | frozenset({"if_statement", "try_statement"}))
    )
    depth = 0
    while outer is not None and depth < 3 and code.function_of(outer) == code.function_of(statement):
        yield _moved(code, lines, text, outer, behind=True)
        yield _moved(code, lines, text, outer, behind=False)
        outer = (
            None
            if outer.parent is None
            else enclosing(outer.parent, node_types.LOOPS | frozenset({"if_statement", "try_statement"}))
        )
        depth += 1
    siblings = (
        [child for child in statement.parent.named_children if child.type in node_types.MOVABLE]
        if statement.parent is not None
        else []
    )
    for other in siblings:
        if other not in (statement, before, after):
            yield _moved(code, lines, text, other, behind=other.start_byte > statement.start_byte)


def _moved(code: Code, lines: tuple[int, int], text: str, target: Node, *, behind: bool) -> TemplateEdit:
    old = text[: len(text) - len(text.lstrip())]
    new = code.indent(code.first_line(target))
    body = "".join(
        new + line[len(old) :] if line.startswith(old) else line for line in text.replace("\r\n", "\n").splitlines(keepends=True)
    )
    body = body if body.endswith("\n") else body + "\n"
    at = code.line_start(code.last_line(target) + 1) if behind else code.line_start(code.first_line(target))
    removal = Replacement(*lines, "")
    if at == len(code.source) and code.source and code.source[-1] not in "\r\n":
        body = "\n" + body
    return TemplateEdit((removal, Replacement(at, at, body)))


def indentation(site: Site) -> Iterator[TemplateEdit]:
    """Indent a statement one step less or more (Python)."""
    statement, code = site.statement, site.code
    lines = whole_lines(code, statement)
    if lines is None:
        return
    text = code.source[lines[0] : lines[1]]
    unit = code.indent_unit
    parts = text.splitlines(keepends=True)
    if all(part.startswith(unit) or not part.strip() for part in parts):
        yield TemplateEdit((Replacement(*lines, "".join(part.removeprefix(unit) for part in parts)),))
    yield TemplateEdit((Replacement(*lines, "".join(unit + part if part.strip() else part for part in parts)),))
    indent = code.indent(code.first_line(statement))
    if len(indent) > len(unit) * 2:
        yield TemplateEdit((Replacement(*lines, "".join(part.removeprefix(unit * 2) for part in parts)),), 0.5)


def copy(gap: Gap) -> Iterator[TemplateEdit]:
    """Insert a statement of the function, as it is or with its names exchanged for similar ones."""
    code = gap.code
    here = gap.offset
    pool = [
        node for node in gap.scope.statements if code.first_line(node) == code.last_line(node) and node.type != "pass_statement"
    ]
    pool.sort(key=lambda node: (abs(code.start(node) - here), node.start_byte))
    texts = list(dict.fromkeys(code.text(node) for node in pool))
    for rank, text in enumerate(texts[:25]):
        yield gap.insert(text, weight=1.0 / (1 + 0.1 * rank))
    beside = [node for node in (gap.before, gap.after) if node is not None and code.first_line(node) == code.last_line(node)]
    for node in [*beside, *pool[:6]]:
        yield from (gap.insert(text, weight=0.7) for text in _renamed(gap, node))


_SYMMETRIC = (
    *(("x", "y"), ("left", "right"), ("first", "last"), ("min", "max"), ("start", "end"), ("row", "col"), ("lo", "hi"), ("a", "b")),
    *(("i", "j"), ("head", "tail"), ("width", "height"), ("next", "prev"), ("rows", "cols"), ("low", "high"), ("begin", "end")),
)


def _exchange(text: str, one: str, two: str) -> str:
    """Return a text with two words, also as parts of names (`x_min`), exchanged for each other."""
    other = {one: two, two: one}
    return re.sub(rf"(?<![a-zA-Z])({one}|{two})(?![a-zA-Z])", lambda match: other[match[1]], text)


def _renamed(gap: Gap, node: Node) -> Iterator[str]:
    """Yield a statement with one of its names exchanged everywhere, and symmetric pairs exchanged."""
    code, scope = gap.code, gap.scope
    text = code.text(node)
    for one, two in _SYMMETRIC:
        swapped = _exchange(text, one, two)
        if swapped != text:
            yield swapped
    names = list(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)))
    visible = scope.visible(node)
    for name in names:
        own = next((item for item in visible if item.name == name), None)
        if own is None:
            continue
        others = [item for item in visible if item.name != name and compatible(own.type, item.type) and item.is_local]
        others.sort(key=lambda item: -similarity(name, item.name))
        for item in others[:4]:
            yield re.sub(rf"\b{re.escape(name)}\b", item.name, text)


def duplicate_renamed(site: Site) -> Iterator[TemplateEdit]:
    """Exchange a name for another in the whole statement, or both of a symmetric pair."""
    code = site.code
    statement = site.statement
    if statement.type not in node_types.SIMPLE | node_types.DECLARATIONS:
        return
    gap = Gap(site.scope, code.start(statement), "", None, statement, site.scope.function, site.loop, exact=False)
    for text in _renamed(gap, statement):
        yield site.replace(statement, text)


def from_function(site: Site) -> Iterator[TemplateEdit]:
    """Replace the statement by another one of the function."""
    code, statement = site.code, site.statement
    if statement.type not in node_types.SIMPLE:
        return
    pool = [
        node
        for node in site.scope.statements
        if node != statement and node.type in node_types.SIMPLE and "\n" not in code.text(node)
    ]
    pool.sort(key=lambda node: (node.type != statement.type, abs(node.start_byte - statement.start_byte)))
    for node in pool[:20]:
        yield site.replace(statement, code.text(node), weight=1.0 if node.type == statement.type else 0.5)
