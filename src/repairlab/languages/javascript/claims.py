"""What assertions in a JavaScript test claim: those of node:assert, and chains of `expect`."""

import re
from functools import partial

from tree_sitter import Node

from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.blind import How
from repairlab.languages.javascript.literals import UNDEFINED, Literals, pattern, quoted
from repairlab.languages.javascript.names import FUNCTIONS, Names, arguments, last
from repairlab.languages.javascript.suites import TESTS, JavaScriptSuites
from repairlab.languages.nodes import above, named, operator_of, part, upward, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_claims import TreeClaims
from repairlab.languages.withholding import Frozen, UnclearError, function_reached, must_be

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
_NEEDLES = frozenset({"endsWith", "includes", "indexOf", "match", "matchAll", "search", "startsWith", "test"})
_BUILT_IN = re.compile(r"(?:Array|JSON|Math|Number|Object|String)\b")
_BRANCHING = frozenset({"if_statement", "switch_statement", "catch_clause", "ternary_expression", "while_statement"})


class JavaScriptClaims:
    """The claims of a file."""

    def __init__(self, parsed: Parsed, names: Names, suites: JavaScriptSuites, literals: Literals, said: TreeClaims) -> None:
        self._text, self._names, self._suites, self._literals, self._said = parsed.text, names, suites, literals, said
        self._frozen, self._last, self._outermost = literals.frozen, partial(last, parsed), partial(_outermost, parsed)
        said.is_always = self._is_always

    def _is_always(self, node: Node) -> bool:
        """Return whether each run of a test that passes comes by here; the same often, if that is in a loop."""
        around = function_reached(node, FUNCTIONS, _BRANCHING, FUNCTIONS)
        loop = above(around, "arguments", "call_expression")
        is_each = loop is not None and self._last(loop) == "forEach"
        return around in self._suites.titles or (is_each and loop is not None and self._is_always(loop))

    def visit(self, node: Node) -> None:
        """Let a node say what it claims, if it claims anything."""
        if node.type == "call_expression":
            self._assertion(node, self._last(node), arguments(node))
        elif node.type == "throw_statement" and self._suites.is_of_test(node):
            raise UnclearError("throws by itself")

    def _assertion(self, call: Node, name: str, values: list[Node]) -> None:
        if name == "expect" and len(values) == 1 and name not in self._names.functions:
            self._chain(call, values[0])
        elif self._text(call).startswith("expect(") and "expect" not in self._names.functions:
            return  # where the chain begins, it is treated as a whole
        elif not self._is_assert(part(call, "function")):
            is_used = call.parent is not None and call.parent.type in ("arguments", "binary_expression", "unary_expression")
            is_answer = is_used and self._names.origin(call.children[0]) == "built"
            is_claim = (asserts(name) and not is_answer) or (says_equal(name) and _is_statement(call))
            if name not in self._names.functions and name not in TESTS and is_claim:
                raise UnclearError(f"asserts by {name}")
        elif name in ("ok", "assert") and values:
            self._truth(call, values[0])
        elif name in _EQUAL | _UNEQUAL and len(values) > 1:
            self._equality(call, name, values[0], values[1])
        elif name in _THROWING and values:
            self._thrown(call, name, *values[:2])
        elif name == "match" and len(values) > 1:
            self._matched(call, values[0], values[1])
        elif name == "doesNotMatch" and len(values) > 1:
            raise UnclearError("must not match a pattern")
        elif name == "ifError" and values:
            self._said.expect(call, values[0], "equal", ["n"], verb="none")
        elif name not in _LEFT:
            raise UnclearError(f"asserts by {name}")

    def _is_assert(self, function: Node | None) -> bool:
        """Return whether what is called comes from an assertion library."""
        if function is None or function.type == "identifier":
            return self._text(function) in self._names.assertions
        owner = self._text(part(function, "object"))
        return owner != "" and re.split(r"\W+", owner)[-1] in {*self._names.assertions, "assert"}

    def _chain(self, start: Node, seen: Node) -> None:
        """Treat `expect(x).to.equal(3)` and `expect(x).toBe(3)`."""
        words, given, whole = list[str](), list[Node](), start
        while whole.parent is not None and whole.parent.type in ("call_expression", "member_expression"):
            if whole.parent.children[0] != whole or (given and whole.parent.type == "call_expression"):
                raise UnclearError("asserts by a chain")
            whole = whole.parent
            given += arguments(whole)
            words += [self._text(whole.children[-1])] if whole.type == "member_expression" else []
        word, said = " ".join(it for it in words if it not in _FILLERS and it != "not"), self._said
        is_true, value = "not" not in words, self._frozen(given[0]) if given else None
        if word in _STATED and not given:
            said.expect(whole, seen, "equal" if is_true else "different", _STATED[word])
        elif _CHAINED.get(word) == "===" and len(given) == 1:
            self._equality(whole, "strictEqual" if is_true else "notStrictEqual", seen, given[0])
        elif word in _CHAINED and value is not None:
            said.expect(whole, seen, must_be(_CHAINED[word], is_true=is_true), value, given[0])
        elif word in _CONTAINING and value is not None and "deep" not in words:
            said.expect(whole, seen, "contains" if is_true else "lacks", value, given[0])
        elif word in ("throw", "throws", "toThrow") and is_true and (not given or given[0].type in ("identifier", "regex")):
            self._thrown(whole, "throws", seen, *given[:1])
        else:
            raise UnclearError(f"asserts by {word or 'expect'}")

    def _equality(self, call: Node, name: str, actual: Node, expected: Node) -> None:
        how: How = "different" if name in _UNEQUAL else "equal"
        for seen, out in ((actual, expected), (expected, actual)) if name in ("equal", "notEqual") else ():
            if (value := self._frozen(out)) is not None:
                verb, value = _loosely(value)
                self._said.expect(call, seen, how, value, out, verb=verb)
                return
        self._said.equality(call, how, expected, actual, self._outermost, two="value")

    # Exceptions and patterns

    def _thrown(self, call: Node, name: str, code: Node, expected: Node | None = None) -> None:
        if expected is None or expected.type in ("string", "template_string"):
            self._said.expect(call, code, "equal", ["b", True], verb=f"{name}Any")
        elif expected.type in ("identifier", "member_expression"):
            if self._names.origin(expected) != "built" or self._text(expected) in self._names.functions:
                raise UnclearError("what is thrown is checked by code")
            kind: Frozen = ["s", self._text(expected).rpartition(".")[2]]
            self._said.expect(call, code, "raised", kind, expected, verb=name)
        else:
            pairs = [(self._literals.key(it), part(it, "value")) for it in named(expected)] if expected.type == "object" else []
            wanted = [self._wanted(*pair) for pair in ([("", expected)] if expected.type == "regex" else pairs)]
            if not wanted:
                raise UnclearError("what is thrown is checked by code")
            self._said.expecting.append(expected)
            numbers = [self._said.check(call, how, value) for _, how, value in wanted]
            keys = ", ".join(quoted(key) for key, _, _ in wanted)
            self._said.say(call, f"{name}Parts", numbers[0], code, f", [{keys}]")

    def _wanted(self, key: str | None, held: Node | None) -> tuple[str, How, Frozen]:
        """Return a part of what is thrown, how it must relate to a value, and to which."""
        if key is None or held is None:
            raise UnclearError("what is thrown is checked by code")
        if held.type == "regex":
            return key, "matches", self._pattern(held)
        if (value := self._frozen(held)) is None:
            raise UnclearError("what is thrown is compared with what is computed")
        return key, "equal", value

    def _pattern(self, node: Node) -> Frozen:
        found = pattern(self._text(node)) if node.type == "regex" else None
        if found is None:
            raise UnclearError("matches a pattern")
        return ["s", found]

    def _matched(self, call: Node, seen: Node, wanted: Node) -> None:
        self._said.expect(call, seen, "matches", self._pattern(wanted), wanted)

    # One claim

    def _truth(self, call: Node, claim: Node) -> None:
        while claim.type == "parenthesized_expression" and len(named(claim)) == 1:
            claim = named(claim)[0]
        if self._comparison(call, claim) or self._part(call, claim):
            return
        for node in walk(claim):
            if node.type == "call_expression" and self._last(node) in _NEEDLES and self._frozen(node) is None:
                raise UnclearError("looks for a part")
            if self._said.is_literal_comparison(node):
                raise UnclearError("claims several things")
        self._said.say(call, "truth", self._said.check(call), claim)

    def _comparison(self, call: Node, claim: Node) -> bool:
        """Treat a comparison with a literal, or of two values; return whether a claim was one."""
        compared = self._said.compared(claim)
        if compared is None:
            return False
        seen, out, value, how = compared
        if value is None and operator_of(claim) in ("===", "!=="):
            self._equality(call, "strictEqual" if operator_of(claim) == "===" else "notStrictEqual", seen, out)
        elif value is not None and not self._near(call, seen, out, value, how):
            self._said.expect(call, seen, how, value, out)
        return value is not None or operator_of(claim) in ("===", "!==")

    def _near(self, call: Node, seen: Node, out: Node, width: Frozen, how: How) -> bool:
        """Treat `Math.abs(x - 0.5) < 1e-9`; return whether a claim was that."""
        if how not in ("less", "at most") or self._text(part(seen, "function")) != "Math.abs":
            return False
        values = arguments(seen)
        sides = named(values[0]) if len(values) == 1 and operator_of(values[0]) == "-" else []
        value = self._frozen(sides[-1]) if sides else None
        if value is None or {value[0], width[0]} - {"i", "f"}:
            raise UnclearError("how far off a value is")
        self._said.expecting += [out, sides[-1]]
        self._said.expect(call, sides[0], "near", value, width=str(width[1]))
        return True

    def _part(self, call: Node, claim: Node) -> bool:
        """Treat a claim that a value holds a part; return whether it was one."""
        is_true = claim.type != "unary_expression" or operator_of(claim) != "!"
        inner = claim if is_true else named(claim)[-1]
        owner, values, name = part(inner, "function", "object"), arguments(inner), self._last(inner)
        if owner is None or len(values) != 1 or name not in _NEEDLES:
            return False
        if name == "test" and owner.type == "regex" and is_true:
            self._matched(call, values[0], owner)
        elif name == "match" and values[0].type == "regex" and is_true:
            self._matched(call, owner, values[0])
        else:
            return self._said.found(call, owner, name, values[0], is_true=is_true)
        return True


def _is_statement(call: Node) -> bool:
    """Return whether nothing is done with the result of a call."""
    passed = ("await_expression", "call_expression", "member_expression")
    around = next((it for _, it in upward(call) if it.type not in passed), None)
    return around is not None and around.type in ("arrow_function", "expression_statement", "return_statement")


def _outermost(parsed: Parsed, node: Node) -> str:
    """Return the name of the function whose result a value is, unless it is one of the language's own."""
    if node.type == "await_expression" and named(node):
        node = named(node)[0]
    is_built_in = node.type == "call_expression" and _BUILT_IN.match(parsed.text(node))
    return last(parsed, node) if node.type == "call_expression" and not is_built_in else ""


def _loosely(value: Frozen) -> tuple[str, Frozen]:
    """Return how a value is said that is compared as `==` does, and what must come of it."""
    if value[0] == "b":
        return "number", ["i", "1" if value[1] else "0"]
    if value in (["n"], UNDEFINED):
        return "none", ["n"]
    return ("number" if value[0] in ("i", "f") else "value"), value
