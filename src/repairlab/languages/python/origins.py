"""What in a test file comes from the tests themselves, and what from the program that they test."""

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PURE = """len range list tuple dict set frozenset sorted str int float bool bytes bytearray min max sum abs round zip enumerate
repr chr ord divmod pow reversed complex map filter"""
_PURE_CALLS = frozenset(_PURE.split())
_GLOBALS = frozenset(vars(builtins))


def is_test(node: ast.AST) -> bool:
    """Return whether a statement defines a test."""
    return isinstance(node, FUNCTIONS) and node.name.startswith("test")


def asserts(function: ast.AST) -> bool:
    """Return whether a function asserts something."""
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and _is_claim(last_name(node.func)))
        for node in ast.walk(function)
    )


def _is_claim(name: str) -> bool:
    return name.startswith(("assert", "fail")) or name in ("raises", "warns")


def last_name(node: ast.AST) -> str:
    """Return the name, or the last part of a dotted one; nothing where there is none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_self(node: ast.AST) -> bool:
    """Return whether an expression is the object or class whose method holds it."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def parameters(function: Function) -> list[str]:
    """Return the names of what a function is given, but for its object."""
    given = function.args
    return [
        argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs) if argument.arg not in ("self", "cls")
    ]


def names_in(node: ast.AST) -> set[str]:
    """Return all names in an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def loaded(node: ast.AST) -> set[str]:
    """Return the names and attributes that are read."""
    return {last_name(part) for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute) and _is_read(part)}


def _is_read(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Store)


def bare_names(node: ast.expr) -> Iterator[str]:
    """Yield the names whose values are part of what an expression gives, as they are."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute) and is_self(node.value):
        yield node.attr
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for part in node.elts:
            yield from bare_names(part)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from bare_names(value)
    elif isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        yield from bare_names(node.value)
    elif isinstance(node, ast.Call) and not node.args and not node.keywords:
        yield from bare_names(node.func)


class Origins:
    """What a test file says of where its names come from."""

    def __init__(self, tree: ast.Module) -> None:
        self.imported = frozenset(
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        )
        self.library = _library_names(tree)
        """What comes from the standard library, and functions of the file that make no use of the program."""
        self.library |= _own_functions(tree, self.library)
        self.constants = frozenset[str]()
        """Names of the module, and `self.` ones of classes, that only ever hold what the test itself says."""
        given: dict[str, list[ast.expr | None]] = {}
        for line in tree.body:
            _note(line, given, deep=False)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                inner: dict[str, list[ast.expr | None]] = {}
                for line in node.body:
                    _note(line, inner, deep=False)
                for name, values in inner.items():
                    given.setdefault(f"self.{name}", []).extend(values)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        given.setdefault(f"self.{target.attr}" if is_self(target.value) else "", []).append(node.value)
        self.constants = self._closed(given, frozenset(), made=False)
        self.values: dict[str, ast.expr] = {
            name: values[0] for name, values in given.items() if len(values) == 1 and values[0] is not None
        }
        """What names of the module stand for that are given a value once."""

    def locals_of(self, function: ast.AST, given: frozenset[str], *, made: bool = False) -> frozenset[str]:
        """Return the names in a function that only ever hold what the test says, with those of its parameters that do.

        With `made`, also what is made of that by classes and constants of the program.
        """
        values: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(function):
            _note(node, values)
        return self._closed(values, self.constants | given, made=made)

    def _closed(self, given: Mapping[str, list[ast.expr | None]], pure: frozenset[str], *, made: bool) -> frozenset[str]:
        def comes(value: ast.expr | None) -> bool:
            return value is not None and (self.is_pure(value, pure) or (made and self.is_made(value, pure)))

        while True:
            found = {name for name, values in given.items() if all(map(comes, values))}
            if found <= pure:
                return pure
            pure |= found

    def is_constant(self, node: ast.expr) -> bool:
        """Return whether an expression is made of literals and the library alone."""
        return self.is_pure(node, frozenset())

    def is_made(self, node: ast.expr, pure: frozenset[str]) -> bool:
        """Return whether an expression names a constant of the program, or makes one of its objects of what the test says."""
        match node:
            case ast.Name(id=name):
                return name in pure
            case ast.Attribute(value=ast.Name() | ast.Attribute()):
                return bool(_root(node)) and any(part[:1].isupper() for part in ast.unparse(node).split("."))
            case ast.Call(func=function, args=args, keywords=keywords):
                parts = [*args, *(keyword.value for keyword in keywords)]
                return last_name(function)[:1].isupper() and all(self._is_either(part, pure) for part in parts)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return all(self._is_either(part, pure) for part in parts)
            case ast.Dict(keys=keys, values=values):
                return all(part is not None and self._is_either(part, pure) for part in (*keys, *values))
        return False

    def _is_either(self, node: ast.expr, pure: frozenset[str]) -> bool:
        return self.is_pure(node, pure) or self.is_made(node, pure)

    def is_pure(self, node: ast.expr, pure: frozenset[str]) -> bool:
        """Return whether an expression is made of what the test says alone, without the program."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name in pure
            case ast.Call(func=function, args=args, keywords=keywords):
                parts = [*args, *(keyword.value for keyword in keywords)]
                return self._is_pure_function(function, pure) and all(self.is_pure(part, pure) for part in parts)
            case ast.Attribute(value=value, attr=name):
                return (is_self(value) and f"self.{name}" in pure) or _root(node) in self.library or self.is_pure(value, pure)
            case ast.ListComp(generators=loops) | ast.SetComp(generators=loops) | ast.GeneratorExp(generators=loops):
                bound = pure | {name for loop in loops for name in names_in(loop.target)}
                parts = [node.elt, *(part for loop in loops for part in (loop.iter, *loop.ifs))]
                return all(self.is_pure(part, bound) for part in parts)
            case ast.Lambda() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.NamedExpr() | ast.DictComp():
                return False
            case ast.FormattedValue(value=value):
                return self.is_pure(value, pure)
        return all(self.is_pure(part, pure) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))

    def _is_pure_function(self, function: ast.expr, pure: frozenset[str]) -> bool:
        if isinstance(function, ast.Name):
            return function.id in self.library or function.id in _PURE_CALLS
        return isinstance(function, ast.Attribute) and (_root(function) in self.library or self.is_pure(function.value, pure))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _note(node: ast.AST, given: dict[str, list[ast.expr | None]], *, deep: bool = True) -> None:
    """Note what names are given by a statement; of loops, with `deep`, what they run over."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
        pairs = [(node.target, node.value)]
    elif deep and isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        pairs = [(node.target, node.iter)]
    elif deep and isinstance(node, ast.withitem) and node.optional_vars is not None:
        pairs = [(node.optional_vars, None)]
    elif not deep and isinstance(node, ast.For | ast.With | ast.If | ast.Try):
        pairs = [(part, None) for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    for target, value in pairs:
        if not isinstance(target, ast.Attribute | ast.Subscript):
            for name in names_in(target):
                given.setdefault(name, []).append(value)


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
        node.name: node for node in ast.walk(tree) if isinstance(node, FUNCTIONS) and not is_test(node) and not asserts(node)
    }
    module = {
        node.id for line in tree.body if isinstance(line, ast.Assign) for node in ast.walk(line) if isinstance(node, ast.Name)
    }
    own = frozenset(functions)
    while True:
        known = library | own | module | _GLOBALS
        found = frozenset(name for name in own if _read_names(functions[name]) <= known | _bound(functions[name]))
        if found == own:
            return own
        own = found


def _read_names(function: Function) -> set[str]:
    parts = [part for line in function.body for part in ast.walk(line)]
    return {part.id for part in parts if isinstance(part, ast.Name) and _is_read(part)}


def _bound(function: ast.AST) -> set[str]:
    """Return the names that a function gives values to; without what holds it, which may be the program's."""
    given = {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)} - {"self", "cls"}
    return given | {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
