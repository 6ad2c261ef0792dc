"""Names in a test file of C or C++: the tests among its functions, and the values that code under test decides."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.native import declarations
from repairlab.languages.native.bodies import Body, Native, declared
from repairlab.languages.native.forms import LIBRARY, OF_LIBRARY, SCALAR, asserts
from repairlab.languages.native.literals import LITERALS
from repairlab.languages.nodes import above, named, part, upward, walk

_ACCESSES = ("field_expression", "subscript_expression")
_MADE_IN_PLACE = ("initializer_list", "argument_list", "compound_literal_expression")


class NativeOrigins:
    """The functions of a file, and where values come from."""

    def __init__(self, source: str, language: Native) -> None:
        self.source, self.language = source, language
        self.bodies = [Body(source, function, language) for function in declarations.functions(language, source)]
        self.named = {body.name: body for body in self.bodies if not body.is_macro}
        self.callers = dict[str, list[tuple[Body, Node]]]()
        for caller in self.bodies:
            for call in caller.calls:
                self.callers.setdefault(caller.called(call), []).append((caller, call))
        self._pure = dict[str, bool]()
        self.tests = {name: body for body in self.bodies if (name := self._test_name(body))}

    # Functions

    def _test_name(self, body: Body) -> str:
        """Return what a test is called that a function is; nothing for other functions."""
        if body.is_macro:
            title = re.match(r'\w+\s*\(\s*"((?:[^"\\]|\\.)*)"', body.head)
            return title[1] if title else ".".join(part.strip() for part in body.function.parameters[:2])
        if body.name == "main":
            told = re.findall(r'"ok (?:\d+ )?(?:- )?([^"%\\]+)(?:\\n)?"', body.text(body.node))
            is_test = not self._has_table and self.is_asserting(body)
            return (told[0] if len(told) == 1 else "main") if is_test else ""
        is_called = any(caller is not body for caller, _ in self.callers.get(body.name, ()))
        if is_called or [kind for _, kind in body.parameters] not in ([], ["void**"], ["void **"]):
            return ""
        title = re.search(rf'\{{\s*"([^"\\]*)"\s*,\s*&?{re.escape(body.name)}\b', self.source)
        return title[1] if title else body.name

    @property
    def _has_table(self) -> bool:
        """Whether tests are chosen by their names."""
        names = [body.name for body in self.bodies if body.name != "main"]
        return any(body.is_macro for body in self.bodies) or any(
            re.search(rf"[{{,(]\s*&?{re.escape(name)}\s*[}},)]", self.source) for name in names
        )

    def is_asserting(self, body: Body) -> bool:
        """Whether a function of the test file asserts something, or one that it calls."""
        seen, waiting = set[str](), [body]
        while waiting:
            here = waiting.pop()
            if any(map(here.is_assertion, here.calls)):
                return True
            names = {here.called(call) for call in here.calls} & self.named.keys() - seen
            seen |= names
            waiting += [self.named[name] for name in names]
        return False

    def tests_of(self, body: Body) -> Iterator[str]:
        """Yield the tests that come by a function."""
        seen, waiting = set[int](), [body]
        names = {id(it): name for name, it in self.tests.items()}
        while waiting:
            here = waiting.pop()
            if id(here) not in seen:
                seen.add(id(here))
                if id(here) in names:
                    yield names[id(here)]
                elif not here.is_macro:
                    waiting += [caller for caller, _ in self.callers.get(here.name, ())]

    def helper(self, body: Body, call: Node) -> Body | None:
        """Return the function of the test file that is called."""
        return self.named.get(body.called(call))

    def is_foreign(self, body: Body, call: Node) -> bool:
        """Whether a call may run code under test: not so the standard library and what the test file computes."""
        name = body.called(call)
        if call.children[0].type == "field_expression":
            kinds = body.kinds(body.text(part(call.children[0], "argument")))
            return not kinds or not all(map(OF_LIBRARY.match, kinds))
        return not (LIBRARY.fullmatch(name) or asserts(name) or self.is_pure(name))

    def is_pure(self, name: str) -> bool:
        """Whether a function of the file calls no code under test."""
        if name in self.named and name not in self._pure:
            self._pure[name] = True  # while it is looked at
            body = self.named[name]
            self._pure[name] = body.is_read and not any(self.is_foreign(body, call) for call in body.calls)
        return self._pure.get(name, False)

    # Values

    def is_variable(self, body: Body, name: Node) -> bool:
        """Whether a name is a variable of the function or of the file."""
        text = body.text(name)
        if text in body.values or body.index_of(text) >= 0:
            return True
        shared = rf"^(?!using\b|typedef\b|#)[\w:]+[\w\s*:<>]*\b{re.escape(text)}\s*(?:\[[^;=]*\])?\s*[;={{]"
        return text not in self.named and re.search(shared, self.source, re.MULTILINE) is not None

    def is_derived(self, body: Body, node: Node, seen: frozenset[tuple[str, str]] = frozenset()) -> bool:
        """Whether the code under test has a say in a value."""
        if node.type == "call_expression" and self.is_foreign(body, node):
            return True
        if node.type in ("sizeof_expression", "lambda_expression"):
            return False
        if node.type == "identifier":
            key = (body.head if body.is_macro else body.function.qualified, body.text(node))
            return key not in seen and self._is_derived_name(body, body.text(node), seen | {key})
        return any(self.is_derived(body, child, seen) for child in node.named_children)

    def _is_derived_name(self, body: Body, name: str, seen: frozenset[tuple[str, str]]) -> bool:
        if (index := body.index_of(name)) >= 0:
            given = [(caller, named(call.children[1])) for caller, call in self.callers.get(body.name, ())]
            if any(index < len(it) and self.is_derived(caller, it[index], seen) for caller, it in given):
                return True
        elif name not in body.values:
            shared = [other for other in self.bodies if name in other.uses and name not in other.values] if name.islower() else []
            return any(self._is_changed(other, name, seen) for other in shared)
        return self._is_changed(body, name, seen)

    def _is_changed(self, body: Body, name: str, seen: frozenset[tuple[str, str]]) -> bool:
        """Whether a variable gets a value from the code under test, or may be changed by it."""
        for place in body.values.get(name, ()):
            if any(self.is_derived(body, it, seen) for it in (*body.given(place, name), part(place, "right")) if it is not None):
                return True
            if place.type == "declaration" and self._is_object(body, place):
                return True
        kinds = body.kinds(name)
        is_fixed = bool(kinds) and all(SCALAR.fullmatch(kind) or kind.startswith("const") for kind in kinds)
        return any(self._is_changing(body, use, seen, is_fixed=is_fixed) for use in body.uses.get(name, ()))

    def _is_object(self, body: Body, place: Node) -> bool:
        """Whether a variable is an object of a class of the code under test."""
        kind = body.kind(place).rstrip("*")
        return self.language == "cpp" and not SCALAR.fullmatch(kind) and not re.match(r"(?:const |static )*std::", kind)

    def _is_changing(self, body: Body, use: Node, seen: frozenset[tuple[str, str]], *, is_fixed: bool) -> bool:
        for node, parent in upward(use):
            if parent.type.endswith("statement"):
                break
            if parent.type == "assignment_expression" and part(parent, "left") == node:
                right = part(parent, "right")
                if right is not None and self.is_derived(body, right, seen):
                    return True
            if parent.type in ("argument_list", "initializer_list") and (call := above(parent, "call_expression")) is not None:
                is_reference = node.type in ("pointer_expression", "unary_expression") and body.text(node).startswith("&")
                if (self.is_foreign(body, call) and (is_reference or not is_fixed)) or self._is_filled(body, call, node):
                    return True
            if parent.type == "lambda_expression":
                return not is_fixed or "const" not in body.text(parent)
            if parent.type == "call_expression" and parent.children[0] == node and node.type == "field_expression" and not is_fixed:
                return self.is_foreign(body, parent) or any(self.is_derived(body, it, seen) for it in named(parent.children[1]))
        return False

    def _is_filled(self, body: Body, call: Node, argument: Node) -> bool:
        """Whether a function of the test file changes what it is given."""
        helper, given = self.helper(body, call), named(call.children[1])
        index = given.index(argument) if argument in given else -1
        name, kind = helper.parameters[index] if helper is not None and 0 <= index < len(helper.parameters) else ("", "const")
        if helper is None or "const" in kind or not ("*" in kind or "&" in kind):
            return False
        return any(self.is_foreign(helper, it) and name in helper.text(it.children[1]) for it in helper.calls)

    def is_made_of_literals(self, body: Body, node: Node) -> bool:
        """Whether a value that the code under test makes is made of what the test alone gives it."""
        if node.type == "identifier" and len(places := body.values.get(body.text(node), [])) == 1:
            return any(it.type in _MADE_IN_PLACE for it in body.given(places[0], body.text(node)))
        if any(it.type == "identifier" and self.is_variable(body, it) for it in walk(node)):
            return False
        return any(it.type in LITERALS for it in walk(node))

    def holds_literal(self, body: Body, node: Node) -> bool:
        """Whether a literal stands in an expression; arguments of code under test do not count."""
        inner = node.named_children
        if node.type == "call_expression":
            name = body.called(node)
            if self.is_foreign(body, node):
                inner = [it for it in node.children[:1] if it.type == "field_expression"]
            else:
                is_understood = LIBRARY.fullmatch(name) and (name not in self.named or self.is_pure(name))
                inner = named(node.children[1]) if is_understood else []
        elif node.type in ("sizeof_expression", "compound_literal_expression", "initializer_list"):
            inner = []
        elif node.type == "subscript_expression":
            inner = named(node)[:1]
        return node.type in LITERALS or any(self.holds_literal(body, child) for child in inner)

    def pointed(self, body: Body, node: Node) -> Node | None:
        """Return the array or pointer of the test that an expectation is in; nothing for other values."""
        use = next((it for it in walk(node) if it.type == "identifier"), None)
        if use is None or node.type not in ("identifier", "binary_expression") or not self.is_variable(body, use):
            return None
        name = re.escape(body.text(use))
        texts = [body.text(place) for place in body.values.get(body.text(use), ())] or re.findall(
            rf"^[\w\s*]*\b{name}\s*(?:\[[^;=]*\])?\s*[;=]", self.source, re.MULTILINE
        )
        return use if any(re.search(rf"\*\s*(?:const\s+)?{name}\b|\b{name}\s*\[", text) for text in texts) else None

    # Tables and inputs

    def is_column(self, body: Body, node: Node) -> bool:
        """Whether an expression is an element of a table of literals that the code under test is not given itself."""
        base = node
        while base.type in (*_ACCESSES, "parenthesized_expression"):
            base = named(base)[0]
        if base.type != "identifier" or not self._is_table(body, body.text(base)):
            return False
        field = part(node, "field")
        same = f".{body.text(field)}" if field is not None else body.text(node)
        given = [it for call in body.calls if self.is_foreign(body, call) for it in walk(call.children[1]) if it.type == node.type]
        return not any(body.text(it).replace("->", ".").endswith(same) for it in given)

    def _is_table(self, body: Body, name: str) -> bool:
        """Whether a variable is made of literals between braces, or goes through what is."""
        for place in body.values.get(name, ()):
            right = part(place, "right")
            if right is not None:
                return right.type == "initializer_list" or (right.type == "identifier" and self._is_table(body, body.text(right)))
            if any(it.type == "initializer_list" and any(inner.type in LITERALS for inner in walk(it)) for it in walk(place)):
                return True
        if name in body.values or body.index_of(name) >= 0:
            return False
        return re.search(rf"\b{re.escape(name)}\s*(?:\[[^;=\]]*\]\s*)*=?\s*\{{", self.source) is not None

    def is_input(self, body: Body, name: str) -> bool:
        """Whether a variable is what the code under test works with, or counts the rounds of a loop."""
        if any(above(place, "for_statement") is not None for place in body.values.get(name, ())):
            return True
        found = (self._is_asked_for(body, use, name) for use in body.uses.get(name, ()))
        return next((it for it in found if it is not None), False)

    def _is_asked_for(self, body: Body, use: Node, name: str) -> bool | None:
        """Whether code under test is given a variable where it stands; none where that is not decided there."""
        for node, parent in upward(use):
            if parent.type.endswith("statement"):
                break
            if parent.type == "call_expression":
                is_given = body.called(parent) in self.named and node == parent.children[1]
                if is_given or (self.is_foreign(body, parent) and not body.is_assertion(parent)):
                    return True
            made = declared(parent) if parent.type == "init_declarator" and part(parent, "value") == node else None
            if made is not None and body.text(made) != name:
                return self.is_input(body, body.text(made)) or self.is_derived(body, made)
        return None
