"""Names of a Go test file: where each is declared, what it gets its value from, and whether code under test has a say in it."""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from repairlab.core.record import record
from repairlab.languages.nodes import above, named, operator_of, part, upward, walk
from repairlab.languages.parser import Parsed

LITERALS = frozenset({"int_literal", "float_literal", "interpreted_string_literal", "raw_string_literal", "rune_literal"})
DEEP = frozenset({"reflect.DeepEqual", "cmp.Equal"})
_ITEMS = frozenset({"bytes.Equal", "slices.Equal", "maps.Equal"})
"""Comparisons to which nothing and something empty are equal."""
_BUILTIN = frozenset({"len", "cap", "append", "make", "new", "copy", "min", "max", "real", "imag", "complex"})
_TYPES = re.compile(r"string|bool|byte|rune|error|u?int(8|16|32|64)?|uintptr|float(32|64)|any|complex(64|128)")
_CALLED_BY_VALUE = ("func_literal", "call_expression", "index_expression", "parenthesized_expression")
_AROUND_NAMES = ("expression_list", "unary_expression", "index_expression", "parenthesized_expression")
_LISTS = ("statement_list", "block", "expression_case", "default_case", "communication_case", "type_case")
_HEADED = ("if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "for_clause")
_SETTING = ("short_var_declaration", "assignment_statement", "range_clause", "inc_statement", "dec_statement")
FUNCTIONS = ("function_declaration", "func_literal", "method_declaration")


@record
class Given:
    """A function that takes a `*testing.T`."""

    name: str
    node: Node
    tester: str

    @property
    def is_test(self) -> bool:
        """Whether `go test` runs it."""
        return re.match(r"Test(?![a-z])", self.name) is not None


class GoNames:
    """The variables, functions and tables of a file."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed, self.text = parsed, parsed.text
        self.imports = {name: self.text(part(spec, "path")) for name, spec in imports(parsed)}
        self.functions = {self.text(part(it, "name")): it for it in parsed.root.children if it.type == "function_declaration"}
        testers = {name: tester_of(parsed, node) for name, node in self.functions.items()}
        self.given = {name: Given(name=name, node=self.functions[name], tester=it) for name, it in testers.items() if it}
        self._pure = dict[str, bool]()
        self._uses = dict[bytes, list[Node]]()
        for node in walk(parsed.root):
            if node.type in ("identifier", "field_identifier"):
                self._uses.setdefault(node.text or b"", []).append(node)

    # Variables

    def declaration(self, name: Node) -> Node | None:
        """Return the identifier that declares a variable of the file; none for functions, types and packages."""
        if (keyed := above(name, "literal_element", "keyed_element")) is not None and part(keyed, "key") == name.parent:
            return None
        for node, parent in upward(name):
            if (made := above(parent, "short_var_declaration")) is not None and part(made, "left") == parent:
                return name
            found = (it for place in _declaring(parent, node) for it in _declared(place) if it.text == name.text)
            if (declared := next(found, None)) is not None:
                return declared
        return None

    def uses_of(self, declared: Node) -> list[Node]:
        """Return where a variable is used."""
        uses = [use for use in self._uses.get(declared.text or b"", ()) if use.type == "identifier" and use != declared]
        return [use for use in uses if self.declaration(use) == declared]

    def holds_variable(self, node: Node) -> bool:
        """Whether a variable stands in an expression."""
        return any(it.type == "identifier" and self.declaration(it) is not None for it in walk(node))

    def is_derived(self, node: Node, seen: frozenset[Node] = frozenset()) -> bool:
        """Whether the code under test has a say in a value."""
        if node.type == "selector_expression" and (column := self.column(node)):
            return any(self.is_derived(value, seen) for value in column if value not in seen)
        if node.type == "call_expression" and self.is_foreign(node):
            return True
        if node.type == "func_literal":
            return False
        if node.type == "identifier" and (declared := self.declaration(node)) is not None and declared not in seen:
            return any(self.is_derived(source, seen | {declared}) for source in self.sources(declared))
        return any(self.is_derived(child, seen) for child in node.named_children)

    def sources(self, declared: Node) -> Iterator[Node]:
        """Yield what a variable gets its value from; what changes it in place counts as a foreign call does."""
        for name in (declared, *self.uses_of(declared)):
            node, place = next((pair for pair in upward(name) if pair[1].type not in _AROUND_NAMES), (name, name))
            if place.type in _SETTING:
                if (right := part(place, "right")) is not None and part(place, "left") == node:
                    yield value_of(name, node, right)
                if place.type != "range_clause" and name != declared:
                    yield from (it for it in walk(node) if it.type == "identifier" and it.text != name.text)
                    yield from _loops_around(place)
            elif place.type in ("var_spec", "const_spec"):
                yield from filter(None, [part(place, "value")])
            elif place.type == "parameter_declaration":
                yield from self._passed(name)
            elif place.parent is not None and (
                (place.type == "argument_list" and operator_of(node) == "&" and not self.compared(place.parent))
                or (place.type == "selector_expression" and is_called(place))
            ):
                yield place.parent

    def _passed(self, parameter: Node) -> Iterator[Node]:
        """Yield what a parameter of a helper is given in this file."""
        for given in self.given.values():
            for index, (name, _) in enumerate(slots(given.node)):
                for call in self.calls(given.name) if name == parameter else ():
                    yield from named(part(call, "arguments"))[index : index + 1]

    # Calls

    def calls(self, name: str) -> Iterator[Node]:
        """Yield the calls of a function."""
        for use in self._uses.get(name.encode(), ()):
            if use.parent is not None and is_called(use):
                yield use.parent

    def compared(self, call: Node) -> tuple[Node, Node] | None:
        """Return what a call compares."""
        sides = named(part(call, "arguments"))
        is_known = call.type == "call_expression" and self.text(part(call, "function")) in DEEP | _ITEMS
        return (sides[0], sides[1]) if is_known and len(sides) == 2 else None

    def is_foreign(self, call: Node) -> bool:
        """Whether a call may run code under test: not so a conversion, the standard library, or what the test file computes."""
        called = part(call, "function")
        text, path = self.text(called), self.imports.get(self.text(part(called, "operand")))
        if called is None or called.type not in ("identifier", "selector_expression"):
            return called is None or called.type in _CALLED_BY_VALUE
        if called.type == "identifier":
            return not (text in _BUILTIN or _TYPES.fullmatch(text) or self._is_pure(text))
        return path is None or "." in path.split("/")[0]

    def _is_pure(self, name: str) -> bool:
        """Whether a function of the file calls no code under test."""
        node = self.functions.get(name)
        if node is not None and name not in self._pure:
            self._pure[name] = True  # while it is looked at
            calls = [it for it in walk(node) if it.type == "call_expression"]
            self._pure[name] = not any(map(self.is_foreign, calls)) and "testing." not in self.text(node).split("{")[0]
        return self._pure.get(name, False)

    def is_asked_for(self, use: Node, is_gone: Callable[[Node], bool]) -> bool:
        """Whether code under test, as far as it is still called, is given a value where it stands."""
        for _, parent in upward(use):
            if parent.type.endswith("_statement"):
                break
            if parent.type == "call_expression" and self.is_foreign(parent) and not is_gone(parent):
                return True
        return False

    def tests_of(self, function: str) -> Iterator[str]:
        """Yield the tests that come by a function."""
        seen, waiting = set[str](), [function]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                if name in self.given and self.given[name].is_test:
                    yield name
                waiting += [self.function_around(call) for call in self.calls(name)]

    def function_around(self, node: Node) -> str:
        """Return the name of the function that a node is in."""
        outermost = [child for child, parent in upward(node) if parent.parent is None]
        return self.text(part(outermost[0], "name")) if outermost else ""

    # Tables of tests

    def column(self, selector: Node) -> list[Node]:
        """Return the values of a field in all rows of the file's tables: `tt.want`."""
        field, operand = part(selector, "field"), part(selector, "operand")
        if field is None or operand is None or operand.type not in ("identifier", "index_expression"):
            return []
        is_known = operand.type != "identifier" or self.declaration(operand) is not None
        return [value for value, _ in self.cells(self.text(field))] if is_known else []

    def is_column_of(self, use: Node) -> bool:
        """Whether a name stands for a row, and only a field of it is read."""
        selector = above(use, "selector_expression")
        return selector is not None and bool(self.column(selector))

    def cells(self, field: str) -> list[tuple[Node, Node]]:
        """Return the values of a field in rows of tables, each with its type."""
        found = list[tuple[Node, Node]]()
        for struct in (it for it in walk(self.parsed.root) if it.type == "struct_type"):
            columns = [(self.text(name), kind) for name, kind in _fields(struct)]
            names = [name for name, _ in columns]
            rows = self._rows(struct) if field in names else ()
            for index, element in (pair for row in rows for pair in enumerate(named(row))):
                key, value = part(element, "key"), part(element, "value")
                if element.type == "keyed_element" and value is not None and self.text(key) == field:
                    found.append((value, columns[names.index(field)][1]))
                elif element.type == "literal_element" and index == names.index(field):
                    found.append((element, columns[index][1]))
        return found

    def _rows(self, struct: Node) -> Iterator[Node]:
        name = self.text(part(above(struct, "type_spec"), "name"))
        for literal in (it for it in walk(self.parsed.root) if it.type == "composite_literal"):
            kind, body = part(literal, "type"), part(literal, "body")
            if body is not None and (kind == struct or (name and self.text(kind) == name)):
                yield body
            element = element_of(kind)
            if element is not None and (element == struct or (name and self.text(element).lstrip("*") == name)):
                yield from (it for value in elements(body) for it in named(value) if it.type == "literal_value")

    def selectors(self, field: Node) -> list[Node]:
        """Return where a field of a name is looked at."""
        uses = self._uses.get(field.text or b"", ())
        return [use for use in uses if use.type == "field_identifier" and above(use, "selector_expression") is not None]


def imports(parsed: Parsed) -> Iterator[tuple[str, Node]]:
    """Yield the name under which each package is known, and where it is imported."""
    for node in (it for it in walk(parsed.root) if it.type == "import_spec"):
        last = re.sub(r"/v\d+$", "", parsed.text(part(node, "path"))[1:-1]).split("/")[-1]
        yield parsed.text(part(node, "name")) or re.sub(r"^go-|\.v\d+$", "", last), node


def tester_of(parsed: Parsed, function: Node) -> str:
    """Return what a function calls its `*testing.T`; nothing where it has none."""
    for parameter in named(part(function, "parameters")):
        if parsed.text(part(parameter, "type")) in ("*testing.T", "testing.TB") and part(parameter, "name") is not None:
            return parsed.text(part(parameter, "name"))
    return ""


def slots(function: Node) -> list[tuple[Node, Node]]:
    """Return the parameters of a function, each with its type."""
    parts = [it for it in named(part(function, "parameters")) if it.type == "parameter_declaration"]
    return [(name, kind) for it in parts if (kind := part(it, "type")) is not None for name in names_of(it)]


def names_of(node: Node) -> list[Node]:
    """Return the names that a declaration of parameters, variables or fields declares."""
    return node.children_by_field_name("name")


def element_of(kind: Node | None) -> Node | None:
    """Return the type of the elements of a slice, or of the values of a map."""
    return part(kind, "element") or part(kind, "value")


def elements(body: Node | None) -> Iterator[Node]:
    """Yield the elements of a slice or the values of a map."""
    for element in named(body):
        yield part(element, "value") or element if element.type == "keyed_element" else element


def value_of(name: Node, left: Node, right: Node) -> Node:
    """Return what a name is given where several are given something at once."""
    names, values = named(left), named(right)
    return values[names.index(name)] if name in names and len(names) == len(values) and right.type == "expression_list" else right


def is_called(function: Node) -> bool:
    """Return whether an expression is what a call calls."""
    return part(above(function, "call_expression"), "function") == function


def _declaring(parent: Node, node: Node) -> Iterator[Node]:
    """Yield what declares the names that a part of a node sees, the nearest first."""
    if parent.type in _LISTS:
        yield from (it for it in reversed(parent.named_children) if it.end_byte <= node.start_byte)
    elif parent.type in _HEADED:
        clauses = [it for it in parent.named_children if it.type in ("for_clause", "range_clause")]
        yield from (it for it in clauses if it != node or part(it, "left") is not None)
        yield from (it for it in [part(parent, "initializer")] if it is not None and it != node)
    elif parent.type in FUNCTIONS:
        yield from named(part(parent, "parameters"))
    elif parent.type == "source_file":
        yield from (it for it in parent.named_children if it.type in ("var_declaration", "const_declaration"))


def _declared(place: Node | None) -> Iterator[Node]:
    """Yield the identifiers that a declaration declares."""
    if place is None:
        return
    if place.type in ("short_var_declaration", "range_clause"):
        yield from (it for it in named(part(place, "left")) if it.type == "identifier")
    elif place.type == "for_clause":
        yield from _declared(part(place, "initializer"))
    elif place.type in ("var_declaration", "const_declaration"):
        yield from (it for spec in walk(place) if spec.type in ("var_spec", "const_spec") for it in names_of(spec))
    elif place.type in ("parameter_declaration", "variadic_parameter_declaration"):
        yield from names_of(place)


def _fields(struct: Node) -> Iterator[tuple[Node, Node]]:
    for field in walk(struct):
        if field.type == "field_declaration" and (kind := part(field, "type")) is not None:
            yield from ((name, kind) for name in names_of(field))


def _loops_around(node: Node) -> Iterator[Node]:
    """Yield what decides how often a statement runs."""
    for _, parent in upward(node):
        clauses = named(parent) if parent.type == "for_statement" else []
        yield from (it for it in (part(clause, "right") for clause in clauses) if it is not None)
        if parent.type in ("function_declaration", "func_literal"):
            break
