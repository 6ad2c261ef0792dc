"""Blind test files of Go: `if got != want { t.Errorf(…) }` says `got`, and what was wanted is gone from the file.

A test expects the other side of a comparison: literals, variables, parameters of helpers and columns of tables that serve nothing
else. A test that reads anything further to decide stays as it is, and is open.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node

from repairlab.core.record import record
from repairlab.languages.blind import BlindChecks, BlindFile, How
from repairlab.languages.counter import named
from repairlab.languages.go.counter import statements
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_syntax import walk
from repairlab.languages.withholding import ORDERS, Edits, claims_in, frozen, must_be

_FAILS = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_HARMLESS = frozenset({"Helper", "Log", "Logf", "Name", "Run", "Parallel", "Setenv", "TempDir", "Cleanup"})
"""Methods of a `*testing.T` that assert nothing."""
_DEEP = frozenset({"reflect.DeepEqual", "cmp.Equal"})
_ITEMS = frozenset({"bytes.Equal", "slices.Equal", "maps.Equal"})
"""Comparisons to which nothing and something empty are equal."""
_BUILTIN = frozenset({"len", "cap", "append", "make", "new", "copy", "min", "max", "real", "imag", "complex"})
_TYPES = re.compile(r"string|bool|byte|rune|error|u?int(8|16|32|64)?|uintptr|float(32|64)|any|complex(64|128)")
_LITERALS = frozenset({"int_literal", "float_literal", "interpreted_string_literal", "raw_string_literal", "rune_literal"})
_FIXED = _LITERALS | {"true", "false", "nil", "imaginary_literal"}
_SENTINEL = re.compile(r"(\w+\.)?([Ee]rr[A-Z_]\w*|EOF|Err)")
_AROUND_NAMES = ("expression_list", "unary_expression", "index_expression", "parenthesized_expression")
_SEARCHES = re.compile(
    r"\b(?:strings|bytes)\.(?:Index|LastIndex|Count|Contains|Has|EqualFold|Cut)|\bregexp\.|\.(?:Match|Find)\w*\("
)
"""What looks for something in a text."""
_TESTIFY = re.compile(r"/testify(?:/v\d+)?/(?:assert|require)\"$")
_EQUAL = frozenset({"Equal", "EqualValues", "Exactly"})
_UNEQUAL = frozenset({"NotEqual", "NotEqualValues"})
_ORDERED = {"Greater": ">", "GreaterOrEqual": ">=", "Less": "<", "LessOrEqual": "<="}
_CONTAINS: dict[str, How] = {"Contains": "contains", "ErrorContains": "contains", "NotContains": "lacks"}
_STATES = {
    "Nil": ("{said}none({0})", True),
    "NotNil": ("{said}none({0})", False),
    "NoError": ("({0}) == nil", True),
    "Error": ("({0}) == nil", False),
    "Empty": ("{said}empty({0})", True),
    "NotEmpty": ("{said}empty({0})", False),
    "Zero": ("{said}empty({0})", True),
    "Panics": ("{said}panics({0})", True),
    "NotPanics": ("{said}panics({0})", False),
}
"""Assertions of testify about one value: what to say of it, and what must come of it."""
_LOOKS = re.compile(r"\bruntime\.")


@cache
def _runtime() -> str:
    return (Path(__file__).parent / "said.go").read_text(encoding="utf-8")


def blind(source: str, nonce: str, first: int) -> BlindFile:
    """Return a test file of Go without its expectations."""
    parsed = Parsed("go", source)
    opened = dict[str, str]()
    if parsed.root.has_error:
        opened = dict.fromkeys(re.findall(r"^func (Test\w*)\(", source, re.MULTILINE), "its file cannot be read")
        return BlindFile(text=source, open=opened)
    while True:
        attempt = _File(parsed, nonce, first, opened)
        found = attempt.problems()
        if not found:
            return attempt.made()
        opened.update(found)


@record
class _Given:
    """A function that takes a `*testing.T`."""

    name: str
    node: Node
    tester: str

    @property
    def is_test(self) -> bool:
        """Whether `go test` runs it."""
        return re.match(r"Test(?![a-z])", self.name) is not None


class _Claim(NamedTuple):
    """What to say in the place of a check."""

    actual: str
    saying: str = ""
    how: How = "equal"
    expected: str = ""
    tolerance: str = ""


class _Kept(NamedTuple):
    """A part of a comparison that is gone, or that stays and may hold an answer."""

    node: Node
    function: str


class _OpenError(Exception):
    """Why a test stays as it is."""


class _File:
    """One attempt at a file, with some tests left as they are."""

    def __init__(self, parsed: Parsed, nonce: str, first: int, opened: dict[str, str]) -> None:
        self._parsed, self._nonce = parsed, nonce
        self._opened = opened
        self._said = f"said{first}"
        self._imports = dict(_imports(parsed))
        self._given = {given.name: given for given in _given(parsed)}
        self._functions = {
            parsed.text(name): node
            for node in parsed.root.named_children
            if node.type == "function_declaration" and (name := node.child_by_field_name("name")) is not None
        }
        self._pure: dict[str, bool] = {}
        self._dropped: dict[str, frozenset[int] | None] = {}
        self._checks = BlindChecks(first)
        self._edits = Edits(parsed)
        self._gone = list[_Kept]()
        self._blanks = list[tuple[int, list[Node]]]()
        self._rewritten = dict[str, str]()
        self._ends = list[tuple[Node, str]]()
        self._uses: dict[bytes, list[Node]] = {}
        for node in walk(parsed.root):
            if node.type in ("identifier", "field_identifier"):
                self._uses.setdefault(node.text or b"", []).append(node)

    # What stands where

    def _text(self, node: Node) -> str:
        return self._parsed.text(node)

    def _kept(self, node: Node) -> str:
        """Return the text of a node that goes on standing in the file; it must not look for a literal in an answer."""
        if _SEARCHES.search(self._text(node)) and any(it.type in _LITERALS for it in walk(node)):
            raise _OpenError(f"it holds what it looks for: {' '.join(self._text(node).split())[:60]}")
        self._edits.keep(node)
        return self._text(node)

    def problems(self) -> dict[str, str]:
        """Rewrite what can be; return the tests that turn out to hold what they expect, with the reason."""
        found = dict[str, str]()
        for given in self._given.values():
            if given.is_test and given.name not in self._opened:
                try:
                    self._function(given, given.node)
                except _OpenError as reason:
                    found[given.name] = str(reason)
        if not found:
            found = self._leftovers()
        return {name: reason for name, reason in found.items() if name not in self._opened}

    def made(self) -> BlindFile:
        """Return the file."""
        parsed = self._parsed
        for given in self._given.values():
            body = given.node.child_by_field_name("body")
            if given.is_test and given.name not in self._opened and body is not None:
                self._ends.append((body, f'"{given.name}"'))
        for body, name in self._ends:
            self._end(body, name)
        for name in self._opened:
            self._edits.replace(self._given[name].node, "")
        for at, variables in self._blanks:
            names = dict.fromkeys(self._text(it) for it in variables if self._is_kept_local(it))
            self._edits.between(at, at, "".join(f" _ = {name};" for name in names))
        text = self._with_imports(self._edits.applied(parsed.root))
        runtime = _runtime().replace("@nonce@", self._nonce)
        text += "\n".join(("", *self._rewritten.values())) + re.sub(
            r"@(\w+)@", rf"{self._said}\1", runtime.replace("@said@", self._said)
        )
        return BlindFile(text=text, checks=tuple(self._checks.made), open=self._opened, gone=self._edits.gone())

    def _with_imports(self, text: str) -> str:
        """Add what the runtime needs, and keep imports that nothing uses any more from being errors."""
        kept = [self._edits.applied(node) for node in self._parsed.root.named_children if node.type != "import_declaration"]
        body = "\n".join((*kept, *self._rewritten.values()))
        edits = Edits(parsed := Parsed("go", text))
        for name, spec in _imports(parsed):
            if name not in ("_", ".") and not re.search(rf"\b{re.escape(name)}\.", body):
                path = spec.child_by_field_name("path")
                edits.replace(spec, f"_ {parsed.text(path)}" if path is not None else "")
        package = next(node for node in parsed.root.named_children if node.type == "package_clause")
        paths = ("errors", "reflect", "sort", "strconv", "syscall", "unicode/utf8")
        imports = "".join(f'; import {self._said}{path.split("/")[-1]} "{path}"' for path in paths)
        edits.between(package.end_byte, package.end_byte, imports)
        return edits.applied(parsed.root)

    # Functions and statements

    def _function(self, given: _Given, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            raise _OpenError("it has no body")
        if _LOOKS.search(self._text(body)):
            raise _OpenError("it looks at the program")
        self._block(given, body, {given.tester}, always=True)

    def _block(self, given: _Given, block: Node, testers: set[str], *, always: bool) -> None:
        for statement in statements(block):
            self._statement(given, statement, testers, always=always)
            always = (always and not any(it.type == "return_statement" for it in _own(statement))) or self._is_check(
                statement, testers
            )

    def _statement(self, given: _Given, node: Node, testers: set[str], *, always: bool) -> None:
        if node.type == "if_statement":
            if self._is_check(node, testers):
                self._check(given, node, testers, always=always)
                return
            always = False
            condition = node.child_by_field_name("condition")
            if condition is not None and (self._holds_literal(condition)):
                self._gone.append(_Kept(condition, given.name))
        elif node.type == "for_statement":
            header = [child for child in named(node) if child.type != "block"]
            always = always and not any(self._is_derived(part) for part in header)
        elif node.type in ("expression_switch_statement", "type_switch_statement", "select_statement"):
            always = False
        self._inside(given, node, testers, always=always)

    def _inside(self, given: _Given, node: Node, testers: set[str], *, always: bool) -> None:
        """Rewrite the parts of a statement that checks nothing."""
        for child in named(node):
            if child.type in ("block", "statement_list"):
                self._block(given, child, testers, always=always)
            elif child.type == "func_literal":
                tester, body = _tester(self._parsed, child), child.child_by_field_name("body")
                if body is not None:
                    self._block(given, body, testers | {tester} if tester else testers, always=always)
                if body is not None and tester:
                    self._ends.append((body, f"{tester}.Name()"))
            elif child.type.endswith("_statement") and child.parent is not None and child.parent.type != "expression_statement":
                self._statement(given, child, testers, always=always)
            elif child.type == "call_expression":
                self._call(given, child, testers, always=always)
                self._inside(given, child, testers, always=always)
            else:
                self._inside(given, child, testers, always=always)

    def _call(self, given: _Given, call: Node, testers: set[str], *, always: bool) -> None:
        """Rewrite an assertion or the call of a helper that asserts; other calls must not."""
        called, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if called is None or arguments is None or self._edits.removed(call):
            return
        if (name := self._assertion(call)) is not None:
            self._asserted(given, call, name, testers, always=always)
            return
        operand, field = called.child_by_field_name("operand"), called.child_by_field_name("field")
        if operand is not None and field is not None and self._text(operand) in testers:
            if self._text(field) == "Parallel" and call.parent is not None:
                self._edits.replace(call.parent, "")
            elif self._text(field) not in _HARMLESS:
                raise _OpenError(f"it calls {self._text(called)} in a way that is not understood")
            return
        passed = named(arguments)
        if any(self._is_library(it) for it in passed):
            raise _OpenError(f"{self._text(called)} asserts, and is not understood")
        if not any(self._text(it) in testers for it in passed if it.type == "identifier"):
            return
        helper = self._given.get(self._text(called))
        dropped = self._parameters_dropped(helper) if helper is not None and not helper.is_test else None
        if helper is None or dropped is None or any(it.type == "variadic_argument" for it in passed):
            raise _OpenError(f"{self._text(called)} asserts, and is not understood")
        self._rewrite(helper)
        self._edits.replace(called, f"{helper.name}{self._said}")
        kinds = [kind for _, kind in _slots(helper.node)]
        for index, argument in enumerate(passed):
            if index in dropped:
                if self._is_derived(argument):
                    raise _OpenError("what it expects is made by the code under test")
                self._gone.append(_Kept(argument, given.name))
                self._edits.replace(argument, f"*new({self._text(kinds[index])})")
                self._blanks_before(call, argument)

    def _blanks_before(self, call: Node, part: Node) -> None:
        """Keep variables that stood only in what is gone from being unused."""
        statement = call
        while statement.parent is not None and statement.parent.type not in ("statement_list", "block"):
            statement = statement.parent
        self._blanks.append((statement.start_byte, [node for node in walk(part) if node.type == "identifier"]))

    def _rewrite(self, helper: _Given) -> None:
        """Rewrite a helper under another name; for callers in other files something of its name stays."""
        if helper.name in self._rewritten:
            return
        name, body = helper.node.child_by_field_name("name"), helper.node.child_by_field_name("body")
        before = self._text(helper.node).removesuffix(self._text(body) if body is not None else "")
        self._rewritten[helper.name] = f'{before}{{ panic("") }}'
        try:
            self._function(helper, helper.node)
        except _OpenError as reason:
            raise _OpenError(f"{helper.name}: {reason}") from None
        if name is not None:
            self._edits.replace(name, f"{helper.name}{self._said}")

    def _end(self, body: Node, name: str) -> None:
        """Let a test say that it has ended."""
        said = f'{self._said}write("end", {name})'
        for node in _own(body):
            if node.type == "return_statement" and not self._edits.removed(node):
                self._edits.between(node.start_byte, node.start_byte, f"{said}; ")
        self._edits.between(body.end_byte - 1, body.end_byte - 1, f"; {said}\n")

    # Checks

    def _is_check(self, choice: Node, testers: set[str]) -> bool:
        """Whether an `if` does nothing but fail the test."""
        then = choice.child_by_field_name("consequence")
        if choice.type != "if_statement" or then is None:
            return False
        fails = False
        for statement in statements(then):
            call = named(statement)[0] if statement.type == "expression_statement" and named(statement) else None
            called = call.child_by_field_name("function") if call is not None else None
            if called is None:
                if statement.type not in ("return_statement", "continue_statement", "break_statement") or named(statement):
                    return False
                continue
            operand, field = called.child_by_field_name("operand"), called.child_by_field_name("field")
            if operand is None or field is None or self._text(operand) not in testers:
                return False
            if self._text(field) not in _FAILS | {"Log", "Logf"}:
                return False
            fails = fails or self._text(field) in _FAILS
        return fails

    def _check(self, given: _Given, choice: Node, testers: set[str], *, always: bool) -> None:
        """Rewrite `if start; condition { fail } else { rest }` as `{ start; say; rest }`."""
        start, condition = choice.child_by_field_name("initializer"), choice.child_by_field_name("condition")
        then, otherwise = choice.child_by_field_name("consequence"), choice.child_by_field_name("alternative")
        if condition is None or then is None:
            raise _OpenError("it holds an odd `if`")
        said = self._saying(condition, self._condition(given, condition, truth=False), always=always)
        self._edits.between(choice.start_byte, (start or condition).start_byte, "{ ")
        if start is not None:
            self._call_within(start, testers)
            self._edits.between(start.end_byte, condition.start_byte, "; ")
        self._call_within(condition, testers)
        self._edits.between(condition.start_byte, then.end_byte, "; ".join(said))
        variables = [node for part in (condition, then) for node in walk(part) if node.type == "identifier"]
        self._blanks.append((condition.start_byte, variables))
        if otherwise is None:
            self._edits.between(choice.end_byte, choice.end_byte, " }")
            return
        self._edits.between(then.end_byte, otherwise.start_byte, "; ")
        if otherwise.type == "if_statement":
            self._statement(given, otherwise, testers, always=always)
        else:
            self._block(given, otherwise, testers, always=always)
        self._edits.between(choice.end_byte, choice.end_byte, " }")

    def _saying(self, node: Node, claims: Iterable[_Claim], *, always: bool) -> list[str]:
        """Note claims about what a node looks at; return the calls that say it."""
        line, text, said = node.start_point[0] + 1, self._text(node), list[str]()
        for claim in claims:
            number = self._checks.add(line, text, claim.how, claim.expected, claim.tolerance, always=always)
            said.append(f'{self._said}{claim.saying}("{number}", {claim.actual})')
        return said

    def _call_within(self, node: Node, testers: set[str]) -> None:
        for call in (it for it in walk(node) if it.type == "call_expression"):
            arguments = call.child_by_field_name("arguments")
            passes = arguments is not None and any(self._text(it) in testers for it in named(arguments))
            if passes or self._assertion(call) is not None:
                raise _OpenError("a condition calls what asserts")

    # Assertions of testify

    def _is_library(self, node: Node) -> bool:
        """Whether a name stands for a package of testify, or for its assertions about one test."""
        if node.type != "identifier":
            return False
        declared = self._declaration(node)
        if declared is None:
            path = self._imports[self._text(node)].child_by_field_name("path") if self._text(node) in self._imports else None
            return path is not None and _TESTIFY.search(self._text(path)) is not None
        return any(it.type == "call_expression" and self._assertion(it) == "New" for it in self._made_with(declared))

    def _made_with(self, declared: Node) -> Iterator[Node]:
        place = declared.parent.parent if declared.parent is not None and declared.parent.type == "expression_list" else None
        right = place.child_by_field_name("right") if place is not None and place.type == "short_var_declaration" else None
        yield from named(right) if right is not None else ()

    def _assertion(self, call: Node) -> str | None:
        """Return the name of the function of testify that is called; none for other calls."""
        called = call.child_by_field_name("function")
        operand, field = (called.child_by_field_name(it) for it in ("operand", "field")) if called is not None else (None, None)
        if operand is None or field is None or not self._is_library(operand):
            return None
        name = self._text(field)
        return name.removesuffix("f")

    def _asserted(self, given: _Given, call: Node, name: str, testers: set[str], *, always: bool) -> None:
        """Rewrite an assertion of testify."""
        called, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if called is None or arguments is None:
            return
        is_bound = self._declaration(named(called)[0]) is not None
        values = named(arguments)
        if name == "New" and (declared := self._bound_to(call)) is not None:
            self._edits.between(declared.end_byte, declared.end_byte, f"; _ = {self._text(named(declared)[0])}")
            return
        if not is_bound and (not values or self._text(values[0]) not in testers):
            raise _OpenError(f"{self._text(called)} asserts, and is not understood")
        values = values if is_bound else values[1:]
        for value in values:
            self._call_within(value, testers)
        statement = call
        while statement.parent is not None and statement.parent.type not in ("statement_list", "block"):
            statement = statement.parent
        before = [it for it in walk(arguments) if it.type == "identifier" and self._is_declared_before(it, statement)]
        self._blanks.append((statement.start_byte, before))
        said = self._saying(call, self._claimed(given, call, name, values), always=always)
        self._edits.replace(
            call, " && ".join(said) if len(said) == 1 or statement.type != "expression_statement" else "; ".join(said)
        )

    def _bound_to(self, call: Node) -> Node | None:
        """Return the declaration that gives a name to the result of a call."""
        place = call.parent.parent if call.parent is not None and call.parent.type == "expression_list" else None
        return place if place is not None and place.type == "short_var_declaration" else None

    def _is_declared_before(self, use: Node, statement: Node) -> bool:
        declared = self._declaration(use)
        return declared is not None and declared.start_byte < statement.start_byte

    def _claimed(self, given: _Given, call: Node, name: str, values: list[Node]) -> Iterator[_Claim]:
        """Yield what to say in the place of an assertion of testify."""
        if name in ("True", "False") and values:
            yield from self._condition(given, values[0], truth=name == "True")
        elif name in _STATES and values:
            text, truth = _STATES[name]
            yield _Claim(text.format(self._kept(values[0]), said=self._said), expected=frozen("b", truth))
        elif len(values) < len(("expected", "actual")):
            raise _OpenError(f"asserts by {name}")
        elif name in _EQUAL:
            yield self._equal(given, call, values[1], values[0], truth=True)
        elif name in _UNEQUAL:
            yield self._different(given, call, values[1], values[0], truth=True)
        elif name in _ORDERED:
            yield self._ordered(given, call, _ORDERED[name], *values[:2], truth=True)
        elif name == "ElementsMatch":
            yield self._equal(given, call, values[1], values[0], truth=True)._replace(saying="items", how="same items")
        elif name in ("InDelta", "InEpsilon") and re.fullmatch(r"\d*\.?\d+(?:e-?\d+)?", width := self._text(values[2])):
            claim = self._equal(given, call, values[1], values[0], truth=True)
            if claim.expected == frozen("b", True):
                raise _OpenError("what it expects is made by the code under test")
            yield claim._replace(how="near", tolerance=width + ("r" if name == "InEpsilon" else ""))
        else:
            yield self._part(given, name, *values[:2])

    def _part(self, given: _Given, name: str, value: Node, wanted: Node) -> _Claim:
        """Return what to say of a part of a value, or of what is part of it."""
        seen, literal = self._kept(value), self._frozen(wanted)
        if name == "ErrorIs":
            return _Claim(f"{self._said}is({seen}, {self._kept(wanted)})", expected=frozen("b", True))
        if name in _CONTAINS and literal:
            return _Claim(f"({seen}).Error()" if name == "ErrorContains" else seen, how=_CONTAINS[name], expected=literal)
        if name not in ("Len", "EqualError") or self._is_derived(wanted):
            raise _OpenError(f"asserts by {name}")
        self._gone.append(_Kept(wanted, given.name))
        return _Claim(f"{self._said}size({seen})" if name == "Len" else f"({seen}).Error()", expected=literal)

    def _condition(self, given: _Given, node: Node, *, truth: bool) -> Iterator[_Claim]:
        """Yield what to say where a condition must be true, or false."""
        for claim, is_true in claims_in(node, _operator, is_true=truth):
            yield self._claim(given, claim, truth=is_true)

    def _claim(self, given: _Given, node: Node, *, truth: bool) -> _Claim:
        operator, sides, compared = _operator(node), named(node), self._compared(node) if truth else None
        if operator in ("==", "!="):
            relate = self._equal if (operator == "==") == truth else self._different
            return relate(given, node, *sides, truth=truth)
        if compared is not None:
            return self._equal(given, node, *compared, truth=True, items=not self._is_deep(node))
        if operator in ORDERS:
            return self._ordered(given, node, operator, *sides, truth=truth)
        return self._found(node, truth=truth) or self._truth(given, node, truth=truth)

    def _compared(self, node: Node) -> tuple[Node, Node] | None:
        """Return what a call compares."""
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if node.type == "call_expression" and called is not None and arguments is not None:
            sides = named(arguments)
            if self._text(called) in _DEEP | _ITEMS and len(sides) == 2:
                return sides[0], sides[1]
        return None

    def _found(self, node: Node, *, truth: bool) -> _Claim | None:
        """Return what to say where a text must hold a literal, or must not."""
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name, sides = self._text(called) if called is not None else "", named(arguments) if arguments is not None else []
        literal = json.loads(self._frozen(sides[1]) or "[]") if len(sides) == 2 else []
        if not literal or literal[0] != "s":
            return None
        if name == "strings.Contains":
            return _Claim(self._kept(sides[0]), how="contains" if truth else "lacks", expected=frozen("s", literal[1]))
        pattern = {"strings.HasPrefix": rf"\A{re.escape(literal[1])}", "strings.HasSuffix": rf"{re.escape(literal[1])}\Z"}.get(name)
        return _Claim(self._kept(sides[0]), how="matches", expected=frozen("s", pattern)) if pattern and truth else None

    def _is_deep(self, node: Node) -> bool:
        called = node.child_by_field_name("function")
        return called is not None and self._text(called) in _DEEP

    def _equal(self, given: _Given, whole: Node, left: Node, right: Node, *, truth: bool, items: bool = False) -> _Claim:
        """Return what to say where two values must be equal."""
        if "nil" in (left.type, right.type) and whole.type == "binary_expression":
            return _Claim(f"({self._kept(whole)})", expected=frozen("b", truth))
        if any(_SENTINEL.fullmatch(self._text(side)) for side in (left, right)):
            return self._relation(given, whole, left, right, truth=truth)
        actual, wanted = self._sides(given, left, right)
        if wanted is None:
            return self._relation(given, whole, left, right, truth=truth)
        self._gone.append(_Kept(wanted, given.name))
        return _Claim(self._kept(actual), "items" if items else "", expected=self._frozen(wanted))

    def _sides(self, given: _Given, left: Node, right: Node) -> tuple[Node, Node | None]:
        """Return which side is the answer of the code under test, and which the expectation; none where both are answers."""
        derived = self._is_derived(left), self._is_derived(right)
        if all(derived):
            if any(self._holds_literal(side, everywhere=True) and not self._holds_variable(side) for side in (left, right)):
                raise _OpenError("what it expects is made by the code under test")
            return left, None
        if any(derived):
            return (left, right) if derived[0] else (right, left)
        if _is_fixed(left) or self._expected(given, left):
            return right, left
        return left, right

    def _different(self, given: _Given, whole: Node, left: Node, right: Node, *, truth: bool) -> _Claim:
        for actual, other in ((left, right), (right, left)):
            literal = self._frozen(other)
            if literal and literal != frozen("n") and other.type not in ("true", "false"):
                return _Claim(self._kept(actual), how="different", expected=literal)
            if other.type in ("true", "false"):
                return _Claim(self._kept(actual), expected=frozen("b", other.type == "false"))
        return self._relation(given, whole, left, right, truth=not truth if self._assertion(whole) else truth)

    def _ordered(self, given: _Given, whole: Node, operator: str, left: Node, right: Node, *, truth: bool) -> _Claim:
        for actual, other, is_turned in ((left, right, False), (right, left, True)):
            how = must_be(operator, is_true=truth, is_turned=is_turned)
            if (literal := self._frozen(other)) and other.type not in ("true", "false", "nil"):
                return _Claim(self._kept(actual), how=how, expected=literal)
        return self._relation(given, whole, left, right, truth=truth, operator=operator)

    def _relation(self, given: _Given, whole: Node, left: Node, right: Node, *, truth: bool, operator: str = "") -> _Claim:
        """Return that a comparison of two answers is said as it is."""
        if self._assertion(whole) is None:
            return self._truth(given, whole, truth=truth)
        for side in (left, right):
            self._truth(given, side, truth=truth)
        one, other = self._kept(left), self._kept(right)
        text = f"({one}) {operator} ({other})" if operator else f"{self._said}reflect.DeepEqual({one}, {other})"
        return _Claim(text, expected=frozen("b", truth))

    def _truth(self, given: _Given, node: Node, *, truth: bool) -> _Claim:
        """Return that a condition is said as it is; it must not hold what it looks for."""
        if self._holds_literal(node):
            raise _OpenError(f"it holds what it looks for: {' '.join(self._text(node).split())[:60]}")
        self._gone.append(_Kept(node, given.name))
        return _Claim(f"bool({self._kept(node)})", expected=frozen("b", truth))

    def _frozen(self, node: Node) -> str:
        """Return the frozen value of a literal; nothing of other nodes."""
        text = self._text(node)
        if node.type == "parenthesized_expression":
            return self._frozen(named(node)[0])
        if node.type in ("true", "false"):
            return frozen("b", node.type == "true")
        if node.type.endswith("string_literal"):
            return frozen("s", _string(text)) if _string(text) is not None else ""
        if re.fullmatch(r"'[^\\]'", text):
            return frozen("i", str(ord(text[1])))
        if re.fullmatch(r"-?(?:0|[1-9]\d*)", text):
            return frozen("i", text)
        return frozen("f", text) if re.fullmatch(r"-?\d+\.\d+", text) else ""

    # What names mean

    def _is_derived(self, node: Node, seen: frozenset[Node] = frozenset()) -> bool:
        """Whether the code under test has a say in a value."""
        if node.type == "selector_expression" and (column := self._column(node)):
            return any(self._is_derived(value, seen) for value in column if value not in seen)
        if node.type == "call_expression" and self._is_foreign(node):
            return True
        if node.type == "func_literal":
            return False
        if node.type == "identifier" and (declared := self._declaration(node)) is not None and declared not in seen:
            return any(self._is_derived(source, seen | {declared}) for source in self._sources(declared))
        return any(self._is_derived(child, seen) for child in node.named_children)

    def _sources(self, declared: Node) -> Iterator[Node]:
        """Yield what a variable gets its value from; what changes it in place counts as a foreign call does."""
        for name in (declared, *self._uses_of(declared)):
            node, parent = name, name.parent
            while parent is not None and parent.type in _AROUND_NAMES:
                node, parent = parent, parent.parent
            if parent is None:
                continue
            if parent.type in ("short_var_declaration", "assignment_statement", "range_clause", "inc_statement", "dec_statement"):
                right = parent.child_by_field_name("right")
                if right is not None and parent.child_by_field_name("left") == node:
                    yield _value_of(name, node, right)
                if parent.type != "range_clause" and name != declared:
                    yield from (it for it in walk(node) if it.type == "identifier" and it.text != name.text)
                    yield from _loops_around(parent)
            elif parent.type in ("var_spec", "const_spec"):
                yield from filter(None, [parent.child_by_field_name("value")])
            elif parent.type == "parameter_declaration":
                yield from self._passed(name)
            elif parent.type == "argument_list" and _operator(node) == "&" and parent.parent is not None:
                yield from () if self._compared(parent.parent) else (parent.parent,)
            elif parent.type == "selector_expression" and _is_called(parent) and parent.parent is not None:
                yield parent.parent

    def _passed(self, parameter: Node) -> Iterator[Node]:
        """Yield what a parameter of a helper is given in this file."""
        for given in self._given.values():
            for index, (name, _) in enumerate(_slots(given.node)):
                if name == parameter:
                    for call in self._calls(given.name):
                        arguments = call.child_by_field_name("arguments")
                        yield from named(arguments)[index : index + 1] if arguments is not None else ()

    def _calls(self, name: str) -> Iterator[Node]:
        for use in self._uses.get(name.encode(), ()):
            if use.parent is not None and _is_called(use):
                yield use.parent

    def _is_foreign(self, call: Node) -> bool:
        """Whether a call may run code under test: not so a conversion, the standard library, or what the test file computes."""
        called = call.child_by_field_name("function")
        if called is None or called.type not in ("identifier", "selector_expression"):
            return called is None or called.type in (
                "func_literal",
                "call_expression",
                "index_expression",
                "parenthesized_expression",
            )
        text = self._text(called)
        if called.type == "identifier":
            return not (text in _BUILTIN or _TYPES.fullmatch(text) or self._is_pure(text))
        operand = called.child_by_field_name("operand")
        spec = self._imports.get(self._text(operand)) if operand is not None and operand.type == "identifier" else None
        path = spec.child_by_field_name("path") if spec is not None else None
        return path is None or "." in self._text(path).split("/")[0]

    def _is_pure(self, name: str) -> bool:
        """Whether a function of the file calls no code under test."""
        node = self._functions.get(name)
        if node is None:
            return False
        if name not in self._pure:
            self._pure[name] = True  # while it is looked at
            calls = [it for it in walk(node) if it.type == "call_expression"]
            self._pure[name] = not any(map(self._is_foreign, calls)) and "testing." not in self._text(node).split("{")[0]
        return self._pure[name]

    def _holds_literal(self, node: Node, *, everywhere: bool = False) -> bool:
        """Whether a literal stands in an expression; what code under test is called with does not count."""
        if node.type in _LITERALS or node.type == "composite_literal":
            return True
        if node.type == "call_expression" and not everywhere and self._is_foreign(node):
            return False
        if node.type == "index_expression" and not everywhere:
            operand = node.child_by_field_name("operand")
            return operand is not None and self._holds_literal(operand)
        return any(self._holds_literal(child, everywhere=everywhere) for child in node.named_children)

    def _holds_variable(self, node: Node) -> bool:
        return any(it.type == "identifier" and self._declaration(it) is not None for it in walk(node))

    def _expected(self, given: _Given, node: Node) -> bool:
        del given
        return re.match(r"(?i)(?:.*\.)?(?:want|expect|exp\b)", self._text(node)) is not None

    def _declaration(self, name: Node) -> Node | None:
        """Return the identifier that declares a variable of the file; none for functions, types and packages."""
        text, node = name.text, name
        if node.parent is not None and node.parent.type == "literal_element" and _is_key(node.parent):
            return None
        while (parent := node.parent) is not None:
            around = parent.parent if parent.type == "expression_list" else None
            if around is not None and around.type == "short_var_declaration" and around.child_by_field_name("left") == parent:
                return name
            for place in _declaring(parent, node):
                for declared in _declared(place):
                    if declared.text == text:
                        return declared
            node = parent
        return None

    def _uses_of(self, declared: Node) -> list[Node]:
        return [
            use
            for use in self._uses.get(declared.text or b"", ())
            if use.type == "identifier" and use != declared and self._declaration(use) == declared
        ]

    def _parameters_dropped(self, helper: _Given) -> frozenset[int] | None:
        """Return which parameters of a helper are what it expects; nothing for a helper that is not understood."""
        if helper.name not in self._dropped:
            self._dropped[helper.name] = None
            slots = _slots(helper.node)
            if len(slots) == sum(len(_names_of(part)) for part in _parameters(helper.node)):
                self._dropped[helper.name] = frozenset(
                    index for index, (name, _) in enumerate(slots) if self._is_wanted(helper, name) and not self._is_derived(name)
                )
        return self._dropped[helper.name]

    def _is_wanted(self, helper: _Given, name: Node) -> bool:
        uses = self._uses_of(name) if self._text(name) != helper.tester else []
        return bool(uses) and all(self._is_in_check(use, helper) or self._is_handed_on(use) for use in uses)

    def _is_in_check(self, use: Node, helper: _Given) -> bool:
        """Whether a name stands in the condition of a check, or in what it says when it fails."""
        node = use
        while (parent := node.parent) is not None:
            if parent.type == "if_statement" and self._is_check(parent, {helper.tester}):
                parts = parent.child_by_field_name("condition"), parent.child_by_field_name("consequence")
                if node in parts:
                    return True
            if parent.type == "call_expression" and self._assertion(parent) is not None:
                return True
            node = parent
        return False

    def _is_handed_on(self, use: Node) -> bool:
        call = use.parent.parent if use.parent is not None and use.parent.type == "argument_list" else None
        called = call.child_by_field_name("function") if call is not None else None
        helper = self._given.get(self._text(called)) if called is not None else None
        if helper is None or use.parent is None:
            return False
        return named(use.parent).index(use) in (self._parameters_dropped(helper) or ())

    # What is left

    def _leftovers(self) -> dict[str, str]:
        """Take what served expectations alone out of the file; return the tests that still hold what they expect."""
        while any(self._take_out(use) for kept in tuple(self._gone) for use in walk(kept.node) if use.type == "identifier"):
            pass
        for kept in self._gone:
            for selector in (it for it in walk(kept.node) if it.type == "selector_expression"):
                self._empty(selector)
        found = dict[str, str]()
        for kept in self._gone:
            for use in (it for it in walk(kept.node) if self._is_left(it)):
                found |= dict.fromkeys(self._tests_of(kept.function), f"{self._text(use)} is there for more than comparisons")
        for name in self._rewritten:
            slots, dropped = _slots(self._given[name].node), self._dropped[name] or ()
            for declared in (slots[index][0] for index in dropped):
                if any(not self._edits.removed(use) for use in self._uses_of(declared)):
                    found |= dict.fromkeys(self._tests_of(name), f"{name} needs {self._text(declared)}")
        return found

    def _is_left(self, use: Node) -> bool:
        """Whether a part of what was compared with is still in the file without being an input of the code under test."""
        if use.type == "selector_expression" and self._column(use):
            return not self._is_empty(use) and not self._is_input_column(use)
        if use.type in ("selector_expression", "index_expression") and self._is_part(use):
            return not self._is_derived(use) and not self._is_input_column(use)
        if use.type != "identifier" or (use.parent is not None and self._is_column_of(use)):
            return False
        declared = self._declaration(use)
        return declared is not None and not self._is_dropped(declared) and not self._is_input(declared)

    def _tests_of(self, function: str) -> Iterator[str]:
        """Yield the tests that come by a function."""
        seen, waiting = set[str](), [function]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                if name in self._given and self._given[name].is_test:
                    yield name
                waiting += [self._function_around(call) for call in self._calls(name)]

    def _is_dropped(self, declared: Node) -> bool:
        if self._edits.removed(declared):
            return True
        dropped = ((given.node, self._dropped.get(given.name) or ()) for given in self._given.values())
        return any(_slots(node)[index][0] == declared for node, indices in dropped for index in indices)

    def _is_kept_local(self, use: Node) -> bool:
        """Whether a name is a variable of a function, and is still there."""
        declared = self._declaration(use)
        if declared is None or self._is_dropped(declared):
            return False
        node = declared
        while node.parent is not None and node.type not in ("function_declaration", "func_literal", "method_declaration"):
            node = node.parent
        return node.parent is not None and not _is_within(declared, use)

    def _take_out(self, use: Node) -> bool:
        """Take the declaration of a variable out, if all that it was used for is gone."""
        declared = self._declaration(use)
        if declared is None or self._is_dropped(declared) or self._is_derived(declared):
            return False
        statement = declared.parent
        if statement is not None and statement.type == "expression_list":
            statement = statement.parent
        if statement is None or not all(self._edits.removed(it) for it in self._uses_of(declared)):
            return False
        left, right = statement.child_by_field_name("left"), statement.child_by_field_name("right")
        if statement.type == "short_var_declaration" and left is not None and right is not None:
            return self._take_out_made(declared, statement, left, right)
        if statement.type in ("var_spec", "const_spec"):
            return self._take_out_spec(statement)
        return statement.type == "range_clause" and None not in (left, right) and self._take_out_elements(declared, left, right)

    def _take_out_made(self, declared: Node, statement: Node, left: Node, right: Node) -> bool:
        value, is_start = _value_of(declared, left, right), statement.parent is not None and statement.parent.type == "if_statement"
        if len(named(left)) > 1 and value == right:
            return False
        self._gone.append(_Kept(value, self._function_around(statement)))
        if len(named(left)) > 1:
            self._edits.replace(declared, "_")
            self._edits.replace(value, "0")
        else:
            self._edits.replace(statement, "_ = 0" if is_start else "")
        return True

    def _take_out_spec(self, spec: Node) -> bool:
        value, around = spec.child_by_field_name("value"), spec.parent
        around = around.parent if around is not None and around.type == "var_spec_list" else around
        if around is None or value is None or len(_names_of(spec)) != 1:
            return False
        if spec.type == "const_spec" and "iota" in self._text(around):
            return False
        self._gone.append(_Kept(value, self._function_around(spec)))
        self._edits.replace(around if sum(it.type == spec.type for it in walk(around)) == 1 else spec, "")
        return True

    def _take_out_elements(self, declared: Node, left: Node | None, right: Node | None) -> bool:
        """Put nothing in the place of the elements of a table that are only compared with."""
        table = self._table(right) if right is not None else None
        kind = table.child_by_field_name("type") if table is not None else None
        element = kind.child_by_field_name("element") or kind.child_by_field_name("value") if kind is not None else None
        body = table.child_by_field_name("body") if table is not None else None
        if left is None or named(left)[1:] != [declared] or element is None or body is None:
            return False
        for value in _elements(body):
            self._edits.replace(value, f"*new({self._text(element)})")
        self._edits.replace(declared, "_")
        return True

    def _table(self, node: Node) -> Node | None:
        """Return the literal that a table was made with, if nothing else is done with it than to go through it."""
        declared = self._declaration(node) if node.type == "identifier" else None
        if declared is not None:
            sources = [source for source in self._sources(declared) if source.type != "identifier"]
            if len(sources) != 1 or len(self._uses_of(declared)) != 1:
                return None
            node = named(sources[0])[0] if sources[0].type == "expression_list" else sources[0]
        return node if node.type == "composite_literal" else None

    def _function_around(self, node: Node) -> str:
        while node.parent is not None and node.parent.parent is not None:
            node = node.parent
        name = node.child_by_field_name("name")
        return self._text(name) if name is not None else ""

    def _is_input(self, declared: Node) -> bool:
        """Whether a variable is what the code under test works with, or what came of it."""
        if self._is_derived(declared):
            return True
        for use in (declared, *self._uses_of(declared)):
            node = use
            while (parent := node.parent) is not None and not parent.type.endswith("_statement"):
                if parent.type == "call_expression" and self._is_foreign(parent) and not self._edits.removed(parent):
                    return True
                if parent.type in ("for_clause", "short_var_declaration"):
                    left = parent.child_by_field_name("left")
                    if parent.type == "for_clause":
                        return True
                    if left is not None and node != left and any(self._is_input_of(it, declared) for it in named(left)):
                        return True
                node = parent
        return False

    def _is_input_of(self, variable: Node, declared: Node) -> bool:
        return variable.text != declared.text and variable.type == "identifier" and self._is_input(variable)

    # Tables of tests

    def _column(self, selector: Node) -> list[Node]:
        """Return the values of a field in all rows of the file's tables: `tt.want`."""
        field, operand = selector.child_by_field_name("field"), selector.child_by_field_name("operand")
        if field is None or operand is None or operand.type not in ("identifier", "index_expression"):
            return []
        if operand.type == "identifier" and self._declaration(operand) is None:
            return []
        return [value for value, _ in self._cells(self._text(field))]

    def _is_column_of(self, use: Node) -> bool:
        parent = use.parent
        return parent is not None and parent.type == "selector_expression" and bool(self._column(parent))

    def _cells(self, field: str) -> list[tuple[Node, Node]]:
        """Return the values of a field in rows of tables, each with its type."""
        found = list[tuple[Node, Node]]()
        for struct in (it for it in walk(self._parsed.root) if it.type == "struct_type"):
            columns = [(self._text(name), kind) for part in _fields(struct) for name, kind in part]
            names = [name for name, _ in columns]
            if field not in names:
                continue
            kind = columns[names.index(field)][1]
            for row in self._rows(struct):
                for index, element in enumerate(named(row)):
                    key, value = element.child_by_field_name("key"), element.child_by_field_name("value")
                    if element.type == "keyed_element" and key is not None and value is not None and self._text(key) == field:
                        found.append((value, kind))
                    elif element.type == "literal_element" and index == names.index(field):
                        found.append((element, kind))
        return found

    def _rows(self, struct: Node) -> Iterator[Node]:
        around = struct.parent
        name = around.child_by_field_name("name") if around is not None and around.type == "type_spec" else None
        for literal in (it for it in walk(self._parsed.root) if it.type == "composite_literal"):
            kind, body = literal.child_by_field_name("type"), literal.child_by_field_name("body")
            if kind is None or body is None:
                continue
            if kind == struct or (name is not None and self._text(kind) == self._text(name)):
                yield body
            element = kind.child_by_field_name("element") or kind.child_by_field_name("value")
            if element is not None and (element == struct or (name and self._text(element).lstrip("*") == self._text(name))):
                for value in _elements(body):
                    yield from (it for it in named(value) if it.type == "literal_value")

    def _selectors(self, field: Node) -> list[Node]:
        return [
            use
            for use in self._uses.get(field.text or b"", ())
            if use.type == "field_identifier" and use.parent is not None and use.parent.type == "selector_expression"
        ]

    def _empty(self, selector: Node) -> None:
        """Take a column out of the tables, if all that it was used for is gone."""
        field = selector.child_by_field_name("field")
        if field is None or not self._column(selector) or not all(map(self._edits.removed, self._selectors(field))):
            return
        for value, kind in self._cells(self._text(field)):
            if not self._edits.removed(value):
                self._edits.replace(value, f"*new({self._text(kind)})")

    def _is_empty(self, selector: Node) -> bool:
        return all(self._edits.removed(value) for value in self._column(selector))

    def _is_part(self, node: Node) -> bool:
        """Whether an expression is a field or a fixed element of a variable: perhaps a column of a table."""
        operand, index = node.child_by_field_name("operand"), node.child_by_field_name("index")
        if operand is None or (index is not None and index.type not in _LITERALS) or _is_called(node):
            return False
        return any(it.type == "identifier" and self._declaration(it) is not None for it in walk(operand))

    def _is_input_column(self, part: Node) -> bool:
        field = part.child_by_field_name("field")
        same = [it for it in walk(self._parsed.root) if field is None and it.type == part.type and it.text == part.text]
        for use in self._selectors(field) if field is not None else same:
            node = use
            while (parent := node.parent) is not None and not parent.type.endswith("_statement"):
                if parent.type == "call_expression" and self._is_foreign(parent) and not self._edits.removed(parent):
                    return True
                node = parent
        return False


def _imports(parsed: Parsed) -> Iterator[tuple[str, Node]]:
    """Yield the name under which each package is known, and where it is imported."""
    for node in walk(parsed.root):
        path = node.child_by_field_name("path")
        if node.type == "import_spec" and path is not None:
            name = node.child_by_field_name("name")
            last = re.sub(r"^go-|\.v\d+$", "", re.sub(r"/v\d+$", "", parsed.text(path)[1:-1]).split("/")[-1])
            yield (parsed.text(name) if name is not None else last), node


def _given(parsed: Parsed) -> Iterator[_Given]:
    for node in parsed.root.named_children:
        name = node.child_by_field_name("name")
        if node.type == "function_declaration" and name is not None and (tester := _tester(parsed, node)):
            yield _Given(name=parsed.text(name), node=node, tester=tester)


def _tester(parsed: Parsed, function: Node) -> str:
    """Return what a function calls its `*testing.T`; nothing where it has none."""
    for parameter in _parameters(function):
        kind, names = parameter.child_by_field_name("type"), _names_of(parameter)
        if kind is not None and parsed.text(kind) in ("*testing.T", "testing.TB") and names:
            return parsed.text(names[0])
    return ""


def _parameters(function: Node) -> list[Node]:
    given = function.child_by_field_name("parameters")
    return named(given) if given is not None else []


def _names_of(node: Node) -> list[Node]:
    return node.children_by_field_name("name")


def _own(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, but not what functions within it do."""
    yield node
    for child in node.children:
        if child.type != "func_literal":
            yield from _own(child)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _is_fixed(node: Node) -> bool:
    """Whether an expression is a literal, or made of literals alone."""
    return node.type in _FIXED or (
        node.type in ("unary_expression", "composite_literal", "binary_expression", "parenthesized_expression")
        and not any(it.type in ("call_expression", "selector_expression") for it in walk(node))
        and not any(it.type == "identifier" and not (it.parent and it.parent.type == "literal_element") for it in walk(node))
    )


def _string(text: str) -> str | None:
    """Return the text that a string literal means; nothing where it is written in an unusual way."""
    if text.startswith("`"):
        return text[1:-1] if "\r" not in text else None
    return str(ast.literal_eval(text)) if not re.search(r'\\[^nt\\"]', text) else None


def _is_called(function: Node) -> bool:
    call = function.parent
    return call is not None and call.type == "call_expression" and call.child_by_field_name("function") == function


def _is_key(element: Node) -> bool:
    around = element.parent
    return around is not None and around.type == "keyed_element" and around.child_by_field_name("key") == element


def _is_within(declared: Node, use: Node) -> bool:
    """Whether a name is declared in the very condition or failure where it is used: behind it, it means nothing."""
    node: Node | None = use
    while node is not None and node.type not in ("if_statement", "function_declaration"):
        node = node.parent
    condition = node.child_by_field_name("condition") if node is not None else None
    return condition is not None and node is not None and condition.start_byte <= declared.start_byte < node.end_byte


def _declaring(parent: Node, node: Node) -> Iterator[Node]:
    """Yield what declares the names that a part of a node sees, the nearest first."""
    if parent.type in ("statement_list", "block", "expression_case", "default_case", "communication_case", "type_case"):
        yield from (it for it in reversed(parent.named_children) if it.end_byte <= node.start_byte)
    elif parent.type in ("if_statement", "for_statement", "expression_switch_statement", "type_switch_statement"):
        clauses = [it for it in parent.named_children if it.type in ("for_clause", "range_clause")]
        start = parent.child_by_field_name("initializer")
        yield from (it for it in (*clauses, start) if it is not None and it != node)
        if node in clauses and (left := node.child_by_field_name("left")) is not None:
            yield from (node for _ in (left,))
    elif parent.type == "for_clause":
        start = parent.child_by_field_name("initializer")
        yield from (it for it in (start,) if it is not None and it != node)
    elif parent.type in ("function_declaration", "func_literal", "method_declaration"):
        yield from _parameters(parent)
    elif parent.type == "source_file":
        yield from (it for it in parent.named_children if it.type in ("var_declaration", "const_declaration"))


def _declared(place: Node) -> Iterator[Node]:
    """Yield the identifiers that a declaration declares."""
    if place.type in ("short_var_declaration", "range_clause"):
        left = place.child_by_field_name("left")
        yield from (it for it in named(left) if it.type == "identifier") if left is not None else ()
    elif place.type == "for_clause":
        start = place.child_by_field_name("initializer")
        yield from _declared(start) if start is not None else ()
    elif place.type in ("var_declaration", "const_declaration"):
        for spec in (it for it in walk(place) if it.type in ("var_spec", "const_spec")):
            yield from _names_of(spec)
    elif place.type in ("parameter_declaration", "variadic_parameter_declaration"):
        yield from _names_of(place)


def _fields(struct: Node) -> Iterator[list[tuple[Node, Node]]]:
    for part in walk(struct):
        kind = part.child_by_field_name("type")
        if part.type == "field_declaration" and kind is not None:
            yield [(name, kind) for name in _names_of(part)]


def _elements(body: Node) -> Iterator[Node]:
    """Yield the elements of a slice or the values of a map."""
    for element in named(body):
        value = element.child_by_field_name("value")
        yield value if element.type == "keyed_element" and value is not None else element


def _slots(function: Node) -> list[tuple[Node, Node]]:
    """Return the parameters of a function, each with its type."""
    parts = [it for it in _parameters(function) if it.type == "parameter_declaration"]
    return [(name, kind) for it in parts if (kind := it.child_by_field_name("type")) is not None for name in _names_of(it)]


def _value_of(name: Node, left: Node, right: Node) -> Node:
    """Return what a name is given where several are given something at once."""
    names, values = named(left), named(right)
    return values[names.index(name)] if name in names and len(names) == len(values) and right.type == "expression_list" else right


def _loops_around(node: Node) -> Iterator[Node]:
    """Yield what decides how often a statement runs."""
    while node.parent is not None and node.type not in ("function_declaration", "func_literal"):
        node = node.parent
        clauses = named(node) if node.type == "for_statement" else []
        yield from (it for it in (clause.child_by_field_name("right") for clause in clauses) if it is not None)
