"""Patterns around exceptions: catch what can be thrown, throw what is unwanted, catch or throw another type."""

from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.fix_site import Gap, Site, TemplateEdit
from repairlab.repairers.templates.patterns.guards import exits
from repairlab.repairers.templates.patterns.predicates import guards


def other_type(site: Site) -> Iterator[TemplateEdit]:
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
            unit = code.indent_unit
            yield gap.insert(
                f"if {guard.fails}:\n{unit}{action}" if code.is_python else f"if ({guard.fails}) {{\n{unit}{action}\n}}"
            )


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
