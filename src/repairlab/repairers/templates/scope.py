"""What a function and its file offer as ingredients: variables, functions, members, conditions, literals, return values."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from repairlab.languages.nodes import walk
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, enclosing, field
from repairlab.repairers.templates.declarations import Variable, variables
from repairlab.repairers.templates.shapes import Call, call_of, clauses, condition_of


class Signature(NamedTuple):
    """A function that can be called."""

    name: str
    n_parameters: int
    returns: str
    parameters: tuple[str, ...]
    is_method: bool


class Library:
    """What a file, and the other files of the project, declare; shared by all functions of the file."""

    def __init__(self, code: Code, others: Iterable[Code]) -> None:
        """Take the file and the other files that may be read."""
        self.code = code
        self._others = list(others)

    @cached_property
    def variables(self) -> list[Variable]:
        """Return all variables that the file declares, and the fields and constants of the other files."""
        return variables(self.code)

    @cached_property
    def signatures(self) -> list[Signature]:
        """Return all functions of the file, then those of the others."""
        return [
            made for code in [self.code, *self._others] for node in code.functions if (made := signature(code, node)) is not None
        ]

    @cached_property
    def members(self) -> Counter[str]:
        """Return how often each member name is accessed in the file; names of fields declared elsewhere count once."""
        counts: Counter[str] = Counter()
        for node in walk(self.code.root):
            if node.type in node_types.MEMBERS:
                name = field(node, "attribute", "field")
                if name is not None and not _is_called(node):
                    counts[self.code.text(name)] += 1
        for code in [self.code, *self._others]:
            for node in walk(code.root):
                if node.type == "field_declaration":
                    for name in walk(node):
                        if name.type in ("field_identifier", "variable_declarator"):
                            text = code.text(field(name, "name") or name)
                            counts.setdefault(text, 1)
        return counts

    @cached_property
    def calls(self) -> list[Call]:
        """Return all calls of the file."""
        return [call for node in walk(self.code.root) if (call := call_of(node)) is not None]

    @cached_property
    def methods(self) -> Counter[str]:
        """Return how often each method is called in the file."""
        return Counter(self.code.text(call.name) for call in self.calls if call.receiver is not None)

    @cached_property
    def strings(self) -> list[str]:
        """Return the distinct string literals of the file."""
        return _distinct(self.code.text(node) for node in walk(self.code.root) if node.type in node_types.STRINGS)

    @cached_property
    def names(self) -> Counter[str]:
        """Return how often each identifier occurs in the file."""
        return Counter(self.code.text(node) for node in walk(self.code.root) if node.type in node_types.NAMES)


class Scope:
    """The ingredients around one function (or around the whole file, outside functions)."""

    def __init__(self, library: Library, function: Node | None) -> None:
        """Take the function's node."""
        self.library = library
        self.code = library.code
        self.function = function
        self._root = function if function is not None else self.code.root
        # Patterns ask for the same places again and again.
        self._visible: dict[int, list[Variable]] = {}
        self._types: dict[int, dict[str, str]] = {}

    @cached_property
    def _nodes(self) -> list[Node]:
        return list(walk(self._root))

    def visible(self, node: Node) -> list[Variable]:
        """Return the variables visible at a node: the function's own first, nearest declaration first."""
        return self.visible_at(node.start_byte)

    def visible_at(self, at: int) -> list[Variable]:
        """Return the variables visible at a byte of the file."""
        if at in self._visible:
            return list(self._visible[at])
        found = [item for item in self.library.variables if item.start <= at < item.end]
        found.sort(key=lambda item: (not item.is_local, -item.start))
        self._visible[at] = list({item.name: item for item in reversed(found)}.values())[::-1]
        self._types[at] = {item.name: item.type for item in self._visible[at]}
        return list(self._visible[at])

    def local(self, node: Node) -> list[Variable]:
        """Return those of them that are the function's own."""
        return [item for item in self.visible(node) if item.is_local]

    def type_of(self, name: str, node: Node) -> str:
        """Return the type of a variable at a node, empty when unknown."""
        if node.start_byte not in self._types:
            self.visible(node)
        return self._types[node.start_byte].get(name, "")

    @cached_property
    def uses(self) -> Counter[str]:
        """Return how often each name occurs in the function."""
        return Counter(self.code.text(node) for node in self._nodes if node.type in node_types.NAMES)

    @cached_property
    def conditions(self) -> list[Node]:
        """Return the clauses of all conditions of the function."""
        found = [clause for node in self._nodes if (condition := condition_of(node)) is not None for clause in clauses(condition)]
        return list({self.code.text(node): node for node in reversed(found)}.values())[::-1]

    @cached_property
    def return_values(self) -> list[str]:
        """Return the distinct values that the function returns, simplest first."""
        values = [
            self.code.text(node.named_children[0])
            for node in self._nodes
            if node.type == "return_statement" and node.named_children and "comment" not in node.named_children[0].type
        ]
        return sorted(_distinct(values), key=len)

    @cached_property
    def return_type(self) -> str:
        """Return the declared return type of the function, empty when unknown."""
        if self.function is None:
            return ""
        found = field(self.function, "type", "return_type")
        if found is None:
            return "void" if self.function.type == "constructor_declaration" else ""
        declarator = field(self.function, "declarator")
        pointer = "*" if declarator is not None and declarator.type == "pointer_declarator" else ""
        return self.code.text(found).removeprefix("std::") + pointer

    @cached_property
    def function_name(self) -> str:
        """Return the name of the function, empty outside."""
        made = None if self.function is None else signature(self.code, self.function)
        return "" if made is None else made.name

    @cached_property
    def numbers(self) -> list[str]:
        """Return the distinct numbers of the function."""
        return _distinct(self.code.text(node) for node in self._nodes if node.type in node_types.NUMBERS)

    @cached_property
    def strings(self) -> list[str]:
        """Return the distinct strings of the function."""
        return _distinct(self.code.text(node) for node in self._nodes if node.type in node_types.STRINGS)

    @cached_property
    def expressions(self) -> list[Node]:
        """Return the larger expressions of the function, each text once."""
        found = [
            node
            for node in self._nodes
            if node.is_named and node.type in node_types.EXPRESSIONS - node_types.LITERALS - node_types.NAMES
        ]
        return list({self.code.text(node): node for node in reversed(found)}.values())[::-1]

    @cached_property
    def statements(self) -> list[Node]:
        """Return the simple statements of the function."""
        return [node for node in self._nodes if node.type in node_types.SIMPLE | node_types.DECLARATIONS and node.is_named]


def signature(code: Code, function: Node) -> Signature | None:
    """Return name and parameters of a function definition."""
    holder: Node = function
    returns = field(function, "type", "return_type")
    if function.type == "function_definition" and not code.is_python:
        declarator = field(function, "declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = field(declarator, "declarator") or next(iter(declarator.named_children), None)
        if declarator is None:
            return None
        holder = declarator
    name, parameters = field(holder, "name", "declarator"), field(holder, "parameters")
    if name is None or parameters is None:
        return None
    listed = [
        child
        for child in parameters.named_children
        if "comment" not in child.type and code.text(child) not in ("self", "cls", "void")
    ]
    types = tuple("" if (kind := field(child, "type")) is None else code.text(kind) for child in listed)
    is_method = enclosing(function, node_types.CLASSES) is not None
    return Signature(code.text(name).split("::")[-1], len(listed), "" if returns is None else code.text(returns), types, is_method)


def _is_called(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in ("call", "call_expression") and field(parent, "function") == node


def _distinct(texts: Iterable[str] | Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))
