"""Values that a Python test compares with: their literals, others in their place, and where the test has them.

That may be the assertion, a variable, rows of a table, or the name of an exception. Who takes what is expected from there must
meet the changed value there.
"""

import ast
import builtins
import collections
import datetime
import decimal
import fractions
import random
import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from repairlab.core.text import replace_span
from repairlab.languages.assertions import says_equal
from repairlab.languages.counter import (
    Change,
    call_around,
    initial_value,
    moved,
    other_exception,
    other_literal,
    other_pattern,
    replace_change,
    scope_of,
    uses_of,
)
from repairlab.languages.nodes import named
from repairlab.languages.parser import Parsed

_MODULES = (builtins, collections, datetime, decimal, fractions)
"""Where Python has classes of plain values."""
_RECORDED = re.compile(r"(?:(?:unittest\.)?mock\.)?call(?:\.\w+)*")
"""What mocks record."""
_AROUND = ("unary_operator", "argument_list", "list", "tuple", "dictionary", "pair")


def literals(parsed: Parsed, node: Node, *, is_built: bool = False) -> Iterator[Node]:
    """Yield the literals that a value consists of; a value whose parts are equal to another's parts is equal to it.

    With `is_built` also what objects of whatever class are built with: the class may be one of the code under test.
    """
    if node.type in ("integer", "float", "true", "false"):
        yield node
    elif node.type == "string":
        prefix = parsed.text(node.children[0]).lower()
        if "f" not in prefix and not any(child.type == "interpolation" for child in node.children):
            yield node
    elif node.type == "keyword_argument":
        value = node.child_by_field_name("value")
        yield from literals(parsed, value, is_built=is_built) if value is not None else ()
    elif node.type == "call":
        for argument in _built_with(parsed, node, is_built=is_built):
            yield from literals(parsed, argument, is_built=is_built)
    elif node.type == "identifier":
        for value in value_of(node):
            yield from literals(parsed, value, is_built=is_built)
    elif (
        node.type in ("unary_operator", "list", "tuple", "set", "dictionary", "pair", "parenthesized_expression")
        # A sum, or a text, of which one part is another is another.
        or (node.type == "binary_operator" and any(child.type == "+" for child in node.children))
    ):
        for child in named(node):
            yield from literals(parsed, child, is_built=is_built)


def _built_with(parsed: Parsed, call: Node, *, is_built: bool) -> list[Node]:
    """Return what a call that makes a value is given; nothing where a function is called, for which it is an input."""
    called, arguments = parsed.text(call.children[0]), named(call.children[1])
    name = called.rpartition(".")[2]
    if name == "approx":
        return arguments[:1]
    is_plain = any(isinstance(getattr(module, name, None), type) for module in _MODULES) or _RECORDED.fullmatch(called)
    return arguments if is_plain or (is_built and name.lstrip("_")[:1].isupper()) else []


def of_sides(parsed: Parsed, sides: list[Node], *, is_built: bool) -> list[Node]:
    """Return the literals of the sides of an equality; of two that are built one is an input: what comes of it is not known."""
    found = [list(literals(parsed, side, is_built=is_built)) for side in sides]
    return [leaf for side in found for leaf in side] if not (is_built and all(found)) else []


def tolerance(parsed: Parsed, name: str, rest: list[Node]) -> str:
    """Return how far two values may be apart that a call takes for equal: a number if there is one, or nothing."""
    if not re.search(r"approx|almost|close", name, re.IGNORECASE):
        return ""
    for given in rest:
        option, value = given.child_by_field_name("name"), given.child_by_field_name("value")
        if option is not None and value is not None and parsed.text(option) in ("delta", "abs"):
            return parsed.text(value)
    return name


def other_value(parsed: Parsed, literal: Node, draw: random.Random, within: str = "") -> Change | None:
    """Return the change of a literal into another one; of a number into one that is not equal `within` a tolerance, either."""
    about = literal.parent
    while about is not None and about.type in _AROUND:
        about = about.parent
    if about is not None and about.type == "call" and parsed.text(about.children[0]).rpartition(".")[2] == "approx":
        within = tolerance(parsed, "approx", named(about.children[1])[1:])
    return other_literal(parsed, literal, draw, within)


def wrapped(parsed: Parsed, value: Node) -> Change | None:
    """Return the change of a value into a list of it: an object that equals everything equals that, too."""
    return replace_change(parsed, "negation", value, f"[{parsed.text(value)}]")


_RAISES = re.compile(r"(?:[\w.]*\.)?(?:raises|assertRaises(?:Regex)?)")
_EXCEPTIONS = ("ArithmeticError", "AttributeError", "IndexError", "KeyError", "OSError", "RuntimeError", "TypeError", "ValueError")
_GENERAL = ("Exception", "BaseException", "LookupError")
"""What those are kinds of."""
_VALUES = (str, bytes, bool, int, float, complex, type(None))
"""Types of values that pytest names a test after."""


def is_compared(use: Node) -> bool:
    """Return whether a variable is only compared where it stands, or told of: then nothing else comes of its value."""
    if called := call_around(use):
        return called == "approx" or says_equal(called)
    is_side = use.parent is not None and [child.type for child in use.parent.children if not child.is_named] == ["=="]
    node: Node | None = use
    while node is not None and node.parent is not None and node.parent.type != "assert_statement":
        node = node.parent
    if node is None or node.parent is None:
        return False
    return named(node.parent)[0] != node or is_side


def value_of(variable: Node) -> list[Node]:
    """Return what a variable stands for that is there for comparisons alone: its value, or a column of the rows of a loop."""
    value = initial_value(variable, is_compared)
    return [value] if value is not None else _column(variable)


def rows_of(loop: Node) -> list[Node]:
    """Return the rows that a loop runs over, where its text or a variable holds them; nothing where it may run over others."""
    over = loop.child_by_field_name("right")
    if over is not None and over.type == "identifier":
        over = initial_value(over, lambda use: use == over)
    return named(over) if over is not None and over.type in ("list", "tuple") else []


def _column(variable: Node) -> list[Node]:
    """Return the cells that a variable of a loop stands for."""
    scope, loop = scope_of(variable), variable.parent
    while loop is not None and loop != scope:
        target = loop.child_by_field_name("left") if loop.type == "for_statement" else None
        targets = [] if target is None else [target] if target.type == "identifier" else named(target)
        if variable.text in [name.text for name in targets]:
            if all(use in targets or is_compared(use) for use in uses_of(variable, scope)):
                index = [name.text for name in targets].index(variable.text)
                return _cells(rows_of(loop), index, len(targets))
            return []
        loop = loop.parent
    return []


def _cells(rows: list[Node], index: int, size: int) -> list[Node]:
    return [cells[index] for row in rows if (cells := _split(row, size))]


def _split(row: Node, size: int) -> list[Node]:
    """Return the cells of a row; nothing where it has not as many."""
    cells = [row] if size == 1 else named(row) if row.type in ("tuple", "list") else []
    return cells if len(cells) == size else []


def other_exceptions(parsed: Parsed, call: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of what a call such as `raises(ValueError, match="…")` expects: of the exception, and of what it says."""
    arguments = call.child_by_field_name("arguments")
    given = named(arguments) if arguments is not None else []
    if not given or not _RAISES.fullmatch(called := parsed.text(call.children[0])):
        return
    if given[0].type in ("identifier", "attribute"):
        yield replace_change(parsed, "literal", given[0], other_exception(parsed.text(given[0]), _EXCEPTIONS, _GENERAL, draw))
    options = {parsed.text(option.children[0]): option.children[-1] for option in given if option.type == "keyword_argument"}
    pattern = given[1] if called.endswith("Regex") and len(given) > 1 else options.get("match")
    if pattern is not None and pattern.type == "string" and parsed.text(pattern)[:1] in "'\"" and "\n" not in parsed.text(pattern):
        yield replace_change(parsed, "literal", pattern, other_pattern(parsed.text(pattern), draw))


def other_parameters(
    parsed: Parsed, function: Node, other: Callable[[Node], Iterator[Change | None]]
) -> Iterator[tuple[str, Change]]:
    """Yield, for each parameter of a pytest that is only compared, the change of all its values; tests keep their names."""
    around = function.parent
    for decorator in named(around) if around is not None and around.type == "decorated_definition" else []:
        call = named(decorator)[0] if decorator.type == "decorator" and named(decorator) else None
        if call is None or call.type != "call" or parsed.text(call.children[0]) != "pytest.mark.parametrize":
            continue
        given = named(call.children[1])
        names = _names(parsed, given[0]) if len(given) > 1 and given[1].type in ("list", "tuple") else []
        for index, name in enumerate(names if not any("ids" in parsed.text(option) for option in given[2:]) else []):
            if _is_expected(parsed, function, name) and (change := _other_table(parsed, given[1], names, index, other)):
                yield name, change


def _names(parsed: Parsed, given: Node) -> list[str]:
    try:
        names = ast.literal_eval(parsed.text(given))
    except (ValueError, SyntaxError):
        return []
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else [str(name) for name in names]


def _is_expected(parsed: Parsed, function: Node, name: str) -> bool:
    """Return whether a parameter is compared, and nothing else is made of it."""
    parameters, body = (function.child_by_field_name(field) for field in ("parameters", "body"))
    declared = [node for node in named(parameters) if parsed.text(node) == name] if parameters is not None else []
    if not declared or body is None:
        return False
    uses = uses_of(declared[0], body)
    return bool(uses) and all(map(is_compared, uses))


def _other_table(
    parsed: Parsed, table: Node, names: list[str], index: int, other: Callable[[Node], Iterator[Change | None]]
) -> Change | None:
    """Return the change of a column; both texts say what the tests are called, since pytest would name them after the values."""
    neutral, false = list[tuple[Node, str]](), list[tuple[Node, str]]()
    for number, row in enumerate(named(table)):
        cells = _split(row, len(names))
        change = next(filter(None, other(cells[index])), None) if cells else None
        if change is None:
            continue
        texts = [parsed.text(cell) for cell in cells]
        title = "-".join(_title(text, name, number) for text, name in zip(texts, names, strict=True))
        start = parsed.span(cells[index]).start
        changed = replace_span(texts[index], moved(change.span, -start), change.false)
        for made, value in ((neutral, texts[index]), (false, changed)):
            made.append((row, f"pytest.param({', '.join([*texts[:index], value, *texts[index + 1 :]])}, id={title!r})"))
    if not false:
        return None
    return Change(
        kind="literal", span=parsed.span(table), neutral=_written(parsed, table, neutral), false=_written(parsed, table, false)
    )


def _written(parsed: Parsed, table: Node, rows: list[tuple[Node, str]]) -> str:
    """Return the text of a table with other rows."""
    text, start = parsed.text(table), parsed.span(table).start
    for row, new in reversed(rows):
        text = replace_span(text, moved(parsed.span(row), -start), new)
    return text


def _title(cell: str, name: str, number: int) -> str:
    """Return what pytest calls a value: its text, or the name of the parameter and the number of the row."""
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError):
        return f"{name}{number}"
    if not isinstance(value, _VALUES) or isinstance(value, bytes):
        return f"{name}{number}"
    return str(value)
