"""Blind test files of pytest and unittest: assertions become calls that say what they look at; see runners/python_saying.py."""

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping

from repairlab.core.recipe import Framework
from repairlab.languages.blind import BlindCheck, BlindFile, How
from repairlab.languages.python.runners.python_saying import freeze

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ORDERS: dict[type[ast.cmpop], How] = {ast.Lt: "less", ast.LtE: "at most", ast.Gt: "more", ast.GtE: "at least"}
_REVERSED: dict[How, How] = {"less": "more", "more": "less", "at most": "at least", "at least": "at most"}
_SAME = (ast.Eq, ast.Is)
_DIFFERENT = (ast.NotEq, ast.IsNot)


class NotBlindError(Exception):
    """Why something of a test cannot be withheld."""


def blind(source: str, framework: Framework, nonce: str, first: int, opaque: Collection[str] = ()) -> BlindFile:
    """Return a test file without its expectations: without comments, doc strings, and tests that cannot be blind.

    Assertions with the texts in `opaque` look at something of which nothing can be said but whether it has what they look for.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return BlindFile(text="")
    return _File(tree, framework, nonce, first, opaque).blinded()


class _File:
    """One test file."""

    def __init__(self, tree: ast.Module, framework: Framework, nonce: str, first: int, opaque: Collection[str]) -> None:
        self.tree, self.framework, self.nonce, self.opaque = tree, framework, nonce, frozenset(opaque)
        self.checks: list[BlindCheck] = []
        self.first = first
        self.library = _library_names(tree)
        self.library |= _own_functions(tree, self.library)
        self.constants = _constants(tree.body, self.library)

    def blinded(self) -> BlindFile:
        reasons: dict[str, str] = {}
        helpers = {
            node.name for node in ast.walk(self.tree) if isinstance(node, _FUNCTIONS) and not _is_test(node) and _asserts(node)
        }
        for body in _bodies(self.tree):
            for function in [node for node in body if isinstance(node, _FUNCTIONS) and _is_test(node)]:
                n_checks = len(self.checks)
                try:
                    _Test(self, function, helpers).rewrite()
                except NotBlindError as error:
                    reasons[function.name] = str(error)
                    del self.checks[n_checks:]
                    body.remove(function)
                    body.append(ast.Pass())
        for body in _bodies(self.tree):
            body[:] = [node for node in body if not (isinstance(node, _FUNCTIONS) and node.name in helpers and not _is_test(node))]
        _without_texts(self.tree)
        _without_dead_values(self.tree)
        text = ast.unparse(ast.fix_missing_locations(self.tree)) + "\n"
        return BlindFile(text=text, checks=tuple(self.checks), open=reasons)

    def check(
        self, node: ast.AST, how: How, *, expected: str = "", tolerance: str = "", of_two: bool = False, always: bool = True
    ) -> int:
        """Note a check and return its number."""
        number = self.first + len(self.checks)
        line, text = getattr(node, "lineno", 0), _text(node)
        given = {"expected": expected, "tolerance": tolerance, "of_two": of_two, "always": always}
        self.checks.append(BlindCheck(number=number, line=line, text=text, how=how, **given))  # type: ignore[arg-type]
        return number


_LONGEST = 200


class _Test(ast.NodeTransformer):
    """One test function, whose assertions are replaced."""

    def __init__(self, file: _File, function: ast.FunctionDef | ast.AsyncFunctionDef, helpers: Iterable[str]) -> None:
        self.file, self.function, self.helpers = file, function, frozenset(helpers)
        self.dropped: list[ast.expr] = []
        self.pure = file.constants | _pure_locals(function, file)
        self.is_sure = True

    def rewrite(self) -> None:
        """Replace what asserts; NotBlindError where that cannot be done."""
        self.function.body = [line for node in self.function.body for line in _as_list(self.visit(node))]
        self.function.body.append(self._call("__repairlab_end__", ast.Constant(self.function.name)))
        _without_dead_values(self.function)
        self._require_withheld()

    def _require_withheld(self) -> None:
        """Raise NotBlindError where something that a test expects is still there."""
        parameters = [argument.arg for argument in ast.walk(self.function.args) if isinstance(argument, ast.arg)]
        loaded = _loaded(self.function)
        for name in parameters:
            if name not in loaded and name != "self" and any(name in _names(dropped) for dropped in self.dropped):
                raise NotBlindError(f"it is given what it expects: {name}")
        for dropped in self.dropped:
            for name in _bare_names(dropped):
                if name in loaded and name not in ("self", "cls"):
                    raise NotBlindError(f"what it expects is also an input: {name}")
        for node in ast.walk(self.function):
            called = _last_name(node.func) if isinstance(node, ast.Call) else ""
            if called.startswith("assert"):
                raise NotBlindError(f"{called} cannot be blind")
            if called in self.helpers:
                raise NotBlindError(f"{called} asserts for it")
            decides = isinstance(node, ast.If | ast.While) and _compares(node.test) and not self._is_pure(node.test)
            if decides or isinstance(node, ast.Raise | ast.Match) or (isinstance(node, ast.Try) and node.handlers):
                raise NotBlindError(f"it decides by itself in line {getattr(node, 'lineno', 0)}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if _asserts(node):
            raise NotBlindError("a function within it asserts")
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        return [self._call("__repairlab_end__", ast.Constant(self.function.name)), node]

    def visit_If(self, node: ast.If) -> ast.AST:
        was, self.is_sure = self.is_sure, False
        self.generic_visit(node)
        self.is_sure = was
        return node

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        return self._claim(node, node.test, is_true=True)

    def visit_With(self, node: ast.With) -> ast.AST:
        for item in node.items:
            call = item.context_expr
            name = _last_name(call.func) if isinstance(call, ast.Call) else ""
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
        names = [_last_name(kind) for kind in (given[0].elts if isinstance(given[0], ast.Tuple) else given[:1])]
        if not all(names):
            raise NotBlindError("what it expects to be raised is computed")
        numbers = [self.file.check(call, "raised", expected=freeze(names), always=self.is_sure)]
        for pattern in patterns:
            if not (literal := _literal(pattern)):
                raise NotBlindError("the message that it expects is computed")
            numbers.append(self.file.check(call, "matches", expected=literal, always=self.is_sure))
        return self._called("__repairlab_caught__", *map(ast.Constant, numbers))

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_self(call.func.value):
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
        name, given = _last_name(call.func), [] if call.keywords else call.args
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
        return [self._say(said, self.file.check(node, "equal", expected=freeze(is_true), always=self.is_sure))]

    def _require_plain(self, claim: ast.expr) -> None:
        """Raise NotBlindError where a claim holds what is expected within a call."""
        for call in (node for node in ast.walk(claim) if isinstance(node, ast.Call)):
            if _last_name(call.func) in _TELLING:
                raise NotBlindError(f"what it expects is given to {_last_name(call.func)}")

    def _each(self, node: ast.stmt, every: ast.GeneratorExp) -> list[ast.stmt]:
        """Return a loop that says what each of all claims looks at."""
        lines = self._claim(node, every.elt, is_true=True)
        for loop in reversed(every.generators):
            for condition in reversed(loop.ifs):
                lines = [ast.If(test=condition, body=lines, orelse=[])]
            lines = [ast.For(target=loop.target, iter=loop.iter, body=lines, orelse=[])]
        return lines

    def _is_instance(self, node: ast.stmt, value: ast.expr, classes: ast.expr) -> list[ast.stmt]:
        names = [_last_name(kind) for kind in (classes.elts if isinstance(classes, ast.Tuple) else [classes])]
        if not all(names):
            raise NotBlindError(f"a comparison within another expression: {ast.unparse(node)[:60]}")
        number = self.file.check(node, "raised", expected=freeze(names), always=self.is_sure)
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
        number = self.file.check(node, how, expected=_literal(expected), tolerance=tolerance, always=self.is_sure)
        return [self._say(actual, number)]

    def _told(self, node: ast.stmt, actual: ast.expr, expected: ast.expr, how: How) -> list[ast.stmt]:
        """Return what says a value of which a literal tells something."""
        if not (literal := _literal(expected)):
            raise NotBlindError(f"what it expects is computed: {ast.unparse(expected)[:60]}")
        return [self._say(actual, self.file.check(node, how, expected=literal, always=self.is_sure))]

    def _member(self, node: ast.stmt, part: ast.expr, whole: ast.expr, *, is_in: bool) -> list[ast.stmt]:
        if self._is_pure(whole) and not self._is_pure(part):
            literal = _literal(whole)
            self.dropped.append(whole)
            return (
                self._told(node, part, whole, "in" if is_in else "not in")
                if literal
                else self._related(node, part, whole, "equal" if is_in else "different")
            )
        literal = _literal(part)
        if literal and _text(node) not in self.file.opaque:
            self.dropped.append(part)
            return [
                self._say(whole, self.file.check(node, "contains" if is_in else "lacks", expected=literal, always=self.is_sure))
            ]
        said = ast.Compare(left=part, ops=[ast.In()], comparators=[whole])
        return [self._say(said, self.file.check(node, "equal", expected=freeze(is_in), always=self.is_sure))]

    def _equal(self, node: ast.stmt, left: ast.expr, right: ast.expr, *, is_equal: bool) -> list[ast.stmt]:
        for near, other in ((right, left), (left, right)):
            if is_equal and isinstance(near, ast.Call) and _last_name(near.func) == "approx" and near.args:
                named = {keyword.arg: keyword.value for keyword in near.keywords}
                return self._near(node, other, near.args[0], _approximation(near.args[1:], named))
        actual, expected = self._sides(left, right)
        how: How = "equal" if is_equal else "different"
        if expected is None:
            return self._pair(node, left, right, how)
        literal = _literal(expected)
        if not is_equal and not literal:
            return self._pair(node, left, right, how)
        self.dropped.append(expected)
        return [self._say(actual, self.file.check(node, how, expected=literal, always=self.is_sure))]

    def _ordered(self, node: ast.stmt, left: ast.expr, right: ast.expr, how: How) -> list[ast.stmt]:
        for actual, expected, relation in ((left, right, how), (right, left, _REVERSED[how])):
            if (literal := _literal(expected)) and not self._is_pure(actual):
                self.dropped.append(expected)
                return [self._say(actual, self.file.check(node, relation, expected=literal, always=self.is_sure))]
        return self._pair(node, left, right, how)

    def _pair(self, node: ast.stmt, left: ast.expr, right: ast.expr, how: How, tolerance: str = "") -> list[ast.stmt]:
        if self._is_pure(left) and self._is_pure(right):
            raise NotBlindError(f"it compares nothing of the program's: {ast.unparse(node)[:60]}")
        both = ast.List([left, right], ast.Load())
        return [self._say(both, self.file.check(node, how, of_two=True, tolerance=tolerance, always=self.is_sure))]

    def _sides(self, left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr | None]:
        """Return which side of an equality comes from the program, and which is expected; none where both come from it."""
        for expected, actual in ((right, left), (left, right)):
            if _is_constant(expected, self.file.library) and not _is_constant(actual, self.file.library):
                return actual, expected
        for expected, actual in ((right, left), (left, right)):
            if self._is_pure(expected) and not self._is_pure(actual):
                return actual, expected
        for expected, actual in ((right, left), (left, right)):
            if self._is_made(expected) and not self._is_made(actual):
                return actual, expected
        return left, None

    def _is_made(self, node: ast.expr) -> bool:
        """Return whether an expression names a constant of the program, or makes one of its objects of what the test says."""
        if isinstance(node, ast.Attribute):
            name = _root(node)
            return name[:1].isupper() and isinstance(node.value, ast.Name | ast.Attribute)
        if isinstance(node, ast.Call):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            return _last_name(node.func)[:1].isupper() and all(self._is_pure(part) or self._is_made(part) for part in arguments)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return all(self._is_pure(part) or self._is_made(part) for part in node.elts)
        return False

    def _is_pure(self, node: ast.expr) -> bool:
        return _is_pure(node, self.pure, self.file.library)

    def _say(self, value: ast.expr, number: int) -> ast.stmt:
        return self._call("__repairlab_say__", ast.Constant(number), value)

    def _call(self, name: str, *arguments: ast.expr) -> ast.stmt:
        return ast.Expr(self._called(name, *arguments))

    def _called(self, name: str, *arguments: ast.expr) -> ast.expr:
        return ast.Call(func=ast.Name(name, ast.Load()), args=[ast.Constant(self.file.nonce), *arguments], keywords=[])


_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
_EQUALITIES = """assertEqual assertEquals assertListEqual assertDictEqual assertTupleEqual assertSetEqual assertSequenceEqual
assertMultiLineEqual assertTrue assertFalse assertAlmostEqual assertAlmostEquals assertCountEqual assertItemsEqual assertRegex
assertRegexpMatches assertIsInstance"""
_CLAIMS: dict[str, type[ast.cmpop]] = dict.fromkeys(_EQUALITIES.split(), ast.Eq)
_CLAIMS.update(assertNotEqual=ast.NotEq, assertNotEquals=ast.NotEq, assertIs=ast.Is, assertIsNot=ast.IsNot)
_CLAIMS.update(assertIsNone=ast.Is, assertIsNotNone=ast.IsNot, assertIn=ast.In, assertNotIn=ast.NotIn)
_CLAIMS.update(assertLess=ast.Lt, assertLessEqual=ast.LtE, assertGreater=ast.Gt, assertGreaterEqual=ast.GtE)
_WORDS = "startswith endswith isclose allclose array_equal match search fullmatch fail"
_TELLING = frozenset(_WORDS.split())
"""Functions that are given what is expected."""
_PURE = """len range list tuple dict set frozenset sorted str int float bool bytes bytearray min max sum abs round zip enumerate
repr chr ord divmod pow reversed complex map filter"""
_PURE_CALLS = frozenset(_PURE.split())


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:_LONGEST]


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, _FUNCTIONS) and node.name.startswith("test")


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yield the module's body and those of its classes."""
    yield tree.body
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.body


def _asserts(function: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and _is_claim(_last_name(node.func)))
        for node in ast.walk(function)
    )


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


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


def _is_claim(name: str) -> bool:
    return name.startswith(("assert", "fail")) or name in ("raises", "warns")


def _as_list(made: object) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made] if isinstance(made, ast.stmt) else []


def _last_name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _loaded(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store)}


def _bare_names(node: ast.expr) -> Iterator[str]:
    """Yield the names whose values are part of what an expression gives, as they are."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for part in node.elts:
            yield from _bare_names(part)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _bare_names(value)
    elif isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        yield from _bare_names(node.value)


def _compares(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Compare) for part in ast.walk(node))


def _library_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that a file imports from the standard library."""
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if alias.name.partition(".")[0] in sys.stdlib_module_names]
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
        elif (
            isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in sys.stdlib_module_names
        ):
            found |= {alias.asname or alias.name for alias in node.names}
    return frozenset(found)


def _own_functions(tree: ast.Module, library: frozenset[str]) -> frozenset[str]:
    """Return the functions of a test file that make no use of the program."""
    functions = {
        node.name: node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and not _is_test(node) and not _asserts(node)
    }
    globals_ = {
        node.id for line in tree.body for node in ast.walk(line) if isinstance(line, ast.Assign) and isinstance(node, ast.Name)
    }
    own = set(functions)
    while True:
        known = library | own | globals_ | frozenset(vars(builtins))
        found = {name for name in own if _loaded(functions[name]) <= known | _bound(functions[name])}
        if found == own:
            return frozenset(own)
        own = found


def _bound(function: ast.AST) -> set[str]:
    """Return the names that a function gives values to; without what holds it, which may be the program's."""
    parameters = {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)} - {"self", "cls"}
    return parameters | {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _constants(body: list[ast.stmt], library: frozenset[str]) -> frozenset[str]:
    """Return the names of a module that are given pure values."""
    found = frozenset[str]()
    for node in body:
        is_named = isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets)
        if isinstance(node, ast.Assign) and is_named and _is_pure(node.value, found, library):
            found |= {_last_name(target) for target in node.targets}
    return found


def _pure_locals(function: ast.AST, file: _File) -> frozenset[str]:
    """Return the names of a function that only ever hold what the test itself says."""
    given: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name in _names(target):
                    given.setdefault(name, []).append(node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            for name in _names(node.target):
                given.setdefault(name, []).append(node.iter)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            for name in _names(node.target):
                given.setdefault(name, []).append(node.value)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            for name in _names(node.optional_vars):
                given.setdefault(name, []).append(None)
    pure = file.constants
    while True:
        found = {name for name, values in given.items() if all(value and _is_pure(value, pure, file.library) for value in values)}
        if found <= pure:
            return pure
        pure |= found


def _is_constant(node: ast.expr, library: frozenset[str]) -> bool:
    return _is_pure(node, frozenset(), library)


def _is_pure(node: ast.expr, pure: frozenset[str], library: frozenset[str]) -> bool:
    """Return whether an expression is made of what the test says alone, without the program."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in pure
        case ast.Call(func=function, args=args, keywords=keywords):
            if isinstance(function, ast.Name):
                is_known = function.id in library or (function.id in _PURE_CALLS and hasattr(builtins, function.id))
            else:
                is_known = isinstance(function, ast.Attribute) and (
                    _root(function) in library or _is_pure(function.value, pure, library)
                )
            return is_known and all(_is_pure(part, pure, library) for part in (*args, *(keyword.value for keyword in keywords)))
        case ast.Attribute(value=value):
            return _root(node) in library or _is_pure(value, pure, library)
        case ast.ListComp(generators=loops) | ast.SetComp(generators=loops) | ast.GeneratorExp(generators=loops):
            bound = pure | {name for loop in loops for name in _names(loop.target)}
            parts = [node.elt, *(part for loop in loops for part in (loop.iter, *loop.ifs))]
            return all(_is_pure(part, bound, library) for part in parts)
        case ast.Lambda() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.NamedExpr() | ast.DictComp():
            return False
        case ast.JoinedStr(values=values):
            return all(isinstance(part, ast.Constant) or _is_pure(part.value, pure, library) for part in values)  # type: ignore[attr-defined]
    return all(_is_pure(part, pure, library) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def _literal(node: ast.expr) -> str:
    """Return the frozen value of a literal, or nothing."""
    try:
        return freeze(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""


def _without_texts(tree: ast.Module) -> None:
    """Take out texts that stand by themselves, such as doc strings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [line for line in body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
            body[:] = kept or [ast.Pass()]


def _without_dead_values(tree: ast.AST) -> None:
    """Give the value None to names that nothing uses any more."""
    while True:
        loaded, changed = _loaded(tree), False
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assign) or (isinstance(node.value, ast.Constant) and node.value.value is None):
                continue
            names = {name for target in node.targets for name in _names(target)}
            if all(isinstance(target, ast.Name) for target in node.targets) and not names & loaded and _is_unused(node.value):
                node.value, changed = ast.Constant(None), True
        if not changed:
            return


def _is_unused(node: ast.expr) -> bool:
    """Return whether nothing happens where an expression is left out."""
    return not any(isinstance(part, ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr) for part in ast.walk(node))
