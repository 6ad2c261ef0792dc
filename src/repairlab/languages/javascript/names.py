"""Names of a JavaScript file: where each is bound, what with, and where it is used."""

import re

from tree_sitter import Node

from repairlab.languages.nodes import above, named, part, upward, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import innermost, with_callers

ANONYMOUS = frozenset({"arrow_function", "function_expression", "generator_function"})
FUNCTIONS = ANONYMOUS | {"function_declaration", "generator_function_declaration", "method_definition"}
_IDENTIFIERS = frozenset(
    {"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern", "property_identifier"}
)
_PATTERNS = frozenset(
    {"array_pattern", "object_pattern", "pair_pattern", "rest_pattern", "assignment_pattern", "object_assignment_pattern"}
)
_IMPORT = re.compile(r"(?:await\s+import|require)\s*\(\s*(['\"`])[^'\"`]*\1\s*\)(?:\.\w+)*")
_OF_TESTS = re.compile(r"tests?\b|spec|fixture|expect|snapshot|data\b|golden|\.json", re.IGNORECASE)
"""Says of a file that values of it are what tests expect."""
_COLLECTION = re.compile(r"new (?:Map|Set|Array)\b")
_BLOCKS = FUNCTIONS | {"statement_block", "for_statement", "for_in_statement", "catch_clause"}
_IMPORTING = ("import_statement", "variable_declarator", "statement_block", "program")
_MEMBERS = ("member_expression", "subscript_expression")


class Names:
    """The names of a file: where each is bound, and what with."""

    def __init__(self, parsed: Parsed, nodes: list[Node]) -> None:
        self.parsed = parsed
        self.assertions: set[str] = set()
        self.functions: dict[str, Node] = {}
        self._bindings: dict[str, list[Node]] = {}
        self._uses: dict[str, list[Node]] = {}
        self._assigned: set[str] = set()
        for node in nodes:
            if node.child_count or node.type not in _IDENTIFIERS:
                continue
            name = parsed.text(node)
            self._uses.setdefault(name, []).append(node)
            if _is_binding(node):
                self._bindings.setdefault(name, []).append(node)
                value = _value_of(node)
                if self._is_library(node):
                    self.assertions.add(name)
                if value is not None and value.type in FUNCTIONS:
                    self.functions[name] = value
                elif node.parent is not None and node.parent.type in FUNCTIONS and node.parent.child_by_field_name("name") == node:
                    self.functions[name] = node.parent
            elif _is_target(node):
                self._assigned.add(name)

    def _is_library(self, binding: Node) -> bool:
        return re.search(r"""^(?:require\()?\s*['"](?:node:)?assert(?:/strict)?['"]""", self._imported(binding)) is not None

    def called(self, function: Node) -> str:
        """Return the name of a function that has one."""
        return next((name for name, body in self.functions.items() if body.id == function.id), "")

    def calling(self, names: set[str]) -> set[str]:
        """Return functions with all that may call them."""
        return with_callers(names, {name: self.words(body) for name, body in self.functions.items()})

    def uses_of_function(self, name: str) -> list[Node]:
        """Return where the name of a function stands, but where it is bound."""
        return [use for use in self._uses[name] if not _is_binding(use)]

    def table(self, root: Node) -> Node | None:
        """Return the table that a loop goes through: an array that stands in the file and is used for nothing else."""
        if root.type == "array":
            return root
        binding = self.binding(root) if root.type == "identifier" else None
        value = _value_of(binding) if binding is not None else None
        if binding is None or value is None or value.type != "array" or len(self.uses(binding)) != len([binding, root]):
            return None
        return value

    def words(self, node: Node) -> set[str]:
        """Return the names in a piece of code."""
        return {self.parsed.text(part) for part in walk(node) if part.type in _IDENTIFIERS}

    def uses_in(self, node: Node) -> list[Node]:
        """Return the names that a piece of code uses."""
        return [it for it in walk(node) if it.type in ("identifier", "shorthand_property_identifier") and not _is_binding(it)]

    def binding(self, use: Node) -> Node | None:
        """Return where the name in use is bound: in the innermost block around it that binds it."""
        return innermost(self._bindings.get(self.parsed.text(use), []), use, _scope)

    def uses(self, binding: Node) -> list[Node]:
        """Return where a binding is used; also what only might be one."""
        mine = self._uses[self.parsed.text(binding)]
        return [use for use in mine if use.type != "property_identifier" and self.binding(use) == binding]

    def is_import(self, binding: Node) -> bool:
        """Return whether a name stands for something of another file."""
        return self._imported(binding) != ""

    def _imported(self, binding: Node) -> str:
        """Return from where a name is imported."""
        around = next((it for _, it in upward(binding) if it.type in _IMPORTING), None)
        text = self.parsed.text(part(around, "value"))
        return self.parsed.text(part(around, "source")) or (text if _IMPORT.fullmatch(text) else "")

    def constant(self, use: Node) -> Node | None:
        """Return what a variable was made with that nothing changes."""
        binding = self.binding(use)
        if binding is None or self.parsed.text(use) in self._assigned or any(grows(it) for it in self.uses(binding)):
            return None
        return _value_of(binding)

    def origin(self, node: Node) -> str:
        """Return where a value comes from: `built` here, `derived` from what code under test did, or `unknown`."""
        found = "built"
        for use in self.uses_in(node):
            kind = self._origin_of(use)
            if kind == "unknown":
                return kind
            found = kind if kind != "built" else found
        if any(part.type in ("await_expression", "this", "yield_expression") for part in walk(node)):
            return "derived"
        return found

    def _is_put_together(self, binding: Node) -> bool:
        """Return whether all that a collection is given stands here as it is."""
        calls = [above(it, "member_expression", "") for it in self.uses(binding)]
        return not any(it.type in ("call_expression", "new_expression") for call in calls for it in walk(part(call, "arguments")))

    def _is_given(self, binding: Node) -> bool:
        """Return whether a name stands for parts of a table, or for what calls of a function give it."""
        root, _ = place(self.parsed, binding)
        function = above(binding, "formal_parameters", "")
        return (root is not None and self.table(root) is not None) or (function is not None and self.called(function) != "")

    def _origin_of(self, use: Node) -> str:
        binding = self.binding(use)
        if binding is None or self.is_import(binding):
            return "unknown" if binding is not None and _OF_TESTS.search(self._imported(binding)) else "built"
        name, value = self.parsed.text(use), _value_of(binding)
        if name in self.functions or (binding.parent is not None and binding.parent.type in ("class_declaration", "class")):
            return "built"
        if value is None and self._is_given(binding):
            return "built"
        if value is None or value.id == use.id or value.start_byte <= use.start_byte < value.end_byte:
            return "unknown"
        if name in self._assigned and not _is_counter(binding):
            return "derived"
        if value.type in ("call_expression", "new_expression", "await_expression") and any(grows(it) for it in self.uses(binding)):
            return "built" if _COLLECTION.match(self.parsed.text(value)) and self._is_put_together(binding) else "derived"
        return self.origin(value)


def arguments(call: Node | None) -> list[Node]:
    """Return what a call is given."""
    given = part(call, "arguments") if call is not None and call.type == "call_expression" else None
    return named(given) if given is not None and given.type == "arguments" else []


def last(parsed: Parsed, call: Node) -> str:
    """Return the last word of what is called: `equal` in `assert.equal`."""
    return re.split(r"\W+", parsed.text(part(call, "function")))[-1]


def _is_binding(node: Node) -> bool:
    """Return whether a name is bound where it stands."""
    child, parent = node, node.parent
    while parent is not None and parent.type in _PATTERNS:
        if parent.type in ("assignment_pattern", "object_assignment_pattern") and parent.child_by_field_name("left") != child:
            return False
        if parent.type == "pair_pattern" and parent.child_by_field_name("value") != child:
            return False
        child, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in ("variable_declarator", "class_declaration", *FUNCTIONS - {"method_definition"}):
        return child in (parent.child_by_field_name("name"), parent.child_by_field_name("parameter"))
    if parent.type == "for_in_statement":
        return parent.child_by_field_name("left") == child and parent.child_by_field_name("kind") is not None
    if parent.type == "import_specifier":
        return child == (parent.child_by_field_name("alias") or parent.child_by_field_name("name"))
    if parent.type == "catch_clause":
        return parent.child_by_field_name("parameter") == child
    return parent.type in ("formal_parameters", "import_clause", "namespace_import")


def _is_target(node: Node) -> bool:
    """Return whether a variable is given another value where its name stands."""
    parent = node.parent
    if parent is None or parent.type not in ("assignment_expression", "augmented_assignment_expression", "update_expression"):
        return False
    return parent.child_by_field_name("left") == node or parent.child_by_field_name("argument") == node


def _value_of(binding: Node) -> Node | None:
    """Return what a name is bound to, where that is said beside it."""
    declarator = above(binding, "variable_declarator")
    return part(declarator, "value") if part(declarator, "name") == binding else None


def _scope(binding: Node) -> Node:
    """Return the piece of code where a binding counts."""
    start = above(binding, "function_declaration") or above(binding, "class_declaration") or binding
    return next((it for _, it in upward(start) if it.type in _BLOCKS or it.parent is None), binding)


def _is_counter(binding: Node) -> bool:
    """Return whether a variable counts the rounds of a loop."""
    return above(binding, "", "", "for_statement") is not None


def grows(use: Node) -> bool:
    """Return whether a value may be changed through a name: by a method, a property, an index."""
    member = use.parent
    if member is None or member.type not in _MEMBERS or member.child_by_field_name("object") != use:
        return False
    around = member.parent
    if around is None:
        return False
    if around.type == "call_expression" and around.child_by_field_name("function") == member:
        return True
    return _is_target(member)


def statement(binding: Node) -> Node | None:
    """Return the statement that does nothing but bind a name."""
    parent = binding.parent
    if parent is None:
        return None
    if parent.type in ("function_declaration", "class_declaration"):
        return parent
    if parent.type == "variable_declarator" and parent.parent is not None and len(named(parent.parent)) == 1:
        around = parent.parent.parent
        return parent.parent if around is not None and around.type in ("statement_block", "program") else None
    around = parent
    while around.parent is not None and around.type not in ("import_statement", "statement_block", "program"):
        around = around.parent
    return around if around.type == "import_statement" else None


def place(parsed: Parsed, binding: Node) -> tuple[Node | None, str]:
    """Return what a loop goes through that binds a name, and the index or key of the name's part of each row."""
    key, child, parent = "", binding, binding.parent
    if parent is not None and parent.type == "array_pattern":
        if len(named(parent)) != sum(it.type == "," for it in parent.children) + 1:
            return None, ""
        key, child, parent = str(named(parent).index(binding)), parent, parent.parent
    elif parent is not None and parent.type in ("pair_pattern", "object_pattern"):
        named_key = parent.child_by_field_name("key") if parent.type == "pair_pattern" else binding
        key = parsed.text(named_key) if named_key is not None else ""
        child = parent.parent if parent.type == "pair_pattern" and parent.parent is not None else parent
        parent = child.parent
    if parent is not None and parent.type == "for_in_statement" and parent.child_by_field_name("left") == child:
        operator = parent.child_by_field_name("operator")
        return (parent.child_by_field_name("right") if operator is not None and operator.type == "of" else None), key
    function = parent.parent if parent is not None and parent.type == "formal_parameters" else parent
    if (
        function is None
        or function.type not in ANONYMOUS
        or (parent is not None and parent != function and named(parent)[0] != child)
    ):
        return None, ""
    call = function.parent.parent if function.parent is not None else None
    called = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if called is None or called.type != "member_expression" or parsed.text(called.children[-1]) not in ("forEach", "map"):
        return None, ""
    return called.child_by_field_name("object"), key
