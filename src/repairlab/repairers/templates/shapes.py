"""One view of expressions over four grammars: binary operations, calls, conditions, assignments and indices."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, field, strip_parentheses


class Binary(NamedTuple):
    """A binary operation; a chained comparison of Python is several."""

    node: Node
    left: Node
    operator: Node
    right: Node

    @property
    def symbol(self) -> str:
        """Return the operator's text."""
        return self.operator.type


class Call(NamedTuple):
    """A call of a function, method or constructor."""

    node: Node
    name: Node
    """The simple name."""
    receiver: Node | None
    arguments: list[Node]
    brackets: Node
    """The argument list with its parentheses."""


def binaries(node: Node) -> Iterator[Binary]:
    """Yield the binary operations that a node itself is."""
    if node.type not in node_types.BINARY:
        return
    if node.type == "comparison_operator":
        children = node.children
        for index in range(1, len(children) - 1, 2):
            yield Binary(node, children[index - 1], children[index], children[index + 1])
        return
    left, operator, right = field(node, "left"), field(node, "operator"), field(node, "right")
    if left is not None and operator is not None and right is not None:
        yield Binary(node, left, operator, right)


def call_of(node: Node) -> Call | None:
    """Return the call that a node is."""
    if node.type not in node_types.CALLS:
        return None
    brackets = field(node, "arguments")
    if brackets is None or brackets.type not in node_types.ARGUMENTS:
        return None
    arguments = [child for child in brackets.named_children if child.type not in ("comment", "line_comment", "block_comment")]
    if node.type == "method_invocation":
        name = field(node, "name")
        return None if name is None else Call(node, name, field(node, "object"), arguments, brackets)
    function = field(node, "function", "type")
    if function is None:
        return None
    if function.type in node_types.MEMBERS:
        member = field(function, "attribute", "field", "property")
        return None if member is None else Call(node, member, field(function, "object", "argument", "operand"), arguments, brackets)
    return Call(node, function, None, arguments, brackets)


def condition_of(node: Node) -> Node | None:
    """Return the condition of a statement or expression that has one, without its parentheses."""
    if node.type not in node_types.CONDITIONAL:
        return None
    if node.type == "conditional_expression" and field(node, "condition") is None:
        children = node.named_children  # Python: value if condition else other
        return children[1] if len(children) == 3 else None
    if node.type in ("assert_statement", "if_clause"):
        return next(iter(node.named_children), None)
    found = field(node, "condition")
    return None if found is None or found.type in node_types.DECLARATIONS else strip_parentheses(found)


def clauses(condition: Node) -> list[Node]:
    """Return the operands of a chain of `and`/`or`, the whole condition when it is none."""
    condition = strip_parentheses(condition)
    for binary in binaries(condition):
        if binary.symbol in ("&&", "||", "and", "or"):
            return clauses(binary.left) + clauses(binary.right)
    return [condition]


class Assignment(NamedTuple):
    """An assignment or a declaration with a value."""

    node: Node
    target: Node
    operator: str
    value: Node


def assignment_of(node: Node) -> Assignment | None:
    """Return the assignment that a node is; declarators with a value count."""
    if node.type in ("assignment", "assignment_expression", "augmented_assignment"):
        left, right, operator = field(node, "left"), field(node, "right"), field(node, "operator")
        if left is None or right is None:
            return None
        return Assignment(node, left, "=" if operator is None else operator.type, right)
    if node.type in ("variable_declarator", "init_declarator"):
        name, value = field(node, "name", "declarator"), field(node, "value")
        return None if name is None or value is None else Assignment(node, name, "=", value)
    return None


def is_assigned(node: Node) -> bool:
    """Whether a node is what its parent assigns to."""
    found = None if node.parent is None else assignment_of(node.parent)
    return found is not None and found.target == node


def subscript_of(node: Node) -> tuple[Node, Node] | None:
    """Return container and index of an element access."""
    if node.type not in node_types.SUBSCRIPTS:
        return None
    container = field(node, "value", "array", "argument")
    index = field(node, "subscript", "index", "indices")
    if index is not None and index.type == "subscript_argument_list":
        index = next(iter(index.named_children), None)
    return None if container is None or index is None else (container, index)


def indices_of(node: Node) -> list[Node]:
    """Return all indices of an element access: Python's `a[i, j]` has two."""
    found = subscript_of(node)
    if found is None:
        return []
    return node.children_by_field_name("subscript") or [found[1]]


def argument_value(node: Node) -> Node:
    """Return the value of an argument, which may be a keyword argument."""
    return (field(node, "value") or node) if node.type == "keyword_argument" else node


def needs_parentheses(node: Node) -> bool:
    """Whether an expression must be wrapped before an operator is put beside it."""
    return node.type in node_types.BINARY | node_types.TERNARIES | {
        "not_operator",
        "lambda",
        "assignment_expression",
        "await",
        "cast_expression",
    }


def wrapped(code: Code, node: Node) -> str:
    """Return the text of an expression, in parentheses when an operator beside it could tear it apart."""
    return f"({code.text(node)})" if needs_parentheses(node) else code.text(node)


def negated(code: Code, node: Node) -> str:
    """Return the text of the opposite of a condition."""
    text = code.text(node)
    word = "not " if code.is_python else "!"
    if node.type == "not_operator" or (node.type == "unary_expression" and text.startswith("!")):
        inner = field(node, "argument", "operand")
        return text[len(word) :].strip() if inner is None else code.text(strip_parentheses(inner))
    flips = {"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
    pairs = list(binaries(node))
    if len(pairs) == 1 and pairs[0].symbol in flips:
        binary = pairs[0]
        return f"{code.text(binary.left)} {flips[binary.symbol]} {code.text(binary.right)}"
    return word + (f"({text})" if needs_parentheses(node) else text)


def is_condition(node: Node) -> bool:
    """Whether an expression is a truth value by its form."""
    if node.type == "not_operator" or node.type in ("true", "false", "comparison_operator", "boolean_operator"):
        return True
    return any(binary.symbol in ("&&", "||", "<", "<=", ">", ">=", "==", "!=") for binary in binaries(node))
