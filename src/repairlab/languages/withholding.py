"""Taking expectations out of the text of a test file, and values as blind tests say them."""

import json
from collections.abc import Iterable
from typing import TypeAlias

from tree_sitter import Node

from repairlab.languages.parser import Parsed

Frozen: TypeAlias = list[object]
"""A value as blind tests say it: a tag, and its text or parts."""


class UnclearError(Exception):
    """An assertion whose expectation cannot be withheld, with the reason."""


class BlindText:
    """A test file, some pieces replaced or taken out."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._edits: list[tuple[int, int, str]] = []
        self._gone: list[tuple[int, int]] = []

    def put(self, start: int, end: int, text: str) -> None:
        """Replace a piece, which may be empty; all edits within a piece that is taken out go with it."""
        self._edits.append((start, end, text))

    def take_out(self, start: int, end: int, instead: str = "") -> None:
        """Take out what is expected."""
        self._gone.append((start, end))
        self._edits.append((start, end, instead))

    def is_gone(self, node: Node) -> bool:
        """Return whether a node lies in what was taken out."""
        span = self.parsed.span(node)
        return any(start <= span.start and span.end <= end for start, end in self._gone)

    def text(self) -> str:
        """Return the text as it is now."""
        source, parts, at = self.parsed.source, [], 0
        for start, end, instead in sorted(self._edits, key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1])):
            if start < at:
                continue  # in a piece that has gone already
            parts += [source[at:start], instead]
            at = end
        return "".join([*parts, source[at:]])


def frozen_text(value: Frozen) -> str:
    r"""Return the text of a frozen value, the same wherever it is made.

    >>> frozen_text(["l", [["s", "é"], ["i", "1"]]])
    '["l",[["s","\\u00e9"],["i","1"]]]'
    """
    return json.dumps(value, separators=(",", ":"))


def frozen_mapping(pairs: Iterable[tuple[Frozen, Frozen]]) -> Frozen:
    """Return a frozen mapping; the last of equal keys counts.

    >>> frozen_mapping([(["s", "b"], ["n"]), (["s", "a"], ["n"])])
    ['d', [[['s', 'a'], ['n']], [['s', 'b'], ['n']]]]
    """
    by_key = {frozen_text(key): [key, value] for key, value in pairs}
    return ["d", [by_key[key] for key in sorted(by_key)]]


def frozen_number(value: float) -> Frozen:
    """Return a frozen number.

    >>> frozen_number(12), frozen_number(0.5), frozen_number(float("nan")), frozen_number(-0.0)
    (['i', '12'], ['f', '0.5'], ['f', 'nan'], ['f', '-0.0'])
    """
    return ["i", str(value)] if isinstance(value, int) else ["f", repr(value)]
