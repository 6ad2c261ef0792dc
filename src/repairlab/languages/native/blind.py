"""Blind test files of C and C++: `CHECK(f(x) == 3)` says `f(x)`, and what was expected is gone from the file.

A helper that compares (`static int is(const char *in, const char *want)`) is rewritten where it is called in an assertion.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tree_sitter import Node

from repairlab.languages.blind import BlindChecks, BlindFile
from repairlab.languages.native.bodies import Body, Native
from repairlab.languages.native.claims import NativeClaims
from repairlab.languages.native.forms import SCALAR, asserts
from repairlab.languages.native.helpers import NativeHelpers
from repairlab.languages.native.leftovers import NativeLeftovers
from repairlab.languages.native.literals import TRUTHS
from repairlab.languages.native.origins import NativeOrigins
from repairlab.languages.nodes import named, operator_of, own, part, walk
from repairlab.languages.withholding import BlindClaim, Edits, UnclearError, sayings, unclear, until_settled

_LOOKS = re.compile(r"__FILE__|__LINE__|#\s*include")
_CHOICES = ("if_statement", "switch_statement", "while_statement", "do_statement", "conditional_expression")
_BY_ARGUMENTS = re.compile(r"\barg[cv]\b")
_LAMBDA = ("lambda_expression",)


@cache
def _runtime(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def blind(source: str, language: Native, nonce: str, first: int) -> BlindFile:
    """Return a test file without its expectations."""
    return until_settled(lambda opened: _File(NativeOrigins(source, language), nonce, first, opened).made())


class _File:
    """One attempt at a file, with some tests left out."""

    def __init__(self, origins: NativeOrigins, nonce: str, first: int, opened: dict[str, str]) -> None:
        self._origins, self._nonce, self._opened = origins, nonce, opened
        self._said = f"said{first}"
        self._checks, self._helpers = BlindChecks(first), NativeHelpers(origins)
        self._claims = NativeClaims(origins, self._helpers, self._said, self._rewrite_call)
        self._leftovers = NativeLeftovers(origins, self._helpers)
        self._rewritten = dict[str, Body]()
        """Helpers that have another name now."""
        self._busy = set[str]()

    def made(self) -> BlindFile | dict[str, str]:
        """Return the file, or tests that turn out to hold what they expect, each with the reason."""
        blind = [test for test in self._origins.tests if test not in self._opened]
        found = unclear(blind, lambda test: self._function(self._origins.tests[test]))
        found = found or self._leftovers.found(self._rewritten.values())
        return {test: why for test, why in found.items() if test in blind} or self._file()

    def _file(self) -> BlindFile:
        source, names = self._origins.source, {id(body): name for name, body in self._origins.tests.items()}
        if not self._checks.made:
            return BlindFile(text=source, open=self._opened)
        parts, at = list[str](), 0
        for name, body in self._origins.tests.items():
            if name not in self._opened:
                self._end(body, name)
        for body in self._outermost():
            if names.get(id(body)) in self._opened:
                text = body.head + ("{ }" if body.is_void else "{ return 0; }")
            elif body.name in self._rewritten:
                text = self._with_copy(body)
            elif id(body) in names:
                text = body.head + body.applied
            else:
                continue
            parts += [source[at : body.function.span.start], text]
            at = body.function.span.end
        prelude = ["said.c", "said.h" if self._origins.language == "c" else "said.hpp"]
        prelude += ["raised.hpp"] if self._claims.raises else []
        made = "".join(map(_runtime, prelude)).replace("@said@", self._said).replace("@nonce@", self._nonce)
        text = "".join((made, "#line 1\n", *parts, source[at:]))
        gone = {name for body in self._origins.bodies if body.is_read for name in body.edits.gone()}
        return BlindFile(text=text, checks=tuple(self._checks.made), open=self._opened, gone=gone)

    def _outermost(self) -> Iterator[Body]:
        end = 0
        for body in sorted(self._origins.bodies, key=lambda body: body.function.span.start):
            if body.function.span.start >= end:
                yield body
                end = body.function.span.end

    def _with_copy(self, body: Body) -> str:
        """Return a helper that was rewritten, under another name, and what others may still name without what it holds."""
        head = re.sub(rf"\b{re.escape(body.name)}(\s*\()", rf"{body.name}_{self._said}\1", body.head, count=1)
        return f"{body.head}{{ __builtin_trap(); }}\n{head}{body.applied}"

    def _end(self, body: Body, name: str) -> None:
        """Let a test say that it has ended."""
        if body.node is None:
            return
        said = f"{self._said}_end({_quoted(name)});"
        for node in own(body.node, _LAMBDA):
            if node.type == "return_statement" and not body.edits.removed(node):
                body.edits.between(node.start_byte, node.start_byte, f"{{ {said} ")
                body.edits.between(node.end_byte, node.end_byte, " }")
        if not named(body.node) or named(body.node)[-1].type != "return_statement":
            body.edits.between(body.node.end_byte - 1, body.node.end_byte - 1, f" {said} ")

    # Functions and statements

    def _function(self, body: Body) -> None:
        if not body.is_read or body.node is None:
            raise UnclearError("it cannot be read")
        if _LOOKS.search(body.text(body.node)):
            raise UnclearError("it looks at the program")
        for statement in named(body.node):
            self._statement(body, statement, always=True)

    def _statement(self, body: Body, node: Node, *, always: bool) -> None:
        if node.type in _CHOICES:
            condition, always = part(node, "condition"), False
            is_by_arguments = _BY_ARGUMENTS.search(body.text(condition)) is not None
            if condition is not None and self._origins.holds_literal(body, condition) and not is_by_arguments:
                self._helpers.gone.append((body, condition))
        elif node.type in ("for_statement", "for_range_loop"):
            parts = [part(node, field) for field in ("condition", "right")]
            always = always and not any(self._origins.is_derived(body, it) for it in parts if it is not None)
        if node.type == "expression_statement" and named(node):
            self._expression(body, node, named(node)[0], always=always)
        elif node.type == "return_statement" and body.name in self._rewritten and not body.is_void:
            self._returned(body, node, always=always)
        else:
            for child in named(node):
                self._statement(body, child, always=always)

    def _expression(self, body: Body, statement: Node, expression: Node, *, always: bool) -> None:
        call = expression
        while call.type == "binary_expression" and operator_of(call) == "<<":
            call = named(call)[0]
        helper = self._origins.helper(body, call)
        if helper is not None and self._origins.is_asserting(helper):
            self._rewrite_call(body, call)
        elif body.is_assertion(call):
            claims = self._claims.of(body, body.called(call), named(call.children[1]))
            body.edits.replace(statement, self._said_by(body, call, statement, claims, always=always))
        else:
            for it in walk(expression):
                if it.type == "call_expression":
                    self._asserts_nothing(body, it)
                if it.type == "compound_statement" and it.parent is not None and it.parent.type in _LAMBDA:
                    for inner in named(it):
                        self._statement(body, inner, always=False)

    def _asserts_nothing(self, body: Body, call: Node) -> None:
        name, helper = body.called(call), self._origins.helper(body, call)
        is_assertion = asserts(name) or (helper is not None and self._origins.is_asserting(helper))
        if is_assertion and not body.edits.removed(call):
            raise UnclearError(f"it calls {name} in a way that is not understood")

    def _said_by(self, body: Body, node: Node, statement: Node, claims: Iterable[BlindClaim], *, always: bool) -> str:
        """Note claims about what a node looks at; return the statements that say it."""
        line = body.line + statement.start_point[0]
        return f"{{ {' '.join(sayings(self._checks, claims, line, body.text(node), always=always))} }}"

    # NativeHelpers

    def _returned(self, body: Body, node: Node, *, always: bool) -> None:
        """Rewrite `return a == b;` of a helper that an assertion asks whether something is so."""
        value = named(node)[0] if named(node) else None
        if value is not None and body.text(value) not in (*TRUTHS, "0", "1"):
            said = self._said_by(body, value, node, self._claims.condition(body, value, truth=True), always=always)
            body.edits.replace(node, f"{{ {said} return 1; }}")

    def _rewrite_call(self, body: Body, call: Node) -> str:
        """Rewrite a helper, and let it be called with nothing where it was given what is expected."""
        helper = self._origins.named[body.called(call)]
        name = helper.name
        if name in self._busy or helper is body:
            raise UnclearError(f"{name} is not understood")
        dropped = self._helpers.dropped(helper)
        if name not in self._rewritten:
            self._rewritten[name] = helper
            self._busy.add(name)
            try:
                self._function(helper)
            except UnclearError as reason:
                raise UnclearError(f"{name}: {reason}") from None
            finally:
                self._busy.discard(name)
        body.edits.keep(call)
        both = body.edits, Edits(body.parsed)
        for edits in both:
            edits.replace(call.children[0], f"{name}_{self._said}")
        for index, argument in enumerate(named(call.children[1])):
            if index in dropped:
                if self._origins.is_derived(body, argument):
                    raise UnclearError("what it expects is made by the code under test")
                self._helpers.gone.append((body, argument))
                for edits in both:
                    edits.replace(argument, self._nothing(helper.parameters[index][1]))
        return both[1].applied(call)

    def _nothing(self, kind: str) -> str:
        """Return a value of a type that says nothing."""
        if self._origins.language == "cpp":
            return "{}"
        return "0" if "*" in kind or SCALAR.fullmatch(kind) else f"({kind.removeprefix('const ')}){{0}}"


def _quoted(name: str) -> str:
    return f'"{name}"' if name != "main" else "program_invocation_short_name"
