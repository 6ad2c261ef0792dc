"""Blind test files of pytest and unittest: without what they expect, comments, doc strings, and tests that cannot be blind."""

import ast
from collections.abc import Collection, Iterator

from repairlab.core.recipe import Framework
from repairlab.languages.blind import BlindFile
from repairlab.languages.python.claims import Claims, NotBlindError, NumberedChecks
from repairlab.languages.python.origins import FUNCTIONS, Function, Origins, asserts, is_test, loaded, parameters
from repairlab.languages.python.tables import columns_of
from repairlab.languages.python.withholding import Withholding, arguments_of, calls_of, loaded_in_body


def blind(source: str, framework: Framework, nonce: str, first: int, opaque: Collection[str] = ()) -> BlindFile:
    """Return a test file without its expectations.

    Assertions with the texts in `opaque` look at values that cannot be taken apart: they say whether they hold.
    """
    del framework  # both kinds of assertions may stand in a file
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return BlindFile(text="")
    return _File(tree, NumberedChecks(nonce, first, opaque)).blinded()


class _File:
    """One test file."""

    def __init__(self, tree: ast.Module, checks: NumberedChecks) -> None:
        self._tree, self._checks = tree, checks
        self._origins = Origins(tree)
        self._reasons: dict[str, str] = {}
        self._lost: dict[Function, str] = {}
        """Functions that cannot be blind, and why."""

    def blinded(self) -> BlindFile:
        """Replace assertions, and take out what they expected."""
        claims = dict(self._claims())
        withholding = Withholding(self._tree, self._origins, claims)
        for function, claim in claims.items():
            try:
                claim.rewrite(ends=is_test(function))
            except NotBlindError as error:
                withholding.reasons[function] = str(error)
        while True:
            withholding.settle()
            if not self._give_up(withholding):
                break
        _without_texts(self._tree)
        text = ast.unparse(ast.fix_missing_locations(self._tree)) + "\n"
        names = {old: new for function in withholding.claims for old, new in withholding.names.get(function, {}).items()}
        return BlindFile(text=text, checks=tuple(self._checks.made), open=self._reasons, names=names)

    def _claims(self) -> Iterator[tuple[Function, Claims]]:
        """Yield the tests and the functions that assert something for them."""
        given = self._given()
        for function, names in given.items():
            yield function, Claims(function, self._origins, names, self._checks)

    def _given(self) -> dict[Function, frozenset[str]]:
        """Return the parameters that only ever hold what the test says: columns of tables, and what helpers are given."""
        functions = [node for body in _bodies(self._tree) for node in body if isinstance(node, FUNCTIONS)]
        functions = [node for node in functions if is_test(node) or asserts(node)]
        given = {function: frozenset(columns_of(function)) & frozenset(parameters(function)) for function in functions}
        given |= {node: given[node] | (frozenset(parameters(node)) & self._origins.library) for node in functions}
        given |= {node: frozenset(parameters(node)) for node in functions if not is_test(node)}
        while True:
            found = dict(given)
            for helper in functions:
                if not is_test(helper):
                    found[helper] = frozenset(name for name in given[helper] if self._is_given(helper, name, given))
            if found == given:
                return given
            given = found

    def _is_given(self, helper: Function, name: str, given: dict[Function, frozenset[str]]) -> bool:
        """Return whether all calls give a parameter of a helper what the test says, or makes of that."""
        for caller, call in calls_of(self._tree, helper, given):
            arguments = arguments_of(helper, call)
            if arguments is None:
                return False
            pure = self._origins.locals_of(caller, given.get(caller, frozenset()), made=True) if caller else self._origins.constants
            value = arguments.get(name)
            if value is not None and not (self._origins.is_pure(value, pure) or self._origins.is_made(value, pure)):
                return False
        return True

    def _give_up(self, withholding: Withholding) -> bool:
        """Take out functions that cannot be blind; return whether there were any."""
        lost: dict[Function, str] = {}
        gone = {function.name: why for function, why in self._lost.items()}
        for function, claim in withholding.claims.items():
            try:
                self._require(withholding, function, claim, gone)
            except NotBlindError as error:
                lost[function] = str(error)
        self._lost |= lost
        for function, why in lost.items():
            del withholding.claims[function]
            if is_test(function):
                self._reasons[function.name] = why
        for body in _bodies(self._tree):
            body[:] = [ast.Pass() if line in lost else line for line in body]
        return bool(lost)

    def _require(self, withholding: Withholding, function: Function, claim: Claims, gone: dict[str, str]) -> None:
        if function in withholding.reasons:
            raise NotBlindError(withholding.reasons[function])
        read = loaded_in_body(function)
        claim.require_withheld(read, {helper.name for helper in withholding.claims})
        lost = [name for name in read if name in gone and not name.startswith("test")]
        if lost:
            raise NotBlindError(f"{lost[0]} asserts for it, and: {gone[lost[0]]}")
        expected = {name for part in claim.dropped for name in loaded(part)}
        for name in expected & set(parameters(function)) - read - withholding.withheld[function]:
            raise NotBlindError(f"it is given what it expects: {name}")


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yield the module's body and those of its classes."""
    yield tree.body
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.body


def _without_texts(tree: ast.Module) -> None:
    """Take out texts that stand by themselves, such as doc strings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [line for line in body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
            body[:] = kept or [ast.Pass()]
