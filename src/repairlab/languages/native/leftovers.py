"""Remains of expectations in tests of C and C++ once the assertions are gone: variables and tables."""

from collections.abc import Iterable

from tree_sitter import Node

from repairlab.languages.native.bodies import Body
from repairlab.languages.native.helpers import NativeHelpers
from repairlab.languages.native.origins import NativeOrigins
from repairlab.languages.nodes import above, named, walk


class NativeLeftovers:
    """What served expectations alone, and goes; and what stays and tells them."""

    def __init__(self, origins: NativeOrigins, helpers: NativeHelpers) -> None:
        self._origins, self._helpers, self._gone = origins, helpers, helpers.gone

    def found(self, rewritten: Iterable[Body]) -> dict[str, str]:
        """Take what served expectations alone out of the file; return the tests that still hold what they expect."""
        while any(self._take_out(body, use) for body, node in tuple(self._gone) for use in walk(node) if use.type == "identifier"):
            pass
        found = dict[str, str]()
        for body, node in self._gone:
            for use in (it for it in walk(node) if it.type == "identifier" and not self._is_fine(body, it)):
                found |= dict.fromkeys(self._origins.tests_of(body), f"{body.text(use)} is there for more than comparisons")
            for part in (it for it in walk(node) if self._is_bad_column(body, it)):
                found |= dict.fromkeys(self._origins.tests_of(body), f"{body.text(part)} stands in a table")
        for helper in rewritten:
            for parameter in (helper.parameters[index][0] for index in self._helpers.dropped(helper)):
                if not all(map(helper.edits.removed, helper.uses.get(parameter, ()))):
                    found |= dict.fromkeys(self._origins.tests_of(helper), f"{helper.name} needs {parameter}")
        return found

    def _is_fine(self, body: Body, use: Node) -> bool:
        """Whether a name that was compared with is gone, not a variable, or an input of the code under test."""
        origins, name = self._origins, body.text(use)
        if not origins.is_variable(body, use) or name in origins.named or origins.is_derived(body, use):
            return True
        if self._helpers.is_dropped(body, name) or _is_gone(body, name) or origins.is_input(body, name):
            return True
        return name not in body.values and any(origins.is_input(other, name) for other in origins.bodies)

    def _is_bad_column(self, body: Body, part: Node) -> bool:
        """Whether an expression is a column that was not taken out of the file."""
        if part.type not in ("field_expression", "subscript_expression", "identifier"):
            return False
        indexed = above(part, "subscript_expression")
        if above(part, "field_expression") is not None or (indexed is not None and named(indexed)[0] == part):
            return False  # it is looked at itself
        return not _is_gone(body, body.text(part)) and self._origins.is_column(body, part)

    def _take_out(self, body: Body, use: Node) -> bool:
        """Take the declaration of a variable out, if all that it was used for is gone."""
        name = body.text(use)
        places = body.values.get(name, [])
        place = places[0] if len(places) == 1 else None
        if place is None or place.type != "declaration" or body.edits.removed(place) or above(place, "for_statement"):
            return False
        declarators = place.children_by_field_name("declarator")
        others = [it for it in body.uses[name] if not (it.start_byte >= place.start_byte and it.end_byte <= place.end_byte)]
        if len(declarators) != 1 or not all(map(body.edits.removed, others)) or self._origins.is_derived(body, use):
            return False
        self._gone += [(body, it) for it in named(declarators[0])[1:]]
        body.edits.replace(place, ";")
        return True


def _is_gone(body: Body, name: str) -> bool:
    places = body.values.get(name, [])
    return bool(places) and all(map(body.edits.removed, places))
