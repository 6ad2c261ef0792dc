"""Blind tests of Java: JUnit 3, 4 and 5, with their own assertions."""

import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.blind import BlindFile, How
from repairlab.languages.java.literals import JavaLiterals, quoted
from repairlab.languages.java.names import FUNCTIONS, JavaNames, can_end, declaration, grows, is_collection, own, value_of
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import ORDERS, Frozen, TreeClaims, UnclearError, function_reached, must_be

_SAID = "$Said"
_TEST = re.compile(r"Test|ParameterizedTest|RepeatedTest|Theory")
_HOOK = re.compile(r"(?:Before|After)(?:Each|All|Class)?")
_EQUAL = frozenset({"assertEquals", "assertArrayEquals", "assertIterableEquals"})
_UNEQUAL = frozenset({"assertNotEquals", "assertArrayNotEquals"})
_TRUTHS = {"assertTrue": True, "assertFalse": False}
_NULLS: dict[str, How] = {"assertNull": "equal", "assertNotNull": "different"}
_SAME = {"assertSame": True, "assertNotSame": False}
_THROWING = frozenset({"assertThrows", "assertThrowsExactly"})
_LEFT = frozenset({"assertAll", "assertDoesNotThrow", "assertTimeout", "assertTimeoutPreemptively", "assumeTrue", "fail"})
"""What holds no value that a test expects."""
_MATCHING: dict[str, How | None] = {
    **dict.fromkeys(("is", "equalTo", "not", "nullValue", "notNullValue", "closeTo"), None),
    **dict.fromkeys(("containsString", "hasItem"), "contains"),
    **dict.fromkeys(("startsWith", "endsWith"), "matches"),
    **{"greaterThan": "more", "greaterThanOrEqualTo": "at least", "lessThan": "less", "lessThanOrEqualTo": "at most"},
}
"""Matchers of Hamcrest, with how a value must relate to what some of them are given."""
_MATCHERS = frozenset({*_MATCHING, "sameInstance"})
_COMPARED = frozenset({"==", "!=", *ORDERS})
_PARTS: dict[str, How] = {"contains": "contains", "startsWith": "matches", "endsWith": "matches", "equals": "equal"}
_NEEDLES = frozenset({*_PARTS, "compareTo", "containsAll", "containsValue", "equalsIgnoreCase", "indexOf", "matches"})
_HOLDERS = re.compile(r"(?:String|CharSequence|Collection|Deque|Iterable|List|Queue|Set|\w+(?:List|Set))\b.*", re.DOTALL)
"""Types that hold parts; anything else with a method `contains` has a meaning of it that the argument decides."""
_TEXTS = frozenset({"getMessage", "toString"})
_FAILURES = frozenset({"AssertionError", "AssertionFailedError", "ComparisonFailure"})
_LISTS = frozenset({"asList", "of", "ofAll"})
_OF_THROWABLES = frozenset({"getCause", "getClass", "getLocalizedMessage", "getMessage", "getStackTrace", "toString"})
_BUILT_IN = re.compile(
    r"(?:java\.\w+\.)?(?:Arrays|Big\w+|Boolean|Collections|Double|Integer|List|Local\w+|Long|Map|Math|Objects?|Set|String|Optional)"
)
_EMPTY = {**dict.fromkeys(("byte", "char", "double", "float", "int", "long", "short"), "0"), "boolean": "false", "String": "-"}
"""The text in a row in place of a value that is withheld."""
_BRANCHING = frozenset({"if_statement", "switch_expression", "catch_clause", "ternary_expression", "while_statement"})


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
        self.parsed = Parsed("java", source)
        self.nonce = nonce
        self.is_jupiter = framework == "junit5" and "org.junit.jupiter" in source
        self.open: dict[str, str] = {}
        self.shared: dict[str, str] = {}
        self.nodes = list(walk(self.parsed.root))
        self.names = JavaNames(self.parsed, self.nodes)
        self.literals = JavaLiterals(self.parsed, self.names.constant)
        methods = [node for node in self.nodes if node.type == "method_declaration"]
        self.tests = [node for node in methods if self._is_test(node)]
        self.asked = {node: slots for node in methods if node not in self.tests and (slots := dict(self._asked(node)))}
        """Methods that fail where a parameter is not what it must be: the index of each such, and what it must be."""
        self.claims = TreeClaims(self.parsed, first, _SAID, self.names, self.literals)
        self.edits, self.expecting = self.claims.edits, self.claims.expecting
        self.csv: dict[Node, list[str]] = {}
        """The cells that are left of rows which are texts."""

    def made(self) -> BlindFile:
        """Return the blind file."""
        if self.parsed.root.has_error or _SAID in self.parsed.source:
            return BlindFile(text=self.parsed.source, open={self._name(test): "the file cannot be parsed" for test in self.tests})
        for node in self.nodes:
            try:
                if not self.edits.removed(node):
                    self._visit(node)
            except UnclearError as unclear:
                self._leave_open(node, str(unclear))
        expected = {test: self._expected(test) for test in self.tests}
        self._clear_away()
        for row, cells in self.csv.items():
            self.edits.take_out(self.parsed.span(row).start, self.parsed.span(row).end, f'"{",".join(cells)}"')
        for test in self.tests:
            self._end(test, expected[test])
        self._add_class()
        for node in self.nodes:
            if node.type in ("line_comment", "block_comment"):
                span = self.parsed.span(node)
                self.edits.put(span.start, span.end, "\n" if "\n" in self.parsed.text(node) else " ")
        return BlindFile(
            text=_without_unused_imports(self.edits.applied()),
            checks=tuple(self.claims.checks.made),
            open=self.open,
            shared=self.shared,
            gone=self.edits.gone(),
        )

    def _visit(self, node: Node) -> None:
        if node.type == "method_invocation":
            self._assertion(node)
        elif node.type in ("try_statement", "try_with_resources_statement"):
            self._tried(node)
        elif node.type == "if_statement" and self._fails(node.child_by_field_name("consequence")):
            self._guard(node)
        elif node.type == "assert_statement":
            claim, message = named(node)[0], named(node)[-1]
            self.edits.take_out(self.parsed.span(claim).end, self.parsed.span(message).end)
            self._truth(claim, claim, is_true=True)
        elif node.type == "throw_statement" and self._is_of_test(node):
            raise UnclearError("throws by itself")
        elif node in self.asked and not self.names.calls_of(node):
            raise UnclearError("fails where it is told so")

    def _add_class(self) -> None:
        """Put what freezes and writes into each class."""
        text = _class().replace("NONCE", self.nonce)
        for node in self.parsed.root.named_children:
            body = node.child_by_field_name("body")
            if node.type in ("class_declaration", "interface_declaration") and body is not None:
                start = self.parsed.span(body).start + 1
                is_class = node.type == "class_declaration"
                self.edits.put(start, start, f" {text if is_class else text.removeprefix('private static ')}")

    # Tests

    def _annotations(self, method: Node) -> list[Node]:
        """Return the annotations of a method."""
        groups = [named(child) for child in method.children if child.type == "modifiers"]
        return [part for group in groups for part in group if part.type in ("annotation", "marker_annotation")]

    def _annotated(self, method: Node, pattern: re.Pattern[str]) -> bool:
        names = [part.child_by_field_name("name") for part in self._annotations(method)]
        return any(name is not None and pattern.fullmatch(self.parsed.text(name).rpartition(".")[2]) for name in names)

    def _is_test(self, method: Node) -> bool:
        name, around = method.child_by_field_name("name"), method.parent.parent if method.parent is not None else None
        above = around.child_by_field_name("superclass") if around is not None else None
        is_old = above is not None and "Test" in self.parsed.text(above) and name is not None
        return self._annotated(method, _TEST) or (is_old and name is not None and self.parsed.text(name).startswith("test"))

    def _name(self, test: Node) -> str:
        """Return the name of a test, behind that of its class; an abstract class runs under another name."""
        name, around = test.child_by_field_name("name"), test.parent.parent if test.parent is not None else None
        of_class = around.child_by_field_name("name") if around is not None else None
        method = "" if name is None else self.parsed.text(name)
        modifiers = [self.parsed.text(part) for part in (around.children if around is not None else []) if part.type == "modifiers"]
        if of_class is None or any("abstract" in text.split() for text in modifiers):
            return method
        return f"{self.parsed.text(of_class)}::{method}"

    def _is_of_test(self, node: Node) -> bool:
        """Return whether a statement is a test's own, and not that of a lambda or class in it."""
        around = node.parent
        while around is not None and around.type not in FUNCTIONS:
            around = around.parent
        return around in self.tests or self._is_main(around)

    def _is_main(self, method: Node | None) -> bool:
        """Return whether a method is a program that a test runs."""
        name = method.child_by_field_name("name") if method is not None and method.type == "method_declaration" else None
        return name is not None and self.parsed.text(name) == "main"

    def _leave_open(self, node: Node, reason: str) -> None:
        """Leave open the test that something is in, or all tests that may call the method which it is in."""
        around: Node | None = node
        reached, is_hook = set[str](), True
        while around is not None:
            if around in self.tests:
                self.open.setdefault(self._name(around), reason)
                return
            name = around.child_by_field_name("name")
            if around.type == "method_declaration" and name is not None and not self._annotated(around, _HOOK):
                reached.add(self.parsed.text(name))
                is_hook = False
            around = around.parent
        reached = self.names.calling(reached)
        mine = [test for test in self.tests if is_hook or reached & self.names.calls(test)]
        for test in mine:
            self.open.setdefault(self._name(test), reason)
        kind = next((it for it in self.parsed.root.named_children if it.start_byte <= node.start_byte < it.end_byte), node)
        name = kind.child_by_field_name("name")
        if not mine and name is not None:
            self.shared.setdefault(self.parsed.text(name), reason)

    def _expected(self, test: Node) -> int | None:
        """Take the exception out of `@Test(expected = X.class)`; return the number of its check."""
        for annotation in self._annotations(test):
            arguments = annotation.child_by_field_name("arguments")
            pairs = named(arguments) if arguments is not None else []
            for index, pair in enumerate(pairs):
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if key is None or value is None or self.parsed.text(key) != "expected" or value.type != "class_literal":
                    continue
                whole = self.parsed.span(pair)
                if len(pairs) > 1:
                    start = self.parsed.span(pairs[index - 1]).end if index else whole.start
                    end = whole.end if index else self.parsed.span(pairs[1]).start
                    self.edits.take_out(start, end)
                else:
                    self.edits.take_out(whole.start, whole.end)
                return self._check(pair, "raised", _kind(self.parsed.text(named(value)[0])), always=True)
        return None

    def _end(self, test: Node, expected: int | None) -> None:
        """Let a test say that it has ended, wherever it does; one that is open does nothing at all."""
        body, name = test.child_by_field_name("body"), test.child_by_field_name("name")
        if body is None or name is None:
            return
        span = self.parsed.span(body)
        if self._name(test) in self.open:
            self.edits.take_out(span.start, span.end, "{ }")
            return
        said = f"{_SAID}.end(this, {quoted(self.parsed.text(name))});"
        if expected is not None:
            self.edits.put(span.start + 1, span.start + 1, " try {")
            self.edits.put(
                span.end - 1, span.end - 1, f"}} catch (Throwable $thrown) {{ {_SAID}.kinds({expected}, $thrown); {said} }} "
            )
            return
        if can_end(self.parsed, body):
            self.edits.put(span.end - 1, span.end - 1, f"{said} ")
        for node in own(body):
            if node.type == "return_statement":
                place = self.parsed.span(node)
                self.edits.put(place.start, place.start, f"{{ {said} ")
                self.edits.put(place.end, place.end, " }")

    # Assertions

    def _assertion(self, call: Node) -> None:
        name, values = _called(self.parsed, call), _arguments(call)
        is_given = call.parent is not None and call.parent.type == "argument_list"
        if name in self.names.methods:
            self._helped(call, values)
            return
        if name in _PARTS or (name in _MATCHERS and is_given):
            return
        if name in _EQUAL | _UNEQUAL and len(values) > 1:
            self._equality(call, name, *self._sides(values))
        elif name in _TRUTHS and values:
            self._truth(call, self._only(values), is_true=_TRUTHS[name])
        elif name in _NULLS and values:
            self._expect(call, self._only(values), _NULLS[name], ["n"])
        elif name in _SAME and len(values) > 1:
            self._identity(call, *self._sides(values)[:2], is_same=_SAME[name])
        elif name in _THROWING:
            self._thrown(call, values)
        elif name == "fail":
            for value in values[:1]:
                self.edits.take_out(self.parsed.span(value).start, self.parsed.span(values[-1]).end, '""')
        else:
            self._other(call, name, values)

    def _other(self, call: Node, name: str, values: list[Node]) -> None:
        """Treat assertions of libraries beside JUnit, and those that cannot be made blind."""
        chained = call.parent if call.parent is not None and call.parent.type == "method_invocation" else None
        if name == "assertThat" and len(values) > 1:
            self._matcher(call, values)
        elif name == "isEqualTo" and len(values) == 1:
            self._fluent(call, values[0])
        elif name == "assertThat" and chained is not None:
            if _called(self.parsed, chained) != "isEqualTo":
                raise UnclearError(f"asserts by {_called(self.parsed, chained)}")
        elif name not in _LEFT and (
            (asserts(name) and not self._is_answer(call)) or (says_equal(name) and chained is None and _is_statement(call))
        ):
            raise UnclearError(f"asserts by {name}")

    def _helped(self, call: Node, values: list[Node]) -> None:
        """Let the call of a method that fails where it is told so say what it tells."""
        slots = next((self.asked[it] for it in self.names.methods[_called(self.parsed, call)] if it in self.asked), {})
        for index, value in enumerate(values):
            if index in slots:
                self._truth(value, value, is_true=slots[index])
            elif slots and value.type == "string_literal":
                self.edits.take_out(self.parsed.span(value).start, self.parsed.span(value).end, '""')

    def _asked(self, method: Node) -> Iterator[tuple[int, bool]]:
        """Yield the parameters that a method fails by, and what they must be."""
        parameters = method.child_by_field_name("parameters")
        given = {self.parsed.text(it.children[-1]): at for at, it in enumerate(named(parameters))} if parameters is not None else {}
        for node in walk(method):
            name = _called(self.parsed, node)
            is_guard = node.type == "if_statement" and self._fails(node.child_by_field_name("consequence"))
            claim = node.child_by_field_name("condition") if is_guard else None
            if name in _TRUTHS and _arguments(node):
                claim = self._only(_arguments(node))
            if claim is not None:
                claim, is_true = _bare(claim, is_true=_TRUTHS.get(name, False))
                if claim.type == "identifier" and self.parsed.text(claim) in given:
                    yield given[self.parsed.text(claim)], is_true

    def _fails(self, then: Node | None) -> bool:
        """Return whether a statement does nothing but fail the test."""
        statements = named(then) if then is not None and then.type == "block" else [then] if then is not None else []
        if not statements or not all(self.parsed.text(it).startswith("System.") for it in statements[:-1]):
            return False
        thrown = named(statements[-1])[0] if named(statements[-1]) else None
        if thrown is None or statements[-1].type != "throw_statement":
            return thrown is not None and _called(self.parsed, thrown) == "fail"
        kind = thrown.child_by_field_name("type") if thrown.type == "object_creation_expression" else None
        return kind is not None and (self.parsed.text(kind) in _FAILURES or self._is_of_test(thrown))

    def _guard(self, choice: Node) -> None:
        """Treat `if (x != 3) { throw new AssertionError(); }`."""
        condition = choice.child_by_field_name("condition")
        if condition is None or choice.child_by_field_name("alternative") is not None:
            raise UnclearError("throws by itself")
        self._truth(choice, condition, is_true=False)

    def _is_answer(self, call: Node) -> bool:
        """Return whether a call asks an object something, whatever its name says."""
        owner = call.child_by_field_name("object")
        is_used = call.parent is not None and call.parent.type in ("argument_list", "binary_expression", "unary_expression")
        return is_used and owner is not None and owner.type == "identifier" and self.names.binding(owner) is not None

    def _only(self, values: list[Node]) -> Node:
        """Return what an assertion of one value looks at, beside a message."""
        return values[0] if self.is_jupiter else values[-1]

    def _sides(self, values: list[Node]) -> tuple[Node, Node, Node | None]:
        """Return what is expected, what is compared with it, and how far off that may be; a message comes last, or first."""
        if self.is_jupiter:
            rest = [value for value in values[2:] if not self._is_message(value)]
            return values[0], values[1], rest[0] if rest else None
        if len(values) > 3 or (len(values) > 2 and self._is_message(values[0])):
            values = values[1:]
        elif len(values) > 2 and self._type(values[0]) == "" and self.literals.frozen(values[2]) is None:
            raise UnclearError("what its values mean")
        return values[0], values[1], values[2] if len(values) > 2 else None

    def _is_message(self, node: Node) -> bool:
        is_text = any(part.type == "string_literal" for part in (node, *named(node))) and node.type in (
            "binary_expression",
            "string_literal",
        )
        return is_text or node.type == "lambda_expression" or self._type(node) == "String"

    def _type(self, node: Node) -> str:
        """Return the declared type of a variable; nothing where it is not known."""
        binding = self.names.binding(node) if node.type == "identifier" else None
        place = binding.parent if binding is not None else None
        if place is not None and place.type == "variable_declarator":
            place = place.parent
        kind = place.child_by_field_name("type") if place is not None else None
        return "literal" if self.literals.frozen(node) is not None else self.parsed.text(kind) if kind is not None else ""

    def _check(self, node: Node, how: How = "equal", expected: Frozen | None = None, *, always: bool | None = None) -> int:
        return self.claims.check(node, how, expected, always=self._is_always(node) if always is None else always)

    def _is_always(self, node: Node) -> bool:
        """Return whether each run of a test that passes comes by here; the same often, if that is in a loop."""
        around = function_reached(node, FUNCTIONS, _BRANCHING, own)
        return around in self.tests or self._is_main(around)

    def _expect(self, call: Node, seen: Node, how: How, value: Frozen | None, *, out: Node | None = None) -> None:
        """Let a call say a value that must stand in a relation to one which is known here, or to what the reference fix says."""
        if out is not None:
            self.expecting.append(out)
        self.claims.say(call, "value", self._check(call, how, value), seen)

    def _equality(self, call: Node, name: str, expected: Node, actual: Node, width: Node | None) -> None:
        how: How = "different" if name in _UNEQUAL else "near" if width is not None else "equal"
        allowed = self.literals.frozen(width) if width is not None else None
        if width is not None and (allowed is None or allowed[0] not in ("i", "f") or how != "near"):
            raise UnclearError("how far off a value may be")
        tolerance = str(allowed[1]) if allowed is not None else ""
        always, outermost = self._is_always(call), partial(_outermost, self.parsed)
        number, seen, other = self.claims.equality(call, how, expected, actual, tolerance, outermost, always=always)
        rest = f", {self.parsed.text(other)}" if other is not None else ""
        self.claims.say(call, "two" if other is not None else "value", number, seen, rest)

    def _identity(self, call: Node, expected: Node, actual: Node, *, is_same: bool) -> None:
        value = self.literals.frozen(expected)
        if is_same and value is not None and value[0] in ("b", "n"):
            self._expect(call, actual, "equal", value, out=expected)
            return
        number = self._check(call, "equal", ["b", is_same])
        self.claims.say(call, "same", number, actual, f", {self.parsed.text(expected)}")

    def _thrown(self, call: Node, values: list[Node]) -> None:
        kinds = [value for value in values[:2] if value.type == "class_literal"]
        codes = [value for value in values if value.type in ("lambda_expression", "method_reference")]
        if not kinds or not codes or values.index(codes[0]) < values.index(kinds[0]):
            raise UnclearError("what is thrown is not said")
        around = call.parent
        if around is not None and around.type == "variable_declarator":
            self._untype(around)
        elif around is not None and around.type == "method_invocation" and around.child_by_field_name("object") == call:
            if _called(self.parsed, around) not in _OF_THROWABLES:
                raise UnclearError("what is thrown is looked at")
        elif around is None or around.type != "expression_statement":
            raise UnclearError("what is thrown is handed on")
        number = self._check(call, "raised", _kind(self.parsed.text(named(kinds[0])[0])))
        self.claims.say(call, "raised", number, codes[0])

    def _untype(self, declarator: Node) -> None:
        """Take the type of an exception out of the declaration of a variable."""
        name, place = declarator.child_by_field_name("name"), declarator.parent
        kind = place.child_by_field_name("type") if place is not None else None
        if name is None or kind is None or self.names.binding(name) != name:
            raise UnclearError("what is thrown is handed on")
        self._need_no_type(name)
        span = self.parsed.span(kind)
        self.edits.take_out(span.start, span.end, "Throwable")

    def _need_no_type(self, name: Node) -> None:
        for use in self.names.uses(name):
            around = use.parent
            if around is None or around.type != "method_invocation" or around.child_by_field_name("object") != use:
                raise UnclearError("what is thrown is handed on")
            if _called(self.parsed, around) not in _OF_THROWABLES:
                raise UnclearError("what is thrown is looked at")

    def _tried(self, tried: Node) -> None:
        """Treat `try { …; fail(); } catch (X e) { … }`: the expectation is in the catch."""
        catches, body = [part for part in named(tried) if part.type == "catch_clause"], tried.child_by_field_name("body")
        last = named(body)[-1] if body is not None and named(body) else None
        call = named(last)[0] if last is not None and last.type == "expression_statement" else None
        if call is None or call.type != "method_invocation" or _called(self.parsed, call) != "fail":
            return
        parameter = next((part for part in named(catches[0]) if part.type == "catch_formal_parameter"), None) if catches else None
        handled = catches[0].child_by_field_name("body") if catches else None
        name = parameter.child_by_field_name("name") if parameter is not None else None
        kind = next((part for part in named(parameter) if part.type == "catch_type"), None) if parameter is not None else None
        if len(catches) != 1 or name is None or kind is None or handled is None:
            raise UnclearError("catches several exceptions")
        self._need_no_type(name)
        span, at = self.parsed.span(kind), self.parsed.span(handled).start + 1
        kinds: Frozen = ["l", [_kind(self.parsed.text(part)) for part in named(kind)]]
        number = self._check(tried, "raised", kinds, always=self._is_always(tried))
        self.edits.take_out(span.start, span.end, "Throwable")
        self.edits.put(at, at, f" {_SAID}.kinds({number}, {self.parsed.text(name)});")

    def _matcher(self, call: Node, values: list[Node]) -> None:
        """Treat `assertThat(x, is(3))`."""
        actual, matcher, is_true = values[-2], values[-1], True
        while (name := _called(self.parsed, matcher)) in ("is", "equalTo", "not") and len(_arguments(matcher)) == 1:
            is_true, inner = is_true != (name == "not"), _arguments(matcher)[0]
            if _called(self.parsed, inner) not in _MATCHING:
                self._equality(call, "assertEquals" if is_true else "assertNotEquals", inner, actual, None)
                return
            matcher = inner
        given = _arguments(matcher)
        value, how = self.literals.frozen(given[0]) if given else None, _MATCHING.get(name)
        if name in ("nullValue", "notNullValue") and not given:
            self._expect(call, actual, "equal" if is_true == (name == "nullValue") else "different", ["n"])
        elif name == "closeTo" and is_true and len(given) == len(("value", "width")):
            self._equality(call, "assertEquals", given[0], actual, given[1])
        elif how is None or value is None or len(given) != 1 or not (is_true or how == "contains"):
            raise UnclearError("asserts by a matcher")
        elif how == "matches":
            text = re.escape(str(value[1]))
            self._expect(call, actual, how, ["s", rf"\A{text}" if name == "startsWith" else rf"{text}\Z"], out=given[0])
        else:
            self._expect(call, actual, how if is_true else "lacks", value, out=given[0])

    def _fluent(self, call: Node, expected: Node) -> None:
        """Treat `assertThat(x).isEqualTo(3);`."""
        start, whole = call.child_by_field_name("object"), call.parent
        values = _arguments(start) if start is not None and start.type == "method_invocation" else []
        if len(values) != 1 or start is None or _called(self.parsed, start) != "assertThat":
            raise UnclearError("asserts by isEqualTo")
        if whole is None or whole.type != "expression_statement":
            raise UnclearError("asserts several things")
        self._equality(call, "assertEquals", expected, values[0], None)

    def _truth(self, call: Node, claim: Node, *, is_true: bool) -> None:
        """Say what a claim looks at, in the place of what claims it."""
        claim, is_true = _bare(claim, is_true=is_true)
        if claim.type in ("lambda_expression", "method_reference"):
            raise UnclearError("claims something of what code says")
        operator = claim.child_by_field_name("operator") if claim.type == "binary_expression" else None
        if operator is not None and operator.type == ("&&" if is_true else "||"):
            at, before = self.parsed.span(call).start, f"{_SAID}.all("
            for side in named(claim):
                self.edits.take_out(at, self.parsed.span(side).start, before)
                self._truth(side, side, is_true=is_true)
                at, before = self.parsed.span(side).end, ", "
            self.edits.take_out(at, self.parsed.span(call).end, ");" if call.type == "if_statement" else ")")
            return
        if self._is_given(claim) or self._listed(call, claim, is_true=is_true):
            return
        if self._comparison(call, claim, is_true=is_true) or self._part(call, claim, is_true=is_true):
            return
        for node in walk(claim):
            if _called(self.parsed, node) in _NEEDLES and not self._is_asked(node):
                raise UnclearError("looks for a part")
            if _called(self.parsed, node) in self.names.methods and any(map(self.literals.frozen, _arguments(node))):
                raise UnclearError("asks a method of the test")
            mark = node.child_by_field_name("operator") if node.type == "binary_expression" else None
            if mark is not None and mark.type in _COMPARED and any(self.literals.frozen(side) is not None for side in named(node)):
                raise UnclearError("claims several things")
        self._expect(call, claim, "equal", ["b", is_true])

    def _is_given(self, claim: Node) -> bool:
        """Return whether a claim is a parameter that is claimed of where the method is called."""
        binding = self.names.binding(claim) if claim.type == "identifier" else None
        return binding is not None and any(
            binding.parent in named(parameters)
            for method in self.asked
            if (parameters := method.child_by_field_name("parameters")) is not None
        )

    def _listed(self, call: Node, claim: Node, *, is_true: bool) -> bool:
        """Treat a list of truth values that must not hold a false one: each says what it is made of."""
        owner, values = claim.child_by_field_name("object"), _arguments(claim)
        if _called(self.parsed, claim) != "contains" or is_true or owner is None or len(values) != 1 or owner.type != "identifier":
            return False
        binding = self.names.binding(owner)
        made = value_of(binding) if binding is not None else None
        is_alone = binding is not None and self.names.uses(binding) == [owner]
        while made is not None and made.type == "object_creation_expression" and len(_arguments(made)) == 1:
            made = _arguments(made)[0]
        if (
            self.literals.frozen(values[0]) != ["b", False]
            or not is_alone
            or made is None
            or _called(self.parsed, made) not in _LISTS
        ):
            return False
        for value in _arguments(made):
            self._truth(value, value, is_true=True)
        self.edits.take_out(self.parsed.span(call).start, self.parsed.span(call).end, ";")
        return True

    def _comparison(self, call: Node, claim: Node, *, is_true: bool) -> bool:
        """Treat a comparison with a literal; return whether a claim was one."""
        operator, left, right = (claim.child_by_field_name(field) for field in ("operator", "left", "right"))
        if claim.type != "binary_expression" or operator is None or left is None or right is None or operator.type not in _COMPARED:
            return False
        values = self.literals.frozen(left), self.literals.frozen(right)
        if (values[0] is None) == (values[1] is None):
            return False
        is_turned = values[1] is None
        seen, out, value = (right, left, values[0]) if is_turned else (left, right, values[1])
        how = must_be(operator.type, is_true=is_true, is_turned=is_turned)
        apart = _arguments(seen)[0] if self.parsed.text(seen).startswith("Math.abs(") else seen
        minus = apart.child_by_field_name("operator") if apart != seen and apart.type == "binary_expression" else None
        if minus is None or minus.type != "-":
            self._expect(call, seen, how, value, out=out)
        elif how in ("less", "at most"):
            self.expecting.append(out)
            self._equality(call, "assertEquals", named(apart)[1], named(apart)[0], out)
        else:
            raise UnclearError("how far off a value is")
        return True

    def _part(self, call: Node, claim: Node, *, is_true: bool) -> bool:
        """Treat a claim that a value holds a part or equals another; return whether it was one."""
        owner, values = claim.child_by_field_name("object"), _arguments(claim) if claim.type == "method_invocation" else []
        name = _called(self.parsed, claim)
        if owner is not None and len(values) == len(("one", "other")) and self.parsed.text(owner) in ("Arrays", "Objects"):
            if name in ("deepEquals", "equals"):
                self._equality(call, "assertEquals" if is_true else "assertNotEquals", values[1], values[0], None)
            return name in ("deepEquals", "equals")
        if owner is None or len(values) != 1 or name not in _PARTS:
            return False
        value, swapped = self.literals.frozen(values[0]), self.literals.frozen(owner)
        if name == "equals" and (value or swapped):
            seen, out = (owner, values[0]) if value else (values[0], owner)
            self._expect(call, seen, "equal" if is_true else "different", value or swapped, out=out)
        elif name == "equals" and is_true and self._is_built_in(values[0]):
            self._expect(call, owner, "equal", None, out=values[0])
        elif name == "equals" and self.names.origin(values[0]) != "unknown":
            number = self._check(call, "equal", ["b", is_true])
            self.claims.say(call, "value", number, claim)
        elif self._is_asked(claim):
            return False
        elif name == "contains" and value is not None and swapped is None and self._is_holder(owner):
            self._expect(call, owner, "contains" if is_true else "lacks", value, out=values[0])
        elif name in ("startsWith", "endsWith") and value is not None and is_true and value[0] == "s":
            text = re.escape(str(value[1]))
            self._expect(call, owner, "matches", ["s", rf"\A{text}" if name == "startsWith" else rf"{text}\Z"], out=values[0])
        else:
            return False
        return True

    def _is_holder(self, owner: Node) -> bool:
        """Return whether a value is a text or a collection."""
        return _called(self.parsed, owner) in _TEXTS or _HOLDERS.fullmatch(self._type(owner)) is not None

    def _is_built_in(self, value: Node) -> bool:
        """Return whether a value is put together of literals by Java's own collections."""
        binding = self.names.binding(value) if value.type == "identifier" else None
        made = value_of(binding) if binding is not None else None
        if made is not None and self.names.origin(value) == "built":
            return is_collection(self.parsed, made)
        calls = [it for it in walk(value) if it.type in ("method_invocation", "object_creation_expression")]
        owners = [it.child_by_field_name("object") for it in calls]
        is_own = all(it is not None and _BUILT_IN.fullmatch(self.parsed.text(it)) for it in owners)
        return bool(calls) and is_own and self.names.origin(value) == "built"

    def _is_asked(self, call: Node) -> bool:
        """Return whether a method with the name of one that looks for parts is one of the code under test."""
        owner = call.child_by_field_name("object")
        is_known = owner is not None and owner.type == "identifier" and self._type(owner) not in ("", "var", "Object")
        return owner is not None and is_known and not self._is_holder(owner) and _called(self.parsed, call) != "equals"

    # What is left over

    def _clear_away(self) -> None:
        """Take out what nothing but taken-out expectations used; leave open the tests of what cannot be."""
        todo, done = [use for node in self.expecting for use in self.names.uses_in(node)], set[Node]()
        while todo:
            use = todo.pop()
            binding = self.names.binding(use)
            if binding is None or binding in done:
                continue
            others = [it for it in self.names.uses(binding) if not self.edits.removed(it)]
            if not others:
                done.add(binding)
                todo += self._take_out(use, binding)
            elif any(grows(it) for it in others) and self.names.origin(use) == "built":
                self._leave_open(use, "what is expected is put together")

    def _take_out(self, use: Node, binding: Node) -> list[Node]:
        """Take out what a name is bound to, and return the names that stood there."""
        whole = declaration(binding)
        gone = [whole] if whole is not None else self._passed(binding)
        if gone is None:
            self._leave_open(use, "what is expected stands in a table")
            return []
        kind = binding.parent.child_by_field_name("type") if binding.parent is not None else None
        for node in gone:
            span = self.parsed.span(node)
            self.edits.take_out(span.start, span.end, "" if node == whole or kind is None else _nothing(self.parsed.text(kind)))
        return [name for node in gone for name in self.names.uses_in(node)]

    def _passed(self, parameter: Node) -> list[Node] | None:
        """Return what the calls of a method give for a parameter; none where it may be called in other ways."""
        place = parameter.parent
        method = place.parent.parent if place is not None and place.parent is not None else None
        name = method.child_by_field_name("name") if method is not None and method.type == "method_declaration" else None
        if place is None or place.parent is None or method is None or name is None or place.type != "formal_parameter":
            return None
        index, count = named(place.parent).index(place), len(named(place.parent))
        if self._annotations(method):
            return self._rows(method, place, index, count)
        if len(self.names.methods[self.parsed.text(name)]) != 1:
            return None
        found = []
        for node in self.nodes:
            if node.type == "method_reference" and self.parsed.text(node.children[-1]) == self.parsed.text(name):
                return None
            if node.type == "method_invocation" and _called(self.parsed, node) == self.parsed.text(name):
                values = _arguments(node)
                if len(values) != count or self.names.origin(values[index]) == "unknown":
                    return None
                found += [values[index]] if self.names.origin(values[index]) == "built" else []
        return found

    def _rows(self, test: Node, parameter: Node, index: int, count: int) -> list[Node] | None:
        """Return what the rows of a parameterised test give for a parameter, or take it out of rows that are texts."""
        kind, name = parameter.child_by_field_name("type"), test.child_by_field_name("name")
        sources = {self.parsed.text(it.children[1]).rpartition(".")[2]: it for it in self._annotations(test)}
        given = [part for part in walk(sources.get("CsvSource", test)) if part.type == "string_literal"]
        if "CsvSource" in sources and kind is not None:
            nothing = _EMPTY.get(self.parsed.text(kind))
            cells = [self.csv.get(row) or self.parsed.text(row)[1:-1].split(",") for row in given]
            is_plain = all(len(row) == count for row in cells) and not any(
                re.search(r"['\\]", cell) for row in cells for cell in row
            )
            if nothing is None or not is_plain or len(named(sources["CsvSource"].children[-1])) != 1:
                return None
            for row, texts in zip(given, cells, strict=True):
                self.csv[row] = [*texts[:index], nothing, *texts[index + 1 :]]
            return []
        if "MethodSource" not in sources or name is None:
            return None
        told = [part for part in walk(sources["MethodSource"]) if part.type == "string_literal"]
        method = self.parsed.text(told[0])[1:-1] if len(told) == 1 else self.parsed.text(name)
        makers = [maker for maker in self.names.methods.get(method, []) if maker != test and len(told) < 2]
        rows = [_arguments(call) for maker in makers for call in walk(maker) if self._is_row(call)]
        if not rows or any(len(row) != count or self.names.origin(row[index]) != "built" for row in rows):
            return None
        return [row[index] for row in rows]

    def _is_row(self, call: Node) -> bool:
        owner = call.child_by_field_name("object") if call.type == "method_invocation" else None
        is_of = _called(self.parsed, call) == "of" and owner is not None and self.parsed.text(owner).endswith("Arguments")
        return is_of or _called(self.parsed, call) == "arguments"


def _bare(claim: Node, *, is_true: bool) -> tuple[Node, bool]:
    """Return a claim without brackets and negations."""
    while claim.type == "parenthesized_expression" or (claim.type == "unary_expression" and claim.children[0].type == "!"):
        is_true = is_true != (claim.type == "unary_expression")
        claim = named(claim)[-1]
    return claim, is_true


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return named(arguments) if arguments is not None else []


def _called(parsed: Parsed, call: Node) -> str:
    name = call.child_by_field_name("name") if call.type == "method_invocation" else None
    return "" if name is None else parsed.text(name)


def _is_statement(call: Node) -> bool:
    """Return whether nothing is done with the result of a call."""
    return call.parent is not None and call.parent.type in ("expression_statement", "lambda_expression")


def _outermost(parsed: Parsed, node: Node) -> str:
    """Return the name of the method whose result a value is, unless it is one of the language's own."""
    while node.type in ("cast_expression", "parenthesized_expression"):
        node = named(node)[-1]
    owner = node.child_by_field_name("object") if node.type == "method_invocation" else None
    is_built_in = owner is not None and _BUILT_IN.fullmatch(parsed.text(owner)) is not None
    return "" if is_built_in else _called(parsed, node)


def _kind(text: str) -> Frozen:
    return ["s", text.rpartition(".")[2]]


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
    imports = re.findall(r"^\s*import\s+((?:\w+\.)+(\w+))\s*;", text, re.MULTILINE)
    for path, name in imports:
        if len(re.findall(rf"(?<![\w.]){re.escape(name)}\b", text)) == 0:
            text = re.sub(rf"^(\s*)import\s+{re.escape(path)}\s*;", r"\1", text, count=1, flags=re.MULTILINE)
    return text
