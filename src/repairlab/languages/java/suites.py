"""Which methods of a Java file are tests, and which tests a piece of its code is part of."""

import re

from tree_sitter import Node

from repairlab.languages.java.names import FUNCTIONS, JavaNames
from repairlab.languages.nodes import above, named, part, upward
from repairlab.languages.parser import Parsed

_TEST = re.compile(r"Test|ParameterizedTest|RepeatedTest|Theory")
_HOOK = re.compile(r"(?:Before|After)(?:Each|All|Class)?")


class JavaSuites:
    """The tests of a file."""

    def __init__(self, parsed: Parsed, nodes: list[Node], names: JavaNames) -> None:
        self._text, self._names, self._root = parsed.text, names, parsed.root
        self.methods = [node for node in nodes if node.type == "method_declaration"]
        self.tests = [node for node in self.methods if self._is_test(node)]
        self.open: dict[str, str] = {}
        self.shared: dict[str, str] = {}

    def _annotated(self, method: Node, pattern: re.Pattern[str]) -> bool:
        names = [self._text(part(it, "name")) for it in annotations(method)]
        return any(pattern.fullmatch(name.rpartition(".")[2]) for name in names)

    def _is_test(self, method: Node) -> bool:
        is_old = "Test" in self._text(part(above(method, "", ""), "superclass"))
        return self._annotated(method, _TEST) or (is_old and self._text(part(method, "name")).startswith("test"))

    def name(self, test: Node) -> str:
        """Return the name of a test, behind that of its class; an abstract class runs under another name."""
        method, around = self._text(part(test, "name")), above(test, "", "")
        modifiers = [it for it in (around.children if around is not None else []) if it.type == "modifiers"]
        of_class = self._text(part(around, "name"))
        is_abstract = any("abstract" in self._text(it).split() for it in modifiers)
        return method if is_abstract or not of_class else f"{of_class}::{method}"

    def is_of_test(self, node: Node) -> bool:
        """Return whether a statement is a test's own, and not that of a lambda or class in it."""
        around = next((it for _, it in upward(node) if it.type in FUNCTIONS), None)
        return around in self.tests or self.is_main(around)

    def is_main(self, method: Node | None) -> bool:
        """Return whether a method is a program that a test runs."""
        return method is not None and method.type == "method_declaration" and self._text(part(method, "name")) == "main"

    def leave_open(self, node: Node, reason: str) -> None:
        """Leave open the test that something is in, or all tests that may call the method which it is in."""
        around = [node, *(parent for _, parent in upward(node))]
        if (own := next((it for it in around if it in self.tests), None)) is not None:
            self.open.setdefault(self.name(own), reason)
            return
        methods = [it for it in around if it.type == "method_declaration" and not self._annotated(it, _HOOK)]
        reached = self._names.calling({self._text(part(it, "name")) for it in methods})
        mine = [test for test in self.tests if not methods or reached & self._names.calls(test)]
        for test in mine:
            self.open.setdefault(self.name(test), reason)
        kind = next((it for it in named(self._root) if it.start_byte <= node.start_byte < it.end_byte), node)
        if not mine and part(kind, "name") is not None:
            self.shared.setdefault(self._text(part(kind, "name")), reason)


def annotations(method: Node) -> list[Node]:
    """Return the annotations of a method."""
    groups = [named(child) for child in method.children if child.type == "modifiers"]
    return [it for group in groups for it in group if it.type in ("annotation", "marker_annotation")]
