"""Which tests read files of the tree: the program under test could read there what they expect."""

import ast

from repairlab.languages.python.origins import FUNCTIONS, is_self, is_test, last_name, loaded

_READERS = "open read_text read_bytes loadtxt genfromtxt fromfile get_data open_text open_binary read_csv read_json cmp cmpfiles"
_READING = frozenset(_READERS.split())
_COMPARING = ("cmp", "cmpfiles")
_PASSING = ("tmp", "temp")
"""What names of files hold that a test makes itself."""


def reads_files(node: ast.AST) -> bool:
    """Return whether code reads a file that it did not make itself."""
    own = _own_files(node)
    return any(isinstance(call, ast.Call) and _reads(call, own) for call in ast.walk(node))


def reading_names(tree: ast.Module) -> frozenset[str]:
    """Return the names of a file, fixtures among them, behind which files are read."""
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    lines = [line for body in bodies for line in body if not is_test(line) and not isinstance(line, ast.ClassDef)]
    found: frozenset[str] = frozenset()
    while True:
        more = found.union(*(_given(line) for line in lines if reads_files(line) or not found.isdisjoint(loaded(line))))
        if more == found:
            return found
        found = more


def _given(line: ast.stmt) -> set[str]:
    """Return what a statement gives a value to; of a function its name, and what it sets of its object."""
    names = {line.name} if isinstance(line, FUNCTIONS) else set[str]()
    for node in ast.walk(line):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not isinstance(line, FUNCTIONS):
            names.add(node.id)
    return names


def _reads(call: ast.Call, own: frozenset[str]) -> bool:
    name = last_name(call.func)
    is_method = isinstance(call.func, ast.Attribute)
    modes = [*call.args[0 if is_method else 1 : 2], *(word.value for word in call.keywords if word.arg == "mode")]
    if name not in _READING or (name == "open" and any(map(_is_writing, modes))):
        return False
    if name in _COMPARING:
        return not all(_is_own(part, own) for part in call.args[:2])
    places = [*call.args[:1], *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
    return not any(_is_own(part, own) for part in places)


def _is_writing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in ("w", "wb", "wt", "a", "ab", "x", "xb")


def _own_files(node: ast.AST) -> frozenset[str]:
    """Return the names that stand for files which are made for a while."""
    own: frozenset[str] = frozenset()
    while True:
        pairs = [(target, part.value) for part in ast.walk(node) if isinstance(part, ast.Assign) for target in part.targets]
        pairs += [
            (part.optional_vars, part.context_expr)
            for part in ast.walk(node)
            if isinstance(part, ast.withitem) and part.optional_vars
        ]
        more = own | {last_name(target) for target, value in pairs if _is_own(value, own)} - {""}
        if more == own:
            return own
        own = more


def _is_own(node: ast.expr, own: frozenset[str]) -> bool:
    names = {last_name(part) for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)}
    return any(name in own or any(word in name.lower() for word in _PASSING) for name in names)
