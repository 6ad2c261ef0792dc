"""Helpers of a test file of C or C++ that compare: which of their parameters are only expected values."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.native.bodies import Body
from repairlab.languages.native.forms import EQUAL, NEAR
from repairlab.languages.native.origins import NativeOrigins
from repairlab.languages.nodes import named, operator_of, upward

_LISTS = re.compile(r"(?:std::)?vector<(?:(?:std::)?vector<)?(?:int|long|longlong|float|double|bool|(?:std::)?string)>+")
_WIDTH = r"(\d*\.?\d+(?:[eE]-?\d+)?)[fF]?"


class NativeHelpers:
    """The helpers of a file that are looked at, and what expectations are gone."""

    def __init__(self, origins: NativeOrigins) -> None:
        self._origins = origins
        self._dropped = dict[str, frozenset[int]]()
        self.gone = list[tuple[Body, Node]]()

    def dropped(self, helper: Body) -> frozenset[int]:
        """Return which parameters of a helper are what it expects."""
        if helper.name not in self._dropped:
            self._dropped[helper.name] = frozenset()
            wanted = [index for index, (name, _) in enumerate(helper.parameters) if name and self._is_wanted(helper, name)]
            self._dropped[helper.name] = frozenset(index for index in wanted if not self._is_passed_derived(helper, index))
        return self._dropped[helper.name]

    def is_dropped(self, body: Body, name: str) -> bool:
        """Return whether a name is a parameter of a helper that was looked at, and what that expects."""
        return body.index_of(name) in self._dropped.get(body.name, ())

    def _is_wanted(self, helper: Body, parameter: str) -> bool:
        uses = helper.uses.get(parameter, [])
        return bool(uses) and all(self._is_compared(helper, use) for use in uses)

    def _is_compared(self, helper: Body, use: Node) -> bool:
        """Whether a name stands on one side of a comparison, and nothing else is done with it."""
        for _, parent in upward(use):
            if parent.type == "binary_expression" and operator_of(parent) in ("==", "!="):
                return True
            if parent.type == "call_expression":
                name, called = helper.called(parent), self._origins.helper(helper, parent)
                given = named(parent.children[1])
                if called is not None and (given.index(use) if use in given else -1) in self.dropped(called):
                    return True
                if EQUAL.fullmatch(name) or NEAR.fullmatch(name):
                    return True
                if self._origins.is_foreign(helper, parent):
                    return False
            if parent.type.endswith("_statement") or parent.type in ("init_declarator", "assignment_expression"):
                return False
        return False

    def _is_passed_derived(self, helper: Body, index: int) -> bool:
        calls = [(caller, named(call.children[1])) for caller, call in self._origins.callers.get(helper.name, ())]
        return any(index >= len(given) or self._origins.is_derived(caller, given[index]) for caller, given in calls)


def outside_calls(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, but not what functions are called with."""
    yield node
    for child in node.children if node.type != "call_expression" else ():
        yield from outside_calls(child)


def tolerated(helper: Body) -> str:
    """Return how far off the members of two values may be that a helper compares; nothing where it does something else."""
    kinds = {re.sub(r"\s|const\b|&", "", kind) for _, kind in helper.parameters}
    if len(helper.parameters) != len(("one", "other")) or len(kinds) != 1 or helper.is_macro:
        return ""
    one, other = (re.escape(name) for name, _ in helper.parameters)
    flat = re.sub(r"\{(return\w+;)\}", r"\1", re.sub(r"\s+", "", helper.text(helper.node)))
    if short := re.fullmatch(rf"\{{return(?:{one}=={other}|(?:std::)?f?abs\({one}-{other}\)<=?{_WIDTH});\}}", flat):
        return short[1] or "0"
    body, found = flat.removeprefix("{").removesuffix("returntrue;}"), ""
    while body and not found:
        loop = re.fullmatch(
            rf"if\({one}\.size\(\)!={other}\.size\(\)\)return(?:false|0);"
            rf"for\((?:unsigned|int|size_t|std::size_t)+(\w+)=0;\1<(?:{one}|{other})\.size\(\);(?:\1\+\+|\+\+\1)\)(?:\{{(.*)\}}|(.*))",
            body,
        )
        if loop is None or not _LISTS.fullmatch(next(iter(kinds))):
            return ""
        one, other, body = rf"{one}\[{loop[1]}\]", rf"{other}\[{loop[1]}\]", loop[2] or loop[3]
        last = re.fullmatch(rf"if\((?:{one}!={other}|(?:std::)?f?abs\({one}-{other}\)>=?{_WIDTH})\)return(?:false|0);", body)
        found = (last[1] or "0") if last else ""
    return found
