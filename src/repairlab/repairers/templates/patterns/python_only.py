"""Patterns for mistakes that only Python allows: shared defaults, aliases, missing self, identity, awaits, scopes."""

from collections.abc import Iterator

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import enclosing, field
from repairlab.repairers.templates.fix_site import Gap, Replacement, Site, TemplateEdit
from repairlab.repairers.templates.shapes import argument_value, assignment_of, call_of


def mutable_default(site: Site) -> Iterator[TemplateEdit]:
    """Make a fresh list, dictionary or set at each call."""
    code, function = site.code, site.statement
    if function.type == "decorated_definition":
        function = field(function, "definition") or function
    body = field(function, "body")
    if function.type != "function_definition" or body is None or not body.named_children:
        return
    first = body.named_children[0]
    is_docstring = first.type == "expression_statement" and first.named_children and first.named_children[0].type == "string"
    anchor = body.named_children[1] if is_docstring and len(body.named_children) > 1 else first
    indent = code.indent(code.first_line(anchor))
    for node in site.nodes:
        value = field(node, "value") if node.type in ("default_parameter", "typed_default_parameter") else None
        name = field(node, "name")
        if value is not None and name is not None and (value.type in ("list", "dictionary", "set") or call_of(value) is not None):
            text = f"if {code.text(name)} is None:\n{indent}{code.indent_unit}{code.text(name)} = {code.text(value)}\n{indent}"
            yield TemplateEdit(
                (
                    Replacement(code.start(value), code.end(value), "None"),
                    Replacement(code.start(anchor), code.start(anchor), text),
                )
            )


def copy_value(site: Site) -> Iterator[TemplateEdit]:
    """Work on a copy: `list(x)`, `x[:]`, `x.copy()`, `copy.deepcopy(x)`, or drop the copy."""
    code = site.code
    slots = []
    for node in site.nodes:
        assigned = assignment_of(node)
        if assigned is not None and assigned.value.type in ("identifier", "attribute", "subscript"):
            slots.append((assigned.value, 1.0))
        call = call_of(node)
        slots += (
            [(argument_value(item), 0.8) for item in call.arguments if argument_value(item).type in ("identifier", "attribute")]
            if call
            else []
        )
        if node.type in ("for_statement", "return_statement", "for_in_clause"):
            value = field(node, "right") or (node.named_children[0] if node.named_children else None)
            slots += [(value, 0.7)] if value is not None and value.type in ("identifier", "attribute") else []
    for template in ("list({0})", "{0}[:]", "{0}.copy()", "dict({0})", "set({0})", "sorted({0})", "tuple({0})"):
        for node, weight in slots:
            yield site.replace(node, template.format(code.text(node)), weight=weight)
    for node in site.expressions:
        if node.type == "binary_operator" and code.text(node).startswith("[") and "*" in code.text(node):
            left, right = field(node, "left"), field(node, "right")
            if left is not None and right is not None and len(left.named_children) == 1:
                yield site.replace(node, f"[{code.text(left.named_children[0])} for _ in range({code.text(right)})]")


def self_access(site: Site) -> Iterator[TemplateEdit]:
    """Add or drop `self.` (or the class name) before a name."""
    code = site.code
    function = code.function_of(site.statement)
    if function is None or enclosing(function, node_types.CLASSES) is None:
        return
    holder = enclosing(function, node_types.CLASSES)
    class_name = field(holder, "name") if holder is not None else None
    for node in site.nodes:
        parent = node.parent
        if (
            node.type == "identifier"
            and parent is not None
            and parent.type not in ("attribute", "keyword_argument", "parameters", "default_parameter")
        ):
            known = code.text(node) in site.scope.library.members or any(
                made.name == code.text(node) and made.is_method for made in site.scope.library.signatures
            )
            yield site.replace(node, f"self.{code.text(node)}", weight=1.0 if known else 0.3)
        if node.type == "attribute" and code.text(node).startswith("self.") and parent is not None:
            name = field(node, "attribute")
            if name is not None and parent.type != "call":
                yield site.replace(node, code.text(name), weight=0.5)
            if class_name is not None and name is not None:
                yield site.replace(node, f"{code.text(class_name)}.{code.text(name)}", weight=0.3)
                yield site.replace(node, f"type(self).{code.text(name)}", weight=0.2)


def awaited(site: Site) -> Iterator[TemplateEdit]:
    """Await a call in a coroutine."""
    function = site.code.function_of(site.statement)
    if function is None or not site.code.text(function).startswith("async"):
        return
    for node in site.expressions:
        if node.type == "call" and node.parent is not None and node.parent.type != "await":
            yield site.replace(node, f"await {site.code.text(node)}")


def outer_scope(gap: Gap) -> Iterator[TemplateEdit]:
    """Declare an assigned name global or nonlocal, or call the constructor of the parent."""
    function, code = gap.function, gap.code
    body = None if function is None else field(function, "body")
    if (
        function is None
        or body is None
        or (gap.offset > code.start(body) + 1 and gap.before is not None and gap.before.type != "expression_statement")
    ):
        return
    is_nested = function.parent is not None and code.function_of(function.parent) is not None
    outside = {
        item.name
        for item in gap.scope.library.variables
        if not (function.start_byte <= item.start and item.end <= function.end_byte)
    }
    own = dict.fromkeys(item.name for item in gap.scope.library.variables if function.start_byte <= item.start <= function.end_byte)
    for name in own:
        if name in outside:
            for word in ("nonlocal", "global") if is_nested else ("global",):
                yield gap.insert(f"{word} {name}")
    if gap.scope.function_name == "__init__":
        yield gap.insert("super().__init__()")


def comprehension(site: Site) -> Iterator[TemplateEdit]:
    """Add, negate or drop the filter of a comprehension; list instead of generator."""
    code = site.code
    for node in site.of(node_types.COMPREHENSIONS):
        filters = [child for child in node.named_children if child.type == "if_clause"]
        loops = [child for child in node.named_children if child.type == "for_in_clause"]
        for clause in filters:
            yield site.replace(clause, "")
        if loops and not filters:
            name = field(loops[-1], "left")
            for condition in (
                [code.text(name), f"{code.text(name)} > 0", f"{code.text(name)} is not None"] if name is not None else []
            ):
                yield site.insert(code.end(loops[-1]), f" if {condition}", weight=0.6)
            for other in site.scope.conditions:
                yield site.insert(code.end(loops[-1]), f" if {code.text(other)}", weight=0.5)
        if len(loops) > 1:
            yield site.swap(loops[0], loops[1])


def unpacking(site: Site) -> Iterator[TemplateEdit]:
    """Exchange the targets or values of a multiple assignment; yield or return in the other way."""
    code = site.code
    for node in site.nodes:
        if node.type in ("pattern_list", "expression_list", "tuple") and len(node.named_children) >= 2:
            items = node.named_children
            yield site.swap(items[0], items[1])
            if len(items) > 2:
                yield site.swap(items[1], items[2], weight=0.6)
                yield site.swap(items[0], items[2], weight=0.6)
        if node.type == "yield" and node.named_children:
            yield site.insert(code.start(node.named_children[0]), "from ", weight=0.8)
            yield site.replace(node, f"return {code.text(node.named_children[0])}", weight=0.4)
        if node.type == "return_statement" and node.named_children and code.text(node.named_children[0]).startswith("["):
            yield site.replace(node.named_children[0], code.text(node.named_children[0])[1:-1], weight=0.3)
        if (
            node.type in ("call", "identifier", "attribute")
            and node.parent is not None
            and node.parent.type in ("argument_list", "return_statement")
        ):
            yield site.replace(node, f"[{code.text(node)}]", weight=0.3)
            if node.parent.type == "argument_list":
                yield site.insert(code.start(node), "*", weight=0.3)
    if site.statement.type == "for_statement":
        right = field(site.statement, "right")
        if right is not None and call_of(right) is None:
            yield site.replace(right, f"enumerate({code.text(right)})", weight=0.3)
            yield site.replace(right, f"reversed({code.text(right)})", weight=0.4)
