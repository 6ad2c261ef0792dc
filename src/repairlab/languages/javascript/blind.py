"""Blind tests of JavaScript: node:test and mocha, with the assertions of node:assert."""

import re
from collections.abc import Iterator
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.blind import BlindFile, How
from repairlab.languages.javascript.literals import UNDEFINED, Literals, pattern, quoted, unescaped
from repairlab.languages.javascript.names import ANONYMOUS, FUNCTIONS, Names, grows, own, place, statement
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import ORDERS, Frozen, TreeClaims, UnclearError, function_reached, must_be

_TESTS = frozenset({"test", "it", "specify"})
_SUITES = frozenset({"describe", "suite", "context"})
_EQUAL = frozenset({"strictEqual", "deepStrictEqual", "equal", "deepEqual"})
_UNEQUAL = frozenset({"notStrictEqual", "notDeepStrictEqual", "notEqual", "notDeepEqual"})
_THROWING = frozenset({"throws", "rejects"})
_LEFT = frozenset({"AssertionError", "doesNotReject", "doesNotThrow", "fail", "strict"})
"""What holds no value that a test expects."""
_FILLERS = frozenset({"to", "be", "been", "is", "that", "and", "has", "have", "with", "at", "of", "deep"})
_CHAINED: dict[str, str] = {
    **dict.fromkeys(("equal", "equals", "eq", "eql", "eqls", "toBe", "toEqual", "toStrictEqual"), "==="),
    **dict.fromkeys(("above", "gt", "greaterThan", "toBeGreaterThan"), ">"),
    **dict.fromkeys(("below", "lt", "lessThan", "toBeLessThan"), "<"),
    **dict.fromkeys(("least", "gte", "toBeGreaterThanOrEqual"), ">="),
    **dict.fromkeys(("most", "lte", "toBeLessThanOrEqual"), "<="),
}
"""Relations of `expect(x)` to a value."""
_STATED: dict[str, Frozen] = {
    **{"true": ["b", True], "false": ["b", False], "null": ["n"], "undefined": UNDEFINED},
    **{"toBeNull": ["n"], "toBeUndefined": UNDEFINED},
}
_CONTAINING = frozenset({"contain", "contains", "include", "includes", "toContain"})
_COMPARED = frozenset({"===", "!==", *ORDERS})
_NEEDLES = frozenset({"endsWith", "includes", "indexOf", "match", "matchAll", "search", "startsWith", "test"})
_BUILT_IN = re.compile(r"(?:Array|JSON|Math|Number|Object|String)\b")
_SAID = "$said"
_BRANCHING = frozenset({"if_statement", "switch_statement", "catch_clause", "ternary_expression", "while_statement"})


def blind(source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
    """Return a test file without its expectations; see `Blinding`."""
    return _File(source, nonce, first, is_mocha=framework == "mocha").made()


@cache
def _prelude() -> str:
    """Return what freezes and writes, as an expression of one line: a function of `fs`, `util` and the nonce."""
    text = (Path(__file__).parent / "runners/said.js.template").read_text(encoding="utf-8")
    return re.sub(r"\n\s*", " ", re.sub(r" *// .*", "", text)).strip()


class _File:
    """One test file on its way."""

    def __init__(self, source: str, nonce: str, first: int, *, is_mocha: bool) -> None:
        self.parsed = Parsed("javascript", source)
        self.nonce, self.is_mocha = nonce, is_mocha
        self.open: dict[str, str] = {}
        self.nodes = list(walk(self.parsed.root))
        self.names = Names(self.parsed, self.nodes)
        self.literals = Literals(self.parsed, self.names.constant)
        self.claims = TreeClaims(self.parsed, first, _SAID, self.names, self.literals)
        self.edits, self.expecting = self.claims.edits, self.claims.expecting
        self.tests = dict(self._tests())
        """The titles of tests by the nodes of their callbacks."""

    def made(self) -> BlindFile:
        """Return the blind file."""
        if self.parsed.root.has_error or _SAID in self.parsed.source:
            return BlindFile(text=self.parsed.source, open={self._name(test): "the file cannot be parsed" for test in self.tests})
        for node in self.nodes:
            if node.type == "call_expression" and not self.edits.removed(node):
                try:
                    self._assertion(node)
                except UnclearError as unclear:
                    self._leave_open(node, str(unclear))
            elif node.type == "throw_statement" and self._is_of_test(node):
                self._leave_open(node, "throws by itself")
        self._clear_away()
        renamed = {}
        for test, title in self.tests.items():
            name = self._name(test)
            self._end(test, title, name)
            if title.type == "string" and (old := _plain(self.parsed, title)):
                span, new = self.parsed.span(title), self._hidden(name)
                self.edits.put(span.start, span.end, quoted(new))
                renamed[name] = name.removesuffix(old) + new
        for node in self.nodes:
            if node.type == "comment":
                span = self.parsed.span(node)
                self.edits.put(span.start, span.end, "\n" if "\n" in self.parsed.text(node) else " ")
        self._prepend()
        checks, gone = tuple(self.claims.checks.made), self.edits.gone()
        return BlindFile(text=self.edits.applied(), checks=checks, open=self.open, gone=gone, names=renamed)

    # Tests

    def _tests(self) -> Iterator[tuple[Node, Node]]:
        for node in self.nodes:
            values = _arguments(node) if node.type == "call_expression" and _last(self.parsed, node) in _TESTS else []
            if len(values) > 1 and values[-1].type in ANONYMOUS and values[0].type not in ANONYMOUS:
                yield values[-1], values[0]

    def _name(self, test: Node) -> str:
        """Return the title of a test, behind those of the suites around it."""
        titles = [_plain(self.parsed, self.tests[test])]
        around = self.tests[test].parent
        while around is not None:
            if around.type == "call_expression" and _last(self.parsed, around) in _SUITES and _arguments(around):
                titles.insert(0, _plain(self.parsed, _arguments(around)[0]))
            around = around.parent
        return " > ".join(titles)

    def _hidden(self, name: str) -> str:
        """Return what a test is called instead: titles may say what is expected."""
        return f"test {sha256(f'{self.nonce} {name}'.encode()).hexdigest()[:12]}"

    def _test_around(self, node: Node | None) -> Node | None:
        while node is not None and node not in self.tests:
            node = node.parent
        return node

    def _is_of_test(self, node: Node) -> bool:
        """Return whether a statement is a test's own, and not that of a function in it."""
        around = node.parent
        while around is not None and around.type not in FUNCTIONS:
            around = around.parent
        return around in self.tests

    def _leave_open(self, node: Node, reason: str) -> None:
        """Leave open the test that something is in, or all tests that may call the function which it is in."""
        test = self._test_around(node)
        reached = set[str]()
        around: Node | None = node
        while around is not None:
            reached |= {self.names.called(around)} - {""}
            around = around.parent
        reached = self.names.calling(reached)
        for other in [test] if test is not None else self.tests:
            if test is not None or not reached or reached & self.names.words(other):
                self.open.setdefault(self._name(other), reason)

    def _end(self, test: Node, title: Node, name: str) -> None:
        """Let a test say that it has ended, wherever it does; one that is open does nothing at all."""
        body, parameters = test.child_by_field_name("body"), test.child_by_field_name("parameters")
        given = named(parameters) if parameters is not None else [test.child_by_field_name("parameter")]
        if len([one for one in given if one is not None]) > (0 if self.is_mocha else 1):
            self.open.setdefault(name, "ends by a callback")
        if body is None:
            return
        span = self.parsed.span(body)
        if name in self.open:
            self.edits.take_out(span.start, span.end, "{}")
            return
        said = quoted(name.removesuffix(_plain(self.parsed, title)) + self._hidden(name))
        if title.type != "string":
            outer = name[: len(name) - len(_plain(self.parsed, title))]
            said = f"{quoted(outer)} + ({self.parsed.text(title)})"
        if body.type != "statement_block":
            self._wrap(body, f"{_SAID}.ended({said}, ", ")")
            return
        self.edits.put(span.end - 1, span.end - 1, f";{_SAID}.end({said}); ")
        for node in own(body):
            if node.type == "return_statement" and named(node):
                self._wrap(named(node)[0], f"{_SAID}.ended({said}, ", ")")
            elif node.type == "return_statement":
                self._wrap(node, f"{{ {_SAID}.end({said}); ", " }")

    def _wrap(self, node: Node, before: str, behind: str) -> None:
        span = self.parsed.span(node)
        self.edits.put(span.start, span.start, before)
        self.edits.put(span.end, span.end, behind)

    # Assertions

    def _assertion(self, call: Node) -> None:
        name, values = _last(self.parsed, call), _arguments(call)
        if name == "expect" and len(values) == 1 and name not in self.names.functions:
            self._chain(call, values[0])
        elif re.match(r"expect\(", self.parsed.text(call)) and "expect" not in self.names.functions:
            return  # where the chain begins, it is treated as a whole
        elif not self._is_assert(call):
            is_used = call.parent is not None and call.parent.type in ("arguments", "binary_expression", "unary_expression")
            is_answer = is_used and self.names.origin(call.children[0]) == "built"
            is_claim = (asserts(name) and not is_answer) or (says_equal(name) and _is_statement(call))
            if name not in self.names.functions and name not in _TESTS and is_claim:
                raise UnclearError(f"asserts by {name}")
        elif name in ("ok", "assert") and values:
            self._truth(call, values[0])
        elif name in _EQUAL | _UNEQUAL and len(values) > 1:
            self._equality(call, name, values[0], values[1])
        elif name in _THROWING and values:
            self._thrown(call, name, values)
        elif name in ("match", "doesNotMatch") and len(values) > 1:
            self._matched(call, name, values[0], values[1])
        elif name == "ifError" and values:
            self._expect_literal(call, values[0], "equal", ["n"], verb="none")
        elif name not in _LEFT:
            raise UnclearError(f"asserts by {name}")

    def _chain(self, start: Node, seen: Node) -> None:
        """Treat `expect(x).to.equal(3)` and `expect(x).toBe(3)`."""
        words, given, whole = list[str](), list[Node](), start
        while whole.parent is not None and whole.parent.type in ("call_expression", "member_expression"):
            if whole.parent.children[0] != whole or (given and whole.parent.type == "call_expression"):
                raise UnclearError("asserts by a chain")
            whole = whole.parent
            given += _arguments(whole)
            words += [self.parsed.text(whole.children[-1])] if whole.type == "member_expression" else []
        word = " ".join(it for it in words if it not in _FILLERS and it != "not")
        is_true, value = "not" not in words, self.literals.frozen(given[0]) if given else None
        if word in _STATED and not given:
            self._expect_literal(whole, seen, "equal" if is_true else "different", _STATED[word])
        elif _CHAINED.get(word) == "===" and len(given) == 1:
            self._equality(whole, "strictEqual" if is_true else "notStrictEqual", seen, given[0])
        elif word in _CHAINED and value is not None:
            self._expect_literal(whole, seen, must_be(_CHAINED[word], is_true=is_true), value, out=given[0])
        elif word in _CONTAINING and value is not None and "deep" not in words:
            self._expect_literal(whole, seen, "contains" if is_true else "lacks", value, out=given[0])
        elif word in ("throw", "throws", "toThrow") and is_true and (not given or given[0].type in ("identifier", "regex")):
            self._thrown(whole, "throws", [seen, *given])
        else:
            raise UnclearError(f"asserts by {word or 'expect'}")

    def _is_assert(self, call: Node) -> bool:
        """Return whether what is called comes from an assertion library."""
        function = call.child_by_field_name("function")
        if function is None or function.type == "identifier":
            return function is not None and self.parsed.text(function) in self.names.assertions
        owner = function.child_by_field_name("object")
        return owner is not None and re.split(r"\W+", self.parsed.text(owner))[-1] in {*self.names.assertions, "assert"}

    def _check(self, node: Node, how: How = "equal", expected: Frozen | None = None, tolerance: str = "") -> int:
        return self.claims.check(node, how, expected, tolerance, always=self._is_always(node))

    def _is_always(self, node: Node) -> bool:
        """Return whether each run of a test that passes comes by here; the same often, if that is in a loop."""
        around = function_reached(node, FUNCTIONS, _BRANCHING, own)
        if around is None:
            return False
        function = around.parent.parent if around.parent is not None else None
        is_each = function is not None and function.type == "call_expression" and _last(self.parsed, function) == "forEach"
        return around in self.tests or (is_each and function is not None and self._is_always(function))

    def _expect_literal(
        self, call: Node, seen: Node, how: How, value: Frozen, *, out: Node | None = None, verb: str = "value", tolerance: str = ""
    ) -> None:
        """Let a call say a value that must stand in a relation to one which is known."""
        if out is not None:
            self.expecting.append(out)
        self.claims.say(call, verb, self._check(call, how, value, tolerance), seen)

    def _equality(self, call: Node, name: str, actual: Node, expected: Node) -> None:
        how: How = "different" if name in _UNEQUAL else "equal"
        if name in ("equal", "notEqual"):
            for seen, out in ((actual, expected), (expected, actual)):
                if (value := self.literals.frozen(out)) is not None:
                    verb, value = _loosely(value)
                    self._expect_literal(call, seen, how, value, out=out, verb=verb)
                    return
        always, outermost = self._is_always(call), partial(_outermost, self.parsed)
        number, seen, other = self.claims.equality(call, how, expected, actual, "", outermost, always=always)
        self.claims.say(call, "value", number, seen, f", {self.parsed.text(other)}" if other is not None else "")

    def _thrown(self, call: Node, name: str, values: list[Node]) -> None:
        expected = values[1] if len(values) > 1 and values[1].type not in ("string", "template_string") else None
        if expected is None:
            self._expect_literal(call, values[0], "equal", ["b", True], verb=f"{name}Any")
            return
        if expected.type in ("identifier", "member_expression"):
            if self.names.origin(expected) != "built" or self.parsed.text(expected) in self.names.functions:
                raise UnclearError("what is thrown is checked by code")
            kind: Frozen = ["s", self.parsed.text(expected).rpartition(".")[2]]
            self._expect_literal(call, values[0], "raised", kind, out=expected, verb=name)
            return
        wanted: list[tuple[str, How, Frozen]] = []
        if expected.type == "regex":
            wanted = [("", "matches", ["s", self._pattern(expected)])]
        for pair in named(expected) if expected.type == "object" else []:
            key, held = self.literals.key(pair), pair.child_by_field_name("value")
            if key is None or held is None:
                raise UnclearError("what is thrown is checked by code")
            if held.type == "regex":
                wanted.append((key, "matches", ["s", self._pattern(held)]))
            elif (value := self.literals.frozen(held)) is not None:
                wanted.append((key, "equal", value))
            else:
                raise UnclearError("what is thrown is compared with what is computed")
        if not wanted:
            raise UnclearError("what is thrown is checked by code")
        self.expecting.append(expected)
        numbers = [self._check(call, how, value) for _, how, value in wanted]
        keys = ", ".join(quoted(key) for key, _, _ in wanted)
        self.claims.say(call, f"{name}Parts", numbers[0], values[0], f", [{keys}]")

    def _pattern(self, node: Node) -> str:
        found = pattern(self.parsed.text(node)) if node.type == "regex" else None
        if found is None:
            raise UnclearError("matches a pattern")
        return found

    def _matched(self, call: Node, name: str, seen: Node, wanted: Node) -> None:
        if name == "doesNotMatch":
            raise UnclearError("must not match a pattern")
        self._expect_literal(call, seen, "matches", ["s", self._pattern(wanted)], out=wanted)

    def _truth(self, call: Node, claim: Node) -> None:
        while claim.type == "parenthesized_expression" and len(named(claim)) == 1:
            claim = named(claim)[0]
        if self._comparison(call, claim) or self._part(call, claim):
            return
        for node in walk(claim):
            if node.type == "call_expression" and _last(self.parsed, node) in _NEEDLES and self.literals.frozen(node) is None:
                raise UnclearError("looks for a part")
            mark = node.child_by_field_name("operator") if node.type == "binary_expression" else None
            is_comparison = mark is not None and mark.type in {*_COMPARED, "==", "!="}
            if is_comparison and any(self.literals.frozen(side) is not None for side in named(node)):
                raise UnclearError("claims several things")
        self.claims.say(call, "truth", self._check(call), claim)

    def _comparison(self, call: Node, claim: Node) -> bool:
        """Treat a comparison with a literal; return whether a claim was one."""
        operator, left, right = (claim.child_by_field_name(field) for field in ("operator", "left", "right"))
        if claim.type != "binary_expression" or operator is None or left is None or right is None or operator.type not in _COMPARED:
            return False
        values = self.literals.frozen(left), self.literals.frozen(right)
        if values == (None, None) and operator.type in ("===", "!=="):
            self._equality(call, "strictEqual" if operator.type == "===" else "notStrictEqual", left, right)
            return True
        if (values[0] is None) == (values[1] is None):
            return False
        is_turned = values[1] is None
        seen, out, value = (right, left, values[0]) if is_turned else (left, right, values[1])
        how = must_be(operator.type, is_turned=is_turned)
        if value is not None and not self._near(call, seen, out, value, how):
            self._expect_literal(call, seen, how, value, out=out)
        return True

    def _near(self, call: Node, seen: Node, out: Node, width: Frozen, how: How) -> bool:
        """Treat `Math.abs(x - 0.5) < 1e-9`; return whether a claim was that."""
        if how not in ("less", "at most") or seen.type != "call_expression" or self.parsed.text(seen.children[0]) != "Math.abs":
            return False
        values = _arguments(seen)
        minus = values[0].child_by_field_name("operator") if len(values) == 1 else None
        value = self.literals.frozen(named(values[0])[-1]) if minus is not None and minus.type == "-" else None
        if value is None or {value[0], width[0]} - {"i", "f"}:
            raise UnclearError("how far off a value is")
        self.expecting += [out, named(values[0])[-1]]
        self._expect_literal(call, named(values[0])[0], "near", value, tolerance=str(width[1]))
        return True

    def _part(self, call: Node, claim: Node) -> bool:
        """Treat a claim that a value holds a part; return whether it was one."""
        operator = claim.child_by_field_name("operator") if claim.type == "unary_expression" else None
        is_denied = operator is not None and operator.type == "!"
        inner = named(claim)[-1] if is_denied else claim
        function = inner.child_by_field_name("function") if inner.type == "call_expression" else None
        owner = function.child_by_field_name("object") if function is not None else None
        values = _arguments(inner)
        if owner is None or len(values) != 1 or _last(self.parsed, inner) not in _NEEDLES:
            return False
        name, value = _last(self.parsed, inner), self.literals.frozen(values[0])
        if name == "test" and owner.type == "regex" and not is_denied:
            self._expect_literal(call, values[0], "matches", ["s", self._pattern(owner)], out=owner)
        elif name == "match" and values[0].type == "regex" and not is_denied:
            self._expect_literal(call, owner, "matches", ["s", self._pattern(values[0])], out=values[0])
        elif value is not None and name == "includes":
            self._expect_literal(call, owner, "lacks" if is_denied else "contains", value, out=values[0])
        elif value is not None and value[0] == "s" and name in ("startsWith", "endsWith") and not is_denied:
            text = re.escape(str(value[1]))
            found = rf"\A{text}" if name == "startsWith" else rf"{text}\Z"
            self._expect_literal(call, owner, "matches", ["s", found], out=values[0])
        else:
            return False
        return True

    # What is left over

    def _clear_away(self) -> None:
        """Take out what nothing but taken-out expectations used; leave open the tests of what cannot be."""
        todo, done = [use for node in self.expecting for use in self.names.uses_in(node)], set[Node]()
        while todo:
            use = todo.pop()
            binding = self.names.binding(use)
            if binding is None or binding in done:
                continue
            column = self._column(use, binding)
            others = [it for it in self.names.uses(binding) if it != binding and not self.edits.removed(it)]
            if not others or (column is not None and column[2]):
                done.add(binding)
                todo += self._take_out(use, binding, column)
            elif any(grows(it) for it in others):
                self._leave_open(use, "what is expected is put together")
            elif any(self._is_title(it) for it in others):
                self._leave_open(use, "what is expected stands in its title")

    def _is_title(self, node: Node) -> bool:
        spans = [self.parsed.span(title) for title in self.tests.values()]
        return any(span.start <= self.parsed.span(node).start < span.end for span in spans)

    def _take_out(self, use: Node, binding: Node, column: tuple[Node, str, bool] | None) -> list[Node]:
        """Take out what a name is bound to, and return the names that stood there."""
        whole = statement(binding)
        gone: list[Node] | None
        if self.names.is_import(binding):
            gone = []  # names of other files tell nothing that these do not
        elif column is not None:
            gone = self._cells(column[0], column[1])
        elif whole is not None:
            gone = [whole]
        else:
            gone = self._passed(binding)
        if gone is None:
            self._leave_open(use, "what is expected stands in a table")
            return []
        for node in gone:
            span = self.parsed.span(node)
            self.edits.take_out(span.start, span.end, "" if node == whole else "undefined")
        return [name for node in gone for name in self.names.uses_in(node)]

    def _column(self, use: Node, binding: Node) -> tuple[Node, str, bool] | None:
        """Return the table whose rows a name goes through, the index or key that it stands for, and whether it is a whole row's."""
        root, key = place(self.parsed, binding)
        table = self.names.table(root) if root is not None else None
        if table is None:
            return None
        if key:
            return table, key, False
        member = use.parent
        if member is None or member.type != "member_expression" or member.child_by_field_name("object") != use:
            return None
        name = self.parsed.text(member.children[-1])
        others = [it for it in self.names.uses(binding) if it != binding and not self.edits.removed(it)]
        around = [it.parent for it in others if it.parent is not None]
        if any(it.type != "member_expression" or self.parsed.text(it.children[-1]) == name for it in around):
            return None
        return table, name, True

    def _cells(self, table: Node, key: str) -> list[Node] | None:
        """Return what stands in a column of a table; none where that cannot be told of each row."""
        found = []
        for row in named(table):
            cells = named(row)
            if row.type == "array" and key.isdigit() and int(key) < len(cells) == sum(it.type == "," for it in row.children) + 1:
                found.append(cells[int(key)])
                continue
            pairs = [pair for pair in cells if row.type == "object" and self.literals.key(pair) == key]
            held = pairs[0].child_by_field_name("value") if len(pairs) == 1 else None
            if held is None:
                return None
            found.append(held)
        return found

    def _passed(self, parameter: Node) -> list[Node] | None:
        """Return what the calls of a function give for a parameter; none where it may be called in other ways."""
        parameters = parameter.parent
        function = parameters.parent if parameters is not None and parameters.type == "formal_parameters" else None
        name = self.names.called(function) if function is not None else ""
        if parameters is None or not name:
            return None
        index = named(parameters).index(parameter)
        found = []
        for use in self.names.uses_of_function(name):
            call = use.parent
            if call is None or call.type != "call_expression" or call.child_by_field_name("function") != use:
                return None
            values = _arguments(call)
            if any(value.type == "spread_element" for value in values):
                return None
            found += [value for value in values[index : index + 1] if self.names.origin(value) == "built"]
            if any(self.names.origin(value) == "unknown" for value in values[index : index + 1]):
                return None
        return found

    def _prepend(self) -> None:
        """Put what freezes and writes before anything of the tree is loaded."""
        root = self.parsed.root
        is_module = any(node.type in ("import_statement", "export_statement") for node in root.named_children)
        if is_module:
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


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return named(arguments) if arguments is not None and arguments.type == "arguments" else []


def _last(parsed: Parsed, call: Node) -> str:
    function = call.child_by_field_name("function")
    return "" if function is None else re.split(r"\W+", parsed.text(function))[-1]


def _is_statement(call: Node) -> bool:
    """Return whether nothing is done with the result of a call."""
    around = call.parent
    while around is not None and around.type in ("await_expression", "call_expression", "member_expression"):
        around = around.parent
    return around is not None and around.type in ("arrow_function", "expression_statement", "return_statement")


def _outermost(parsed: Parsed, node: Node) -> str:
    """Return the name of the function whose result a value is, unless it is one of the language's own."""
    if node.type == "await_expression" and named(node):
        node = named(node)[0]
    is_built_in = node.type == "call_expression" and _BUILT_IN.match(parsed.text(node))
    return _last(parsed, node) if node.type == "call_expression" and not is_built_in else ""


def _plain(parsed: Parsed, title: Node) -> str:
    text = parsed.text(title)
    return unescaped(text[1:-1]) if title.type in ("string", "template_string") else text


def _loosely(value: Frozen) -> tuple[str, Frozen]:
    """Return how a value is said that is compared as `==` does, and what must come of it."""
    if value[0] == "b":
        return "number", ["i", "1" if value[1] else "0"]
    if value in (["n"], UNDEFINED):
        return "none", ["n"]
    return ("number" if value[0] in ("i", "f") else "value"), value
