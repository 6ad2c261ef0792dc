"""Remains of a Go test's expectations once its checks are gone: variables, tables and their columns."""

from collections.abc import Iterable

from tree_sitter import Node

from repairlab.languages.go.helpers import GoHelpers
from repairlab.languages.go.names import FUNCTIONS, LITERALS, GoNames, element_of, elements, is_called, names_of, value_of
from repairlab.languages.nodes import above, named, part, upward, walk
from repairlab.languages.withholding import Edits


class GoLeftovers:
    """What served expectations alone, and goes; and what stays and tells them."""

    def __init__(self, names: GoNames, edits: Edits, helpers: GoHelpers, gone: list[Node]) -> None:
        """Take the parts of comparisons that are gone; the values of variables join them."""
        self._names, self._edits, self._helpers, self._gone, self._text = names, edits, helpers, gone, names.text

    def found(self, rewritten: Iterable[str]) -> dict[str, str]:
        """Take what served expectations alone out of the file; return the tests that still hold what they expect."""
        while any(self._take_out(use) for node in tuple(self._gone) for use in walk(node) if use.type == "identifier"):
            pass
        for selector in (it for node in self._gone for it in walk(node) if it.type == "selector_expression"):
            self._empty(selector)
        found = dict[str, str]()
        for node in self._gone:
            for use in filter(self._is_left, walk(node)):
                reason = f"{self._text(use)} is there for more than comparisons"
                found |= dict.fromkeys(self._names.tests_of(self._names.function_around(node)), reason)
        for name in rewritten:
            for declared in self._helpers.dropped_of(name):
                if not all(map(self._edits.removed, self._names.uses_of(declared))):
                    found |= dict.fromkeys(self._names.tests_of(name), f"{name} needs {self._text(declared)}")
        return found

    def is_gone(self, declared: Node) -> bool:
        """Return whether a variable is gone, or a parameter that is given nothing any more."""
        return self._edits.removed(declared) or self._helpers.is_dropped(declared)

    def is_kept_local(self, use: Node) -> bool:
        """Return whether a name is a variable of a function, and is still there."""
        declared = self._names.declaration(use)
        if declared is None or self.is_gone(declared) or not any(parent.type in FUNCTIONS for _, parent in upward(declared)):
            return False
        return not _is_within(declared, use)

    # Variables

    def _take_out(self, use: Node) -> bool:
        """Take the declaration of a variable out, if all that it was used for is gone."""
        declared = self._names.declaration(use)
        if declared is None or self.is_gone(declared) or self._names.is_derived(declared):
            return False
        place = above(declared, "expression_list", "") or declared.parent
        if place is None or not all(map(self._edits.removed, self._names.uses_of(declared))):
            return False
        left, right = part(place, "left"), part(place, "right")
        if place.type in ("var_spec", "const_spec"):
            return self._take_out_spec(place)
        if left is None or right is None:
            return False
        if place.type == "short_var_declaration":
            return self._take_out_made(declared, place, left, right)
        return place.type == "range_clause" and self._take_out_elements(declared, left, right)

    def _take_out_made(self, declared: Node, statement: Node, left: Node, right: Node) -> bool:
        value = value_of(declared, left, right)
        is_alone = len(named(left)) == 1
        if not is_alone and value == right:
            return False
        self._gone.append(value)
        if is_alone:
            self._edits.replace(statement, "_ = 0" if above(statement, "if_statement") is not None else "")
        else:
            self._edits.replace(declared, "_")
            self._edits.replace(value, "0")
        return True

    def _take_out_spec(self, spec: Node) -> bool:
        value, around = part(spec, "value"), above(spec, "var_spec_list", "") or spec.parent
        if around is None or value is None or len(names_of(spec)) != 1:
            return False
        if spec.type == "const_spec" and "iota" in self._text(around):
            return False
        self._gone.append(value)
        self._edits.replace(around if sum(it.type == spec.type for it in walk(around)) == 1 else spec, "")
        return True

    def _take_out_elements(self, declared: Node, left: Node, right: Node) -> bool:
        """Put nothing in the place of the elements of a table that are only compared with."""
        table = self._table(right)
        element = element_of(part(table, "type"))
        if named(left)[1:] != [declared] or element is None:
            return False
        for value in elements(part(table, "body")):
            self._edits.replace(value, f"*new({self._text(element)})")
        self._edits.replace(declared, "_")
        return True

    def _table(self, node: Node) -> Node | None:
        """Return the literal that a table was made with, if nothing else is done with it than to go through it."""
        declared = self._names.declaration(node) if node.type == "identifier" else None
        if declared is not None:
            sources = [source for source in self._names.sources(declared) if source.type != "identifier"]
            if len(sources) != 1 or len(self._names.uses_of(declared)) != 1:
                return None
            node = named(sources[0])[0] if sources[0].type == "expression_list" else sources[0]
        return node if node.type == "composite_literal" else None

    def _is_input(self, declared: Node) -> bool:
        """Whether a variable is what the code under test works with, or what came of it."""
        if self._names.is_derived(declared):
            return True
        uses = (declared, *self._names.uses_of(declared))
        return any(self._names.is_asked_for(it, self._edits.removed) or self._is_counted(it, declared) for it in uses)

    def _is_counted(self, use: Node, declared: Node) -> bool:
        """Whether a name decides how often a loop runs, or makes a variable that is an input."""
        for node, parent in upward(use):
            if parent.type == "for_clause":
                return True
            if parent.type.endswith("_statement"):
                break
            left = part(parent, "left") if parent.type == "short_var_declaration" else None
            made = [it for it in named(left) if node != left and it.type == "identifier" and it.text != declared.text]
            if any(map(self._is_input, made)):
                return True
        return False

    # Columns of tables

    def _empty(self, selector: Node) -> None:
        """Take a column out of the tables, if all that it was used for is gone."""
        field = part(selector, "field")
        if field is None or not self._names.column(selector) or not all(map(self._edits.removed, self._names.selectors(field))):
            return
        for value, kind in self._names.cells(self._text(field)):
            if not self._edits.removed(value):
                self._edits.replace(value, f"*new({self._text(kind)})")

    def _is_left(self, use: Node) -> bool:
        """Whether a part of what was compared with is still in the file without being an input of the code under test."""
        if use.type == "selector_expression" and (column := self._names.column(use)):
            return not all(map(self._edits.removed, column)) and not self._is_input_column(use)
        if use.type in ("selector_expression", "index_expression") and self._is_part(use):
            return not self._names.is_derived(use) and not self._is_input_column(use)
        if use.type != "identifier" or self._names.is_column_of(use):
            return False
        declared = self._names.declaration(use)
        return declared is not None and not self.is_gone(declared) and not self._is_input(declared)

    def _is_part(self, node: Node) -> bool:
        """Whether an expression is a field or a fixed element of a variable: perhaps a column of a table."""
        operand, index = part(node, "operand"), part(node, "index")
        if operand is None or (index is not None and index.type not in LITERALS) or is_called(node):
            return False
        return self._names.holds_variable(operand)

    def _is_input_column(self, use: Node) -> bool:
        field = part(use, "field")
        same = [it for it in walk(self._names.parsed.root) if field is None and it.type == use.type and it.text == use.text]
        uses = self._names.selectors(field) if field is not None else same
        return any(self._names.is_asked_for(it, self._edits.removed) for it in uses)


def _is_within(declared: Node, use: Node) -> bool:
    """Whether a name is declared in the very condition or failure where it is used: behind it, it means nothing."""
    choice = next((it for _, it in upward(use) if it.type in ("if_statement", "function_declaration")), None)
    condition = part(choice, "condition")
    return condition is not None and choice is not None and condition.start_byte <= declared.start_byte < choice.end_byte
