"""Patterns that change a literal: numbers, truth values, strings, characters and formats."""

import re
from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Site, TemplateEdit


def number(site: Site) -> Iterator[TemplateEdit]:
    """Use another number: zero or one, one more or less, the negative, a tenfold, one of the function's own."""
    code = site.code
    for node in site.of(node_types.NUMBERS):
        text = code.text(node)
        match = re.fullmatch(r"(\d+)([uUlLfFdD]*)", text)
        if match is not None:
            value, suffix = int(match[1]), match[2]
            options = [1 - value] if value in (0, 1) else []
            options += [value + 1, value - 1] if value else [-1, 2]
            options += [0, 2, -1] if value == 1 else [0, 1, value + 2] if value else []
            for rank, near in enumerate(dict.fromkeys(options)):
                yield site.replace(node, f"{near}{suffix}", weight=1.0 / (1 + 0.4 * rank))
            for scaled in (value * 10, value // 10 if value % 10 == 0 else value * 2, value * 2):
                if value > 1:
                    yield site.replace(node, f"{scaled}{suffix}", weight=0.3)
        elif re.fullmatch(r"\d+\.\d*[fFdD]?", text):
            for option in ("0.0", "1.0", "0.5", "2.0", f"-{text}"):
                yield site.replace(node, option, weight=0.5)
        if match is None or int(match[1]) > 0:
            parent = node.parent
            if parent is not None and parent.type not in ("unary_operator", "unary_expression"):
                yield site.replace(node, f"-{text}", weight=0.4)
        for other in site.scope.numbers:
            if other != text:
                yield site.replace(node, other, weight=0.4)


def first_element(site: Site) -> Iterator[TemplateEdit]:
    """Begin a search for the best element with the first one."""
    code = site.code
    template = "{0}.get(0)" if code.is_java else "{0}[0]"
    for node in site.nodes:
        parent = node.parent
        if (
            node.type not in node_types.NUMBERS
            or parent is None
            or parent.type not in ("assignment", "variable_declarator", "init_declarator")
        ):
            continue
        for item in site.scope.visible(node)[:6]:
            if item.is_local and group(item.type) not in ("integer", "real", "truth"):
                yield site.replace(node, ("{0}[0]" if item.type.endswith("[]") else template).format(item.name))


def extreme(site: Site) -> Iterator[TemplateEdit]:
    """Begin a minimum or maximum with the extreme of the type, or a sum or product with its neutral element."""
    for node in site.nodes:
        parent = node.parent
        text = site.code.text(node)
        if parent is None or parent.type not in (
            "assignment",
            "assignment_expression",
            "variable_declarator",
            "init_declarator",
            "unary_operator",
            "unary_expression",
        ):
            continue
        options = site.code.idioms.extremes
        if node.type in node_types.NUMBERS or text.endswith(("_VALUE", "_MAX", "_MIN")) or "inf" in text:
            for option in options:
                if option != text and parent.type not in ("unary_operator", "unary_expression"):
                    yield site.replace(node, option)
        elif node.type in ("unary_operator", "unary_expression"):
            for option in options:
                yield site.replace(node, option)


def truth(site: Site) -> Iterator[TemplateEdit]:
    """Exchange true and false, none and empty."""
    table = {
        "True": ("False", "None"),
        "False": ("True", "None"),
        "true": ("false",),
        "false": ("true",),
        "None": ("False", "0", "[]", '""', "True", "{}"),
        "null": ('""', "0", "false"),
        "NULL": ("0", '""'),
        "nullptr": ("0",),
        '""': ("null",) if site.code.is_java else ("None",) if site.code.is_python else ("NULL",),
        "[]": ("None", "{}", "[[]]", "[0]", "()"),
        "{}": ("[]", "None", "set()"),
    }
    for node in site.nodes:
        if node.is_named and node.type in node_types.LITERALS | {"list", "dictionary"}:
            for rank, option in enumerate(table.get(site.code.text(node), ())):
                yield site.replace(node, option, weight=1.0 / (1 + 0.5 * rank))


def truth_to_condition(site: Site) -> Iterator[TemplateEdit]:
    """Decide by a variable where a fixed truth value stands."""
    code = site.code
    for node in site.nodes:
        if (
            node.type not in ("true", "false")
            or node.parent is None
            or node.parent.type not in ("return_statement", "assignment", "argument_list")
        ):
            continue
        for item in site.scope.visible(node):
            kind = group(item.type)
            if not item.is_local:
                continue
            options = (
                [f"{item.name} == 0", f"{item.name} > 0"]
                if kind == "integer"
                else [item.name, f"!{item.name}"]
                if kind == "truth"
                else []
            )
            if code.is_python:
                options = [f"{item.name} == 0", f"not {item.name}", item.name, f"{item.name} > 0", f"{item.name} is None"]
            elif not options:
                options = [f"{item.name}.isEmpty()"] if code.is_java else [f"{item.name}.empty()"] if code.is_cpp else []
            for option in options:
                yield site.replace(node, option)
        for condition in site.scope.conditions:
            yield site.replace(node, code.text(condition), weight=0.5)


def elements(site: Site) -> Iterator[TemplateEdit]:
    """Add, drop or exchange elements of a list, tuple or array literal."""
    code = site.code
    for node in site.of(("list", "tuple", "set", "array_initializer", "initializer_list", "expression_list")):
        items = [child for child in node.named_children if "comment" not in child.type]
        text = code.text(node)
        opening, closing = ("", "") if node.type == "expression_list" else (text[0], text[-1])
        parts = [code.text(item) for item in items]
        if 2 <= len(items) <= 12:
            for index in range(len(items)):
                kept = ", ".join(parts[:index] + parts[index + 1 :])
                yield site.replace(node, f"{opening}{kept}{closing}", weight=0.6)
            yield site.swap(items[0], items[1])
        if len(items) < 4 and node.type != "expression_list":
            for item in site.scope.visible(node)[:6]:
                if item.is_local and item.name not in parts:
                    yield site.replace(node, f"{opening}{', '.join([*parts, item.name])}{closing}", weight=0.5)


def string(site: Site) -> Iterator[TemplateEdit]:
    """Use another string: one of the file, other case, other separators, with or without the line break."""
    for node in site.of(node_types.STRINGS):
        text = site.code.text(node)
        quote = text[-1:]
        head, sep, rest = text.partition(quote)
        body = rest[: -len(quote)] if sep else ""
        if body.startswith(quote * 2):
            continue
        for rank, option in enumerate(dict.fromkeys(_variants(body))):
            if option != body:
                yield site.replace(node, f"{head}{quote}{option}{quote}", weight=1.0 / (1 + 0.15 * rank))
        for other in [*site.scope.strings, *site.scope.library.strings]:
            if other != text and "\n" not in other and len(other) < 80:
                yield site.replace(node, other, weight=0.5)


_SEPARATORS = (" ", "", ",", ", ", ":", ": ", "-", "_", "/", ".", "|", ";", "\\n", "\\t")


def _variants(body: str) -> Iterator[str]:
    if body in _SEPARATORS:
        yield from _SEPARATORS
    if body.endswith("\\n"):
        yield body[:-2]
    elif body and not body.isalnum():
        yield body + "\\n"
    pairs = {
        "(": "[<{)",
        ")": "]>}(",
        "[": "(]",
        "]": ")[",
        "<": ">(",
        ">": "<)",
        "{": "}(",
        "}": "{)",
        "+": "-",
        "-": "+",
        "0": "1",
        "1": "0",
    }
    yield from pairs.get(body, "")
    yield body.strip()
    yield body + " "
    yield " " + body
    if any(char.isalpha() for char in body) and "%" not in body:
        yield body.lower()
        yield body.upper()
        yield body.capitalize()
    if 1 < len(body) < 4:
        yield body[::-1]
    if body.isalpha() and body.islower() and len(set(body)) == len(body):
        yield body + body.upper()
    if len(body) > 1:
        yield body[:-1]
        yield body[1:]
    for old, new in (
        (",", ", "),
        (", ", ","),
        (" ", ""),
        ("_", "-"),
        ("-", "_"),
        (".", "\\\\."),
        ("/", "\\\\"),
        ("\\t", " "),
        ("+", "*"),
        ("*", "+"),
    ):
        if old in body:
            yield body.replace(old, new)
    if body.startswith("^") or body.endswith("$"):
        yield body.strip("^$")
    else:
        yield body + "$"
        yield "^" + body


_FORMATS = {
    "%d": ("%ld", "%lld", "%u", "%zu", "%f", "%s", "%i", "%02d", "%c", "%x"),
    "%i": ("%ld", "%d", "%u"),
    "%ld": ("%lld", "%d", "%lu"),
    "%lld": ("%ld", "%llu", "%d"),
    "%u": ("%lu", "%d", "%llu", "%zu"),
    "%lu": ("%llu", "%zu", "%u"),
    "%zu": ("%d", "%lu"),
    "%f": ("%lf", "%.2f", "%d", "%.6f", "%g", "%.1f"),
    "%lf": ("%f", "%.2lf", "%Lf"),
    "%s": ("%d", "%c", "%r", "%p"),
    "%c": ("%d", "%s"),
    "%x": ("%02x", "%X", "%d"),
    "%02x": ("%x", "%02X"),
    "%p": ("%s",),
}


def format_string(site: Site) -> Iterator[TemplateEdit]:
    """Print or read with another conversion or another number of digits."""
    for node in site.of(node_types.STRINGS):
        text = site.code.text(node)
        for match in re.finditer(r"%[-+ 0#]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|L)?[diufgscxXpr]", text):
            for option in _FORMATS.get(match[0], ()):
                yield site.replace(node, text[: match.start()] + option + text[match.end() :])
            digits = re.fullmatch(r"%(\d*)\.(\d+)(l?f)", match[0])
            if digits is not None:
                for count in (int(digits[2]) + 1, int(digits[2]) - 1, 2, 1, 6, 0):
                    if count >= 0:
                        option = f"%{digits[1]}.{count}{digits[3]}"
                        yield site.replace(node, text[: match.start()] + option + text[match.end() :])
        for match in re.finditer(r"\{([^{}:]*):([^{}]*)\}", text):
            for option in (".2f", ".1f", "d", "02d", "s", ",", ".3f", ">5"):
                yield site.replace(node, f"{text[: match.start(2)]}{option}{text[match.end(2) :]}", weight=0.5)
        if site.code.is_python and re.search(r"\{\w+\}", text) and text[:1] in "\"'":
            yield site.replace(node, "f" + text)


def character(site: Site) -> Iterator[TemplateEdit]:
    """Use another character."""
    pairs = {
        "'0'": "'1' 'A'",
        "'a'": "'A' 'b'",
        "'A'": "'a' 'B'",
        "'z'": "'Z'",
        "'Z'": "'z'",
        "'9'": "'8'",
        "'1'": "'0'",
        "'('": "')' '['",
        "')'": "'(' ']'",
    }
    pairs |= {
        "'\\0'": "'\\n' '0'",
        "'\\n'": "'\\0' '\\r'",
        "' '": "'\\t' '\\n' ','",
        "','": "' ' ';'",
        "'+'": "'-'",
        "'-'": "'+' '_'",
        "'/'": "'\\\\'",
    }
    for node in site.of(node_types.CHARACTERS):
        text = site.code.text(node)
        options = [option or "' '" for option in pairs.get(text, "").split(" ") if option not in ("", "'")]
        if len(text) == 3 and text[1].isalpha():
            options.append(text.swapcase())
        same = [other for other in site.scope.expressions if other.type in node_types.CHARACTERS]
        options += [site.code.text(other) for other in same]
        for option in dict.fromkeys(options):
            yield site.replace(node, option)
        if text == "'0'":
            yield site.replace(node, "0", weight=0.3)
