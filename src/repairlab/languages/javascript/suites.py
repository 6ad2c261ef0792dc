"""Which functions of a JavaScript file are tests, and which tests a piece of its code is part of."""

from hashlib import sha256

from tree_sitter import Node

from repairlab.languages.javascript.literals import unescaped
from repairlab.languages.javascript.names import ANONYMOUS, FUNCTIONS, Names, arguments, last
from repairlab.languages.nodes import upward
from repairlab.languages.parser import Parsed

TESTS = frozenset({"test", "it", "specify"})
_SUITES = frozenset({"describe", "suite", "context"})


class JavaScriptSuites:
    """The tests of a file."""

    def __init__(self, parsed: Parsed, nodes: list[Node], names: Names, nonce: str) -> None:
        self._parsed, self._names, self._nonce = parsed, names, nonce
        calls = [arguments(it) for it in nodes if it.type == "call_expression" and last(parsed, it) in TESTS]
        given = [it for it in calls if len(it) > 1 and it[-1].type in ANONYMOUS and it[0].type not in ANONYMOUS]
        self.titles = {values[-1]: values[0] for values in given}
        """The titles of tests by the nodes of their callbacks."""
        self.open: dict[str, str] = {}

    def plain(self, title: Node) -> str:
        """Return the text of a title."""
        text = self._parsed.text(title)
        return unescaped(text[1:-1]) if title.type in ("string", "template_string") else text

    def name(self, test: Node) -> str:
        """Return the title of a test, behind those of the suites around it."""
        calls = [it for _, it in upward(self.titles[test]) if it.type == "call_expression" and last(self._parsed, it) in _SUITES]
        titles = [self.titles[test], *(given[0] for it in calls if (given := arguments(it)))]
        return " > ".join(map(self.plain, reversed(titles)))

    def hidden(self, name: str) -> str:
        """Return what a test is called instead: titles may say what is expected."""
        return f"test {sha256(f'{self._nonce} {name}'.encode()).hexdigest()[:12]}"

    def is_of_test(self, node: Node) -> bool:
        """Return whether a statement is a test's own, and not that of a function in it."""
        return next((it for _, it in upward(node) if it.type in FUNCTIONS), None) in self.titles

    def leave_open(self, node: Node, reason: str) -> None:
        """Leave open the test that something is in, or all tests that may call the function which it is in."""
        around = [node, *(it for _, it in upward(node))]
        test = next((it for it in around if it in self.titles), None)
        reached = self._names.calling({name for it in around if (name := self._names.called(it))})
        for other in [test] if test is not None else self.titles:
            if test is not None or not reached or reached & self._names.words(other):
                self.open.setdefault(self.name(other), reason)
