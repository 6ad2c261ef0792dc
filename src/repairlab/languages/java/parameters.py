"""Values passed to parameters of Java methods: by calls in the file, and by the rows of a parameterised test."""

import re
from functools import partial

from tree_sitter import Node

from repairlab.languages.java.names import JavaNames, arguments, called
from repairlab.languages.java.suites import annotations
from repairlab.languages.nodes import above, named, part, walk
from repairlab.languages.parser import Parsed

_EMPTY = {**dict.fromkeys(("byte", "char", "double", "float", "int", "long", "short"), "0"), "boolean": "false", "String": "-"}
"""The text in a row in place of a value that is withheld."""


class JavaParameters:
    """The values passed to parameters in a file, as nodes and in rows that are texts."""

    def __init__(self, parsed: Parsed, nodes: list[Node], names: JavaNames) -> None:
        self._text, self._nodes, self._names, self._called = parsed.text, nodes, names, partial(called, parsed)
        self.csv: dict[Node, list[str]] = {}
        """The cells that are left of rows which are texts."""

    def passed(self, parameter: Node) -> list[Node] | None:
        """Return what is given for a parameter, or take it out of rows that are texts; none where that cannot be told."""
        place = parameter.parent
        method = above(parameter, "formal_parameter", "", "method_declaration")
        if place is None or method is None:
            return None
        name, parameters = self._text(part(method, "name")), named(place.parent)
        if annotations(method):
            return self._rows(method, part(place, "type"), parameters.index(place), len(parameters))
        calls = [it for it in self._nodes if self._called(it) == name]
        is_handed_on = any(it.type == "method_reference" and self._text(it.children[-1]) == name for it in self._nodes)
        if len(self._names.methods[name]) != 1 or is_handed_on or any(len(arguments(it)) != len(parameters) for it in calls):
            return None
        values = [(value, self._names.origin(value)) for value in (arguments(it)[parameters.index(place)] for it in calls)]
        return None if any(origin == "unknown" for _, origin in values) else [it for it, origin in values if origin == "built"]

    def _rows(self, test: Node, kind: Node | None, index: int, count: int) -> list[Node] | None:
        """Return what the rows of a parameterised test give for a parameter, or take it out of rows that are texts."""
        sources = {self._text(it.children[1]).rpartition(".")[2]: it for it in annotations(test)}
        if (table := sources.get("CsvSource")) is not None and kind is not None:
            return self._without_column(table, _EMPTY.get(self._text(kind)), index, count)
        if (source := sources.get("MethodSource")) is None:
            return None
        told = [it for it in walk(source) if it.type == "string_literal"]
        method = self._text(told[0])[1:-1] if len(told) == 1 else self._text(part(test, "name"))
        makers = [maker for maker in self._names.methods.get(method, []) if maker != test and len(told) < 2]
        rows = [arguments(call) for maker in makers for call in walk(maker) if self._is_row(call)]
        if not rows or any(len(row) != count or self._names.origin(row[index]) != "built" for row in rows):
            return None
        return [row[index] for row in rows]

    def _without_column(self, table: Node, nothing: str | None, index: int, count: int) -> list[Node] | None:
        rows = {it: self._text(it)[1:-1].split(",") for it in walk(table) if it.type == "string_literal"}
        rows |= {row: cells for row, cells in self.csv.items() if row in rows}
        is_plain = all(len(cells) == count and not re.search(r"['\\]", "".join(cells)) for cells in rows.values())
        if nothing is None or not is_plain or len(named(table.children[-1])) != 1:
            return None
        self.csv |= {row: [*cells[:index], nothing, *cells[index + 1 :]] for row, cells in rows.items()}
        return []

    def _is_row(self, call: Node) -> bool:
        is_of = self._called(call) == "of" and self._text(part(call, "object")).endswith("Arguments")
        return is_of or self._called(call) == "arguments"
