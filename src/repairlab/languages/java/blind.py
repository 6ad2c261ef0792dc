"""Blind tests of Java: JUnit 3, 4 and 5, with their own assertions."""

import re
from functools import cache
from pathlib import Path

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.languages.blind import BlindFile
from repairlab.languages.java.claims import JavaClaims, kind_of
from repairlab.languages.java.literals import JavaLiterals, quoted
from repairlab.languages.java.names import INNER, JavaNames, can_end, declaration, grows
from repairlab.languages.java.parameters import JavaParameters
from repairlab.languages.java.suites import JavaSuites, annotations
from repairlab.languages.nodes import named, own, part, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_claims import TreeClaims
from repairlab.languages.withholding import UnclearError

_SAID = "$Said"


def blind(source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
    """Return a test file without its expectations; see `Blinding`."""
    return _File(source, framework, nonce, first).made()


@cache
def _class() -> str:
    """Return the class that freezes and writes, in one line."""
    text = (Path(__file__).parent / "runners/Said.java.template").read_text(encoding="utf-8")
    return re.sub(r"\n\s*", " ", text).strip()


class _File:
    """One test file on its way."""

    def __init__(self, source: str, framework: Framework, nonce: str, first: int) -> None:
        self.parsed, self.nonce = Parsed("java", source), nonce
        self.nodes = list(walk(self.parsed.root))
        self.names = JavaNames(self.parsed, self.nodes)
        self.suites = JavaSuites(self.parsed, self.nodes, self.names)
        self.said = TreeClaims(
            self.parsed, first, _SAID, self.names, JavaLiterals(self.parsed, self.names.constant), equals=("==", "!=")
        )
        is_jupiter = framework == "junit5" and "org.junit.jupiter" in source
        self.claims = JavaClaims(self.parsed, self.names, self.suites, self.said, is_jupiter=is_jupiter)
        self.parameters = JavaParameters(self.parsed, self.nodes, self.names)

    def made(self) -> BlindFile:
        """Return the blind file."""
        suites, said = self.suites, self.said
        if self.parsed.root.has_error or _SAID in self.parsed.source:
            opened = {suites.name(test): "the file cannot be parsed" for test in suites.tests}
            return BlindFile(text=self.parsed.source, open=opened)
        for node in self.nodes:
            try:
                if not said.edits.removed(node):
                    self.claims.visit(node)
            except UnclearError as unclear:
                suites.leave_open(node, str(unclear))
        expected = {test: self._expected(test) for test in suites.tests}
        self._clear_away()
        for row, cells in self.parameters.csv.items():
            said.take_out(row, f'"{",".join(cells)}"')
        for test in suites.tests:
            self._end(test, part(test, "body"), expected[test])
        self._add_class()
        said.without_comments(self.nodes)
        text, checks = _without_unused_imports(said.edits.applied()), tuple(said.checks.made)
        return BlindFile(text=text, checks=checks, open=suites.open, shared=suites.shared, gone=said.edits.gone())

    def _add_class(self) -> None:
        """Put what freezes and writes into each class."""
        text = _class().replace("NONCE", self.nonce)
        for node in self.parsed.root.named_children:
            body = part(node, "body")
            if node.type in ("class_declaration", "interface_declaration") and body is not None:
                start = self.parsed.span(body).start + 1
                is_class = node.type == "class_declaration"
                self.said.edits.put(start, start, f" {text if is_class else text.removeprefix('private static ')}")

    def _expected(self, test: Node) -> int | None:
        """Take the exception out of `@Test(expected = X.class)`; return the number of its check."""
        for pairs in (named(part(annotation, "arguments")) for annotation in annotations(test)):
            for index, pair in enumerate(pairs):
                value = part(pair, "value")
                if self.parsed.text(part(pair, "key")) == "expected" and value is not None and value.type == "class_literal":
                    whole = self.parsed.span(pair)
                    start = self.parsed.span(pairs[index - 1]).end if index else whole.start
                    end = whole.end if index or len(pairs) == 1 else self.parsed.span(pairs[1]).start
                    self.said.edits.take_out(start, end)
                    return self.said.check(pair, "raised", kind_of(self.parsed.text(named(value)[0])))
        return None

    def _end(self, test: Node, body: Node | None, expected: int | None) -> None:
        """Let a test say that it has ended, wherever it does; one that is open does nothing at all."""
        if body is None:
            return
        if self.suites.name(test) in self.suites.open:
            self.said.take_out(body, "{ }")
            return
        span, said = self.parsed.span(body), f"{_SAID}.end(this, {quoted(self.parsed.text(part(test, 'name')))});"
        start, end = span.start + 1, span.end - 1
        if expected is not None:
            self.said.edits.put(start, start, " try {")
            self.said.edits.put(end, end, f"}} catch (Throwable $thrown) {{ {_SAID}.kinds({expected}, $thrown); {said} }} ")
            return
        if can_end(self.parsed, body):
            self.said.edits.put(end, end, f"{said} ")
        for node in own(body, INNER):
            if node.type == "return_statement":
                self.said.wrap(node, f"{{ {said} ", " }")

    def _clear_away(self) -> None:
        """Take out what nothing but taken-out expectations used; leave open the tests of what cannot be."""
        todo, done = [use for node in self.said.expecting for use in self.names.uses_in(node)], set[Node]()
        while todo:
            use = todo.pop()
            binding = self.names.binding(use)
            if binding is None or binding in done:
                continue
            others = [it for it in self.names.uses(binding) if not self.said.edits.removed(it)]
            if not others:
                done.add(binding)
                todo += self._take_out(use, binding)
            elif any(grows(it) for it in others) and self.names.origin(use) == "built":
                self.suites.leave_open(use, "what is expected is put together")

    def _take_out(self, use: Node, binding: Node) -> list[Node]:
        """Take out what a name is bound to, and return the names that stood there."""
        whole = declaration(binding)
        gone = [whole] if whole is not None else self.parameters.passed(binding)
        if gone is None:
            self.suites.leave_open(use, "what is expected stands in a table")
            return []
        kind = self.parsed.text(part(binding.parent, "type"))
        for node in gone:
            self.said.take_out(node, "" if node == whole or not kind else _nothing(kind))
        return [name for node in gone for name in self.names.uses_in(node)]


def _nothing(kind: str) -> str:
    """Return a value of a type that says nothing.

    >>> _nothing("int"), _nothing("boolean"), _nothing("List<String>")
    ('(int) 0', 'false', '(List<String>) null')
    """
    if kind in ("byte", "char", "double", "float", "int", "long", "short"):
        return f"({kind}) 0"
    return "false" if kind == "boolean" else f"({kind}) null"


def _without_unused_imports(text: str) -> str:
    r"""Return a file without imports of types that it does not name: they would tell which exceptions were expected.

    >>> print(_without_unused_imports("import a.B;\nimport a.C;\nimport static a.D.e;\nclass X extends B {}"))
    import a.B;
    <BLANKLINE>
    import static a.D.e;
    class X extends B {}
    """
    for path, name in re.findall(r"^\s*import\s+((?:\w+\.)+(\w+))\s*;", text, re.MULTILINE):
        if not re.search(rf"(?<![\w.]){re.escape(name)}\b", text):
            text = re.sub(rf"^(\s*)import\s+{re.escape(path)}\s*;", r"\1", text, count=1, flags=re.MULTILINE)
    return text
