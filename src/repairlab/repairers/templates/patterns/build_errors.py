"""Patterns for programs that do not build: lost punctuation, unknown names, wrong types of declarations."""

import re
from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.fix_site import Replacement, Site, TemplateEdit
from repairlab.repairers.templates.patterns.names import similarity


def _broken_lines(site: Site) -> Iterator[tuple[int, str]]:
    """Yield offset and text of the suspicious lines, if the file does not parse."""
    code = site.code
    if code.root.has_error:
        for line in range(site.first, min(site.last, code.n_lines, site.first + 5) + 1):
            text = code.line_text(line).rstrip()
            if text.strip():
                yield code.line_start(line), text


def punctuation(site: Site) -> Iterator[TemplateEdit]:
    """Add or drop a semicolon, colon, bracket, quote or comma on a line that does not parse."""
    at_end = (":", ")", "]", "):", '"', "'") if site.code.is_python else (";", ")", ");", " {", "}", '"', '";', '");', ",", "]")
    for start, text in _broken_lines(site):
        end = start + len(text)
        for option in at_end:
            yield site.insert(end, option)
        if text.endswith((";", ":", "{")) and len(text) > 1:
            inner = start + len(text[:-1].rstrip())
            for option in (")", '"', "]", "))", '")'):
                yield site.insert(inner, option)
        for position, char in enumerate(text, start=start):
            if char in "()[]{};,:\"'":
                yield TemplateEdit((Replacement(position, position + 1, ""),), 0.5)
        for position, char in enumerate(text, start=start):
            for option in {"=": "=", "(": ")(,;", ")": ")(,;", ",": ")(,;", ";": ")(,;"}.get(char, ""):
                yield site.insert(position, option, weight=0.3)
        yield TemplateEdit((Replacement(start, end, ""),), 0.4)


def misspelt_keyword(site: Site) -> Iterator[TemplateEdit]:
    """Put the nearest keyword in place of a word on a line that does not parse."""
    for start, text in _broken_lines(site):
        for word in re.finditer(r"[A-Za-z_]\w*", text):
            for other in site.code.idioms.keywords.split():
                if word[0] != other and similarity(word[0], other) > 0.7:
                    yield TemplateEdit((Replacement(start + word.start(), start + word.end(), other),))


def undeclared(site: Site) -> Iterator[TemplateEdit]:
    """Put a known name of the file in place of one that nothing declares."""
    code, library = site.code, site.scope.library
    declared = {item.name for item in library.variables} | {made.name for made in library.signatures}
    builtin = set(code.idioms.known_names.split())
    pool = [name for name in {**dict.fromkeys(declared), **library.names} if len(name) > 1]
    for node in site.nodes:
        name = code.text(node)
        if node.type not in node_types.NAMES or name in declared or name in builtin or library.names[name] > 2:
            continue
        ranked = sorted(((similarity(name, other), other) for other in pool if other != name), key=lambda pair: (-pair[0], pair[1]))
        for score, other in ranked[:6]:
            if score > 0.5:
                yield site.replace(node, other, weight=score)
        visible = [item.name for item in site.scope.visible(node) if item.is_local]
        for other in visible[:6]:
            yield site.replace(node, other, weight=0.4)


def declare(site: Site) -> Iterator[TemplateEdit]:
    """Declare the variable that a statement assigns for the first time."""
    code, statement = site.code, site.statement
    if code.is_python or statement.type not in (
        "expression_statement",
        "for_statement",
        "for_range_loop",
        "enhanced_for_statement",
    ):
        return
    first = statement.named_children[0] if statement.named_children else None
    if first is None or first.type != "assignment_expression":
        return
    target = first.child_by_field_name("left")
    if target is None or target.type != "identifier":
        return
    known = {item.name for item in site.scope.visible(statement)}
    if code.text(target) in known:
        return
    for kind in code.idioms.declared:
        yield site.insert(code.start(target), f"{kind} ")


def other_type(site: Site) -> Iterator[TemplateEdit]:
    """Declare with the type that the value has."""
    code = site.code
    options = code.idioms.types
    for node in site.nodes:
        if node.type in (
            "type_identifier",
            "integral_type",
            "primitive_type",
            "void_type",
            "boolean_type",
            "floating_point_type",
            "placeholder_type_specifier",
        ):
            text = code.text(node)
            others = [
                name
                for name in dict.fromkeys(item.type for item in site.scope.library.variables)
                if name and name != text and "*" not in name
            ]
            for option in [*options, *others[:6]]:
                if option != text:
                    yield site.replace(node, option)
    declarators = [node for node in site.nodes if node.type in ("pointer_declarator",)]
    for node in declarators:
        yield site.replace(node, code.text(node).replace("*", "", 1).strip(), weight=0.5)
        yield site.insert(code.start(node), "*", weight=0.5)
    if code.is_c:
        for node in site.nodes:
            if (
                node.type == "identifier"
                and node.parent is not None
                and node.parent.type in ("parameter_declaration", "init_declarator", "declaration")
            ) and node.parent.child_by_field_name("declarator") == node:
                yield site.insert(code.start(node), "*", weight=0.6)
