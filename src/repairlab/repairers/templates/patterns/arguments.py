"""Patterns on argument lists: exchange, replace, drop and add arguments."""

from collections.abc import Iterator
from itertools import combinations

from repairlab.repairers.templates.declarations import compatible
from repairlab.repairers.templates.fix_site import Site, TemplateEdit
from repairlab.repairers.templates.shapes import argument_value, call_of


def swap(site: Site) -> Iterator[TemplateEdit]:
    """Exchange two arguments."""
    for node in site.nodes:
        call = call_of(node)
        if call is not None:
            for one, two in combinations(call.arguments, 2):
                adjacent = call.arguments.index(two) - call.arguments.index(one) == 1
                yield site.swap(argument_value(one), argument_value(two), weight=1.0 if adjacent else 0.5)
            if call.receiver is not None and len(call.arguments) == 1:
                yield site.swap(call.receiver, call.arguments[0], weight=0.5)


def drop(site: Site) -> Iterator[TemplateEdit]:
    """Leave an argument out."""
    for node in site.nodes:
        call = call_of(node)
        if call is not None:
            texts = [site.code.text(argument) for argument in call.arguments]
            for index in reversed(range(len(texts))):
                yield site.replace(call.brackets, f"({', '.join(texts[:index] + texts[index + 1 :])})", weight=0.8)


def add(site: Site) -> Iterator[TemplateEdit]:
    """Pass one more argument: as another call of the function does, a variable, or a common constant."""
    code, scope = site.code, site.scope
    for node in site.nodes:
        call = call_of(node)
        if call is None:
            continue
        name = code.text(call.name)
        texts = [code.text(argument) for argument in call.arguments]
        wanted = [made.n_parameters for made in scope.library.signatures if made.name == name]
        is_short = bool(wanted) and max(wanted) > len(texts)
        same = [other for other in scope.library.calls if other.node != node and code.text(other.name) == name]
        for other in same:
            if len(other.arguments) > len(texts):
                extra = [code.text(argument) for argument in other.arguments[len(texts) :]]
                yield site.replace(call.brackets, f"({', '.join(texts + extra)})")
        for constant in code.idioms.constants:
            yield site.replace(call.brackets, f"({', '.join([*texts, constant])})", weight=0.4 if not is_short else 0.8)
        for item in scope.visible(node)[:12]:
            if item.name not in texts:
                for at in dict.fromkeys((len(texts), 0)):
                    options = [*texts[:at], item.name, *texts[at:]]
                    yield site.replace(call.brackets, f"({', '.join(options)})", weight=1.0 if is_short else 0.3)


def replace_with_expression(site: Site) -> Iterator[TemplateEdit]:
    """Pass what another call of the same function passes, or an expression of the same shape."""
    code = site.code
    for node in site.nodes:
        call = call_of(node)
        if call is None:
            continue
        name = code.text(call.name)
        for other in site.scope.library.calls:
            if other.node != node and code.text(other.name) == name:
                for index, argument in enumerate(other.arguments[: len(call.arguments)]):
                    text = code.text(argument)
                    if text != code.text(call.arguments[index]) and "\n" not in text:
                        yield site.replace(call.arguments[index], text)
        for made in site.scope.library.signatures:
            if made.name == name and made.n_parameters == len(call.arguments):
                for index, argument in enumerate(call.arguments):
                    for item in site.scope.visible(node):
                        if made.parameters[index] and compatible(made.parameters[index], item.type) and item.type:
                            yield site.replace(argument_value(argument), item.name, weight=0.6)
