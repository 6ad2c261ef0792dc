"""Patterns for mistakes that only Java, JavaScript or Go allows: collection types, promises not waited for, hidden variables."""

from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import assignment_of, binaries, call_of

_TYPES = {
    "HashMap": ("LinkedHashMap", "TreeMap", "ConcurrentHashMap"),
    "HashSet": ("LinkedHashSet", "TreeSet"),
    "TreeMap": ("LinkedHashMap", "HashMap"),
    "TreeSet": ("LinkedHashSet", "HashSet"),
    "LinkedHashMap": ("HashMap", "TreeMap"),
    "LinkedHashSet": ("HashSet", "TreeSet"),
    "ArrayList": ("LinkedList",),
    "PriorityQueue": ("ArrayDeque", "LinkedList"),
    "Stack": ("ArrayDeque",),
    "ArrayDeque": ("PriorityQueue", "LinkedList"),
    "Integer": ("Long", "int", "String"),
    "StringBuilder": ("StringBuffer", "String"),
    "List": ("Set", "Collection"),
    "Set": ("List",),
}


def collection_type(site: Site) -> Iterator[TemplateEdit]:
    """Use a collection with another order or other guarantees."""
    for node in site.nodes:
        if node.type == "type_identifier":
            for option in _TYPES.get(site.code.text(node), ()):
                yield site.replace(node, option)


def modifiers(site: Site) -> Iterator[TemplateEdit]:
    """Add or drop `static`, `synchronized`, `final` and `volatile`; change the visibility."""
    code, statement = site.code, site.statement
    if statement.type not in node_types.FUNCTIONS | {"field_declaration", "class_declaration"}:
        return
    first = statement.children[0]
    text = code.text(first) if first.type == "modifiers" else ""
    words = ("synchronized", "static") if statement.type in node_types.FUNCTIONS else ("static", "final", "volatile")
    for word in words:
        if word in text.split():
            yield site.replace(first, " ".join(part for part in text.split() if part != word))
        elif text:
            yield site.replace(first, f"{text} {word}")
        else:
            yield site.insert(code.start(statement), f"{word} ")
    for one, two in (("private", "public"), ("public", "private"), ("protected", "public")):
        if one in text.split():
            yield site.replace(first, text.replace(one, two), weight=0.4)


def boxed(site: Site) -> Iterator[TemplateEdit]:
    """Unbox, convert or read a value as its own type."""
    code = site.code
    for node in site.expressions:
        parent = node.parent
        if parent is None:
            continue
        call = call_of(node)
        if call is not None and code.text(call.name) == "remove" and len(call.arguments) == 1:
            yield site.replace(call.arguments[0], f"Integer.valueOf({code.text(call.arguments[0])})")
            yield site.replace(call.arguments[0], f"(Object) {code.text(call.arguments[0])}", weight=0.5)
            yield site.replace(call.arguments[0], f"(Integer) {code.text(call.arguments[0])}", weight=0.5)
        if node.type in ("identifier", "method_invocation") and parent.type in (
            "argument_list",
            "binary_expression",
            "return_statement",
            "variable_declarator",
        ):
            if parent.type == "variable_declarator" and field(parent, "value") != node:
                continue
            for template in (
                "String.valueOf({0})",
                "Integer.parseInt({0})",
                "Integer.valueOf({0})",
                "(int) {0}",
                "Character.getNumericValue({0})",
            ):
                yield site.replace(node, template.format(code.text(node)), weight=0.3)


def text_building(site: Site) -> Iterator[TemplateEdit]:
    """Build strings properly: `append` for `+=`, `toString`, keep the result of an immutable operation."""
    code, statement = site.code, site.statement
    for node in site.nodes:
        assigned = assignment_of(node)
        if assigned is not None and node.type == "assignment_expression" and assigned.operator == "+=":
            yield site.replace(node, f"{code.text(assigned.target)}.append({code.text(assigned.value)})", weight=0.3)
    if statement.type == "expression_statement" and statement.named_children:
        call = call_of(statement.named_children[0])
        if call is not None and call.receiver is not None and call.receiver.type == "identifier":
            yield site.insert(code.start(statement), f"{code.text(call.receiver)} = ")
    for node in site.expressions:
        call = call_of(node)
        if (
            call is not None
            and code.text(call.name) in ("append", "add", "put")
            and call.receiver is not None
            and len(call.arguments) == 1
        ):
            yield site.replace(node, f"{code.text(call.receiver)}.insert(0, {code.text(call.arguments[0])})", weight=0.4)
            yield site.replace(node, f"{code.text(call.receiver)}.add(0, {code.text(call.arguments[0])})", weight=0.3)
            yield site.replace(call.arguments[0], f"new ArrayList<>({code.text(call.arguments[0])})", weight=0.7)


def overflow(site: Site) -> Iterator[TemplateEdit]:
    """Avoid overflow in a midpoint, a comparison or a product."""
    code = site.code
    for node in site.nodes:
        for binary in binaries(node):
            if binary.symbol == "-" and node.parent is not None and node.parent.type in ("return_statement", "lambda_expression"):
                yield site.replace(node, f"Integer.compare({code.text(binary.left)}, {code.text(binary.right)})")
                yield site.replace(node, f"Long.compare({code.text(binary.left)}, {code.text(binary.right)})", weight=0.4)
        call = call_of(node)
        if call is not None and code.text(call.name) == "abs" and len(call.arguments) == 1:
            yield site.replace(call.arguments[0], f"(long) {code.text(call.arguments[0])}", weight=0.5)


def generic(site: Site) -> Iterator[TemplateEdit]:
    """Copy what is stored or returned; instantiate what is only declared."""
    code = site.code
    for node in site.nodes:
        assigned = assignment_of(node)
        value = assigned.value if assigned is not None else None
        if node.type == "return_statement" and node.named_children:
            value = node.named_children[0]
        if value is not None and value.type in ("identifier", "field_access"):
            kind = site.scope.type_of(code.text(value).removeprefix("this."), value)
            if kind.endswith("[]"):
                yield site.replace(value, f"{code.text(value)}.clone()")
                yield site.replace(value, f"Arrays.copyOf({code.text(value)}, {code.text(value)}.length)", weight=0.6)
            for word, made in (
                ("List", "ArrayList"),
                ("Map", "HashMap"),
                ("Set", "HashSet"),
                ("Queue", "LinkedList"),
                ("Deque", "ArrayDeque"),
            ):
                if word in kind.partition("<")[0]:
                    yield site.replace(value, f"new {made}<>({code.text(value)})")


_STRICT = {"==": "===", "!=": "!==", "===": "==", "!==": "!="}
_ORDERS = ("(a, b) => a - b", "(a, b) => b - a", "(a, b) => a.localeCompare(b)")


def missing_value(site: Site) -> Iterator[TemplateEdit]:
    """Take only null and undefined for missing, not 0 and the empty text, or the other way round."""
    for binary in site.binaries:
        if binary.symbol in ("||", "??"):
            yield site.replace(binary.operator, "??" if binary.symbol == "||" else "||")


def strict_equality(site: Site) -> Iterator[TemplateEdit]:
    """Compare with or without conversion."""
    for binary in site.binaries:
        if binary.symbol in _STRICT:
            yield site.replace(binary.operator, _STRICT[binary.symbol])


def awaited(site: Site) -> Iterator[TemplateEdit]:
    """Wait for what a call promises, or do not."""
    for node in site.nodes:
        if node.type == "await_expression" and node.named_children:
            yield site.replace(node, site.code.text(node.named_children[-1]), weight=0.4)
        elif node.type == "call_expression" and node.parent is not None and node.parent.type != "await_expression":
            yield site.replace(node, f"await {site.code.text(node)}")


def order_of_sort(site: Site) -> Iterator[TemplateEdit]:
    """Sort by number: without a function, `sort` compares texts."""
    for call in site.calls:
        if site.code.text(call.name) in ("sort", "toSorted") and not call.arguments:
            for rank, option in enumerate(_ORDERS):
                yield site.replace(call.brackets, f"({option})", weight=1.0 / (1 + rank))


def copied_object(site: Site) -> Iterator[TemplateEdit]:
    """Work on a copy of an array or object; use an object that inherits nothing, or a map."""
    for node in site.nodes:
        text = site.code.text(node)
        if (
            node.type in node_types.NAMES
            and node.parent is not None
            and node.parent.type not in (*node_types.MEMBERS, "formal_parameters")
        ):
            yield site.replace(node, f"[...{text}]", weight=0.6)
            yield site.replace(node, f"{{ ...{text} }}", weight=0.3)
        elif node.type == "object" and not node.named_children:
            yield site.replace(node, "Object.create(null)")


def hidden_variable(site: Site) -> Iterator[TemplateEdit]:
    """Assign to the variable of the scope around instead of declaring another one, or the other way round."""
    for node in site.nodes:
        if node.type == ":=" and not node.is_named:
            yield site.replace(node, "=")
        elif node.type == "=" and node.parent is not None and node.parent.type == "assignment_statement":
            yield site.replace(node, ":=", weight=0.4)


def letters_of_text(site: Site) -> Iterator[TemplateEdit]:
    """Count or take letters, not bytes."""
    for node in site.nodes:
        parent = node.parent
        if (
            node.type in node_types.NAMES
            and parent is not None
            and parent.type in ("argument_list", "slice_expression", "range_clause")
        ):
            yield site.replace(node, f"[]rune({site.code.text(node)})")
