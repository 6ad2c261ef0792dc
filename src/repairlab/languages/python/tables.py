"""Columns of tables in tests: of loops over literal rows, and of `pytest.mark.parametrize` with the ids that it gives them."""

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from repairlab.languages.python.claims import NotBlindError
from repairlab.languages.python.origins import Function, last_name, names_in

_ROWS = (ast.List, ast.Tuple, ast.Set)


class Columns:
    """Takes the values of unused names out of what loops run over."""

    def __init__(self, unused: Collection[str], values: Mapping[str, ast.expr]) -> None:
        """Take the names, and what other names stand for."""
        self._unused, self._values = frozenset(unused), values
        self.taken: list[ast.expr] = []
        """What was taken out."""

    def without(self, target: ast.expr, rows: ast.expr) -> ast.expr:
        """Return what a loop is to run over; NotBlindError where that is no literal table."""
        if not self._unused & names_in(target):
            return rows
        rows = self._resolved(rows)
        match target, rows:
            case _, ast.List(elts=cells) | ast.Tuple(elts=cells) | ast.Set(elts=cells):
                return ast.List([self._cell(target, cell) for cell in cells], ast.Load())
            case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[table, *more]):
                return ast.Call(rows.func, [self.without(inner, table), *more], rows.keywords)
            case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=tables) if len(targets) == len(tables):
                parts = [self.without(part, table) for part, table in zip(targets, tables, strict=True)]
                return ast.Call(rows.func, parts, rows.keywords)
            case ast.Tuple(elts=[key, value]), ast.Call(func=ast.Attribute(value=table, attr="items"), args=[]):
                return self._items(rows, key, value, self._resolved(table))
        raise NotBlindError(f"a column of a table that is computed: {ast.unparse(rows)[:60]}")

    def _items(self, rows: ast.Call, key: ast.expr, value: ast.expr, table: ast.expr) -> ast.expr:
        if not isinstance(table, ast.Dict) or self._unused & names_in(key) or None in table.keys:
            raise NotBlindError(f"a column of a table that is computed: {ast.unparse(rows)[:60]}")
        cells = [self._cell(value, cell) for cell in table.values]
        return ast.Call(ast.Attribute(ast.Dict(table.keys, cells), "items", ast.Load()), [], [])

    def _cell(self, target: ast.expr, cell: ast.expr) -> ast.expr:
        if not self._unused & names_in(target):
            return cell
        if isinstance(target, ast.Name):
            self.taken.append(cell)
            return ast.Constant(None)
        cell = self._resolved(cell)
        if (
            isinstance(target, ast.Tuple | ast.List)
            and isinstance(cell, ast.Tuple | ast.List)
            and len(target.elts) == len(cell.elts)
        ):
            return ast.Tuple([self._cell(*pair) for pair in zip(target.elts, cell.elts, strict=True)], ast.Load())
        raise NotBlindError(f"a row of a table that is computed: {ast.unparse(cell)[:60]}")

    def _resolved(self, node: ast.expr) -> ast.expr:
        value = self._values.get(node.id) if isinstance(node, ast.Name) else None
        return node if value is None else copy.deepcopy(value)


class Parameters:
    """One `pytest.mark.parametrize` of a test."""

    def __init__(self, call: ast.Call, values: Mapping[str, ast.expr]) -> None:
        """Take the decorator, and what names stand for."""
        self._call, self._values = call, values
        given = dict(zip(("argnames", "argvalues"), call.args, strict=False)) | {
            str(word.arg): word.value for word in call.keywords
        }
        told = given.get("argnames")
        self.names: list[str] = []
        if isinstance(told, ast.Constant) and isinstance(told.value, str):
            self.names = [name.strip() for name in told.value.split(",") if name.strip()]
        elif isinstance(told, ast.List | ast.Tuple):
            self.names = [str(part.value) for part in told.elts if isinstance(part, ast.Constant)]
        self._ids = given.get("ids")
        rows = given.get("argvalues", ast.Constant(None))
        self._rows = values.get(rows.id, rows) if isinstance(rows, ast.Name) else rows

    @property
    def cells(self) -> list[list[ast.expr]]:
        """The rows; NotBlindError where they are computed."""
        return [self._cells_of(row) for row in self._table]

    @property
    def _table(self) -> list[ast.expr]:
        if not isinstance(self._rows, _ROWS):
            raise NotBlindError("its parameters are computed")
        return self._rows.elts

    def _cells_of(self, row: ast.expr) -> list[ast.expr]:
        if isinstance(row, ast.Call) and last_name(row.func) == "param":
            cells = row.args
        else:
            row = self._values.get(row.id, row) if isinstance(row, ast.Name) and len(self.names) > 1 else row
            cells = row.elts if isinstance(row, ast.Tuple | ast.List) and len(self.names) > 1 else [row]
        if len(cells) != len(self.names):
            raise NotBlindError("its parameters are computed")
        return cells

    def old_ids(self) -> list[str]:
        """Return the ids of rows as pytest makes them."""
        found = [
            _own_id(row) or "-".join(_id(cell, name, number) for cell, name in zip(cells, self.names, strict=True))
            for number, (row, cells) in enumerate(zip(self._table, self.cells, strict=True))
        ]
        if self._ids is not None:
            if not isinstance(self._ids, _ROWS) or not all(isinstance(part, ast.Constant) for part in self._ids.elts):
                raise NotBlindError("the ids of its parameters are computed")
            told = [part.value for part in self._ids.elts if isinstance(part, ast.Constant)]
            found = [str(one) if one is not None else other for one, other in zip(told, found, strict=False)]
        return list(_unique(found))

    def without(self, unused: Collection[str]) -> list[ast.expr]:
        """Take columns out, give the rows ids that tell nothing, and return what was taken."""
        columns = [number for number, name in enumerate(self.names) if name in unused]
        rows = self.cells
        taken = [row[number] for row in rows for number in columns]
        marks = [row.keywords if isinstance(row, ast.Call) and last_name(row.func) == "param" else [] for row in self._table]
        made: list[ast.expr] = []
        for row, words in zip(rows, marks, strict=True):
            cells: list[ast.expr] = [ast.Constant(None) if number in columns else cell for number, cell in enumerate(row)]
            kept = [word for word in words if word.arg == "marks"]
            param = ast.Call(ast.Attribute(ast.Name("pytest", ast.Load()), "param", ast.Load()), cells, kept)
            made.append(param if kept else ast.Tuple(cells, ast.Load()) if len(cells) > 1 else cells[0])
        self._rows = ast.List(made, ast.Load())
        self._ids = ast.List([ast.Constant(name) for name in self.new_ids()], ast.Load())
        words = [word for word in self._call.keywords if word.arg not in ("argnames", "argvalues", "ids")]
        names = ast.Tuple([ast.Constant(name) for name in self.names], ast.Load())
        self._call.args, self._call.keywords = [names, self._rows], [*words, ast.keyword("ids", self._ids)]
        if len(self.names) == 1:
            self._call.args[0] = ast.Constant(self.names[0])
        return taken

    def new_ids(self) -> list[str]:
        """Return ids that tell nothing."""
        return [f"row{number}" for number, _ in enumerate(self.cells)]


def _own_id(row: ast.expr) -> str:
    words = row.keywords if isinstance(row, ast.Call) and last_name(row.func) == "param" else []
    told = [word.value.value for word in words if word.arg == "id" and isinstance(word.value, ast.Constant)]
    return str(told[0]) if told and told[0] is not None else ""


def _id(cell: ast.expr, name: str, number: int) -> str:
    """Return a value's part of an id, as pytest makes it."""
    try:
        value = ast.literal_eval(cell)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return f"{name}{number}"
    if isinstance(value, str):
        return value.encode("unicode_escape").decode("ascii")
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    return str(value) if value is None or isinstance(value, bool | int | float | complex) else f"{name}{number}"


def _unique(ids: list[str]) -> Iterator[str]:
    """Yield ids as pytest tells equal ones apart."""
    counts, used = Counter(ids), Counter[str]()
    for name in ids:
        if counts[name] == 1:
            yield name
            continue
        separator = "_" if name[-1:].isdigit() else ""
        yield f"{name}{separator}{used[name]}"
        used[name] += 1


def columns_of(function: Function) -> Iterator[str]:
    """Yield the parameters of a test that are columns of tables."""
    for call in function.decorator_list:
        if isinstance(call, ast.Call) and last_name(call.func) == "parametrize":
            yield from Parameters(call, {}).names
