"""Names of a Java test file: where each is bound, what with, and where it is used."""

import re

from tree_sitter import Node

from repairlab.languages.nodes import above, named, part, upward, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import innermost, with_callers

METHODS = frozenset({"method_declaration", "constructor_declaration"})
FUNCTIONS = METHODS | {"lambda_expression"}
INNER = FUNCTIONS | {"class_body"}
"""Code within a method that is not its own."""
_PARAMETERS = frozenset({"catch_formal_parameter", "enhanced_for_statement", "formal_parameter", "resource", "spread_parameter"})
_BLOCKS = frozenset(
    {
        *("block", "for_statement", "enhanced_for_statement", "catch_clause", "try_with_resources_statement"),
        *("class_body", "interface_body", "enum_body", "method_declaration", "constructor_declaration", "lambda_expression"),
    }
)
_CALLS = ("method_invocation", "method_reference")
_NO_VARIABLES = {
    "method_invocation": "name",
    "method_declaration": "name",
    "class_declaration": "name",
    "element_value_pair": "key",
    "annotation": "name",
    "marker_annotation": "name",
}
"""Nodes that give a name to something other than a variable, and the field that holds the name."""


_COLLECTION = re.compile(r"(?:java\.util\.)?(?:Array|Linked|Hash|Tree|LinkedHash)(?:List|Map|Set|Deque)\b.*", re.DOTALL)


class JavaNames:
    """The variables and methods of a file."""

    def __init__(self, parsed: Parsed, nodes: list[Node]) -> None:
        self.parsed = parsed
        self.methods: dict[str, list[Node]] = {}
        self._bindings: dict[str, list[Node]] = {}
        self._uses: dict[str, list[Node]] = {}
        self._assigned: set[str] = set()
        for node in nodes:
            if node.type == "method_declaration":
                self.methods.setdefault(parsed.text(part(node, "name")), []).append(node)
            if node.type != "identifier" or not _is_variable(node):
                continue
            self._uses.setdefault(parsed.text(node), []).append(node)
            if is_binding(node):
                self._bindings.setdefault(parsed.text(node), []).append(node)
            elif _is_target(node):
                self._assigned.add(parsed.text(node))

    def calls(self, node: Node) -> set[str]:
        """Return the names of methods that a piece of code calls."""
        found = [part(it, "name") if it.type == "method_invocation" else it.children[-1] for it in walk(node) if it.type in _CALLS]
        return set(map(self.parsed.text, found))

    def calls_of(self, method: Node) -> bool:
        """Return whether a method is called, in this file."""
        name = self.parsed.text(part(method, "name"))
        return any(name in self.calls(it) for own in self.methods.values() for it in own)

    def calling(self, names: set[str]) -> set[str]:
        """Return methods with all that may call them."""
        return with_callers(names, {name: set().union(*map(self.calls, own)) for name, own in self.methods.items()})

    def uses_in(self, node: Node) -> list[Node]:
        """Return the variables that a piece of code uses."""
        return [it for it in walk(node) if it.type == "identifier" and _is_variable(it) and not is_binding(it)]

    def binding(self, use: Node) -> Node | None:
        """Return where the name in use is bound: in the innermost block around it that binds it."""
        return innermost(self._bindings.get(self.parsed.text(use), []), use, _scope)

    def uses(self, binding: Node) -> list[Node]:
        """Return where a binding is used."""
        mine = self._uses[self.parsed.text(binding)]
        return [use for use in mine if use != binding and self.binding(use) == binding]

    def constant(self, use: Node) -> Node | None:
        """Return what a variable was made with that nothing changes."""
        binding = self.binding(use)
        if binding is None or self.parsed.text(use) in self._assigned or any(grows(it) for it in self.uses(binding)):
            return None
        return value_of(binding)

    def origin(self, node: Node) -> str:
        """Return where a value comes from: `built` here, `derived` from what code under test did, or `unknown`."""
        found = "derived" if any(it.type == "lambda_expression" for it in walk(node)) else "built"
        for use in self.uses_in(node):
            kind = self._origin_of(use)
            if kind == "unknown":
                return kind
            found = kind if kind != "built" else found
        return found

    def _origin_of(self, use: Node) -> str:
        name, binding = self.parsed.text(use), self.binding(use)
        if binding is None:
            return "built" if name[:1].isupper() else "unknown"
        value, place = value_of(binding), binding.parent
        if (function := above(binding, "formal_parameter", "", "")) is not None:
            return "built" if function.type in METHODS else "unknown"
        if value is None or value.start_byte <= use.start_byte < value.end_byte:
            is_thrown = place is not None and place.type == "catch_formal_parameter"
            return "derived" if is_thrown or (name in self._assigned and _is_local(binding)) else "unknown"
        if name in self._assigned and not _is_counter(binding):
            return "derived"
        if value.type in ("method_invocation", "object_creation_expression") and any(grows(it) for it in self.uses(binding)):
            return "built" if self._is_put_together(value, binding) else "derived"
        return self.origin(value)

    def _is_put_together(self, value: Node, binding: Node) -> bool:
        """Return whether a collection of Java's own gets its members here, and none from code under test."""
        if not is_collection(self.parsed, value) or self.origin(value) != "built":
            return False
        members = [it for use in self.uses(binding) if grows(use) for it in [part(use.parent, "arguments")] if it is not None]
        return all(self.origin(it) == "built" and not any(map(_is_call, walk(it))) for it in members)


def _is_variable(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if parent.type in _NO_VARIABLES:
        return parent.child_by_field_name(_NO_VARIABLES[parent.type]) != node
    if parent.type == "field_access":
        owner = part(parent, "object")
        return owner == node or (owner is not None and owner.type == "this")
    if parent.type == "method_reference":
        return parent.children[-1] != node
    return parent.type not in ("scoped_identifier", "package_declaration", "import_declaration", "labeled_statement")


def is_binding(node: Node) -> bool:
    """Return whether a name is bound where it stands."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "variable_declarator" or parent.type in _PARAMETERS:
        return parent.child_by_field_name("name") == node
    is_alone = parent.type == "lambda_expression" and parent.child_by_field_name("parameters") == node
    return is_alone or parent.type == "inferred_parameters"


def _is_target(node: Node) -> bool:
    """Return whether a variable is given another value where its name stands."""
    whole = above(node, "field_access") or node
    return above(whole, "update_expression") is not None or part(above(whole, "assignment_expression"), "left") == whole


def value_of(binding: Node) -> Node | None:
    """Return what a variable is made with."""
    return part(above(binding, "variable_declarator"), "value")


def _scope(binding: Node) -> Node:
    """Return the piece of code where a binding counts."""
    return next((it for _, it in upward(binding) if it.type in _BLOCKS or it.parent is None), binding)


def _is_local(binding: Node) -> bool:
    return above(binding, "", "local_variable_declaration") is not None


def _is_counter(binding: Node) -> bool:
    """Return whether a variable counts the rounds of a loop."""
    return above(binding, "", "", "for_statement") is not None


def arguments(call: Node) -> list[Node]:
    """Return what a call is given."""
    return named(part(call, "arguments"))


def called(parsed: Parsed, call: Node) -> str:
    """Return the name of the called method; nothing for other nodes."""
    return parsed.text(part(call, "name")) if call.type == "method_invocation" else ""


def is_collection(parsed: Parsed, value: Node) -> bool:
    """Return whether a collection of Java's own is made."""
    return value.type == "object_creation_expression" and _COLLECTION.fullmatch(parsed.text(part(value, "type"))) is not None


def _is_call(node: Node) -> bool:
    return node.type in ("method_invocation", "object_creation_expression")


def grows(use: Node) -> bool:
    """Return whether a value may be changed through a name: by a method, a field, an index."""
    field = above(use, "field_access")
    whole = field if field is not None and field.children[-1] == use else use
    around = whole.parent
    if around is not None and around.type in ("array_access", "field_access") and around.children[0] == whole:
        return part(above(around, "assignment_expression"), "left") == around
    return part(above(whole, "method_invocation"), "object") == whole


def declaration(binding: Node) -> Node | None:
    """Return the statement that does nothing but bind a name."""
    whole = above(binding, "", "local_variable_declaration") or above(binding, "", "field_declaration")
    is_alone = sum(child.type == "variable_declarator" for child in named(whole)) == 1
    return whole if is_alone and (above(whole, "block") or above(whole, "class_body")) is not None else None


def can_end(parsed: Parsed, statement: Node) -> bool:
    """Return whether what stands behind a statement may be reached; else it is an error in Java."""
    if statement.type == "block":
        return not named(statement) or can_end(parsed, named(statement)[-1])
    if statement.type in ("try_statement", "try_with_resources_statement"):
        bodies = [part(it, "body") for it in (statement, *named(statement)) if it.type != "finally_clause"]
        return any(it is not None and can_end(parsed, it) for it in bodies)
    if statement.type == "if_statement":
        branches = [part(statement, field) for field in ("consequence", "alternative")]
        return any(it is None or can_end(parsed, it) for it in branches)
    if statement.type == "for_statement":
        return part(statement, "condition") is not None
    if statement.type in ("while_statement", "do_statement"):
        return parsed.text(part(statement, "condition")).strip("( )") != "true"
    return statement.type not in ("return_statement", "throw_statement")
