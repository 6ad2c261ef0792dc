"""Blind tests of JavaScript: node:test and mocha, with the assertions of node:assert."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.languages.blind import BlindFile
from repairlab.languages.javascript.claims import JavaScriptClaims
from repairlab.languages.javascript.literals import Literals, quoted
from repairlab.languages.javascript.names import FUNCTIONS, Names, arguments, grows, place, statement
from repairlab.languages.javascript.suites import JavaScriptSuites
from repairlab.languages.nodes import above, named, own, part, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_claims import TreeClaims
from repairlab.languages.withholding import UnclearError

_SAID = "$said"


def blind(source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
    """Return a test file without its expectations; see `Blinding`."""
    return _File(source, nonce, first, is_mocha=framework == "mocha").made()


@cache
def _prelude() -> str:
    """Return what freezes and writes, as an expression of one line: a function of `fs`, `util` and the nonce."""
    text = (Path(__file__).parent / "runners/said.js.template").read_text(encoding="utf-8")
    return re.sub(r"\n\s*", " ", re.sub(r" *// .*", "", text)).strip()


class _Column(NamedTuple):
    """A column of a table: its index or key, and whether a name stands for a whole row."""

    table: Node
    key: str
    is_of_row: bool


class _File:
    """One test file on its way."""

    def __init__(self, source: str, nonce: str, first: int, *, is_mocha: bool) -> None:
        self.parsed, self.nonce, self.is_mocha = Parsed("javascript", source), nonce, is_mocha
        self.nodes = list(walk(self.parsed.root))
        self.names = Names(self.parsed, self.nodes)
        self.literals = Literals(self.parsed, self.names.constant)
        self.suites = JavaScriptSuites(self.parsed, self.nodes, self.names, nonce)
        self.said = TreeClaims(self.parsed, first, _SAID, self.names, self.literals, equals=("===", "!=="))
        self.edits = self.said.edits
        self.claims = JavaScriptClaims(self.parsed, self.names, self.suites, self.literals, self.said)

    def made(self) -> BlindFile:
        """Return the blind file."""
        suites, renamed = self.suites, dict[str, str]()
        if self.parsed.root.has_error or _SAID in self.parsed.source:
            opened = {suites.name(test): "the file cannot be parsed" for test in suites.titles}
            return BlindFile(text=self.parsed.source, open=opened)
        for node in self.nodes:
            try:
                if node.type == "throw_statement" or not self.edits.removed(node):
                    self.claims.visit(node)
            except UnclearError as unclear:
                suites.leave_open(node, str(unclear))
        self._clear_away()
        for test, title in suites.titles.items():
            name = suites.name(test)
            self._end(test, title, name)
            if title.type == "string" and (old := suites.plain(title)):
                span = self.parsed.span(title)
                self.edits.put(span.start, span.end, quoted(suites.hidden(name)))
                renamed[name] = name.removesuffix(old) + suites.hidden(name)
        self.said.without_comments(self.nodes)
        self._prepend()
        checks, gone = tuple(self.said.checks.made), self.edits.gone()
        return BlindFile(text=self.edits.applied(), checks=checks, open=suites.open, gone=gone, names=renamed)

    def _end(self, test: Node, title: Node, name: str) -> None:
        """Let a test say that it has ended, wherever it does; one that is open does nothing at all."""
        body, parameter = part(test, "body"), part(test, "parameter")
        if len(named(part(test, "parameters"))) + (parameter is not None) > (0 if self.is_mocha else 1):
            self.suites.open.setdefault(name, "ends by a callback")
        if body is None:
            return
        if name in self.suites.open:
            self.said.take_out(body, "{}")
            return
        outer = name.removesuffix(self.suites.plain(title))
        said = (
            quoted(outer + self.suites.hidden(name)) if title.type == "string" else f"{quoted(outer)} + ({self.parsed.text(title)})"
        )
        if body.type != "statement_block":
            self.said.wrap(body, f"{_SAID}.ended({said}, ", ")")
            return
        end = self.parsed.span(body).end - 1
        self.edits.put(end, end, f";{_SAID}.end({said}); ")
        for node in (it for it in own(body, FUNCTIONS) if it.type == "return_statement"):
            if named(node):
                self.said.wrap(named(node)[0], f"{_SAID}.ended({said}, ", ")")
            else:
                self.said.wrap(node, f"{{ {_SAID}.end({said}); ", " }")

    # What is left over

    def _clear_away(self) -> None:
        """Take out what nothing but taken-out expectations used; leave open the tests of what cannot be."""
        todo, done = [use for node in self.said.expecting for use in self.names.uses_in(node)], set[Node]()
        while todo:
            use = todo.pop()
            binding = self.names.binding(use)
            if binding is None or binding in done:
                continue
            others = self._others(binding)
            column = self._column(use, binding, others)
            if not others or (column is not None and column.is_of_row):
                done.add(binding)
                todo += self._take_out(use, binding, column)
            elif any(grows(it) for it in others):
                self.suites.leave_open(use, "what is expected is put together")
            elif any(self._is_title(it) for it in others):
                self.suites.leave_open(use, "what is expected stands in its title")

    def _others(self, binding: Node) -> list[Node]:
        return [it for it in self.names.uses(binding) if it != binding and not self.edits.removed(it)]

    def _is_title(self, node: Node) -> bool:
        return any(title.start_byte <= node.start_byte < title.end_byte for title in self.suites.titles.values())

    def _take_out(self, use: Node, binding: Node, column: _Column | None) -> list[Node]:
        """Take out what a name is bound to, and return the names that stood there."""
        whole = statement(binding)
        gone: list[Node] | None = []  # names of other files tell nothing that these do not
        if not self.names.is_import(binding):
            gone = self._cells(column) if column is not None else [whole] if whole is not None else self._passed(binding)
        if gone is None:
            self.suites.leave_open(use, "what is expected stands in a table")
            return []
        for node in gone:
            self.said.take_out(node, "" if node == whole else "undefined")
        return [name for node in gone for name in self.names.uses_in(node)]

    def _column(self, use: Node, binding: Node, others: list[Node]) -> _Column | None:
        """Return the table whose rows a name goes through."""
        root, key = place(self.parsed, binding)
        table, member = self.names.table(root) if root is not None else None, above(use, "member_expression")
        if table is None or key:
            return _Column(table, key, is_of_row=False) if table is not None else None
        if member is None or part(member, "object") != use:
            return None
        name, around = self.parsed.text(member.children[-1]), [it.parent for it in others if it.parent is not None]
        if any(it.type != "member_expression" or self.parsed.text(it.children[-1]) == name for it in around):
            return None
        return _Column(table, name, is_of_row=True)

    def _cells(self, column: _Column) -> list[Node] | None:
        """Return what stands in a column of a table; none where that cannot be told of each row."""
        found, key = list[Node](), column.key
        for row in named(column.table):
            cells, n_commas = named(row), sum(it.type == "," for it in row.children)
            if row.type == "array" and key.isdigit() and int(key) < len(cells) == n_commas + 1:
                found.append(cells[int(key)])
                continue
            pairs = [pair for pair in cells if row.type == "object" and self.literals.key(pair) == key]
            held = part(pairs[0], "value") if len(pairs) == 1 else None
            if held is None:
                return None
            found.append(held)
        return found

    def _passed(self, parameter: Node) -> list[Node] | None:
        """Return what the calls of a function give for a parameter; none where it may be called in other ways."""
        parameters = above(parameter, "formal_parameters")
        function = above(parameters, "")
        name = self.names.called(function) if function is not None else ""
        if parameters is None or not name:
            return None
        index, found = named(parameters).index(parameter), list[Node]()
        for use in self.names.uses_of_function(name):
            call = above(use, "call_expression")
            values = arguments(call)
            if part(call, "function") != use or any(value.type == "spread_element" for value in values):
                return None
            for value in values[index : index + 1]:
                origin = self.names.origin(value)
                if origin == "unknown":
                    return None
                found += [value] if origin == "built" else []
        return found

    def _prepend(self) -> None:
        """Put what freezes and writes before anything of the tree is loaded."""
        root = self.parsed.root
        if any(node.type in ("import_statement", "export_statement") for node in root.named_children):
            imports = "import fs from 'node:fs'; import util from 'node:util';"
            code = f"{imports} export default {_prelude()}(fs, util, {quoted(self.nonce)});"
            text = f"import {_SAID} from 'data:text/javascript,{quote(code, safe='')}';"
        else:
            text = f"const {_SAID} = {_prelude()}(require('node:fs'), require('node:util'), {quoted(self.nonce)});"
        at = 0
        for node in root.children:
            is_directive = node.type == "expression_statement" and bool(named(node)) and named(node)[0].type == "string"
            if node.type == "hash_bang_line" or is_directive:
                at = self.parsed.span(node).end
            elif node.type != "comment":
                break
        self.edits.put(at, at, f"\n{text}" if at else f"{text} ")
