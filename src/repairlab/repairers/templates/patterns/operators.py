"""Patterns that change an operator (jMutRepair, TBar's operator mutation), its operands, or the type that it computes with."""

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, field, strip_parentheses
from repairlab.repairers.templates.declarations import group
from repairlab.repairers.templates.fix_site import Replacement, Site, TemplateEdit
from repairlab.repairers.templates.shapes import assignment_of, binaries, call_of, is_assigned, wrapped

_COMPARISONS = {
    "<": ("<=", ">", ">=", "!="),
    "<=": ("<", ">=", ">", "=="),
    ">": (">=", "<", "<=", "!="),
    ">=": (">", "<=", "<", "=="),
    "==": ("!=", ">=", "<=", ">", "<"),
    "!=": ("==", ">", "<", ">=", "<="),
    "is": ("==", "is not"),
    "is not": ("!=", "is"),
    "in": ("not in", "=="),
    "not in": ("in", "!="),
}
_ARITHMETIC = {
    "+": ("-", "*", "/"),
    "-": ("+", "%", "/", "*"),
    "*": ("+", "/", "-"),
    "/": ("*", "%", "-"),
    "//": ("/", "%", "*"),
    "%": ("/", "*"),
    "**": ("*",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|", "^"),
    "|": ("&", "^"),
    "^": ("&", "|"),
    ">>>": (">>",),
}
_ASSIGNMENTS = {
    "=": ("+=", "-=", "|=", "*="),
    "+=": ("-=", "=", "*="),
    "-=": ("+=", "/=", "=", "//="),
    "*=": ("+=", "/=", "="),
    "/=": ("*=", "-=", "="),
    "//=": ("/=", "*="),
    "%=": ("/=", "="),
    "|=": ("&=", "^=", "="),
    "&=": ("|=", "^=", "="),
    "^=": ("&=", "|=", "="),
    "<<=": (">>=",),
    ">>=": ("<<=", ">>>="),
}


def comparison(site: Site) -> Iterator[TemplateEdit]:
    """Compare in another way."""
    yield from _exchanged(site, _COMPARISONS)


def arithmetic(site: Site) -> Iterator[TemplateEdit]:
    """Compute with another arithmetic or bitwise operator."""
    python = {"/": ("//", "*", "%"), "//": ("/", "%", "*"), "*": ("+", "/", "//", "**"), "%": ("//", "/"), "^": ("**", "&", "|")}
    table = _ARITHMETIC | python if site.code.is_python else _ARITHMETIC
    yield from _exchanged(site, table | {">>": (">>>", "<<")} if site.code.is_java else table)


def _exchanged(site: Site, table: Mapping[str, Sequence[str]]) -> Iterator[TemplateEdit]:
    """Yield each operator with others of the table, the likeliest of all operators first."""
    for rank in range(max(map(len, table.values()))):
        for binary in site.binaries:
            if rank < len(options := table.get(binary.symbol, ())):
                yield site.replace(binary.operator, options[rank], weight=1.0 / (1 + rank))


def logical(site: Site) -> Iterator[TemplateEdit]:
    """Exchange `and` and `or`, and bitwise with logical operators."""
    both, either = ("and", "or") if site.code.is_python else ("&&", "||")
    table = {both: (either, "&"), either: (both, "|"), "&": (both,), "|": (either,)}
    for binary in site.binaries:
        for index, option in enumerate(table.get(binary.symbol, ())):
            yield site.replace(binary.operator, option, weight=1.0 if index == 0 and len(binary.symbol) > 1 else 0.4)


def all_logical(site: Site) -> Iterator[TemplateEdit]:
    """Exchange all of `and` and `or` in a condition."""
    pairs = {"&&": "||", "||": "&&", "and": "or", "or": "and"}
    nodes = [binary for node in site.expressions for binary in binaries(node) if binary.symbol in pairs]
    for word in dict.fromkeys(binary.symbol for binary in nodes):
        same = [binary.operator for binary in nodes if binary.symbol == word]
        if len(same) > 1:
            yield TemplateEdit(tuple(Replacement(site.code.start(node), site.code.end(node), pairs[word]) for node in same))


def comparison_with_bound(site: Site) -> Iterator[TemplateEdit]:
    """Widen an equality to a range one step further: `== 0` to `<= 1`."""
    for binary in site.binaries:
        text = site.code.text(binary.right)
        if binary.symbol in ("==", "<", ">", "<=", ">=") and text.isdigit():
            options = {
                "==": (f"<= {int(text) + 1}", f"< {int(text) + 1}"),
                "<": (f"<= {int(text) + 1}",),
                ">": (f">= {int(text) - 1}",),
            }
            for option in options.get(binary.symbol, ()):
                yield TemplateEdit((Replacement(site.code.start(binary.operator), site.code.end(binary.right), option),))


def assignment(site: Site) -> Iterator[TemplateEdit]:
    """Assign with another compound operator; count in the other direction."""
    for node in site.nodes:
        found = assignment_of(node)
        if (found is not None and field(node, "operator") is not None) or node.type == "assignment":
            operator = field(node, "operator") or next((child for child in node.children if child.type == "="), None)
            if operator is not None and field(node, "type") is None:
                is_plain = operator.type == "="
                for index, option in enumerate(_ASSIGNMENTS.get(operator.type, ())):
                    yield site.replace(operator, option, weight=(0.5 if is_plain else 1.0) / (1 + index))
        if node.type == "update_expression":
            text = site.code.text(node)
            yield site.replace(node, text.replace("++", "--") if "++" in text else text.replace("--", "++"))
            bare = text.strip("+-")
            sign = "++" if "++" in text else "--"
            yield site.replace(node, sign + bare if text.endswith(sign) else bare + sign, weight=0.3)
            yield site.replace(node, f"{bare} {sign[0]}= 2", weight=0.3)


_SIGNED = frozenset({"argument_list", "return_statement", "subscript", "array_access", "keyword_argument", "lambda"})


def unary(site: Site) -> Iterator[TemplateEdit]:
    """Drop a sign or a negation, or add a minus."""
    for node in site.expressions:
        if node.type in ("unary_operator", "unary_expression", "not_operator"):
            operand = field(node, "argument", "operand")
            if operand is not None:
                yield site.replace(node, site.code.text(operand), weight=0.8)
        elif node.type in ("identifier", "call", "method_invocation", "call_expression", "subscript") and node.parent is not None:
            if node.parent.type in _SIGNED:
                yield site.replace(node, "-" + site.code.text(node), weight=0.15)
            elif any(binary.right == node and binary.symbol[0] in "<>=!*" for binary in binaries(node.parent)):
                yield site.replace(node, "-" + site.code.text(node), weight=0.3)


def operands(site: Site) -> Iterator[TemplateEdit]:
    """Exchange the operands, or keep only one of them."""
    swaps = ("-", "/", "//", "%", "<<", ">>", "**", "in", "not in", "+")
    for binary in site.binaries:
        if binary.symbol in swaps:
            yield site.swap(binary.left, binary.right, weight=0.4 if binary.symbol == "+" else 1.0)
    for node in site.expressions:
        if node.type == "comparison_operator" and len(node.children) > 3:
            continue
        for binary in binaries(node):
            if binary.symbol not in ("<", "<=", ">", ">=", "==", "!=", "<<", ">>", "&&", "||", "and", "or"):
                yield site.replace(node, site.code.text(binary.left), weight=0.6)
                yield site.replace(node, site.code.text(binary.right), weight=0.5)


def grouping(site: Site) -> Iterator[TemplateEdit]:
    """Evaluate in another order: move, add or drop parentheses."""
    code = site.code
    for node in site.expressions:
        for outer in binaries(node):
            for inner in binaries(strip_parentheses(outer.left)):
                if inner.node.type == node.type:
                    tail = f"({wrapped(code, inner.right)} {outer.symbol} {wrapped(code, outer.right)})"
                    yield site.replace(node, f"{wrapped(code, inner.left)} {inner.symbol} {tail}")
            for inner in binaries(strip_parentheses(outer.right)):
                if inner.node.type == node.type:
                    head = f"({wrapped(code, outer.left)} {outer.symbol} {wrapped(code, inner.left)})"
                    yield site.replace(node, f"{head} {inner.symbol} {wrapped(code, inner.right)}")
        if node.type == "parenthesized_expression" and node.parent is not None and any(binaries(node.parent)):
            yield site.replace(node, code.text(strip_parentheses(node)), weight=0.6)
        operand = field(node, "argument", "operand") if node.type in ("unary_expression", "not_operator") else None
        for outer in binaries(node.parent) if operand is not None and node.parent is not None else ():
            if outer.left == node and operand is not None:
                sign = code.text(node)[: code.start(operand) - code.start(node)]
                yield site.replace(outer.node, f"{sign}({code.text(operand)} {outer.symbol} {code.text(outer.right)})")


def declared_type(site: Site) -> Iterator[TemplateEdit]:
    """Declare with a wider, unsigned or floating type; in a function's head, parameters and result too."""
    table = site.code.idioms.wider
    head_only = site.statement.type in node_types.FUNCTIONS
    for node in site.nodes:
        if node.type in (
            "primitive_type",
            "integral_type",
            "floating_point_type",
            "sized_type_specifier",
            "type_identifier",
            "boolean_type",
        ):
            if node.parent is not None and node.parent.type in ("sized_type_specifier",):
                continue
            for rank, option in enumerate(table.get(site.code.text(node), ())):
                yield site.replace(node, option, weight=(0.7 if head_only else 1.0) / (1 + 0.3 * rank))


def widen_everywhere(site: Site) -> Iterator[TemplateEdit]:
    """Widen the type of each variable that a line computes with, where it is declared."""
    code = site.code
    table = code.idioms.wider
    if not table or site.scope.function is None:
        return
    used = {code.text(node) for node in site.nodes if node.type == "identifier"}
    for statement in code.statements:
        if statement.type not in node_types.DECLARATIONS or site.scope.function != code.function_of(statement):
            continue
        kind = statement.child_by_field_name("type")
        names = {
            code.text(node)
            for node in statement.children_by_field_name("declarator")
            for node in [*node.children, node]
            if node.type == "identifier"
        }
        if kind is not None and names & used and statement != site.statement:
            for option in table.get(code.text(kind), ())[:2]:
                yield site.replace(kind, option, weight=0.5)


def cast(site: Site) -> Iterator[TemplateEdit]:
    """Cast an operand before it is multiplied, divided, added or compared."""
    code = site.code
    if code.is_python:
        yield from _convert(site)
        return
    casts = code.idioms.casts
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol not in ("*", "/", "+", "-", "<", "<=", ">", ">=", "<<", "%"):
                continue
            likely = {"/": ("double",), "*": (*casts[:1], "double"), "<<": casts[:1]}.get(binary.symbol, ())
            for kind in casts:
                weight = 1.0 if kind in likely else 0.3
                yield site.replace(binary.left, f"({kind}) {wrapped(code, binary.left)}", weight=weight)
                yield site.replace(binary.right, f"({kind}) {wrapped(code, binary.right)}", weight=weight * 0.5)
        if node.type == "cast_expression" and node.named_children:
            yield site.replace(node, code.text(node.named_children[-1]), weight=0.6)
            inner = node.named_children[-1]
            for kind in casts:
                yield site.replace(node.named_children[0], kind, weight=0.4)
            if inner.type == "parenthesized_expression":
                for binary in binaries(inner.named_children[0]):
                    head = f"({code.text(node.named_children[0])}) {wrapped(code, binary.left)}"
                    yield site.replace(node, f"{head} {binary.symbol} {code.text(binary.right)}", weight=0.7)
        call = call_of(node)
        if call is not None and code.is_c and code.text(call.name).startswith(("is", "to")):
            for argument in call.arguments[:1]:
                yield site.replace(argument, f"(unsigned char) {wrapped(code, argument)}")


def number_suffix(site: Site) -> Iterator[TemplateEdit]:
    """Make an integer literal long, unsigned or a floating one."""
    if site.code.is_python:
        return
    for node in site.nodes:
        text = site.code.text(node)
        if node.type in node_types.INTEGERS and re.fullmatch(r"\d+", text):
            for option in (f"{text}L", f"{text}.0") if site.code.is_java else (f"{text}LL", f"{text}.0", f"{text}U", f"{text}ULL"):
                yield site.replace(node, option)


def _convert(site: Site) -> Iterator[TemplateEdit]:
    code = site.code
    for node in site.expressions:
        call = call_of(node)
        if (
            call is not None
            and code.text(call.name) in ("int", "float", "str", "round", "list", "tuple", "set")
            and call.receiver is None
        ):
            for option in ("int", "float", "str", "round"):
                yield site.replace(call.name, option, weight=0.8)
            if len(call.arguments) == 1:
                yield site.replace(node, wrapped(code, call.arguments[0]), weight=0.8)
    for option in ("int", "str", "float", "round"):
        for node in site.expressions:
            if _is_value(site, code, node):
                yield site.replace(node, f"{option}({code.text(node)})", weight=0.6)


def _is_value(site: Site, code: Code, node: Node) -> bool:
    parent = node.parent
    if parent is None or node.type not in ("identifier", "call", "binary_operator", "subscript", "attribute"):
        return False
    if is_assigned(node):
        return False
    if parent.type == "keyword_argument":
        return parent.child_by_field_name("value") == node
    is_known_text = node.type == "identifier" and group(site.scope.type_of(code.text(node), node)) in ("list", "dict", "set")
    return not is_known_text and parent.type in (
        "argument_list",
        "binary_operator",
        "assignment",
        "return_statement",
        "comparison_operator",
        "augmented_assignment",
        "list",
    )
