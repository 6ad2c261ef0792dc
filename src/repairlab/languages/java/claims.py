"""What assertions in a Java test claim: those of JUnit 3, 4 and 5, of Hamcrest, and `if (…) throw`."""

import re
from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.blind import How
from repairlab.languages.java.names import FUNCTIONS, INNER, JavaNames, arguments, called, is_collection, value_of
from repairlab.languages.java.suites import JavaSuites
from repairlab.languages.nodes import above, named, operator_of, part, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_claims import TreeClaims
from repairlab.languages.withholding import Frozen, UnclearError, function_reached

_EQUAL = frozenset({"assertEquals", "assertArrayEquals", "assertIterableEquals"})
_UNEQUAL = frozenset({"assertNotEquals", "assertArrayNotEquals"})
_TRUTHS = {"assertTrue": True, "assertFalse": False}
_NULLS: dict[str, How] = {"assertNull": "equal", "assertNotNull": "different"}
_SAME = {"assertSame": True, "assertNotSame": False}
_THROWING = frozenset({"assertThrows", "assertThrowsExactly"})
_LEFT = frozenset({"assertAll", "assertDoesNotThrow", "assertTimeout", "assertTimeoutPreemptively", "assumeTrue", "fail"})
"""What holds no value that a test expects."""
_SIZES: dict[str, How] = {
    **{"greaterThan": "more", "greaterThanOrEqualTo": "at least", "lessThan": "less", "lessThanOrEqualTo": "at most"}
}
_PARTS_OF = ("containsString", "hasItem", "startsWith", "endsWith")
_MATCHING = frozenset({"is", "equalTo", "not", "nullValue", "notNullValue", "closeTo", *_PARTS_OF, *_SIZES})
"""Matchers of Hamcrest."""
_PARTS = ("contains", "startsWith", "endsWith", "equals")
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
_BRANCHING = frozenset({"if_statement", "switch_expression", "catch_clause", "ternary_expression", "while_statement"})
_CODE = ("lambda_expression", "method_reference")


class JavaClaims:
    """The claims of a file."""

    def __init__(self, parsed: Parsed, names: JavaNames, suites: JavaSuites, said: TreeClaims, *, is_jupiter: bool) -> None:
        self._text, self._span, self._names, self._suites = parsed.text, parsed.span, names, suites
        self._said, self._edits, self._is_jupiter, self._frozen = said, said.edits, is_jupiter, said.literals.frozen
        self._called, self._outermost = partial(called, parsed), partial(_outermost, parsed)
        self._parsed = parsed
        said.is_always = self._is_always
        others = [it for it in suites.methods if it not in suites.tests]
        self._asked = {it: slots for it in others if (slots := dict(self._slots_asked(it)))}
        """Methods that fail where a parameter is not what it must be: the index of each such, and what it must be."""

    def _is_always(self, node: Node) -> bool:
        """Return whether each run of a test that passes comes by here; the same often, if that is in a loop."""
        around = function_reached(node, FUNCTIONS, _BRANCHING, INNER)
        return around in self._suites.tests or self._suites.is_main(around)

    def visit(self, node: Node) -> None:
        """Let a node say what it claims, if it claims anything."""
        if node.type == "method_invocation":
            self._assertion(node, self._called(node), arguments(node))
        elif node.type in ("try_statement", "try_with_resources_statement"):
            self._tried(node)
        elif node.type == "if_statement" and self._fails(part(node, "consequence")):
            self._guard(node, part(node, "condition"))
        elif node.type == "assert_statement":
            claim, message = named(node)[0], named(node)[-1]
            self._edits.take_out(self._span(claim).end, self._span(message).end)
            self._truth(claim, claim, is_true=True)
        elif node.type == "throw_statement" and self._suites.is_of_test(node):
            raise UnclearError("throws by itself")
        elif node in self._asked and not self._names.calls_of(node):
            raise UnclearError("fails where it is told so")

    def _assertion(self, call: Node, name: str, values: list[Node]) -> None:
        if name in self._names.methods:
            self._helped(call, values)
        elif name in _PARTS or (name in (*_MATCHING, "sameInstance") and above(call, "argument_list") is not None):
            return
        elif name in _EQUAL | _UNEQUAL and len(values) > 1:
            self._equality(call, *self._sides(values), is_true=name in _EQUAL)
        elif name in _TRUTHS and values:
            self._truth(call, self._only(values), is_true=_TRUTHS[name])
        elif name in _NULLS and values:
            self._said.expect(call, self._only(values), _NULLS[name], ["n"])
        elif name in _SAME and len(values) > 1:
            self._identity(call, *self._sides(values)[:2], is_same=_SAME[name])
        elif name in _THROWING:
            self._thrown(call, values)
        elif name == "fail":
            for value in values[:1]:
                self._edits.take_out(self._span(value).start, self._span(values[-1]).end, '""')
        else:
            self._other(call, name, values)

    def _other(self, call: Node, name: str, values: list[Node]) -> None:
        """Treat assertions of libraries beside JUnit, and those that cannot be made blind."""
        chained = above(call, "method_invocation")
        if name == "assertThat" and len(values) > 1:
            self._matcher(call, values[-2], values[-1])
        elif name == "isEqualTo" and len(values) == 1:
            self._fluent(call, values[0])
        elif name == "assertThat" and chained is not None:
            if self._called(chained) != "isEqualTo":
                raise UnclearError(f"asserts by {self._called(chained)}")
        elif name not in _LEFT:
            is_claim = asserts(name) and not self._is_answer(call)
            if is_claim or (says_equal(name) and chained is None and _is_statement(call)):
                raise UnclearError(f"asserts by {name}")

    def _is_answer(self, call: Node) -> bool:
        """Return whether a call queries an object, in spite of its name."""
        owner = part(call, "object")
        is_used = call.parent is not None and call.parent.type in ("argument_list", "binary_expression", "unary_expression")
        return is_used and owner is not None and owner.type == "identifier" and self._names.binding(owner) is not None

    # Methods of the file that fail

    def _slots_asked(self, method: Node) -> Iterator[tuple[int, bool]]:
        """Yield the parameters that a method fails by, and what they must be."""
        given = {self._text(it.children[-1]): at for at, it in enumerate(named(part(method, "parameters")))}
        for node in walk(method):
            is_guard = node.type == "if_statement" and self._fails(part(node, "consequence"))
            claim, name = part(node, "condition") if is_guard else None, self._called(node)
            if name in _TRUTHS and arguments(node):
                claim = self._only(arguments(node))
            if claim is not None:
                claim, is_true = _bare(claim, is_true=_TRUTHS.get(name, False))
                if claim.type == "identifier" and self._text(claim) in given:
                    yield given[self._text(claim)], is_true

    def _helped(self, call: Node, values: list[Node]) -> None:
        """Let the call of a method that fails where it is told so say what it tells."""
        slots = next((self._asked[it] for it in self._names.methods[self._called(call)] if it in self._asked), {})
        for index, value in enumerate(values):
            if index in slots:
                self._truth(value, value, is_true=slots[index])
            elif slots and value.type == "string_literal":
                self._said.take_out(value, '""')

    def _fails(self, then: Node | None) -> bool:
        """Return whether a statement does nothing but fail the test."""
        statements = named(then) if then is not None and then.type == "block" else [then] if then is not None else []
        if not statements or not all(self._text(it).startswith("System.") for it in statements[:-1]):
            return False
        thrown = named(statements[-1])[0] if named(statements[-1]) else None
        if thrown is None or statements[-1].type != "throw_statement":
            return thrown is not None and self._called(thrown) == "fail"
        kind = part(thrown, "type") if thrown.type == "object_creation_expression" else None
        return kind is not None and (self._text(kind) in _FAILURES or self._suites.is_of_test(thrown))

    def _guard(self, choice: Node, condition: Node | None) -> None:
        """Treat `if (x != 3) { throw new AssertionError(); }`."""
        if condition is None or part(choice, "alternative") is not None:
            raise UnclearError("throws by itself")
        self._truth(choice, condition, is_true=False)

    # What assertions are given

    def _only(self, values: list[Node]) -> Node:
        """Return what an assertion of one value looks at, beside a message."""
        return values[0] if self._is_jupiter else values[-1]

    def _sides(self, values: list[Node]) -> tuple[Node, Node, Node | None]:
        """Return what is expected, what is compared with it, and how far off that may be; a message comes last, or first."""
        if self._is_jupiter:
            values = [*values[:2], *(value for value in values[2:] if not self._is_message(value))]
        elif len(values) > 3 or (len(values) > 2 and self._is_message(values[0])):
            values = values[1:]
        elif len(values) > 2 and self._type(values[0]) == "" and self._frozen(values[2]) is None:
            raise UnclearError("what its values mean")
        return values[0], values[1], values[2] if len(values) > 2 else None

    def _is_message(self, node: Node) -> bool:
        is_joined = node.type == "binary_expression" and any(it.type == "string_literal" for it in named(node))
        return is_joined or node.type in ("string_literal", "lambda_expression") or self._type(node) == "String"

    def _type(self, node: Node) -> str:
        """Return the declared type of a variable; nothing where it is not known."""
        binding = self._names.binding(node) if node.type == "identifier" else None
        place = above(binding, "variable_declarator", "") or above(binding, "")
        return "literal" if self._frozen(node) is not None else self._text(part(place, "type"))

    # Two values

    def _equality(self, call: Node, expected: Node, actual: Node, width: Node | None = None, *, is_true: bool = True) -> None:
        how: How = "different" if not is_true else "near" if width is not None else "equal"
        allowed = self._frozen(width) if width is not None else None
        if width is not None and (allowed is None or allowed[0] not in ("i", "f") or how != "near"):
            raise UnclearError("how far off a value may be")
        self._said.equality(call, how, expected, actual, self._outermost, width=str(allowed[1]) if allowed else "", two="two")

    def _identity(self, call: Node, expected: Node, actual: Node, *, is_same: bool) -> None:
        value = self._frozen(expected)
        if is_same and value is not None and value[0] in ("b", "n"):
            self._said.expect(call, actual, "equal", value, expected)
        else:
            self._said.say(call, "same", self._said.check(call, "equal", ["b", is_same]), actual, f", {self._text(expected)}")

    def _matcher(self, call: Node, actual: Node, matcher: Node) -> None:
        """Treat `assertThat(x, is(3))`."""
        is_true = True
        while (name := self._called(matcher)) in ("is", "equalTo", "not") and len(arguments(matcher)) == 1:
            is_true, matcher = is_true != (name == "not"), arguments(matcher)[0]
            if self._called(matcher) not in _MATCHING:
                self._equality(call, matcher, actual, is_true=is_true)
                return
        given = arguments(matcher)
        value = self._frozen(given[0]) if len(given) == 1 else None
        if name in ("nullValue", "notNullValue") and not given:
            self._said.expect(call, actual, "equal" if is_true == (name == "nullValue") else "different", ["n"])
        elif name == "closeTo" and is_true and len(given) == len(("value", "width")):
            self._equality(call, given[0], actual, given[1])
        elif name in _SIZES and is_true and value is not None:
            self._said.expect(call, actual, _SIZES[name], value, given[0])
        elif name not in _PARTS_OF or value is None or not self._said.found(call, actual, name, given[0], is_true=is_true):
            raise UnclearError("asserts by a matcher")

    def _fluent(self, call: Node, expected: Node) -> None:
        """Treat `assertThat(x).isEqualTo(3);`."""
        start = part(call, "object")
        values = arguments(start) if start is not None else []
        if len(values) != 1 or start is None or self._called(start) != "assertThat":
            raise UnclearError("asserts by isEqualTo")
        if above(call, "expression_statement") is None:
            raise UnclearError("asserts several things")
        self._equality(call, expected, values[0])

    # Exceptions

    def _thrown(self, call: Node, values: list[Node]) -> None:
        kinds = [value for value in values[:2] if value.type == "class_literal"]
        codes = [value for value in values if value.type in _CODE]
        if not kinds or not codes or values.index(codes[0]) < values.index(kinds[0]):
            raise UnclearError("what is thrown is not said")
        around = call.parent
        if around is not None and around.type == "variable_declarator":
            self._untype(part(around, "name"), part(around.parent, "type"))
        elif around is not None and around.type == "method_invocation" and part(around, "object") == call:
            if self._called(around) not in _OF_THROWABLES:
                raise UnclearError("what is thrown is looked at")
        elif around is None or around.type != "expression_statement":
            raise UnclearError("what is thrown is handed on")
        self._said.say(call, "raised", self._said.check(call, "raised", kind_of(self._text(named(kinds[0])[0]))), codes[0])

    def _untype(self, name: Node | None, kind: Node | None) -> None:
        """Take the type of an exception out of the declaration of a variable."""
        if name is None or kind is None or self._names.binding(name) != name:
            raise UnclearError("what is thrown is handed on")
        self._need_no_type(name)
        self._said.take_out(kind, "Throwable")

    def _need_no_type(self, name: Node) -> None:
        for use in self._names.uses(name):
            around = above(use, "method_invocation")
            if around is None or part(around, "object") != use:
                raise UnclearError("what is thrown is handed on")
            if self._called(around) not in _OF_THROWABLES:
                raise UnclearError("what is thrown is looked at")

    def _tried(self, tried: Node) -> None:
        """Treat `try { …; fail(); } catch (X e) { … }`: the expectation is in the catch."""
        body, catches = part(tried, "body"), [it for it in named(tried) if it.type == "catch_clause"]
        parameters = [it for clause in catches for it in named(clause) if it.type == "catch_formal_parameter"]
        kinds = [it for parameter in parameters for it in named(parameter) if it.type == "catch_type"]
        last = named(body)[-1:]
        call = named(last[0])[0] if last and last[0].type == "expression_statement" else None
        if call is None or self._called(call) != "fail":
            if body is not None:  # javac refuses to catch what only the expectation could throw
                start, thrown = self._span(body).start + 1, [self._text(it) for kind in kinds for it in named(kind)]
                self._edits.put(start, start, "".join(f" if (false) throw ({it}) null;" for it in thrown))
            return
        parameter, kind = next(iter(parameters), None), next(iter(kinds), None)
        name, handled = part(parameter, "name"), part(catches[0], "body") if catches else None
        if len(catches) != 1 or name is None or kind is None or handled is None:
            raise UnclearError("catches several exceptions")
        self._need_no_type(name)
        number = self._said.check(tried, "raised", ["l", [kind_of(self._text(it)) for it in named(kind)]])
        self._said.take_out(kind, "Throwable")
        at = self._span(handled).start + 1
        self._edits.put(at, at, f" {self._said.said}.kinds({number}, {self._text(name)});")

    # One claim

    def _truth(self, call: Node, claim: Node, *, is_true: bool) -> None:
        """Say what a claim looks at, in the place of what claims it."""
        claim, is_true = _bare(claim, is_true=is_true)
        if claim.type in _CODE:
            raise UnclearError("claims something of what code says")
        if claim.type == "binary_expression" and operator_of(claim) == ("&&" if is_true else "||"):
            at, before = self._span(call).start, f"{self._said.said}.all("
            for side in named(claim):
                self._edits.take_out(at, self._span(side).start, before)
                self._truth(side, side, is_true=is_true)
                at, before = self._span(side).end, ", "
            self._edits.take_out(at, self._span(call).end, ");" if call.type == "if_statement" else ")")
            return
        if self._is_given(claim) or self._listed(call, claim, is_true=is_true):
            return
        if self._comparison(call, claim, is_true=is_true) or self._part(call, claim, is_true=is_true):
            return
        for node in walk(claim):
            if self._called(node) in _NEEDLES and not self._is_asked(node):
                raise UnclearError("looks for a part")
            if self._called(node) in self._names.methods and any(map(self._frozen, arguments(node))):
                raise UnclearError("asks a method of the test")
            if self._said.is_literal_comparison(node):
                raise UnclearError("claims several things")
        self._said.expect(call, claim, "equal", ["b", is_true])

    def _is_given(self, claim: Node) -> bool:
        """Return whether a claim is a parameter that is claimed of where the method is called."""
        binding = self._names.binding(claim) if claim.type == "identifier" else None
        return binding is not None and any(binding.parent in named(part(method, "parameters")) for method in self._asked)

    def _listed(self, call: Node, claim: Node, *, is_true: bool) -> bool:
        """Treat a list of truth values that must not hold a false one: each says what it is made of."""
        owner, values = part(claim, "object"), arguments(claim)
        if self._called(claim) != "contains" or is_true or owner is None or len(values) != 1 or owner.type != "identifier":
            return False
        binding = self._names.binding(owner)
        made = value_of(binding) if binding is not None and self._names.uses(binding) == [owner] else None
        while made is not None and made.type == "object_creation_expression" and len(arguments(made)) == 1:
            made = arguments(made)[0]
        if self._frozen(values[0]) != ["b", False] or made is None or self._called(made) not in _LISTS:
            return False
        for value in arguments(made):
            self._truth(value, value, is_true=True)
        self._said.take_out(call, ";")
        return True

    def _comparison(self, call: Node, claim: Node, *, is_true: bool) -> bool:
        """Treat a comparison with a literal; return whether a claim was one."""
        seen, out, value, how = self._said.compared(claim, is_true=is_true) or (claim, claim, None, "equal")
        if value is None:
            return False
        apart = arguments(seen)[0] if self._text(seen).startswith("Math.abs(") else seen
        if apart == seen or apart.type != "binary_expression" or operator_of(apart) != "-":
            self._said.expect(call, seen, how, value, out)
        elif how in ("less", "at most"):
            self._said.expecting.append(out)
            self._equality(call, named(apart)[1], named(apart)[0], out)
        else:
            raise UnclearError("how far off a value is")
        return True

    def _part(self, call: Node, claim: Node, *, is_true: bool) -> bool:
        """Treat a claim that a value holds a part or equals another; return whether it was one."""
        owner, values, name = part(claim, "object"), arguments(claim), self._called(claim)
        if owner is None or not name:
            return False
        if len(values) == len(("one", "other")) and self._text(owner) in ("Arrays", "Objects"):
            if name in ("deepEquals", "equals"):
                self._equality(call, values[1], values[0], is_true=is_true)
            return name in ("deepEquals", "equals")
        if len(values) != 1 or name not in _PARTS:
            return False
        if name == "equals" and self._equals(call, claim, owner, values[0], is_true=is_true):
            return True
        if self._is_asked(claim) or (name == "contains" and (self._frozen(owner) is not None or not self._is_holder(owner))):
            return False
        return self._said.found(call, owner, name, values[0], is_true=is_true)

    def _equals(self, call: Node, claim: Node, owner: Node, other: Node, *, is_true: bool) -> bool:
        """Treat `x.equals(y)`; return whether it is understood."""
        value, swapped = self._frozen(other), self._frozen(owner)
        if value or swapped:
            seen, out = (owner, other) if value else (other, owner)
            self._said.expect(call, seen, "equal" if is_true else "different", value or swapped, out)
        elif is_true and self._is_built_in(other):
            self._said.expect(call, owner, "equal", None, other)
        elif self._names.origin(other) != "unknown":
            self._said.expect(call, claim, "equal", ["b", is_true])
        else:
            return False
        return True

    def _is_holder(self, owner: Node) -> bool:
        """Return whether a value is a text or a collection."""
        return self._called(owner) in _TEXTS or _HOLDERS.fullmatch(self._type(owner)) is not None

    def _is_built_in(self, value: Node) -> bool:
        """Return whether a value is put together of literals by Java's own collections."""
        binding = self._names.binding(value) if value.type == "identifier" else None
        made, is_built = value_of(binding) if binding is not None else None, self._names.origin(value) == "built"
        if made is not None and is_built:
            return is_collection(self._parsed, made)
        calls = [it for it in walk(value) if it.type in ("method_invocation", "object_creation_expression")]
        return bool(calls) and is_built and all(_BUILT_IN.fullmatch(self._text(part(it, "object"))) for it in calls)

    def _is_asked(self, call: Node) -> bool:
        """Return whether a method with the name of one that looks for parts is one of the code under test."""
        owner = part(call, "object")
        is_known = owner is not None and owner.type == "identifier" and self._type(owner) not in ("", "var", "Object")
        return owner is not None and is_known and not self._is_holder(owner) and self._called(call) != "equals"


def kind_of(text: str) -> Frozen:
    """Return the name of a class without its package."""
    return ["s", text.rpartition(".")[2]]


def _bare(claim: Node, *, is_true: bool) -> tuple[Node, bool]:
    """Return a claim without brackets and negations."""
    while claim.type == "parenthesized_expression" or (claim.type == "unary_expression" and claim.children[0].type == "!"):
        is_true = is_true != (claim.type == "unary_expression")
        claim = named(claim)[-1]
    return claim, is_true


def _is_statement(call: Node) -> bool:
    """Return whether nothing is done with the result of a call."""
    return call.parent is not None and call.parent.type in ("expression_statement", "lambda_expression")


def _outermost(parsed: Parsed, node: Node) -> str:
    """Return the name of the method whose result a value is, unless it is one of the language's own."""
    while node.type in ("cast_expression", "parenthesized_expression"):
        node = named(node)[-1]
    owner = part(node, "object") if node.type == "method_invocation" else None
    return "" if _BUILT_IN.fullmatch(parsed.text(owner)) else called(parsed, node)
