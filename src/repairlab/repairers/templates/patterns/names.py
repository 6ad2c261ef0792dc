"""Patterns that put another name or expression in place of one: variables, fields, functions, whole values."""

import difflib
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.declarations import compatible, group
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import (
    argument_value,
    assignment_of,
    binaries,
    call_of,
    is_assigned,
    needs_parentheses,
    wrapped,
)


def similarity(one: str, two: str) -> float:
    """Return how alike two names are, 0 to 1."""
    return difflib.SequenceMatcher(None, one.lower(), two.lower(), autojunk=False).ratio()


def _is_plain_variable(node: Node) -> bool:
    """Whether an identifier is read or written as a variable: no callee, member, keyword, type or declared name."""
    parent = node.parent
    if node.type != "identifier" or parent is None:
        return False
    if parent.type in node_types.MEMBERS:
        return field(parent, "object", "argument") == node
    if parent.type in ("call", "call_expression"):
        return field(parent, "function") != node
    if parent.type == "method_invocation":
        return field(parent, "name") != node
    if parent.type == "keyword_argument":
        return field(parent, "value") == node
    if parent.type in ("variable_declarator", "init_declarator"):
        return field(parent, "value") == node
    return parent.type not in (
        *("parameters", "formal_parameter", "parameter_declaration", "default_parameter", "typed_parameter", "function_definition"),
        *("class_definition", "method_declaration", "class_declaration", "function_declarator", "enhanced_for_statement", "type"),
        *("pointer_declarator", "array_declarator", "reference_declarator", "declaration", "lambda_parameters", "dotted_name"),
        *("scoped_identifier", "qualified_identifier", "labeled_statement", "inferred_parameters", "marker_annotation"),
    )


def variable(site: Site) -> Iterator[TemplateEdit]:
    """Use another variable of a compatible type."""
    code, scope = site.code, site.scope
    options: list[tuple[float, Node, str]] = []
    here = {code.text(node) for node in site.nodes if node.type == "identifier"}
    for node in site.nodes:
        if not _is_plain_variable(node):
            continue
        name = code.text(node)
        kind = scope.type_of(name, node)
        for item in scope.visible(node):
            if item.name == name or not compatible(kind, item.type):
                continue
            score = (
                0.35 + 0.4 * similarity(name, item.name) + (0.2 if item.is_local else 0.0) + (0.15 if item.name in here else 0.0)
            )
            score += 0.15 if kind and kind == item.type else 0.0
            if code.is_python and item.start > node.start_byte:
                score -= 0.3
            options.append((score, node, item.name))
    options.sort(key=lambda option: -option[0])
    for score, node, name in options:
        yield site.replace(node, name, weight=min(1.0, score))


def member(site: Site) -> Iterator[TemplateEdit]:
    """Access another member, or a member of the variable instead of the variable, or the other way round."""
    code, library = site.code, site.scope.library
    ranked = [name for name, _ in library.members.most_common(30)]
    options: list[tuple[float, Node, str]] = []
    for node in site.of(node_types.MEMBERS):
        name, owner = field(node, "attribute", "field"), field(node, "object", "argument")
        is_callee = (
            node.parent is not None and node.parent.type in ("call", "call_expression") and field(node.parent, "function") == node
        )
        if name is None or owner is None or is_callee:
            continue
        same = library.members
        options += [
            (0.5 + 0.5 * similarity(code.text(name), other) + 0.02 * min(5, same[other]), name, other)
            for other in ranked
            if other != code.text(name)
        ]
        if code.text(owner) not in ("self", "this"):
            options.append((0.5, node, code.text(owner)))
    owners: dict[str, list[str]] = {}
    for call_or_member in site.scope.expressions:
        if call_or_member.type in node_types.MEMBERS:
            name, owner = field(call_or_member, "attribute", "field"), field(call_or_member, "object", "argument")
            if name is not None and owner is not None and owner.type == "identifier":
                owners.setdefault(code.text(owner), []).append(code.text(call_or_member))
    for node in site.nodes:
        if _is_plain_variable(node) and node.parent is not None and node.parent.type not in node_types.MEMBERS:
            options += [(0.5, node, text) for text in owners.get(code.text(node), [])]
            for prefix in ("self.", "this.", "this->"):
                if (
                    code.text(node) in library.members
                    and (prefix == "self.") == code.is_python
                    and (prefix == "this->") == code.is_c
                ):
                    options.append((0.6, node, prefix + code.text(node)))
    options.sort(key=lambda option: -option[0])
    for score, node, text in options:
        yield site.replace(node, text, weight=min(1.0, score))


def function(site: Site) -> Iterator[TemplateEdit]:
    """Call another function or method: one of the file with as many parameters, or one with a similar name."""
    code, library = site.code, site.scope.library
    options: list[tuple[float, Node, str]] = []
    for call in site.calls:
        if call.node.type == "object_creation_expression":
            continue
        name = code.text(call.name)
        called = (
            library.methods
            if call.receiver is not None
            else {code.text(other.name): 1 for other in library.calls if other.receiver is None}
        )
        pool: dict[str, float] = {}
        for made in library.signatures:
            if call.receiver is None or made.is_method:
                pool[made.name] = 0.35 + (0.25 if made.n_parameters == len(call.arguments) else -0.1)
        for other in called:
            pool.setdefault(other, 0.3)
        for other, score in pool.items():
            if other != name and "." not in other and "\n" not in other:
                options.append((score + 0.5 * similarity(name, other), call.name, other))
    options.sort(key=lambda option: -option[0])
    for score, node, text in options[:60]:
        yield site.replace(node, text, weight=min(1.0, score))


def literal_to_name(site: Site) -> Iterator[TemplateEdit]:
    """Use a variable where a literal stands."""
    for node in site.expressions:
        if (
            node.type in node_types.LITERALS
            and node.parent is not None
            and node.parent.type not in ("concatenated_string", "expression_statement")
        ):
            wanted = "integer" if node.type in node_types.NUMBERS else "text" if node.type in node_types.STRINGS else ""
            for item in site.scope.visible(node)[:15]:
                if group(item.type) in ("", wanted) or not wanted:
                    yield site.replace(node, item.name, weight=0.8 if item.is_local else 0.4)


def name_to_literal(site: Site) -> Iterator[TemplateEdit]:
    """Use a plain constant where a variable or call stands."""
    code = site.code
    empty = ["None", "[]", '""'] if code.is_python else ["null", '""'] if code.is_java else []
    for node in site.expressions:
        parent = node.parent
        if (
            parent is None
            or (node.type != "identifier" and call_of(node) is None)
            or (node.type == "identifier" and not _is_plain_variable(node))
        ):
            continue
        if is_assigned(node) or parent.type in node_types.MEMBERS | {"expression_statement"}:
            continue
        is_value = parent.type in (
            "return_statement",
            "argument_list",
            "assignment",
            "keyword_argument",
            "variable_declarator",
            "init_declarator",
        )
        kind = group(site.scope.type_of(code.text(node), node)) if node.type == "identifier" else ""
        if kind in ("integer", "real", ""):
            for number in ("0", "1", "-1"):
                yield site.replace(node, number, weight=0.5 if is_value else 0.3)
        if is_value:
            for text in empty:
                yield site.replace(node, text, weight=0.3)


def wrap_call(site: Site) -> Iterator[TemplateEdit]:
    """Apply a function to a value, as the file does elsewhere, or leave an application out."""
    code, library = site.code, site.scope.library
    appliers = [made.name for made in library.signatures if made.n_parameters == 1 and not (code.is_python and made.is_method)]
    appliers += [code.text(call.name) for call in library.calls if call.receiver is None and len(call.arguments) == 1]
    pool = list(dict.fromkeys([*appliers, *code.idioms.appliers]))
    for node in site.expressions:
        call = call_of(node)
        if (
            call is not None
            and call.receiver is not None
            and node.parent is not None
            and node.parent.type != "expression_statement"
        ):
            yield site.replace(node, code.text(call.receiver), weight=0.5)
        if call is not None and len(call.arguments) >= 1 and node.parent is not None and node.parent.type != "expression_statement":
            yield site.replace(node, code.text(argument_value(call.arguments[0])), weight=0.6)
    for name in pool[:20]:
        if name in ("print", "super") or "\n" in name:
            continue
        for node in site.expressions:
            parent = node.parent
            if parent is None or node.type not in (
                "identifier",
                "binary_operator",
                "binary_expression",
                "call",
                "subscript",
                "attribute",
                "method_invocation",
            ):
                continue
            if is_assigned(node) or parent.type in node_types.MEMBERS | {
                "call",
                "expression_statement",
                "call_expression",
            }:
                continue
            if node.type == "identifier" and not _is_plain_variable(node):
                continue
            yield site.replace(node, f"{name}({code.text(node)})", weight=0.5)


def constant_operand(site: Site) -> Iterator[TemplateEdit]:
    """Halve, double or square a value; take its remainder."""
    code = site.code
    for node in site.expressions:
        parent = node.parent
        if parent is None or node.type in node_types.LITERALS or (node.type == "identifier" and not _is_plain_variable(node)):
            continue
        if is_assigned(node) or parent.type in node_types.MEMBERS | node_types.CALLS | {"expression_statement"}:
            continue
        kind = group(site.scope.type_of(code.text(node), node)) if node.type == "identifier" else "integer"
        if kind not in ("", "integer", "real") or node.type in ("comparison_operator", "boolean_operator", "not_operator"):
            continue
        text = f"({code.text(node)})" if needs_parentheses(node) else code.text(node)
        square = f"{text} ** 2" if code.is_python else f"{text} * {text}"
        for option in (f"{text} / 2", f"{text} * 2", square, f"{text} // 2" if code.is_python else f"{text} % 2"):
            yield site.replace(node, option)


def both_sides(site: Site) -> Iterator[TemplateEdit]:
    """Compare the two sides after the same conversion."""
    code = site.code
    templates = code.idioms.conversions
    for binary in site.binaries:
        if (
            binary.symbol in ("==", "!=", "<", "<=", ">", ">=")
            and {binary.left.type, binary.right.type} & node_types.LITERALS == set()
        ):
            for template in templates:
                left, right = template.format(code.text(binary.left)), template.format(code.text(binary.right))
                yield site.replace(binary.node, f"{left} {binary.symbol} {right}")


def expression(site: Site) -> Iterator[TemplateEdit]:
    """Take a whole value from elsewhere in the function."""
    code = site.code
    slots: list[Node] = []
    for node in site.nodes:
        assigned = assignment_of(node)
        if assigned is not None:
            slots.append(assigned.value)
        if node.type == "return_statement" and node.named_children:
            slots.append(node.named_children[0])
        call = call_of(node)
        slots += [argument_value(argument) for argument in call.arguments] if call is not None else []
        for binary in binaries(node):
            slots += [binary.right, binary.left]
    here = site.statement.start_byte
    pool = sorted(site.scope.expressions, key=lambda node: (abs(node.start_byte - here), len(code.text(node))))
    for node in pool[:40]:
        text = code.text(node)
        if "\n" in text or len(text) > 60 or node.type == "parenthesized_expression":
            continue
        for slot in slots:
            inside = slot.parent is not None and slot.parent.type in node_types.BINARY
            yield site.replace(
                slot, f"({text})" if inside and needs_parentheses(node) else text, weight=0.6 if slot.type == node.type else 0.4
            )


def add_operand(site: Site) -> Iterator[TemplateEdit]:
    """Add, subtract or multiply with a variable: a term was forgotten."""
    slots: list[tuple[Node, float]] = []
    for node in site.nodes:
        assigned = assignment_of(node)
        if assigned is not None:
            slots.append((assigned.value, 1.0))
        if node.type == "return_statement" and node.named_children:
            slots.append((node.named_children[0], 1.0))
        call = call_of(node)
        if call is not None and call.node.parent is not None and call.node.parent.type != "expression_statement":
            slots.append((node, 0.5))
        slots += [(argument_value(argument), 0.5) for argument in call.arguments] if call is not None else []
        for binary in binaries(node):
            if binary.symbol in ("<", "<=", ">", ">=", "==", "!="):
                slots += [(binary.right, 0.7), (binary.left, 0.6)]
    options: list[tuple[float, int, TemplateEdit]] = []
    for item in site.scope.visible(site.statement):
        if not item.is_local or group(item.type) not in ("", "integer", "real", "list", "text"):
            continue
        # A variable that is hardly used is the likeliest to have been forgotten.
        rarity = 1.0 if site.scope.uses[item.name] <= 2 else 0.7
        for slot, weight in slots:
            for text, part in _extended(site, slot, item.name, numeric=group(item.type) not in ("list", "text")):
                options.append((-weight * rarity * part, len(options), site.replace(slot, text, weight=weight * part)))
    for _, _, change in sorted(options, key=lambda option: option[:2]):
        yield change


def _extended(site: Site, slot: Node, name: str, *, numeric: bool) -> Iterator[tuple[str, float]]:
    """Yield a value with a variable added before or behind, subtracted or multiplied, and how likely each is."""
    code = site.code
    if slot.type in node_types.LITERALS - node_types.NUMBERS - node_types.STRINGS | {"lambda", "dictionary"} or name == code.text(
        slot
    ):
        return
    if slot.type == "identifier" and group(site.scope.type_of(code.text(slot), slot)) not in (
        "",
        "integer",
        "real",
        "list",
        "text",
    ):
        return
    loose = slot.type in ("comparison_operator", "conditional_expression", "ternary_expression", "boolean_operator")
    text = f"({code.text(slot)})" if loose else code.text(slot)
    yield f"{text} + {name}", 1.0
    is_sequence = slot.type in ("list", "list_comprehension", "string", "string_literal")
    if name not in text:
        yield f"{name} + {text}", 0.9 if is_sequence or not numeric else 0.5
    if numeric and not is_sequence:
        yield f"{text} - {name}", 1.0
        yield f"{wrapped(code, slot)} * {name}", 0.5
