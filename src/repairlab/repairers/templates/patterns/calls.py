"""Patterns on calls: exchange, drop and add arguments, or call a sibling of a well-known function."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from repairlab.languages.facts import facts
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.declarations import compatible
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import argument_value, call_of


def swap_arguments(site: Site) -> Iterator[TemplateEdit]:
    """Exchange two arguments."""
    for call in site.calls:
        for one, two in combinations(call.arguments, 2):
            adjacent = call.arguments.index(two) - call.arguments.index(one) == 1
            yield site.swap(argument_value(one), argument_value(two), weight=1.0 if adjacent else 0.5)
        if call.receiver is not None and len(call.arguments) == 1:
            yield site.swap(call.receiver, call.arguments[0], weight=0.5)


def drop_argument(site: Site) -> Iterator[TemplateEdit]:
    """Leave an argument out."""
    for call in site.calls:
        texts = [site.code.text(argument) for argument in call.arguments]
        for index in reversed(range(len(texts))):
            yield site.replace(call.brackets, f"({', '.join(texts[:index] + texts[index + 1 :])})", weight=0.8)


def add_argument(site: Site) -> Iterator[TemplateEdit]:
    """Pass one more argument: as another call of the function does, a variable, or a common constant."""
    code, scope = site.code, site.scope
    for call in site.calls:
        name = code.text(call.name)
        texts = [code.text(argument) for argument in call.arguments]
        wanted = [made.n_parameters for made in scope.library.signatures if made.name == name]
        is_short = bool(wanted) and max(wanted) > len(texts)
        same = [other for other in scope.library.calls if other.node != call.node and code.text(other.name) == name]
        for other in same:
            if len(other.arguments) > len(texts):
                extra = [code.text(argument) for argument in other.arguments[len(texts) :]]
                yield site.replace(call.brackets, f"({', '.join(texts + extra)})")
        for constant in code.idioms.constants:
            yield site.replace(call.brackets, f"({', '.join([*texts, constant])})", weight=0.4 if not is_short else 0.8)
        for item in scope.visible(call.node)[:12]:
            if item.name not in texts:
                for at in dict.fromkeys((len(texts), 0)):
                    options = [*texts[:at], item.name, *texts[at:]]
                    yield site.replace(call.brackets, f"({', '.join(options)})", weight=1.0 if is_short else 0.3)


def replace_argument(site: Site) -> Iterator[TemplateEdit]:
    """Pass what another call of the same function passes, or an expression of the same shape."""
    code = site.code
    for call in site.calls:
        name = code.text(call.name)
        for other in site.scope.library.calls:
            if other.node != call.node and code.text(other.name) == name:
                for index, argument in enumerate(other.arguments[: len(call.arguments)]):
                    text = code.text(argument)
                    if text != code.text(call.arguments[index]) and "\n" not in text:
                        yield site.replace(call.arguments[index], text)
        for made in site.scope.library.signatures:
            if made.name == name and made.n_parameters == len(call.arguments):
                for index, argument in enumerate(call.arguments):
                    for item in site.scope.visible(call.node):
                        if made.parameters[index] and compatible(made.parameters[index], item.type) and item.type:
                            yield site.replace(argument_value(argument), item.name, weight=0.6)


@cache
def families(language: str) -> tuple[tuple[str, ...], ...]:
    """Return the families of a language."""
    return tuple(tuple(family.split()) for family in facts(language).idioms.families.split(";"))


def sibling(site: Site) -> Iterator[TemplateEdit]:
    """Call a function of the same family."""
    for node in site.nodes:
        call = call_of(node)
        name = call.name if call is not None else node if node.type in ("identifier", "field_identifier") else None
        if name is None:
            continue
        text = site.code.text(name)
        prefix, _, last = text.rpartition("::")
        options = [word for family in families(site.code.language) if last in family for word in family if word != last]
        is_call = call is not None
        for rank, option in enumerate(dict.fromkeys(options)):
            yield site.replace(
                name, f"{prefix}::{option}" if prefix else option, weight=(1.0 if is_call else 0.3) / (1 + 0.2 * rank)
            )


def append_call(site: Site) -> Iterator[TemplateEdit]:
    """Call a common method on a value."""
    code = site.code
    for rank, suffix in enumerate(code.idioms.appended):
        for node in site.expressions:
            parent = node.parent
            if parent is None or node.type not in (
                "identifier",
                "call",
                "method_invocation",
                "subscript",
                "attribute",
                "field_access",
            ):
                continue
            is_value = parent.type in (
                "argument_list",
                "return_statement",
                "for_statement",
                "for_in_clause",
                "enhanced_for_statement",
                "comparison_operator",
            )
            is_value = is_value or parent.type in ("binary_expression", "binary_operator", "for_range_loop")
            is_source = parent.child_by_field_name("right") == node or parent.child_by_field_name("value") == node
            if (is_value and parent.child_by_field_name("left") != node) or is_source or parent.type == "comparison_operator":
                yield site.replace(node, code.text(node) + suffix, weight=1.0 / (1 + 0.2 * rank))


def equality(site: Site) -> Iterator[TemplateEdit]:
    """Compare contents, not identities (Java, C), or the other way round."""
    code = site.code
    for binary in site.binaries:
        if binary.symbol not in ("==", "!="):
            continue
        left, right = code.text(binary.left), code.text(binary.right)
        bang = "!" if binary.symbol == "!=" else ""
        if code.is_java and "null" not in (left, right):
            primitive = (
                binary.left.type in node_types.NUMBERS | node_types.CHARACTERS
                or binary.right.type in node_types.NUMBERS | node_types.CHARACTERS
            )
            weight = 0.2 if primitive else 1.0
            yield site.replace(binary.node, f"{bang}{left}.equals({right})", weight=weight)
            yield site.replace(binary.node, f"{bang}Objects.equals({left}, {right})", weight=weight * 0.7)
            yield site.replace(binary.node, f"{bang}{right}.equals({left})", weight=weight * 0.5)
        if code.is_c and (binary.right.type in node_types.STRINGS or site.scope.type_of(left, binary.left) == "char*"):
            yield site.replace(binary.node, f"strcmp({left}, {right}) {binary.symbol} 0")
    for call in site.calls:
        name = code.text(call.name)
        if name == "equals" and call.receiver is not None and len(call.arguments) == 1:
            yield site.replace(call.node, f"{code.text(call.receiver)} == {code.text(call.arguments[0])}", weight=0.4)
            yield site.replace(call.node, f"Objects.equals({code.text(call.receiver)}, {code.text(call.arguments[0])})", weight=0.7)
        if (
            name in ("strcmp", "strncmp", "memcmp", "compareTo")
            and call.node.parent is not None
            and call.node.parent.type != "binary_expression"
        ):
            yield site.replace(call.node, f"{code.text(call.node)} == 0")
            yield site.replace(call.node, f"{code.text(call.node)} != 0")
