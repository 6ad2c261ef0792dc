"""Taking out of a test file what nothing uses any more once its assertions say what they look at: all that was only expected."""

import ast
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping

from repairlab.languages.python.claims import Claims, NotBlindError
from repairlab.languages.python.origins import FUNCTIONS, Function, Origins, is_self, last_name, loaded, parameters
from repairlab.languages.python.tables import Columns, Parameters


class Withholding:
    """The functions of a file that assert something, and what they read before that was replaced."""

    def __init__(self, tree: ast.Module, origins: Origins, claims: Mapping[Function, Claims]) -> None:
        """Take the functions, as they were and with what will replace their assertions."""
        self._tree, self._origins, self.claims = tree, origins, dict(claims)
        self._read = loaded(tree)
        self._read_by = {function: loaded(function) for function in claims}
        self.withheld: dict[Function, set[str]] = {function: set() for function in claims}
        """The parameters of functions that are given nothing any more."""
        self.names: dict[Function, dict[str, str]] = {}
        """How rows of tests were called, and how they are called now."""
        self.reasons: dict[Function, str] = {}
        """Why something could not be taken out, by function."""

    def settle(self) -> None:
        """Take out what is not read, until all is."""
        while any([self._take_values(), self._take_loops(), self._take_rows(), self._take_arguments(), self._take_functions()]):
            pass

    def _take_values(self) -> bool:
        """Give the value None to names that nothing reads any more."""
        read, changed = loaded(self._tree), False
        local = {node for function in self.claims for node in ast.walk(function) if isinstance(node, ast.Assign | ast.AnnAssign)}
        for function in self.claims:
            inner = loaded(function)
            for node in ast.walk(function):
                changed |= self._without_value(node, self._read_by[function] - inner)
        for node in ast.walk(self._tree):
            changed |= node not in local and self._without_value(node, self._read - read)
        return changed

    def _without_value(self, node: ast.AST, dead: set[str]) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        plain = all(
            isinstance(target, ast.Name) or (isinstance(target, ast.Attribute) and is_self(target.value)) for target in targets
        )
        if not plain or value is None or not isinstance(node, ast.Assign | ast.AnnAssign) or _is_none(value):
            return False
        if not targets or not all(last_name(target) in dead for target in targets) or not self._is_idle(value):
            return False
        node.value = ast.Constant(None)
        return True

    def _is_idle(self, value: ast.expr) -> bool:
        """Return whether nothing happens where an expression is left out."""
        acts = any(isinstance(part, ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr) for part in ast.walk(value))
        every = frozenset(part.id for part in ast.walk(value) if isinstance(part, ast.Name))
        return not acts or self._origins.is_pure(value, every) or self._origins.is_made(value, every)

    def _take_loops(self) -> bool:
        """Take columns out of tables that loops run over."""
        changed = False
        for function, claim in self.claims.items():
            for node in ast.walk(function):
                if isinstance(node, ast.For | ast.comprehension):
                    dead = (self._read_by[function] - loaded(function)) & {
                        part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)
                    }
                    columns = Columns(dead, claim.values)
                    if dead and not self._is_taken(node.target, node.iter, dead):
                        changed |= self._try(function, lambda node=node, columns=columns: _replace(node, columns))  # type: ignore[misc]
                        claim.dropped += columns.taken
        return changed

    def _is_taken(self, target: ast.expr, rows: ast.expr, dead: set[str]) -> bool:
        """Return whether all that names are given in a loop is None by now."""
        columns = Columns(dead, {})
        try:
            columns.without(target, rows)
        except NotBlindError:
            return False
        return all(map(_is_none, columns.taken))

    def _take_rows(self) -> bool:
        """Take columns out of the parameters of tests."""
        changed = False
        for function, claim in self.claims.items():
            calls = [node for node in function.decorator_list if isinstance(node, ast.Call)]
            found = [Parameters(call, claim.values) for call in reversed(calls) if last_name(call.func) == "parametrize"]
            dead = self._read_by[function] - loaded_in_body(function) - self.withheld[function]
            if any(dead.intersection(one.names) for one in found):
                changed |= self._try(function, lambda f=function, p=found, d=dead: self._without_columns(f, p, d))  # type: ignore[misc]
        return changed

    def _without_columns(self, function: Function, found: list[Parameters], dead: set[str]) -> None:
        name = function.name
        known = self.names.get(function, {})
        back = {new: old for old, new in known.items()}
        before = [one.old_ids() for one in found]
        after = [one.new_ids() if dead.intersection(one.names) else one.old_ids() for one in found]
        for one in found:
            if dead.intersection(one.names):
                self.claims[function].dropped += one.without(dead)
                self.withheld[function] |= dead.intersection(one.names)
        rows = zip(itertools.product(*before), itertools.product(*after), strict=True)
        pairs = {f"{name}[{'-'.join(old)}]": f"{name}[{'-'.join(new)}]" for old, new in rows}
        self.names[function] = {back.get(old, old): new for old, new in pairs.items()}

    def _take_arguments(self) -> bool:
        """Give helpers nothing for what they do not read any more."""
        changed = False
        for function in self.claims:
            if isinstance(function, FUNCTIONS) and not function.name.startswith("test"):
                dead = (self._read_by[function] - loaded_in_body(function) - self.withheld[function]) & set(parameters(function))
                if dead:
                    changed |= self._try(function, lambda f=function, d=dead: self._without_arguments(f, d))  # type: ignore[misc]
        return changed

    def _without_arguments(self, helper: Function, dead: set[str]) -> None:
        self.withheld[helper] |= dead
        for caller, call in calls_of(self._tree, helper, self.claims):
            arguments = arguments_of(helper, call)
            if arguments is None:
                raise NotBlindError(f"{helper.name} is given what cannot be told")
            for name in dead & arguments.keys():
                value = arguments[name]
                if caller in self.claims:
                    self.claims[caller].dropped.append(value)
                call.args = [ast.Constant(None) if part is value else part for part in call.args]
                for word in call.keywords:
                    word.value = ast.Constant(None) if word.value is value else word.value
        given = helper.args
        given.defaults = [ast.Constant(None) for _ in given.defaults] if dead else given.defaults

    def _take_functions(self) -> bool:
        """Take out functions of the test file that nothing calls any more, and fixtures that nobody asks for."""
        changed, read = False, loaded(self._tree)
        for function, claim in self.claims.items():
            if isinstance(function, FUNCTIONS):
                changed |= self._without_fixtures(function, claim)
        asked = {name for node in ast.walk(self._tree) if isinstance(node, FUNCTIONS) for name in parameters(node)}
        for node in ast.walk(self._tree):
            body = getattr(node, "body", None)
            for line in list(body) if isinstance(body, list) else ():
                own = isinstance(line, FUNCTIONS) and line.name in self._origins.library and line not in self.claims
                gone = own and (line.name in self._read - read if not line.decorator_list else line.name in self._fixtures - asked)
                if gone and isinstance(body, list):
                    body[body.index(line)] = ast.Pass()
                    changed = True
        return changed

    _fixtures: frozenset[str] = frozenset()
    """Fixtures of the file that nothing is expected of but what they give, as far as they were asked for."""

    def _without_fixtures(self, function: Function, claim: Claims) -> bool:
        dropped = {name for part in claim.dropped for name in loaded(part)}
        dead = (self._read_by[function] - loaded_in_body(function)) & set(parameters(function)) & self._origins.library & dropped
        given = function.args
        given.args = [argument for argument in given.args if argument.arg not in dead]
        self._fixtures |= dead
        return bool(dead)

    def _try(self, function: Function, change: Callable[[], None]) -> bool:
        """Make a change; where that is not possible its function cannot be blind."""
        if function in self.reasons:
            return False
        try:
            change()
        except NotBlindError as error:
            self.reasons[function] = str(error)
        return True


def _replace(node: ast.For | ast.comprehension, columns: Columns) -> None:
    node.iter = columns.without(node.target, node.iter)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def loaded_in_body(function: Function) -> set[str]:
    """Return what the statements of a function read."""
    return {name for line in function.body for name in loaded(line)}


def arguments_of(helper: Function, call: ast.Call) -> dict[str, ast.expr] | None:
    """Return what the parameters of a function are given; none where that cannot be told."""
    if any(isinstance(part, ast.Starred) for part in call.args) or any(word.arg is None for word in call.keywords):
        return None
    positional = [argument.arg for argument in (*helper.args.posonlyargs, *helper.args.args) if argument.arg not in ("self", "cls")]
    if len(call.args) > len(positional):
        return None
    return {**dict(zip(positional, call.args, strict=False)), **{str(word.arg): word.value for word in call.keywords}}


def calls_of(tree: ast.Module, helper: Function, functions: Collection[Function]) -> Iterator[tuple[Function | None, ast.Call]]:
    """Yield the calls of a helper, each with the one of these functions that makes it."""
    owners = {node: function for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) == helper.name:
            yield owners.get(node), node
