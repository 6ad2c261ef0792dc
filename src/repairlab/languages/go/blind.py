"""Blind test files of Go: `if got != want { t.Errorf(…) }` says `got`, and what was wanted is gone from the file.

A test expects the other side of a comparison: literals, variables, parameters of helpers and columns of tables that serve nothing
else. A test that reads anything further to decide stays as it is, and is open.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tree_sitter import Node

from repairlab.languages.blind import BlindChecks, BlindFile
from repairlab.languages.go import testify
from repairlab.languages.go.claims import GoClaims
from repairlab.languages.go.counter import statements
from repairlab.languages.go.helpers import GoHelpers, is_check
from repairlab.languages.go.leftovers import GoLeftovers
from repairlab.languages.go.names import Given, GoNames, imports, slots, tester_of
from repairlab.languages.nodes import above, named, own, part, upward, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import BlindClaim, Edits, UnclearError, sayings, unclear, until_settled

_HARMLESS = frozenset({"Helper", "Log", "Logf", "Name", "Run", "Parallel", "Setenv", "TempDir", "Cleanup"})
"""Methods of a `*testing.T` that assert nothing."""
_LOOKS = re.compile(r"\bruntime\.")
_CHOICES = ("expression_switch_statement", "type_switch_statement", "select_statement")
_OF_RUNTIME = ("errors", "reflect", "sort", "strconv", "syscall", "unicode/utf8")


@cache
def _runtime() -> str:
    return (Path(__file__).parent / "said.go").read_text(encoding="utf-8")


def blind(source: str, nonce: str, first: int) -> BlindFile:
    """Return a test file of Go without its expectations."""
    parsed = Parsed("go", source)
    if parsed.root.has_error:
        opened = dict.fromkeys(re.findall(r"^func (Test\w*)\(", source, re.MULTILINE), "its file cannot be read")
        return BlindFile(text=source, open=opened)
    names = GoNames(parsed)
    return until_settled(lambda opened: _File(names, nonce, first, opened).made())


class _File:
    """One attempt at a file, with some tests left as they are."""

    def __init__(self, names: GoNames, nonce: str, first: int, opened: dict[str, str]) -> None:
        self._names, self._text, self._nonce, self._opened = names, names.text, nonce, opened
        self._said = f"said{first}"
        self._checks, self._edits, self._helpers = BlindChecks(first), Edits(names.parsed), GoHelpers(names)
        self._claims = GoClaims(names, self._edits, self._said)
        self._leftovers = GoLeftovers(names, self._edits, self._helpers, self._claims.gone)
        self._blanks = list[tuple[int, list[Node]]]()
        """Where variables may be used nowhere any more, which is an error in Go."""
        self._rewritten = dict[str, str]()
        """What stands in the place of helpers that have another name now."""
        self._ends = list[tuple[Node, str]]()

    def made(self) -> BlindFile | dict[str, str]:
        """Return the file, or tests that turn out to hold what they expect, each with the reason."""
        blind = [it.name for it in self._names.given.values() if it.is_test and it.name not in self._opened]
        found = unclear(blind, lambda test: self._function(self._names.given[test])) or self._leftovers.found(self._rewritten)
        return {test: why for test, why in found.items() if test in blind} or self._file(blind)

    def _file(self, blind: list[str]) -> BlindFile:
        for body, name in (*self._ends, *((part(self._names.given[test].node, "body"), f'"{test}"') for test in blind)):
            self._end(body, name)
        for name in self._opened:
            self._edits.replace(self._names.given[name].node, "")
        for at, variables in self._blanks:
            blanks = dict.fromkeys(self._text(it) for it in variables if self._leftovers.is_kept_local(it))
            self._edits.between(at, at, "".join(f" _ = {name};" for name in blanks))
        text = "\n".join((self._with_imports(self._edits.applied(self._names.parsed.root)), *self._rewritten.values()))
        runtime = _runtime().replace("@nonce@", self._nonce).replace("@said@", self._said)
        text += re.sub(r"@(\w+)@", rf"{self._said}\1", runtime)
        return BlindFile(text=text, checks=tuple(self._checks.made), open=self._opened, gone=self._edits.gone())

    def _with_imports(self, text: str) -> str:
        """Add what the runtime needs, and keep imports that nothing uses any more from being errors."""
        root = self._names.parsed.root
        kept = [self._edits.applied(node) for node in root.named_children if node.type != "import_declaration"]
        body = "\n".join((*kept, *self._rewritten.values()))
        edits = Edits(parsed := Parsed("go", text))
        for name, spec in imports(parsed):
            if name not in ("_", ".") and not re.search(rf"\b{re.escape(name)}\.", body):
                edits.replace(spec, f"_ {parsed.text(part(spec, 'path'))}")
        package = next(node for node in parsed.root.named_children if node.type == "package_clause")
        needed = "".join(f'; import {self._said}{path.split("/")[-1]} "{path}"' for path in _OF_RUNTIME)
        edits.between(package.end_byte, package.end_byte, needed)
        return edits.applied(parsed.root)

    def _end(self, body: Node | None, name: str) -> None:
        """Let a test say that it has ended."""
        if body is None:
            return
        said = f'{self._said}write("end", {name})'
        for node in own(body, ("func_literal",)):
            if node.type == "return_statement" and not self._edits.removed(node):
                self._edits.between(node.start_byte, node.start_byte, f"{said}; ")
        self._edits.between(body.end_byte - 1, body.end_byte - 1, f"; {said}\n")

    # Functions and statements

    def _function(self, given: Given) -> None:
        body = part(given.node, "body")
        if body is None:
            raise UnclearError("it has no body")
        if _LOOKS.search(self._text(body)):
            raise UnclearError("it looks at the program")
        self._block(body, {given.tester}, always=True)

    def _block(self, block: Node, testers: set[str], *, always: bool) -> None:
        for statement in statements(block):
            self._statement(statement, testers, always=always)
            returns = any(it.type == "return_statement" for it in own(statement, ("func_literal",)))
            always = (always and not returns) or is_check(self._names, statement, testers)

    def _statement(self, node: Node, testers: set[str], *, always: bool) -> None:
        if node.type == "if_statement":
            if is_check(self._names, node, testers):
                self._check(node, testers, always=always)
                return
            always, condition = False, part(node, "condition")
            if condition is not None and self._claims.holds_literal(condition):
                self._claims.gone.append(condition)
        elif node.type == "for_statement":
            always = always and not any(self._names.is_derived(child) for child in named(node) if child.type != "block")
        elif node.type in _CHOICES:
            always = False
        self._inside(node, testers, always=always)

    def _inside(self, node: Node, testers: set[str], *, always: bool) -> None:
        """Rewrite the parts of a statement that checks nothing."""
        for child in named(node):
            if child.type in ("block", "statement_list"):
                self._block(child, testers, always=always)
            elif child.type == "func_literal":
                if (body := part(child, "body")) is not None:
                    tester = tester_of(self._names.parsed, child)
                    self._block(body, testers | {tester} if tester else testers, always=always)
                    self._ends += [(body, f"{tester}.Name()")] if tester else []
            elif child.type.endswith("_statement"):
                self._statement(child, testers, always=always)
            else:
                if child.type == "call_expression":
                    self._call(child, testers, always=always)
                self._inside(child, testers, always=always)

    def _call(self, call: Node, testers: set[str], *, always: bool) -> None:
        """Rewrite an assertion or the call of a helper that asserts; other calls must not."""
        called, passed = self._text(part(call, "function")), named(part(call, "arguments"))
        if self._edits.removed(call):
            return
        if (name := testify.assertion(self._names, call)) is not None:
            self._asserted(call, name, testers, always=always)
            return
        method = self._text(part(call, "function", "field"))
        if self._text(part(call, "function", "operand")) in testers:
            if method == "Parallel" and call.parent is not None:
                self._edits.replace(call.parent, "")
            elif method not in _HARMLESS:
                raise UnclearError(f"it calls {called} in a way that is not understood")
            return
        if any(testify.is_testify(self._names, it) for it in passed):
            raise UnclearError(f"{called} asserts, and is not understood")
        if any(self._text(it) in testers for it in passed if it.type == "identifier"):
            self._helped(call, called, passed)

    def _helped(self, call: Node, called: str, passed: list[Node]) -> None:
        """Rewrite the call of a helper: it is given nothing where it was given what is expected."""
        helper = self._names.given.get(called)
        dropped = self._helpers.dropped(helper) if helper is not None and not helper.is_test else None
        if helper is None or dropped is None or any(it.type == "variadic_argument" for it in passed):
            raise UnclearError(f"{called} asserts, and is not understood")
        self._rewrite(helper)
        self._edits.replace(call.children[0], f"{helper.name}{self._said}")
        kinds = [kind for _, kind in slots(helper.node)]
        for argument, kind in [(argument, kinds[index]) for index, argument in enumerate(passed) if index in dropped]:
            if self._names.is_derived(argument):
                raise UnclearError("what it expects is made by the code under test")
            self._claims.gone.append(argument)
            self._edits.replace(argument, f"*new({self._text(kind)})")
            self._blanks.append((_statement_around(call).start_byte, _identifiers(argument)))

    def _rewrite(self, helper: Given) -> None:
        """Rewrite a helper under another name; for callers in other files something of its name stays."""
        name, body = part(helper.node, "name"), part(helper.node, "body")
        if helper.name in self._rewritten or name is None:
            return
        self._rewritten[helper.name] = f'{self._text(helper.node).removesuffix(self._text(body))}{{ panic("") }}'
        try:
            self._function(helper)
        except UnclearError as reason:
            raise UnclearError(f"{helper.name}: {reason}") from None
        self._edits.replace(name, f"{helper.name}{self._said}")

    # Checks

    def _check(self, choice: Node, testers: set[str], *, always: bool) -> None:
        """Rewrite `if start; condition { fail } else { rest }` as `{ start; say; rest }`."""
        start, otherwise = part(choice, "initializer"), part(choice, "alternative")
        condition, then = part(choice, "condition"), part(choice, "consequence")
        if condition is None or then is None:
            raise UnclearError("it holds an odd `if`")
        said = self._saying(condition, self._claims.condition(condition, truth=False), always=always)
        self._edits.between(choice.start_byte, (start or condition).start_byte, "{ ")
        if start is not None:
            self._asserts_nothing(start, testers)
            self._edits.between(start.end_byte, condition.start_byte, "; ")
        self._asserts_nothing(condition, testers)
        self._edits.between(condition.start_byte, then.end_byte, "; ".join(said))
        self._blanks.append((condition.start_byte, _identifiers(condition) + _identifiers(then)))
        if otherwise is not None:
            self._edits.between(then.end_byte, otherwise.start_byte, "; ")
            (self._statement if otherwise.type == "if_statement" else self._block)(otherwise, testers, always=always)
        self._edits.between(choice.end_byte, choice.end_byte, " }")

    def _asserted(self, call: Node, name: str, testers: set[str], *, always: bool) -> None:
        """Rewrite an assertion of testify."""
        operand, values = part(call, "function", "operand"), named(part(call, "arguments"))
        made = above(call, "expression_list", "short_var_declaration")
        if name == "New" and made is not None:
            self._edits.between(made.end_byte, made.end_byte, f"; _ = {self._text(named(made)[0])}")
            return
        if operand is None or self._names.declaration(operand) is None:
            if not values or self._text(values[0]) not in testers:
                raise UnclearError(f"{self._text(part(call, 'function'))} asserts, and is not understood")
            values = values[1:]
        for value in values:
            self._asserts_nothing(value, testers)
        statement = _statement_around(call)
        before = [it for it in _identifiers(part(call, "arguments")) if self._is_declared_before(it, statement)]
        self._blanks.append((statement.start_byte, before))
        said = self._saying(call, testify.claimed(self._names, self._claims, name, values), always=always)
        is_statement = len(said) != 1 and statement.type == "expression_statement"
        self._edits.replace(call, ("; " if is_statement else " && ").join(said))

    def _saying(self, node: Node, claims: Iterable[BlindClaim], *, always: bool) -> list[str]:
        """Note claims about what a node looks at; return the calls that say it."""
        return sayings(self._checks, claims, node.start_point[0] + 1, self._text(node), always=always)

    def _asserts_nothing(self, node: Node, testers: set[str]) -> None:
        for call in (it for it in walk(node) if it.type == "call_expression"):
            is_given = any(self._text(it) in testers for it in named(part(call, "arguments")))
            if is_given or testify.assertion(self._names, call) is not None:
                raise UnclearError("a condition calls what asserts")

    def _is_declared_before(self, use: Node, statement: Node) -> bool:
        declared = self._names.declaration(use)
        return declared is not None and declared.start_byte < statement.start_byte


def _identifiers(node: Node | None) -> list[Node]:
    return [it for it in walk(node) if it.type == "identifier"]


def _statement_around(call: Node) -> Node:
    return next(node for node, parent in upward(call) if parent.type in ("statement_list", "block"))
