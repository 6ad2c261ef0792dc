"""Blind test files of C and C++: `CHECK(f(x) == 3)` says `f(x)`, and what was expected is gone from the file.

Macros around functions confuse the grammar, so each body is read by itself, and names are told apart within a function only. A
helper that compares (`static int is(const char *in, const char *want)`) is rewritten where it is called in an assertion.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from tree_sitter import Node

from repairlab.languages.blind import BlindChecks, BlindFile, How
from repairlab.languages.language import Function
from repairlab.languages.native import declarations
from repairlab.languages.nodes import named, operator_of, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import ORDERS, Edits, claims_in, frozen, must_be

Native = Literal["c", "cpp"]
_HEAD = "void f() "
_TESTS = re.compile(r"TEST(?:_F|_CASE|_CASE_METHOD)?|SCENARIO")
_PREFIX = r"(?:EXPECT|ASSERT|CHECK|REQUIRE|CU_ASSERT|CU_TEST|TEST_ASSERT|TEST_CHECK|assert)"
_TRUE = re.compile(rf"{_PREFIX}(?:_TRUE|_true|_FATAL)?|ck_assert|check|expect|require|verify|VERIFY|CU_ASSERT_TRUE(?:_FATAL)?")
_FALSE = re.compile(rf"{_PREFIX}_(?:FALSE|false)(?:_FATAL)?")
_EQUAL = re.compile(
    rf"{_PREFIX}_(?:EQ|EQUAL(?:_FATAL)?|(?:int|uint|ptr|float|double|string|bool)_equal|STREQ|(?:STRING|PTR|INT)_EQUAL(?:_FATAL)?"
    r"|DOUBLE_EQ|FLOAT_EQ)|ck_assert_(?:int|uint|str|ptr)_eq"
)
_DIFFERENT = re.compile(rf"{_PREFIX}_(?:NE|NOT_EQUAL|(?:int|ptr|string)_not_equal|STRNE|(?:STRING|PTR)_NOT_EQUAL)")
_ORDERS: dict[str, str] = {"LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_ORDERED = re.compile(rf"{_PREFIX}_(LT|LE|GT|GE)")
_NULL = re.compile(rf"{_PREFIX}_(?:null|PTR_NULL)")
_NOT_NULL = re.compile(rf"{_PREFIX}_(?:non_null|not_null|PTR_NOT_NULL)")
_NEAR = re.compile(rf"{_PREFIX}_(?:NEAR|DOUBLE_EQUAL|float_equal|double_equal)")
_MEMORY = re.compile(rf"{_PREFIX}_memory_equal")
_THROWS = re.compile(rf"{_PREFIX}_(?:THROWS?|ANY_THROW|THROWS?_AS)")
_NO_THROW = re.compile(rf"{_PREFIX}_(?:NO_?THROW)")
_ASSERTS = re.compile(rf"{_PREFIX}(?:_\w+)?|ck_assert\w*|check|expect|require|verify|VERIFY|FAIL|ADD_FAILURE|fail|CU_FAIL\w*")
_STRINGS = re.compile(r"STR|str|STRING")
_LIBRARY = re.compile(
    r"(?:std::)?(?:str(?:len|cmp|ncmp|casecmp|chr|rchr|str|spn|cspn)|mem(?:cmp|chr|set|cpy)|f?abs[fl]?|labs|sqrtf?|powf?|isnan|isfinite"
    r"|floor|ceil|min|max|size|begin|end|move|ref|cref|make_pair|make_tuple|make_optional|to_string|isinf|signbit|v?snprintf|f?printf)"
    r"|std::\w+(?:<.*>)?|U?INT(?:8|16|32|64)?(?:MAX)?_C|static_cast<.*>|\w*int\d*_t|size_t|int|long|unsigned|char|bool|double|float|sizeof",
    re.DOTALL,
)
_LITERALS = frozenset({"number_literal", "string_literal", "char_literal", "raw_string_literal", "user_defined_literal"})
_TRUTHS = {"true": True, "false": False, "TRUE": True, "FALSE": False}
_NULLS = frozenset({"NULL", "nullptr"})
_SCALAR = re.compile(
    r"(?:const |static |unsigned |signed |register |long |short )*"
    r"(?:int|long|char|short|unsigned|signed|bool|_Bool|double|float|size_t|ssize_t|auto"
    r"|u?int(?:_fast|_least)?\d*(?:ptr)?_t|char\d*_t|wchar_t|std::size_t)(?: const)?"
)
_SEARCHES = re.compile(
    r"\b(?:(?:std::)?(?:strn?case)?str(?:str|chr|pbrk|spn)|mem(?:chr|mem)|regex_\w+|[\w:]+::find|contains|starts_with|ends_with|fnmatch)\s*\("
    r"|\.r?find\s*\(\s*[\"']"
)
"""What looks for something in a text."""
_OF_LIBRARY = re.compile(r"(?:const |static )*(?:std::|(?:vector|string|map|set|pair|unordered_\w+)\b)")
_LOOKS = re.compile(r"__FILE__|__LINE__|#\s*include")


@cache
def _runtime(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def blind(source: str, language: Native, nonce: str, first: int) -> BlindFile:
    """Return a test file without its expectations."""
    opened = dict[str, str]()
    while True:
        attempt = _File(source, language, first, opened)
        found = attempt.problems()
        if not found:
            return attempt.made(nonce)
        opened.update(found)


class _OpenError(Exception):
    """Why a test stays as it is."""


class _Claim(NamedTuple):
    """What to say in the place of an assertion, `{0}` being the number of the check."""

    saying: str
    how: How = "equal"
    expected: str = ""
    tolerance: str = ""


class _Body:
    """A function with its syntax tree and what is to be changed in it."""

    def __init__(self, source: str, function: Function, language: Native) -> None:
        self.function = function
        self.parsed = Parsed(language, _HEAD + function.body.of(source))
        self.node = next((it for it in self.parsed.root.children[0].children if it.type == "compound_statement"), None)
        self.is_read = self.node is not None and not self.parsed.root.has_error
        self.edits = Edits(self.parsed)
        self.head = source[function.span.start : function.body.start]
        self.line = source[: function.body.start].count("\n") + 1
        self.uses = dict[str, list[Node]]()
        self.values = dict[str, list[Node]]()
        """Declarators of variables by their names."""
        for node in walk(self.parsed.root) if self.is_read else ():
            if node.type == "identifier":
                self.uses.setdefault(self.text(node), []).append(node)
            if node.type in ("declaration", "for_range_loop"):
                for part in node.children_by_field_name("declarator"):
                    for name in _all_declared(part):
                        self.values.setdefault(self.text(name), []).append(node)

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.parsed.text(node)

    def kept(self, node: Node) -> str:
        """Return the text of a node that goes on standing in the file."""
        self.edits.keep(node)
        return self.text(node)

    @property
    def is_macro(self) -> bool:
        """Whether a macro makes a test of it."""
        return _TESTS.fullmatch(self.function.name) is not None

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """The names and the types of its parameters."""
        found = []
        for parameter in self.function.parameters if not self.is_macro else ():
            match = re.fullmatch(r"(.*?)\b(\w+)(\s*\[.*\])?", parameter, re.DOTALL)
            found.append(
                (match[2], match[1].strip() + ("*" if match[3] else "")) if match and match[1].strip() else ("", parameter)
            )
        return [] if found == [("", "void")] else found


class _File:
    """One attempt at a file, with some tests left out."""

    def __init__(self, source: str, language: Native, first: int, opened: dict[str, str]) -> None:
        self._source, self._language, self._opened = source, language, opened
        self._said = f"said{first}"
        self._bodies = [_Body(source, function, language) for function in declarations.functions(language, source)]
        self._named = {body.function.name: body for body in self._bodies if not body.is_macro}
        self._calls = {body.function.name: list(_calls(body)) for body in self._bodies if not body.is_macro}
        self._callers = self._find_callers()
        self._checks = BlindChecks(first)
        self._gone = list[tuple[_Body, Node]]()
        self._dropped = dict[str, frozenset[int]]()
        self._rewritten = dict[str, _Body]()
        self._busy = set[str]()
        self._pure = dict[str, bool]()
        self._raises = False
        self._tests = {name: body for body in self._bodies if (name := self._test_name(body))}

    def _find_callers(self) -> dict[str, list[tuple[_Body, Node]]]:
        found = dict[str, list[tuple[_Body, Node]]]()
        for body in self._bodies:
            for call in _calls(body):
                found.setdefault(body.text(call.children[0]), []).append((body, call))
        return found

    def _test_name(self, body: _Body) -> str:
        """Return what a test is called that a function is; nothing for other functions."""
        function = body.function
        if body.is_macro:
            title = re.match(r'\w+\s*\(\s*"((?:[^"\\]|\\.)*)"', body.head)
            return title[1] if title else ".".join(part.strip() for part in function.parameters[:2])
        is_called = any(caller is not body for caller, _ in self._callers.get(function.name, ()))
        if function.name == "main":
            told = re.findall(r'"ok (?:\d+ )?(?:- )?([^"%\\]+)(?:\\n)?"', body.text(body.node)) if body.node is not None else []
            name = told[0] if len(told) == 1 else "main"
            return name if not self._has_table and any(_is_assertion(body, it) for it in self._reached(body)) else ""
        if is_called or [kind for _, kind in body.parameters] not in ([], ["void**"], ["void **"]):
            return ""
        title = re.search(rf'\{{\s*"([^"\\]*)"\s*,\s*&?{re.escape(function.name)}\b', self._source)
        return title[1] if title else function.name

    @property
    def _has_table(self) -> bool:
        """Whether tests are chosen by their names."""
        return any(
            re.search(rf"[{{,(]\s*&?{re.escape(body.function.name)}\s*[}},)]", self._source)
            for body in self._bodies
            if body.function.name != "main" and not body.is_macro
        ) or any(body.is_macro for body in self._bodies)

    def _reached(self, body: _Body) -> Iterator[Node]:
        seen, waiting = set[str](), [body]
        while waiting:
            here = waiting.pop()
            for call in _calls(here):
                yield call
                name = here.text(call.children[0])
                if name in self._named and name not in seen:
                    seen.add(name)
                    waiting.append(self._named[name])

    # The file as a whole

    def problems(self) -> dict[str, str]:
        """Rewrite what can be; return the tests that turn out to hold what they expect, with the reason."""
        found = dict[str, str]()
        for name, body in self._tests.items():
            if name not in self._opened:
                try:
                    self._function(body)
                except _OpenError as reason:
                    found[name] = str(reason)
        return found or self._leftovers()

    def made(self, nonce: str) -> BlindFile:
        """Return the file."""
        if not self._checks.made:
            return BlindFile(text=self._source, open=self._opened)
        parts, at = list[str](), 0
        for name, body in self._tests.items():
            if name not in self._opened:
                self._end(body, name)
        names = {id(body): name for name, body in self._tests.items()}
        for body in self._outermost():
            span = body.function.span
            if names.get(id(body)) in self._opened:
                text = body.head + ("{ }" if _is_void(body) else "{ return 0; }")
            elif body.function.name in self._rewritten:
                text = self._with_copy(body)
            elif id(body) in names and body.node is not None:
                text = body.head + body.edits.applied(body.node)
            else:
                continue
            parts += [self._source[at : span.start], text]
            at = span.end
        text = "".join((*parts, self._source[at:]))
        prelude = [_runtime("said.c"), _runtime("said.h" if self._language == "c" else "said.hpp")]
        prelude += [_runtime("raised.hpp")] if self._raises else []
        made = "".join(prelude).replace("@said@", self._said).replace("@nonce@", nonce)
        gone = {name for body in self._bodies if body.is_read for name in body.edits.gone()}
        return BlindFile(text=f"{made}#line 1\n{text}", checks=tuple(self._checks.made), open=self._opened, gone=gone)

    def _outermost(self) -> Iterator[_Body]:
        end = 0
        for body in sorted(self._bodies, key=lambda body: body.function.span.start):
            if body.function.span.start >= end:
                yield body
                end = body.function.span.end

    def _with_copy(self, body: _Body) -> str:
        """Return a helper that was rewritten, under another name, and what others may still name without what it holds."""
        name = body.function.name
        node = body.node
        if node is None:
            raise _OpenError("it cannot be read")
        head = re.sub(rf"\b{re.escape(name)}(\s*\()", rf"{name}_{self._said}\1", body.head, count=1)
        return f"{body.head}{{ __builtin_trap(); }}\n" + head + body.edits.applied(node)

    # Functions and statements

    def _function(self, body: _Body) -> None:
        if not body.is_read or body.node is None:
            raise _OpenError("it cannot be read")
        if _LOOKS.search(body.text(body.node)):
            raise _OpenError("it looks at the program")
        for statement in named(body.node):
            self._statement(body, statement, always=True)

    def _statement(self, body: _Body, node: Node, *, always: bool) -> None:
        if node.type in ("if_statement", "switch_statement", "while_statement", "do_statement", "conditional_expression"):
            condition = node.child_by_field_name("condition")
            if condition is not None and self._holds_literal(body, condition) and not _is_choice(body, condition):
                self._gone.append((body, condition))
            always = False
        elif node.type in ("for_statement", "for_range_loop"):
            parts = [node.child_by_field_name(field) for field in ("condition", "right")]
            always = always and not any(self._is_derived(body, part) for part in parts if part is not None)
        if node.type == "expression_statement" and named(node):
            self._expression(body, node, named(node)[0], always=always)
            return
        if node.type == "return_statement" and self._is_rewriting(body):
            self._returned(body, node, always=always)
            return
        for child in named(node):
            self._statement(body, child, always=always)

    def _expression(self, body: _Body, statement: Node, expression: Node, *, always: bool) -> None:
        call = expression
        while call.type == "binary_expression" and operator_of(call) == "<<":
            call = named(call)[0]
        name = body.text(call.children[0]) if call.type == "call_expression" else ""
        helper = self._named.get(name)
        if helper is not None and call.type == "call_expression" and self._asserting(helper):
            self._rewrite_call(body, call)
            return
        if call.type == "call_expression" and _ASSERTS.fullmatch(name):
            said = self._said_by(body, call, statement, self._claims(body, name, named(call.children[1])), always=always)
            body.edits.replace(statement, said)
            return
        for it in walk(expression):
            if it.type == "call_expression":
                self._only_plain(body, it)
            if it.type == "compound_statement" and it.parent is not None and it.parent.type == "lambda_expression":
                for inner in named(it):
                    self._statement(body, inner, always=False)

    def _only_plain(self, body: _Body, call: Node) -> None:
        name = body.text(call.children[0])
        asserts = _ASSERTS.fullmatch(name) or (name in self._named and self._asserting(self._named[name]))
        if asserts and not body.edits.removed(call):
            raise _OpenError(f"it calls {name} in a way that is not understood")

    def _said_by(self, body: _Body, node: Node, statement: Node, claims: Iterable[_Claim], *, always: bool) -> str:
        made = list[str]()
        for claim in claims:
            line = body.line + statement.start_point[0]
            number = self._checks.add(line, body.text(node), claim.how, claim.expected, claim.tolerance, always=always)
            made.append(claim.saying.replace("{0}", f'"{number}"'))
        return "{ " + " ".join(made) + " }"

    def _returned(self, body: _Body, node: Node, *, always: bool) -> None:
        """Rewrite `return a == b;` of a helper that an assertion asks whether something is so."""
        value = named(node)[0] if named(node) else None
        if value is None or body.text(value) in (*_TRUTHS, "0", "1"):
            return
        said = self._said_by(body, value, node, self._condition(body, value, truth=True), always=always)
        body.edits.replace(node, f"{{ {said} return 1; }}")

    def _end(self, body: _Body, name: str) -> None:
        """Let a test say that it has ended."""
        quoted = '"' + name + '"' if name != "main" else "program_invocation_short_name"
        said = f"{self._said}_end({quoted});"
        if body.node is None:
            return
        statements = named(body.node)
        for node in _own(body.node):
            if node.type == "return_statement" and not body.edits.removed(node):
                body.edits.between(node.start_byte, node.start_byte, f"{{ {said} ")
                body.edits.between(node.end_byte, node.end_byte, " }")
        if not statements or statements[-1].type != "return_statement":
            body.edits.between(body.node.end_byte - 1, body.node.end_byte - 1, f" {said} ")

    # Helpers

    def _asserting(self, helper: _Body) -> bool:
        """Whether a function of the test file asserts something."""
        return any(_is_assertion(helper, call) for call in self._reached(helper))

    def _is_rewriting(self, body: _Body) -> bool:
        return body.function.name in self._rewritten and not body.is_macro and not _is_void(body)

    def _rewrite_call(self, body: _Body, call: Node) -> str:
        """Rewrite a helper, and let it be called with nothing where it was given what is expected."""
        name = body.text(call.children[0])
        helper = self._named[name]
        if name in self._busy or len(self._callers.get(name, ())) == 0 or helper is body:
            raise _OpenError(f"{name} is not understood")
        dropped = self._parameters_dropped(helper)
        if name not in self._rewritten:
            self._rewritten[name] = helper
            self._busy.add(name)
            try:
                self._function(helper)
            except _OpenError as reason:
                raise _OpenError(f"{name}: {reason}") from None
            finally:
                self._busy.discard(name)
        edits = Edits(body.parsed)
        body.edits.keep(call)
        for made in (body.edits, edits):
            made.replace(call.children[0], f"{name}_{self._said}")
        arguments = named(call.children[1])
        for index, argument in enumerate(arguments):
            if index in dropped:
                if self._is_derived(body, argument):
                    raise _OpenError("what it expects is made by the code under test")
                self._gone.append((body, argument))
                for made in (body.edits, edits):
                    made.replace(argument, self._nothing(helper.parameters[index][1]))
        return edits.applied(call)

    def _nothing(self, kind: str) -> str:
        if self._language == "cpp":
            return "{}"
        return "0" if "*" in kind or _SCALAR.fullmatch(kind) else f"({kind.removeprefix('const ')}){{0}}"

    def _parameters_dropped(self, helper: _Body) -> frozenset[int]:
        """Return which parameters of a helper are what it expects."""
        name = helper.function.name
        if name not in self._dropped:
            self._dropped[name] = frozenset()
            self._dropped[name] = frozenset(
                index
                for index, (parameter, _) in enumerate(helper.parameters)
                if parameter and self._is_wanted(helper, parameter) and not self._is_passed_derived(helper, index)
            )
        return self._dropped[name]

    def _is_wanted(self, helper: _Body, parameter: str) -> bool:
        uses = helper.uses.get(parameter, [])
        return bool(uses) and all(self._is_compared(helper, use) for use in uses)

    def _is_compared(self, helper: _Body, use: Node) -> bool:
        """Whether a name stands on one side of a comparison, and nothing else is done with it."""
        node = use
        while (parent := node.parent) is not None:
            if parent.type == "binary_expression" and operator_of(parent) in ("==", "!="):
                return True
            if parent.type == "call_expression":
                name, index = helper.text(parent.children[0]), -1
                if node.parent is not None and use.parent == parent.children[1]:
                    index = named(parent.children[1]).index(use)
                if name in self._named and index in self._parameters_dropped(self._named[name]):
                    return True
                if _EQUAL.fullmatch(name) or _NEAR.fullmatch(name):
                    return True
                if self._is_foreign(helper, parent):
                    return False
            if parent.type.endswith("_statement") or parent.type in ("init_declarator", "assignment_expression"):
                return False
            node = parent
        return False

    def _is_passed_derived(self, helper: _Body, index: int) -> bool:
        for caller, call in self._callers.get(helper.function.name, ()):
            arguments = named(call.children[1])
            if index >= len(arguments) or self._is_derived(caller, arguments[index]):
                return True
        return False

    # Assertions

    def _claims(self, body: _Body, name: str, given: list[Node]) -> Iterator[_Claim]:
        """Yield what to say in the place of an assertion."""
        order = _ORDERED.fullmatch(name)
        is_text = _STRINGS.search(name) is not None
        if _TRUE.fullmatch(name) and len(given) == 1:
            yield from self._condition(body, given[0], truth=True)
        elif _FALSE.fullmatch(name) and len(given) == 1:
            yield from self._condition(body, given[0], truth=False)
        elif _NEAR.fullmatch(name) and len(given) == 3:
            yield self._near(body, *given)
        elif _EQUAL.fullmatch(name) and len(given) == 2:
            yield self._equal(body, given[0], given[1], is_text=is_text, ulps=_ulps(name))
        elif _DIFFERENT.fullmatch(name) and len(given) == 2:
            yield self._different(body, given[0], given[1], is_text=is_text)
        elif _MEMORY.fullmatch(name) and len(given) == 3:
            yield self._bytes(body, *given)
        elif order and len(given) == 2:
            yield self._ordered(body, _ORDERS[order[1]], given[0], given[1])
        elif (_NULL.fullmatch(name) or _NOT_NULL.fullmatch(name)) and len(given) == 1:
            yield self._is_null(body, given[0], truth=_NULL.fullmatch(name) is not None)
        elif _THROWS.fullmatch(name) and given:
            yield self._raised(body, given)
        elif _NO_THROW.fullmatch(name) and len(given) == 1:
            yield _Claim(f"(void)({body.kept(given[0])}); {self._said}_truth({{0}}, 1);", expected=frozen("b", True))
        else:
            raise _OpenError(f"{name} is not understood")

    def _condition(self, body: _Body, node: Node, *, truth: bool) -> Iterator[_Claim]:
        """Yield what to say where a condition must be true, or false."""
        for claim, is_true in claims_in(node, operator_of, is_true=truth):
            yield from self._claimed(body, claim, truth=is_true)

    def _claimed(self, body: _Body, node: Node, *, truth: bool) -> Iterator[_Claim]:
        operator = operator_of(node) if node.type == "binary_expression" else ""
        if operator in ("==", "!="):
            yield (self._equal if (operator == "==") == truth else self._different)(body, *named(node))
        elif operator in ORDERS:
            yield self._ordered(body, operator, *named(node), truth=truth)
        elif truth and node.type == "conditional_expression":
            yield from self._either(body, node)
        elif truth and node.type == "call_expression" and body.text(node.children[0]) in self._named:
            yield self._asked(body, node)
        else:
            yield self._truth(body, node, truth=truth)

    def _either(self, body: _Body, node: Node) -> Iterator[_Claim]:
        """Yield what to say of `a ? b : c`, as one statement each that says what is chosen."""
        condition, then, otherwise = named(node)
        for branch, sign in ((then, ""), (otherwise, "!")):
            for claim in self._condition(body, branch, truth=True):
                yield claim._replace(saying=f"if ({sign}({body.kept(condition)})) {{ {claim.saying} }}")

    def _asked(self, body: _Body, call: Node) -> _Claim:
        """Return what to say of what a helper answers; it says itself what it compares, if need be."""
        helper = self._named[body.text(call.children[0])]
        if not helper.is_read or helper.node is None:
            raise _OpenError(f"{helper.function.name} cannot be read")
        given, width = named(call.children[1]), _tolerated(helper)
        if width and len(given) == len(helper.parameters):
            actual, wanted = self._sides(body, *given)
            if wanted is None:
                return _Claim(f"{self._said}_truth({{0}}, ({body.kept(call)}) ? 1 : 0);", expected=frozen("b", True))
            return self._alike(body, actual, wanted, width if width != "0" else "")
        returned = [named(it)[0] for it in _own(helper.node) if it.type == "return_statement" and named(it)]
        compares = any(self._holds_literal(helper, it) and it.type not in _LITERALS for it in returned)
        is_pure = self._is_pure(helper.function.name)
        if is_pure and any(_is_literal(part) for it in given for part in _outside_calls(it)):
            raise _OpenError(f"it holds what {helper.function.name} compares")
        if not compares and not self._parameters_dropped(helper):
            return self._truth(body, call, truth=True)
        return _Claim(f"{self._said}_truth({{0}}, ({self._rewrite_call(body, call)}) ? 1 : 0);", expected=frozen("b", True))

    def _equal(self, body: _Body, left: Node, right: Node, *, is_text: bool = False, ulps: str = "") -> _Claim:
        """Return what to say where two values must be equal."""
        for side, other in ((left, right), (right, left)):
            if body.text(other) in _NULLS:
                return self._is_null(body, side, truth=True)
            order = self._order(body, side, other)
            if order is not None:
                return order
            if other.type in ("true", "false") or body.text(other) in _TRUTHS:
                return _Claim(f"{self._said}_truth({{0}}, ({body.kept(side)}) ? 1 : 0);", expected=self._frozen(body, other))
            approx = re.fullmatch(r"(?:Catch::)?(?:Detail::)?Approx\((-?[\d.]+)\)", body.text(other))
            if approx:
                return _Claim(self._saying(body, side), how="near", expected=frozen("f", approx[1]), tolerance="1.2e-5r")
        for side, other in ((left, right), (right, left)) if not is_text else ():
            if base := self._pointed(body, other):
                return _Claim(f"{self._said}_int({{0}}, (const char *)({body.kept(side)}) - (const char *)({base}));")
        actual, wanted = self._sides(body, left, right)
        if wanted is None:
            return self._compared(body, left, right)
        self._gone.append((body, wanted))
        expected = self._frozen(body, wanted)
        if ulps:
            return _Claim(self._saying(body, actual), how="near", expected=expected, tolerance=ulps)
        return _Claim(self._saying(body, actual, is_text=is_text), expected=expected)

    def _alike(self, body: _Body, actual: Node, wanted: Node, width: str) -> _Claim:
        """Return what to say where two values must be equal, or as near as a width."""
        self._gone.append((body, wanted))
        how: How = "near" if width else "equal"
        return _Claim(self._saying(body, actual), how=how, expected=self._frozen(body, wanted), tolerance=width)

    def _saying(self, body: _Body, actual: Node, *, is_text: bool = False) -> str:
        self._refuse_search(body, actual)
        text = body.kept(actual)
        if is_text:
            return f"{self._said}_string({{0}}, {text});"
        return f"{self._said}({{0}}, {text});" if self._language == "c" else f"{self._said}({{0}}, ({text}));"

    def _is_null(self, body: _Body, node: Node, *, truth: bool) -> _Claim:
        self._refuse_search(body, node)
        return _Claim(f"{self._said}_truth({{0}}, ({body.kept(node)}) == 0);", expected=frozen("b", truth))

    def _refuse_search(self, body: _Body, *nodes: Node) -> None:
        """Leave a test open that looks for a literal in an answer."""
        for node in nodes:
            if _SEARCHES.search(body.text(node)) and any(it.type in ("string_literal", "char_literal") for it in walk(node)):
                raise _OpenError(f"it holds what it looks for: {' '.join(body.text(node).split())[:60]}")

    def _compared(self, body: _Body, left: Node, right: Node) -> _Claim:
        """Return what to say where both sides are answers."""
        whole = f"({body.kept(left)}) == ({body.kept(right)})"
        return _Claim(f"{self._said}_truth({{0}}, ({whole}) ? 1 : 0);", expected=frozen("b", True))

    def _order(self, body: _Body, call: Node, zero: Node) -> _Claim | None:
        """Return what to say of `strcmp(a, b) == 0` and its like."""
        name = body.text(call.children[0]).removeprefix("std::") if call.type == "call_expression" else ""
        if name not in ("strcmp", "strncmp", "memcmp") or body.text(zero) != "0":
            return None
        given = named(call.children[1])
        if name == "memcmp":
            return self._bytes(body, *given)
        actual, wanted = self._sides(body, given[0], given[1])
        if wanted is None:
            return self._truth(body, call, truth=False)
        self._gone.append((body, wanted))
        if name == "strncmp":
            return _Claim(f"{self._said}_prefix({{0}}, {body.kept(actual)}, {body.kept(given[2])});")
        return _Claim(f"{self._said}_string({{0}}, {body.kept(actual)});", expected=self._frozen(body, wanted))

    def _bytes(self, body: _Body, left: Node, right: Node, size: Node) -> _Claim:
        actual, wanted = self._sides(body, left, right)
        if wanted is None or any(it.type == "identifier" and body.text(it) in body.text(wanted) for it in walk(size)):
            raise _OpenError("its expectation is in memory")
        self._gone.append((body, wanted))
        return _Claim(f"{self._said}_bytes({{0}}, {body.kept(actual)}, {body.kept(size)});")

    def _near(self, body: _Body, left: Node, right: Node, width: Node) -> _Claim:
        actual, wanted = self._sides(body, left, right)
        if wanted is None or not re.fullmatch(r"[\d.]+(?:[eE]-?\d+)?[fF]?", body.text(width)):
            raise _OpenError("its tolerance is not known")
        self._gone.append((body, wanted))
        return _Claim(
            self._saying(body, actual), how="near", expected=self._frozen(body, wanted), tolerance=body.text(width).rstrip("fF")
        )

    def _different(self, body: _Body, left: Node, right: Node, *, is_text: bool = False) -> _Claim:
        for actual, other in ((left, right), (right, left)):
            if body.text(other) in _NULLS:
                return self._is_null(body, actual, truth=False)
            if other.type in ("true", "false") or body.text(other) in _TRUTHS:
                opposite = frozen("b", not _TRUTHS[body.text(other)])
                return _Claim(f"{self._said}_truth({{0}}, ({body.kept(actual)}) ? 1 : 0);", expected=opposite)
            if (literal := self._frozen(body, other)) and self._order(body, actual, other) is None:
                return _Claim(self._saying(body, actual, is_text=is_text), how="different", expected=literal)
        self._refuse_search(body, left, right)
        if is_text or self._holds_literal(body, left) or self._holds_literal(body, right):
            raise _OpenError("it holds what must not come")
        whole = f"({body.kept(left)}) == ({body.kept(right)})"
        return _Claim(f"{self._said}_truth({{0}}, ({whole}) ? 1 : 0);", expected=frozen("b", False))

    def _ordered(self, body: _Body, operator: str, left: Node, right: Node, *, truth: bool = True) -> _Claim:
        hows = [must_be(operator, is_true=truth, is_turned=is_turned) for is_turned in (False, True)]
        if hows[0] in ("less", "at most") and (distance := self._distance(body, left, right)):
            return distance
        for actual, other, how in ((left, right, hows[0]), (right, left, hows[1])):
            if literal := self._frozen(body, other):
                return _Claim(self._saying(body, actual), how=how, expected=literal)
        if self._holds_literal(body, left) or self._holds_literal(body, right):
            raise _OpenError("it holds what it compares with")
        for side in (left, right):
            self._gone.append((body, side))
        whole = f"({body.kept(left)}) {operator} ({body.kept(right)})"
        return _Claim(f"{self._said}_truth({{0}}, ({whole}) ? 1 : 0);", expected=frozen("b", truth))

    def _distance(self, body: _Body, apart: Node, width: Node) -> _Claim | None:
        """Return what to say where `fabs(a - b)` must be small; `a + 1` is how far `a` is from -1."""
        called = body.text(apart.children[0]).removeprefix("std::") if apart.type == "call_expression" else ""
        given = named(apart.children[1]) if called in ("abs", "fabs", "fabsf", "labs") else []
        sign = operator_of(given[0]) if len(given) == 1 and given[0].type == "binary_expression" else ""
        allowed = body.text(width).rstrip("fF")
        if sign not in ("-", "+") or not re.fullmatch(r"\d*\.?\d+(?:[eE]-?\d+)?", allowed):
            return None
        left, right = named(given[0])
        if sign == "-":
            actual, wanted = self._sides(body, left, right)
            return self._alike(body, actual, wanted, allowed) if wanted is not None else None
        literal = self._frozen(body, right)
        if not literal:
            return None
        kind, value = json.loads(literal)
        return _Claim(self._saying(body, left), how="near", expected=frozen(kind, f"-{value}"), tolerance=allowed)

    def _truth(self, body: _Body, node: Node, *, truth: bool) -> _Claim:
        """Return that a condition is said as it is; it must not hold what it looks for."""
        self._refuse_search(body, node)
        if self._holds_literal(body, node):
            raise _OpenError(f"it holds what it looks for: {' '.join(body.text(node).split())[:60]}")
        self._gone.append((body, node))
        for call in (it for it in walk(node) if it.type == "call_expression"):
            helper = self._named.get(body.text(call.children[0]))
            if helper is not None and (self._asserting(helper) or self._parameters_dropped(helper) or not helper.is_read):
                raise _OpenError(f"{helper.function.name} is not understood here")
        return _Claim(f"{self._said}_truth({{0}}, ({body.kept(node)}) ? 1 : 0);", expected=frozen("b", truth))

    def _raised(self, body: _Body, given: list[Node]) -> _Claim:
        self._raises = True
        kind = body.text(given[1]) if len(given) > 1 else ""
        names = kind.removesuffix("&").removeprefix("const ").strip()
        said = f"{self._said}_raised({{0}}, "
        tried = f"try {{ (void)({body.kept(given[0])}); {said}false); }} catch (...) {{ {said}true); }}"
        if not kind:
            tried = tried.replace("_raised({0}, ", "_truth({0}, ")
            return _Claim(tried, expected=frozen("b", True))
        return _Claim(tried, how="raised", expected=frozen("s", names))

    def _sides(self, body: _Body, left: Node, right: Node) -> tuple[Node, Node | None]:
        """Return which side is the answer of the code under test, and which the expectation; none where both are answers."""
        derived = self._is_derived(body, left), self._is_derived(body, right)
        if body.text(left).split() == body.text(right).split():
            return left, None
        if all(derived) and (self._is_column(body, left) or self._is_column(body, right)):
            raise _OpenError("what it expects stands in a table")
        if all(derived):
            for side in (left, right):
                if self._is_made_of_literals(body, side):
                    raise _OpenError("what it expects is made by the code under test")
            for side in (left, right):
                self._gone.append((body, side))
            return left, None
        if any(derived):
            return (left, right) if derived[0] else (right, left)
        if left.type in _LITERALS or re.match(r"(?i)(?:want|expect)", body.text(left)):
            return right, left
        return left, right

    def _is_made_of_literals(self, body: _Body, node: Node) -> bool:
        """Whether a value that the code under test makes is made of what the test alone gives it."""
        if node.type == "identifier" and len(places := body.values.get(body.text(node), [])) == 1:
            declarators = [it for it in places[0].children_by_field_name("declarator") if _is_named(body, it, body.text(node))]
            values = [it.child_by_field_name("value") for it in declarators]
            return any(
                it is not None and it.type in ("initializer_list", "argument_list", "compound_literal_expression") for it in values
            )
        if any(it.type == "identifier" and self._is_variable(body, it) for it in walk(node)):
            return False
        return any(it.type in _LITERALS for it in walk(node))

    def _pointed(self, body: _Body, node: Node) -> str:
        """Return the array or pointer of the test that an expectation is in; nothing for other values."""
        for it in walk(node):
            if it.type == "identifier":
                name = re.escape(body.text(it))
                if node.type not in ("identifier", "binary_expression") or not self._is_variable(body, it):
                    return ""
                texts = [body.text(place) for place in body.values.get(body.text(it), ())] or re.findall(
                    rf"^[\w\s*]*\b{name}\s*(?:\[[^;=]*\])?\s*[;=]", self._source, re.MULTILINE
                )
                return body.kept(it) if any(re.search(rf"\*\s*(?:const\s+)?{name}\b|\b{name}\s*\[", text) for text in texts) else ""
        return ""

    def _frozen(self, body: _Body, node: Node) -> str:
        """Return the frozen value of a literal; nothing of other nodes."""
        text = body.text(node)
        if node.type == "parenthesized_expression":
            return self._frozen(body, named(node)[0])
        if text in _TRUTHS:
            return frozen("b", _TRUTHS[text])
        if re.fullmatch(r"(?:0|[1-9][\d']*)(?:[uU]?[lL]{0,2}[uU]?)|-[1-9]\d*", text):
            return frozen("i", text.rstrip("uUlL").replace("'", ""))
        if re.fullmatch(r"-?\d+\.\d*(?:[eE]-?\d+)?", text):
            return frozen("f", text)
        if re.fullmatch(r"'[^\\]'", text) and ord(text[1]) < 128:
            return frozen("i", str(ord(text[1])))
        if node.type == "initializer_list":
            members = [self._frozen(body, it) for it in named(node)]
            return frozen("l", [json.loads(it) for it in members]) if all(members) else ""
        if node.type in ("string_literal", "concatenated_string"):
            parts = [body.text(it) for it in ([node] if node.type == "string_literal" else named(node))]
            return _text_of(parts)
        return ""

    # What names mean

    def _is_variable(self, body: _Body, name: Node) -> bool:
        """Whether a name is a variable of the function or of the file."""
        text = body.text(name)
        if text in body.values or text in dict(body.parameters):
            return True
        shared = rf"^(?!using\b|typedef\b|#)[\w:]+[\w\s*:<>]*\b{re.escape(text)}\s*(?:\[[^;=]*\])?\s*[;={{]"
        return text not in self._named and re.search(shared, self._source, re.MULTILINE) is not None

    def _is_derived(self, body: _Body, node: Node, seen: frozenset[tuple[str, str]] = frozenset()) -> bool:
        """Whether the code under test has a say in a value."""
        if node.type == "call_expression" and self._is_foreign(body, node):
            return True
        if node.type in ("sizeof_expression", "lambda_expression"):
            return False
        if node.type == "identifier":
            key = (body.function.qualified if not body.is_macro else body.head, body.text(node))
            return key not in seen and self._is_derived_name(body, body.text(node), seen | {key})
        return any(self._is_derived(body, child, seen) for child in node.named_children)

    def _is_derived_name(self, body: _Body, name: str, seen: frozenset[tuple[str, str]]) -> bool:
        kinds = dict(body.parameters)
        if name in kinds:
            index = [it for it, _ in body.parameters].index(name)
            given = [(caller, named(call.children[1])) for caller, call in self._callers.get(body.function.name, ())]
            if any(index < len(it) and self._is_derived(caller, it[index], seen) for caller, it in given):
                return True
        elif name not in body.values:
            shared = [other for other in self._bodies if name in other.uses and name not in other.values] if name.islower() else []
            return any(self._is_changed(other, name, seen) for other in shared)
        return self._is_changed(body, name, seen)

    def _is_changed(self, body: _Body, name: str, seen: frozenset[tuple[str, str]]) -> bool:
        """Whether a variable gets a value from the code under test, or may be changed by it."""
        places = body.values.get(name, [])
        for place in places:
            values = [
                it.child_by_field_name("value") for it in place.children_by_field_name("declarator") if _is_named(body, it, name)
            ]
            right = place.child_by_field_name("right")
            if any(self._is_derived(body, it, seen) for it in (*values, right) if it is not None):
                return True
            if place.type == "declaration" and self._is_object(body, place):
                return True
        kinds = [*(_type_text(body, place) for place in places), *(kind for own, kind in body.parameters if own == name)]
        is_fixed = bool(kinds) and all(_SCALAR.fullmatch(kind) or kind.startswith("const") for kind in kinds)
        return any(self._is_changing(body, use, seen, is_fixed=is_fixed) for use in body.uses.get(name, ()))

    def _is_object(self, body: _Body, place: Node) -> bool:
        """Whether a variable is an object of a class of the code under test."""
        kind = _type_text(body, place).rstrip("*")
        return self._language == "cpp" and not _SCALAR.fullmatch(kind) and not re.match(r"(?:const |static )*std::", kind)

    def _is_changing(self, body: _Body, use: Node, seen: frozenset[tuple[str, str]], *, is_fixed: bool) -> bool:
        node = use
        while (parent := node.parent) is not None and not parent.type.endswith("statement"):
            if parent.type == "assignment_expression" and parent.child_by_field_name("left") == node:
                right = parent.child_by_field_name("right")
                if right is not None and self._is_derived(body, right, seen):
                    return True
            if parent.type in ("argument_list", "initializer_list") and (call := parent.parent) is not None:
                is_reference = node.type in ("pointer_expression", "unary_expression") and body.text(node).startswith("&")
                if call.type == "call_expression" and self._is_foreign(body, call) and (is_reference or not is_fixed):
                    return True
                if call.type == "call_expression" and self._is_filled(body, call, node):
                    return True
            if parent.type == "lambda_expression":
                return not is_fixed or "const" not in body.text(parent)
            if parent.type == "call_expression" and parent.children[0] == node and node.type == "field_expression" and not is_fixed:
                return self._is_foreign(body, parent) or any(self._is_derived(body, it, seen) for it in named(parent.children[1]))
            node = parent
        return False

    def _is_filled(self, body: _Body, call: Node, argument: Node) -> bool:
        """Whether a function of the test file changes what it is given."""
        helper = self._named.get(body.text(call.children[0]))
        if helper is None:
            return False
        index = next((at for at, it in enumerate(named(call.children[1])) if it == argument), -1)
        if not 0 <= index < len(helper.parameters) or "const" in helper.parameters[index][1]:
            return False
        name, kind = helper.parameters[index]
        return ("*" in kind or "&" in kind) and any(
            self._is_foreign(helper, it) and name in helper.text(it.children[1]) for it in _calls(helper)
        )

    def _is_foreign(self, body: _Body, call: Node) -> bool:
        """Whether a call may run code under test: not so the standard library and what the test file computes."""
        called = call.children[0]
        text = body.text(called)
        if called.type == "field_expression":
            owner = called.child_by_field_name("argument")
            name = body.text(owner) if owner is not None and owner.type == "identifier" else ""
            kinds = [_type_text(body, place) for place in body.values.get(name, ())] or [
                kind for own, kind in body.parameters if own == name
            ]
            return not kinds or not all(map(_OF_LIBRARY.match, kinds))
        if _LIBRARY.fullmatch(text) or _ASSERTS.fullmatch(text):
            return False
        return text not in self._named or not self._is_pure(text)

    def _is_pure(self, name: str) -> bool:
        """Whether a function of the file calls no code under test."""
        if name not in self._pure:
            self._pure[name] = True  # while it is looked at
            body = self._named[name]
            self._pure[name] = body.is_read and not any(self._is_foreign(body, call) for call in _calls(body))
        return self._pure[name]

    def _holds_literal(self, body: _Body, node: Node) -> bool:
        """Whether a literal stands in an expression; what code under test is called with does not count."""
        if node.type in _LITERALS:
            return True
        if node.type == "call_expression":
            text = body.text(node.children[0])
            if self._is_foreign(body, node) or (text in self._named and not self._is_pure(text)):
                return node.children[0].type == "field_expression" and self._holds_literal(body, node.children[0])
            if _LIBRARY.fullmatch(text):
                return any(self._holds_literal(body, it) for it in named(node.children[1]))
            return False
        if node.type in ("subscript_expression", "sizeof_expression", "compound_literal_expression", "initializer_list"):
            return node.type == "subscript_expression" and self._holds_literal(body, named(node)[0])
        return any(self._holds_literal(body, child) for child in node.named_children)

    # What is left

    def _leftovers(self) -> dict[str, str]:
        """Take what served expectations alone out of the file; return the tests that still hold what they expect."""
        while any(self._take_out(body, use) for body, node in tuple(self._gone) for use in walk(node) if use.type == "identifier"):
            pass
        found = dict[str, str]()
        for body, node in self._gone:
            for use in walk(node):
                if use.type != "identifier" or self._is_fine(body, use):
                    continue
                found |= dict.fromkeys(self._tests_of(body), f"{body.text(use)} is there for more than comparisons")
            for part in walk(node):
                if part.type in ("field_expression", "subscript_expression", "identifier") and self._is_bad_column(body, part):
                    found |= dict.fromkeys(self._tests_of(body), f"{body.text(part)} stands in a table")
        for name, helper in self._rewritten.items():
            for index in self._parameters_dropped(helper):
                parameter = helper.parameters[index][0]
                if any(not helper.edits.removed(use) for use in helper.uses.get(parameter, ())):
                    found |= dict.fromkeys(self._tests_of(helper), f"{name} needs {parameter}")
        return {name: reason for name, reason in found.items() if name not in self._opened}

    def _is_fine(self, body: _Body, use: Node) -> bool:
        """Whether a name that was compared with is gone, not a variable, or an input of the code under test."""
        name = body.text(use)
        if not self._is_variable(body, use) or name in self._named or self._is_derived(body, use):
            return True
        if name in dict(body.parameters) and [it for it, _ in body.parameters].index(name) in self._dropped.get(
            body.function.name, ()
        ):
            return True
        places = body.values.get(name, [])
        if places and all(body.edits.removed(place) for place in places):
            return True
        return self._is_input(body, name) or (
            name not in body.values and any(self._is_input(other, name) for other in self._bodies)
        )

    def _is_bad_column(self, body: _Body, part: Node) -> bool:
        """Whether an expression is a column that was not taken out of the file."""
        around = part.parent
        if around is not None and (
            around.type == "field_expression" or (around.type == "subscript_expression" and named(around)[0] == part)
        ):
            return False  # it is looked at itself
        places = body.values.get(body.text(part), [])
        is_gone = bool(places) and all(map(body.edits.removed, places))
        return not is_gone and self._is_column(body, part)

    def _is_column(self, body: _Body, part: Node) -> bool:
        """Whether an expression is an element of a table of literals that the code under test is not given itself."""
        base = part
        while base.type in ("field_expression", "subscript_expression", "parenthesized_expression"):
            base = named(base)[0]
        if base.type != "identifier" or not self._is_table(body, body.text(base)):
            return False
        field = part.child_by_field_name("field")
        same = f".{body.text(field)}" if field is not None else body.text(part)
        return not any(
            body.text(it).replace("->", ".").endswith(same) and it.type == part.type
            for call in _calls(body)
            if self._is_foreign(body, call)
            for it in walk(call.children[1])
        )

    def _is_table(self, body: _Body, name: str) -> bool:
        """Whether a variable is made of literals between braces, or goes through what is."""
        for place in body.values.get(name, ()):
            right = place.child_by_field_name("right")
            if right is not None:
                return right.type == "initializer_list" or (right.type == "identifier" and self._is_table(body, body.text(right)))
            if any(it.type == "initializer_list" and any(map(_is_literal, walk(it))) for it in walk(place)):
                return True
        if name in body.values or name in dict(body.parameters):
            return False
        return re.search(rf"\b{re.escape(name)}\s*(?:\[[^;=\]]*\]\s*)*=?\s*\{{", self._source) is not None

    def _is_input(self, body: _Body, name: str) -> bool:
        if any(place.parent is not None and place.parent.type == "for_statement" for place in body.values.get(name, ())):
            return True
        for use in body.uses.get(name, ()):
            node = use
            while (parent := node.parent) is not None and not parent.type.endswith("statement"):
                if parent.type == "call_expression" and self._is_foreign(body, parent) and not _is_assertion(body, parent):
                    return True
                other = (
                    _declared(parent) if parent.type == "init_declarator" and parent.child_by_field_name("value") == node else None
                )
                if other is not None and body.text(other) != name:
                    return self._is_input(body, body.text(other)) or self._is_derived(body, other)
                if parent.type == "call_expression" and body.text(parent.children[0]) in self._named and node == parent.children[1]:
                    return True
                node = parent
        return False

    def _take_out(self, body: _Body, use: Node) -> bool:
        """Take the declaration of a variable out, if all that it was used for is gone."""
        name = body.text(use)
        places = body.values.get(name, [])
        if len(places) != 1 or places[0].type != "declaration" or body.edits.removed(places[0]) or self._is_derived(body, use):
            return False
        declarators = places[0].children_by_field_name("declarator")
        others = [it for it in body.uses[name] if not (it.start_byte >= places[0].start_byte and it.end_byte <= places[0].end_byte)]
        if len(declarators) != 1 or not all(map(body.edits.removed, others)):
            return False
        if places[0].parent is not None and places[0].parent.type == "for_statement":
            return False
        self._gone += [(body, it) for it in named(declarators[0])[1:]]
        body.edits.replace(places[0], ";")
        return True

    def _tests_of(self, body: _Body) -> Iterator[str]:
        """Yield the tests that come by a function."""
        seen, waiting = set[int](), [body]
        names = {id(it): name for name, it in self._tests.items()}
        while waiting:
            here = waiting.pop()
            if id(here) not in seen:
                seen.add(id(here))
                if id(here) in names:
                    yield names[id(here)]
                elif not here.is_macro:
                    waiting += [caller for caller, _ in self._callers.get(here.function.name, ())]


def _calls(body: _Body) -> Iterator[Node]:
    if body.is_read and body.node is not None:
        yield from (it for it in walk(body.node) if it.type == "call_expression")


def _is_assertion(body: _Body, call: Node) -> bool:
    return _ASSERTS.fullmatch(body.text(call.children[0])) is not None


def _tolerated(helper: _Body) -> str:
    """Return how far off the members of two values may be that a helper compares; nothing where it does something else."""
    kinds = {re.sub(r"\s|const\b|&", "", kind) for _, kind in helper.parameters}
    if len(helper.parameters) != len(("one", "other")) or len(kinds) != 1 or helper.node is None or helper.is_macro:
        return ""
    one, other = (re.escape(name) for name, _ in helper.parameters)
    flat = re.sub(r"\{(return\w+;)\}", r"\1", re.sub(r"\s+", "", helper.text(helper.node)))
    width = r"(\d*\.?\d+(?:[eE]-?\d+)?)[fF]?"
    if short := re.fullmatch(rf"\{{return(?:{one}=={other}|(?:std::)?f?abs\({one}-{other}\)<=?{width});\}}", flat):
        return short[1] or "0"
    if not re.fullmatch(
        r"(?:std::)?vector<(?:(?:std::)?vector<)?(?:int|long|longlong|float|double|bool|(?:std::)?string)>+",
        next(iter(kinds)),
    ):
        return ""
    body, found = flat.removeprefix("{").removesuffix("returntrue;}"), ""
    while body and not found:
        loop = re.fullmatch(
            rf"if\({one}\.size\(\)!={other}\.size\(\)\)return(?:false|0);"
            rf"for\((?:unsigned|int|size_t|std::size_t)+(\w+)=0;\1<(?:{one}|{other})\.size\(\);(?:\1\+\+|\+\+\1)\)(?:\{{(.*)\}}|(.*))",
            body,
        )
        if loop is None:
            return ""
        one, other, body = rf"{one}\[{loop[1]}\]", rf"{other}\[{loop[1]}\]", loop[2] or loop[3]
        last = re.fullmatch(rf"if\((?:{one}!={other}|(?:std::)?f?abs\({one}-{other}\)>=?{width})\)return(?:false|0);", body)
        found = (last[1] or "0") if last else ""
    return found


def _outside_calls(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, but not what functions are called with."""
    yield node
    for child in node.children if node.type != "call_expression" else ():
        yield from _outside_calls(child)


def _own(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, but not what lambdas within it do."""
    yield node
    for child in node.children:
        if child.type != "lambda_expression":
            yield from _own(child)


def _declared(declarator: Node | None) -> Node | None:
    """Return the name that a declarator declares."""
    while declarator is not None and declarator.type != "identifier":
        declarator = declarator.child_by_field_name("declarator") or next(
            (it for it in declarator.named_children if declarator is not None and declarator.type == "reference_declarator"), None
        )
    return declarator


def _all_declared(declarator: Node) -> Iterator[Node]:
    """Yield the names that a declarator declares: `[in, want]` declares several."""
    bound = next((it for it in walk(declarator) if it.type == "structured_binding_declarator"), None)
    if bound is not None:
        yield from (it for it in bound.named_children if it.type == "identifier")
    elif (name := _declared(declarator)) is not None:
        yield name


def _is_named(body: _Body, declarator: Node, name: str) -> bool:
    declared = _declared(declarator)
    return declared is not None and body.text(declared) == name


def _type_text(body: _Body, place: Node) -> str:
    declarator = place.child_by_field_name("declarator")
    end = declarator.start_byte if declarator is not None else place.end_byte
    pointer = (
        "*"
        if declarator is not None and any(it.type in ("pointer_declarator", "array_declarator") for it in walk(declarator))
        else ""
    )
    start = place.child_by_field_name("type")
    qualifiers = " ".join(body.text(it) for it in place.children if it.type in ("type_qualifier",) and it.end_byte <= end)
    return f"{qualifiers} {body.text(start) if start is not None else ''}{pointer}".strip()


def _is_void(body: _Body) -> bool:
    return body.is_macro or re.search(rf"\bvoid\s+{re.escape(body.function.name)}\s*\(", body.head) is not None


def _is_choice(body: _Body, condition: Node) -> bool:
    return re.search(r"\barg[cv]\b", body.text(condition)) is not None


def _is_literal(node: Node) -> bool:
    return node.type in _LITERALS


def _ulps(name: str) -> str:
    return "8.9e-16r" if name.endswith("DOUBLE_EQ") else "4.8e-7r" if name.endswith("FLOAT_EQ") else ""


def _text_of(parts: list[str]) -> str:
    """Return the frozen text that string literals mean; nothing where they are written in an unusual way."""
    made = b""
    for part in parts:
        if not part.startswith('"') or re.search(r"\\[^nrt0-7xabfv\\\"'?]", part):
            return ""
        plain = re.sub(r"\\x([0-9a-fA-F]{1,2})(?![0-9a-fA-F])", r"\\x0\1", part)
        plain = re.sub(r"\\x0([0-9a-fA-F]{2})", r"\\x\1", plain).replace("\\?", "?")
        try:
            made += ast.literal_eval(
                "b" + re.sub(r"[^\x00-\x7f]", lambda it: "".join(f"\\x{byte:02x}" for byte in it[0].encode()), plain)
            )
        except (SyntaxError, ValueError):
            return ""
    if b"\0" in made:
        return ""
    try:
        return frozen("s", made.decode())
    except UnicodeDecodeError:
        return frozen("y", made.hex())
