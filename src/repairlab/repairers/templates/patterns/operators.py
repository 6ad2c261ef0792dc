"""Patterns that change an operator or regroup the operands of one (jMutRepair, TBar's operator mutation)."""

from collections.abc import Iterator

from repairlab.repairers.templates.code import field, strip_parentheses
from repairlab.repairers.templates.fix_site import Replacement, Site, TemplateEdit
from repairlab.repairers.templates.shapes import assignment_of, binaries, wrapped

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
    for rank in range(5):
        for node in site.expressions:
            for binary in binaries(node):
                options = _COMPARISONS.get(binary.symbol, ())
                if rank < len(options):
                    yield site.replace(binary.operator, options[rank], weight=1.0 / (1 + rank))


def arithmetic(site: Site) -> Iterator[TemplateEdit]:
    """Compute with another arithmetic or bitwise operator."""
    python = {"/": ("//", "*", "%"), "//": ("/", "%", "*"), "*": ("+", "/", "//", "**"), "%": ("//", "/"), "^": ("**", "&", "|")}
    table = _ARITHMETIC | python if site.code.is_python else _ARITHMETIC
    table = table | {">>": (">>>", "<<")} if site.code.is_java else table
    for rank in range(4):
        for node in site.expressions:
            for binary in binaries(node):
                options = table.get(binary.symbol, ())
                if rank < len(options):
                    yield site.replace(binary.operator, options[rank], weight=1.0 / (1 + rank))


def logical(site: Site) -> Iterator[TemplateEdit]:
    """Exchange `and` and `or`, and bitwise with logical operators."""
    both, either = ("and", "or") if site.code.is_python else ("&&", "||")
    table = {both: (either, "&"), either: (both, "|"), "&": (both,), "|": (either,)}
    for node in site.expressions:
        for binary in binaries(node):
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
    for node in site.expressions:
        for binary in binaries(node):
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
    for node in site.expressions:
        for binary in binaries(node):
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
