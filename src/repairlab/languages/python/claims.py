"""How the assertions of a test become calls that say what they look at; see runners/python_saying.py."""

import ast
import copy
from collections.abc import Collection, Mapping

from repairlab.languages.assertions import says_equal
from repairlab.languages.blind import BlindChecks, How
from repairlab.languages.python.origins import Function, Origins, asserts, bare_names, is_self, last_name, parameters
from repairlab.languages.python.runners.python_saying import freeze

_ORDERS: dict[type[ast.cmpop], How] = {ast.Lt: "less", ast.LtE: "at most", ast.Gt: "more", ast.GtE: "at least"}
_REVERSED: dict[How, How] = {"less": "more", "more": "less", "at most": "at least", "at least": "at most"}
_SAME = (ast.Eq, ast.Is)
_DIFFERENT = (ast.NotEq, ast.IsNot)
_LONGEST = 200
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
_EQUALITIES = """assertEqual assertEquals assertListEqual assertDictEqual assertTupleEqual assertSetEqual assertSequenceEqual
assertMultiLineEqual assertTrue assertFalse assertAlmostEqual assertAlmostEquals assertCountEqual assertItemsEqual assertRegex
assertRegexpMatches assertIsInstance"""
_CLAIMS: dict[str, type[ast.cmpop]] = dict.fromkeys(_EQUALITIES.split(), ast.Eq)
_CLAIMS.update(assertNotEqual=ast.NotEq, assertNotEquals=ast.NotEq, assertIs=ast.Is, assertIsNot=ast.IsNot)
_CLAIMS.update(assertIsNone=ast.Is, assertIsNotNone=ast.IsNot, assertIn=ast.In, assertNotIn=ast.NotIn)
_CLAIMS.update(assertLess=ast.Lt, assertLessEqual=ast.LtE, assertGreater=ast.Gt, assertGreaterEqual=ast.GtE)
_WORDS = "startswith endswith isclose allclose array_equal match search fullmatch fail"
_AMOUNTS = ("abs", "fabs")
_TELLING = frozenset(_WORDS.split())
"""Functions that are given what is expected."""


class NotBlindError(Exception):
    """Why something of a test cannot be withheld."""


class NumberedChecks(BlindChecks):
    """The checks of a file, with how they are said."""

    def __init__(self, nonce: str, first: int, opaque: Collection[str]) -> None:
        """Take the word that marks what is said, the first number, and the texts of assertions that say only whether they hold."""
        super().__init__(first)
        self.nonce, self.opaque = nonce, frozenset(opaque)


class Claims(ast.NodeTransformer):
    """A function that asserts, whose assertions are replaced; what they expected is in `dropped`."""

    def __init__(self, function: Function, origins: Origins, given: frozenset[str], checks: NumberedChecks) -> None:
        """Take where names come from, and the parameters that only ever hold what the test says."""
        self.function, self.origins, self.checks = function, origins, checks
        self.dropped: list[ast.expr] = []
        self.pure, self.made = origins.locals_of(function, given), origins.locals_of(function, given, made=True)
        self.values = origins.values | _values(function)
        self.nonce, self.opaque = checks.nonce, checks.opaque
        self.is_sure = True
        self.is_ended = False

    def rewrite(self, *, ends: bool) -> None:
        """Replace what asserts, and say at the `ends` that it has come there; NotBlindError where that cannot be done."""
        self.is_ended = ends
        self.function.body = [line for node in self.function.body for line in _as_list(self.visit(node))]
        if ends:
            self.function.body.append(self._end())

    def require_withheld(self, read: Collection[str], helpers: Collection[str]) -> None:
        """Raise NotBlindError where something is still there that is expected, with all names that the function reads."""
        for dropped in self.dropped:
            for name in bare_names(dropped):
                if name in read and name not in ("self", "cls") and name not in self.origins.imported:
                    raise NotBlindError(f"what it expects is also an input: {name}")
        for node in ast.walk(self.function):
            called = last_name(node.func) if isinstance(node, ast.Call) else ""
            if called.startswith("assert") and called not in helpers:
                raise NotBlindError(f"{called} cannot be blind")
            decides = isinstance(node, ast.If | ast.While) and _compares(node.test) and not self._is_pure(node.test)
            if decides or isinstance(node, ast.Raise | ast.Match) or (isinstance(node, ast.Try) and node.handlers):
                raise NotBlindError(f"it decides by itself in line {getattr(node, 'lineno', 0)}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave functions within the function alone, unless they assert."""
        if asserts(node):
            raise NotBlindError("a function within it asserts")
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """Say that the test has ended."""
        return [self._end(), node] if self.is_ended else [node]

    def visit_If(self, node: ast.If) -> ast.AST:
        """Replace assertions that need not be met."""
        was, self.is_sure = self.is_sure, False
        self.generic_visit(node)
        self.is_sure = was
        return node

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        """Replace an assertion."""
        return self._claim(node, node.test, is_true=True)

    def visit_With(self, node: ast.With) -> ast.AST:
        """Replace what expects an exception."""
        for item in node.items:
            call = item.context_expr
            name = last_name(call.func) if isinstance(call, ast.Call) else ""
            if isinstance(call, ast.Call) and name in _RAISES:
                item.context_expr = self._caught(call, call.args)
            elif isinstance(call, ast.Call) and name == "subTest":
                call.args, call.keywords = [], []
            elif name in ("warns", "deprecated_call") or name.startswith("assert"):
                raise NotBlindError(f"{name} cannot be blind")
        self.generic_visit(node)
        return node

    def _caught(self, call: ast.Call, given: list[ast.expr]) -> ast.expr:
        """Return what takes an exception instead of a call that expects one of certain classes, and perhaps a message."""
        patterns = [keyword.value for keyword in call.keywords if keyword.arg == "match"] + given[1:]
        if not given or len(patterns) > 1 or any(keyword.arg not in ("match", "msg") for keyword in call.keywords):
            raise NotBlindError("what it expects to be raised is computed")
        names = [last_name(kind) for kind in (given[0].elts if isinstance(given[0], ast.Tuple) else given[:1])]
        if not all(names):
            raise NotBlindError("what it expects to be raised is computed")
        numbers = [self._check(call, "raised", expected=freeze(names))]
        for pattern in patterns:
            if not (literal := self._literal(pattern)):
                raise NotBlindError("the message that it expects is computed")
            numbers.append(self._check(call, "matches", expected=literal))
        return self._called("__repairlab_caught__", *map(ast.Constant, numbers))

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        """Replace an assertion of unittest."""
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and is_self(call.func.value):
            name, given = call.func.attr, call.args
            if name in _RAISES and len(given) > (n := 1 + ("Regex" in name)):
                body = ast.Expr(ast.Call(func=given[n], args=given[n + 1 :], keywords=call.keywords))
                bare = ast.Call(func=call.func, args=given[:n], keywords=[])
                return [ast.With(items=[ast.withitem(self._caught(bare, given[:n]))], body=[body])]
            if name == "fail":
                call.args, call.keywords = [], []
            elif claim := self._unittest_claim(node, name, call):
                return claim
        return [node]

    def _unittest_claim(self, node: ast.Expr, name: str, call: ast.Call) -> list[ast.stmt]:
        """Return what says what an assertion of unittest looks at; nothing where it is none that is known."""
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        given = [*call.args, *(named[key] for key in ("first", "second", "expr") if key in named)]
        n_given = 1 if name in ("assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone") else 2
        if name not in _CLAIMS or len(given) < n_given:
            return []
        if name in ("assertAlmostEqual", "assertAlmostEquals"):
            return self._near(node, given[0], given[1], _tolerance(given[2:], named))
        if name in ("assertCountEqual", "assertItemsEqual"):
            return self._related(node, given[0], given[1], "same items")
        if name in ("assertRegex", "assertRegexpMatches"):
            return self._told(node, given[0], given[1], "matches")
        if name == "assertIsInstance":
            return self._is_instance(node, given[0], given[1])
        if n_given == 1:
            claim = given[0]
            if name.startswith("assertIsN"):
                claim = ast.Compare(
                    left=claim, ops=[ast.Is() if name == "assertIsNone" else ast.IsNot()], comparators=[ast.Constant(None)]
                )
            return self._claim(node, claim, is_true=name != "assertFalse")
        return self._claim(node, ast.Compare(left=given[0], ops=[_CLAIMS[name]()], comparators=[given[1]]), is_true=True)

    def _claim(self, node: ast.stmt, claim: ast.expr, *, is_true: bool) -> list[ast.stmt]:
        """Return what says what a claim looks at."""
        if isinstance(claim, ast.UnaryOp) and isinstance(claim.op, ast.Not):
            return self._claim(node, claim.operand, is_true=not is_true)
        if isinstance(claim, ast.BoolOp) and isinstance(claim.op, ast.And) and is_true:
            return [line for part in claim.values for line in self._claim(node, part, is_true=True)]
        if isinstance(claim, ast.Compare) and len(claim.ops) == 1:
            operator = claim.ops[0]
            if isinstance(operator, ast.In | ast.NotIn):
                return self._member(node, claim.left, claim.comparators[0], is_in=isinstance(operator, ast.In) is is_true)
            if isinstance(operator, _SAME + _DIFFERENT):
                return self._equal(node, claim.left, claim.comparators[0], is_equal=isinstance(operator, _SAME) is is_true)
            if is_true:
                return self._ordered(node, claim.left, claim.comparators[0], _ORDERS[type(operator)])
        if isinstance(claim, ast.Call) and is_true and (said := self._of_call(node, claim)):
            return said
        return self._truth(node, claim, is_true=is_true)

    def _of_call(self, node: ast.stmt, call: ast.Call) -> list[ast.stmt]:
        """Return what says what a function looks at that is known to compare; nothing where it is another."""
        name, given = last_name(call.func), [] if call.keywords else call.args
        if name == "isinstance" and len(given) == len(("value", "class")):
            return self._is_instance(node, *given)
        if name == "isclose" and len(given) == len(("one", "other")):
            return self._near(node, given[0], given[1], "1e-9r")
        if name == "all" and len(given) == 1 and isinstance(given[0], ast.GeneratorExp):
            return self._each(node, given[0])
        return []

    def _truth(self, node: ast.stmt, claim: ast.expr, *, is_true: bool) -> list[ast.stmt]:
        if _compares(claim):
            raise NotBlindError(f"a comparison within another expression: {ast.unparse(claim)[:60]}")
        self._require_plain(claim)
        said = ast.Call(func=ast.Name("bool", ast.Load()), args=[claim], keywords=[])
        return [self._say(said, self._check(node, "equal", expected=freeze(is_true)))]

    def _require_plain(self, claim: ast.expr) -> None:
        """Raise NotBlindError where a claim holds what is expected within a call."""
        for call in (node for node in ast.walk(claim) if isinstance(node, ast.Call)):
            if last_name(call.func) in _TELLING or says_equal(last_name(call.func)):
                raise NotBlindError(f"what it expects is given to {last_name(call.func)}")

    def _each(self, node: ast.stmt, every: ast.GeneratorExp) -> list[ast.stmt]:
        """Return a loop that says what each of all claims looks at."""
        lines = self._claim(node, every.elt, is_true=True)
        for loop in reversed(every.generators):
            for condition in reversed(loop.ifs):
                lines = [ast.If(test=condition, body=lines, orelse=[])]
            lines = [ast.For(target=loop.target, iter=loop.iter, body=lines, orelse=[])]
        return lines

    def _is_instance(self, node: ast.stmt, value: ast.expr, classes: ast.expr) -> list[ast.stmt]:
        names = [last_name(kind) for kind in (classes.elts if isinstance(classes, ast.Tuple) else [classes])]
        if not all(names):
            raise NotBlindError(f"a comparison within another expression: {ast.unparse(node)[:60]}")
        number = self._check(node, "raised", expected=freeze(names))
        return [self._call("__repairlab_classes__", ast.Constant(number), value)]

    def _near(self, node: ast.stmt, left: ast.expr, right: ast.expr, tolerance: str) -> list[ast.stmt]:
        if not tolerance:
            raise NotBlindError("how near it wants a number is computed")
        return self._related(node, left, right, "near", tolerance)

    def _related(self, node: ast.stmt, left: ast.expr, right: ast.expr, how: How, tolerance: str = "") -> list[ast.stmt]:
        """Return what says the side of a relation that comes from the program; both, where both do."""
        actual, expected = self._sides(left, right)
        if expected is None:
            return self._pair(node, left, right, how, tolerance)
        self.dropped.append(expected)
        number = self._check(node, how, expected=self._literal(expected), tolerance=tolerance)
        return [self._say(actual, number)]

    def _told(self, node: ast.stmt, actual: ast.expr, expected: ast.expr, how: How) -> list[ast.stmt]:
        """Return what says a value of which a literal tells something."""
        if not (literal := self._literal(expected)):
            raise NotBlindError(f"what it expects is computed: {ast.unparse(expected)[:60]}")
        self.dropped.append(expected)
        return [self._say(actual, self._check(node, how, expected=literal))]

    def _member(self, node: ast.stmt, part: ast.expr, whole: ast.expr, *, is_in: bool) -> list[ast.stmt]:
        if self._is_pure(whole) and not self._is_pure(part):
            return self._told(node, part, whole, "in" if is_in else "not in")
        literal = self._literal(part)
        if literal and text_of(node) not in self.opaque:
            self.dropped.append(part)
            return [self._say(whole, self._check(node, "contains" if is_in else "lacks", expected=literal))]
        said = ast.Compare(left=part, ops=[ast.In()], comparators=[whole])
        return [self._say(said, self._check(node, "equal", expected=freeze(is_in)))]

    def _equal(self, node: ast.stmt, left: ast.expr, right: ast.expr, *, is_equal: bool) -> list[ast.stmt]:
        for near, other in ((right, left), (left, right)):
            if is_equal and isinstance(near, ast.Call) and last_name(near.func) == "approx" and near.args:
                named = {keyword.arg: keyword.value for keyword in near.keywords}
                return self._near(node, other, near.args[0], _approximation(near.args[1:], named))
        actual, expected = self._sides(left, right)
        how: How = "equal" if is_equal else "different"
        if expected is None:
            return self._pair(node, left, right, how)
        literal = self._literal(expected)
        if not is_equal and not literal:
            return self._pair(node, left, right, how)
        self.dropped.append(expected)
        return [self._say(actual, self._check(node, how, expected=literal))]

    def _ordered(self, node: ast.stmt, left: ast.expr, right: ast.expr, how: How) -> list[ast.stmt]:
        match left:
            case ast.Call(func=function, args=[ast.BinOp(left=one, op=ast.Sub(), right=other)]) if last_name(function) in _AMOUNTS:
                if how in ("less", "at most"):
                    return self._near(node, one, other, _tolerance([], {"delta": right}))
        for actual, expected, relation in ((left, right, how), (right, left, _REVERSED[how])):
            if (literal := self._literal(expected)) and not self._is_pure(actual):
                self.dropped.append(expected)
                return [self._say(actual, self._check(node, relation, expected=literal))]
        if self._is_pure(left) or self._is_pure(right):
            raise NotBlindError(f"the bound is computed: {ast.unparse(node)[:60]}")
        return self._pair(node, left, right, how)

    def _pair(self, node: ast.stmt, left: ast.expr, right: ast.expr, how: How, tolerance: str = "") -> list[ast.stmt]:
        sides = [self._is_pure(side) or self._is_made(side) for side in (left, right)]
        if all(sides):
            raise NotBlindError(f"it compares nothing of the program's: {ast.unparse(node)[:60]}")
        both = ast.List([left, right], ast.Load())
        return [self._say(both, self._check(node, how, of_two=True, tolerance=tolerance))]

    def _sides(self, left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr | None]:
        """Return which side of an equality comes from the program, and which is expected; none where both come from it."""
        for expected, actual in ((right, left), (left, right)):
            if self.origins.is_constant(expected) and not self.origins.is_constant(actual):
                return actual, expected
        for expected, actual in ((right, left), (left, right)):
            if self._is_pure(expected) and not self._is_pure(actual):
                return actual, expected
        for expected, actual in ((right, left), (left, right)):
            if self._is_made(expected) and not self._is_made(actual):
                return actual, expected
        for expected, actual in ((right, left), (left, right)):
            if last_name(expected) in parameters(self.function) and not isinstance(actual, ast.Name):
                return actual, expected
        return left, None

    def _is_pure(self, node: ast.expr) -> bool:
        return self.origins.is_pure(node, self.pure)

    def _is_made(self, node: ast.expr) -> bool:
        return self.origins.is_made(node, self.made)

    def _literal(self, node: ast.expr) -> str:
        """Return the frozen value of a literal, or of a name that only ever stands for one; nothing where it is computed."""
        try:
            return freeze(ast.literal_eval(_Resolved(self.values).visit(copy.deepcopy(node))))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return ""

    def _say(self, value: ast.expr, number: int) -> ast.stmt:
        return self._call("__repairlab_say__", ast.Constant(number), value)

    def _call(self, name: str, *arguments: ast.expr) -> ast.stmt:
        return ast.Expr(self._called(name, *arguments))

    def _called(self, name: str, *arguments: ast.expr) -> ast.expr:
        return ast.Call(func=ast.Name(name, ast.Load()), args=[ast.Constant(self.nonce), *arguments], keywords=[])

    def _end(self) -> ast.stmt:
        return self._call("__repairlab_end__", ast.Constant(self.function.name))

    def _check(self, node: ast.AST, how: How, *, expected: str = "", tolerance: str = "", of_two: bool = False) -> int:
        line = getattr(node, "lineno", 0)
        return self.checks.add(line, text_of(node), how, expected, tolerance, of_two=of_two, always=self.is_sure)


class _Resolved(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._values.get(node.id)
        return node if value is None else self.visit(copy.deepcopy(value))


def values_in(lines: Collection[ast.AST]) -> dict[str, ast.expr]:
    """Return the names that statements give a value to just once, and that value."""
    given: dict[str, list[ast.expr | None]] = {}
    for node in lines:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            given.setdefault(node.id, []).append(None)
    # Each assignment is met twice, as a statement and as a name.
    return {name: values[0] for name, values in given.items() if len(values) == len((None, "value")) and values[0] is not None}


def _values(function: ast.AST) -> dict[str, ast.expr]:
    return values_in(list(ast.walk(function)))


def text_of(node: ast.AST) -> str:
    """Return an assertion in one line."""
    return " ".join(ast.unparse(node).split())[:_LONGEST]


def _as_list(made: object) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made] if isinstance(made, ast.stmt) else []


def _compares(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Compare) for part in ast.walk(node))


def _tolerance(places: list[ast.expr], named: Mapping[str | None, ast.expr]) -> str:
    """Return how near unittest wants a number; nothing where that is computed."""
    try:
        if "delta" in named:
            return repr(float(ast.literal_eval(named["delta"])))
        digits = ast.literal_eval(places[0] if places else named.get("places", ast.Constant(7)))
        return repr(0.5 * 10.0 ** -int(digits))
    except (ValueError, TypeError):
        return ""


def _approximation(given: list[ast.expr], named: Mapping[str | None, ast.expr]) -> str:
    """Return how near `pytest.approx` wants a number; nothing where that is computed."""
    values: dict[str | None, ast.expr] = {**dict(zip(("rel", "abs"), given, strict=False)), **named}
    try:
        told = {name: repr(float(ast.literal_eval(values[name]))) for name in ("rel", "abs") if name in values}
    except (ValueError, TypeError):
        return ""
    if "abs" in told and "rel" not in told:
        return told["abs"]
    return f"{told.get('rel', '1e-06')}r {told.get('abs', '1e-12')}"
