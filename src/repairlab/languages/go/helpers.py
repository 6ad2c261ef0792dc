"""What fails a Go test: an `if` before `t.Errorf`, and helpers, with those of their parameters that are only expected values."""

from tree_sitter import Node

from repairlab.languages.go.counter import statements
from repairlab.languages.go.names import Given, GoNames, names_of, slots
from repairlab.languages.go.testify import assertion
from repairlab.languages.nodes import above, named, part, upward

_FAILS = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_LEAVES = ("return_statement", "continue_statement", "break_statement")


def is_check(names: GoNames, choice: Node, testers: set[str]) -> bool:
    """Return whether an `if` does nothing but fail the test."""
    then, fails = part(choice, "consequence"), False
    for statement in statements(then) if choice.type == "if_statement" and then is not None else ():
        call = named(statement)[0] if statement.type == "expression_statement" and named(statement) else None
        called, method = part(call, "function"), names.text(part(call, "function", "field"))
        if called is None and (statement.type not in _LEAVES or named(statement)):
            return False
        if called is not None and (names.text(part(called, "operand")) not in testers or method not in _FAILS | {"Log", "Logf"}):
            return False
        fails = fails or method in _FAILS
    return fails


class GoHelpers:
    """The helpers of a file that are looked at, each with the parameters that are what it expects."""

    def __init__(self, names: GoNames) -> None:
        self._names = names
        self._dropped = dict[str, frozenset[int] | None]()

    def dropped(self, helper: Given) -> frozenset[int] | None:
        """Return which parameters of a helper are what it expects; nothing for a helper that is not understood."""
        if helper.name not in self._dropped:
            self._dropped[helper.name] = None
            own, parameters = slots(helper.node), named(part(helper.node, "parameters"))
            if len(own) == sum(len(names_of(parameter)) for parameter in parameters):
                wanted = [index for index, (name, _) in enumerate(own) if self._is_wanted(helper, name)]
                self._dropped[helper.name] = frozenset(it for it in wanted if not self._names.is_derived(own[it][0]))
        return self._dropped[helper.name]

    def dropped_of(self, name: str) -> list[Node]:
        """Return the parameters of a helper that was looked at which are what it expects."""
        own = slots(self._names.given[name].node)
        return [own[index][0] for index in self._dropped.get(name) or ()]

    def is_dropped(self, declared: Node) -> bool:
        """Return whether a parameter of a helper that was looked at is what it expects."""
        return any(declared in self.dropped_of(name) for name in self._dropped)

    def _is_wanted(self, helper: Given, name: Node) -> bool:
        uses = self._names.uses_of(name) if self._names.text(name) != helper.tester else []
        return bool(uses) and all(self._is_in_check(use, helper) or self._is_handed_on(use) for use in uses)

    def _is_in_check(self, use: Node, helper: Given) -> bool:
        """Whether a name stands in the condition of a check, or in what it says when it fails."""
        for node, parent in upward(use):
            in_choice = parent.type == "if_statement" and node in (part(parent, "condition"), part(parent, "consequence"))
            if in_choice and is_check(self._names, parent, {helper.tester}):
                return True
            if parent.type == "call_expression" and assertion(self._names, parent) is not None:
                return True
        return False

    def _is_handed_on(self, use: Node) -> bool:
        arguments = above(use, "argument_list")
        helper = self._names.given.get(self._names.text(part(above(arguments, ""), "function")))
        return helper is not None and named(arguments).index(use) in (self.dropped(helper) or ())
