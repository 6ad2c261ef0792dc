"""How far a fix extends: a line, a hunk, one function or more."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from repairlab.core.diff import changed_lines
from repairlab.languages.language import Token
from repairlab.languages.language import language as language_of

Extent = Literal["function", "one-function", "one-header", "method", "hunk", "file", "files"]
EXTENTS: dict[str, str] = {
    "function": "one function of one file, its signature unchanged; comments and docstrings do not count",
    "one-function": "one function of one file, its signature included; comments and docstrings do not count",
    "one-header": "one file, all of whose hunks git shows below the same line",
    "method": "one existing function of one file; imports, fields and new functions may come with it (NL2Fix)",
    "hunk": "one run of lines of one file",
    "file": "one file",
    "files": "any number of files",
}


_SEVERAL = "more than one function, or code outside of functions, is changed"


def too_wide(language: str, before: str, after: str, extent: Extent, max_lines: int) -> str:
    """Say why a file's change does not have the extent; empty if it does."""
    lines = changed_lines("", before, after)
    if not lines or not _differing(language, before, after):
        return "only comments, docstrings or blanks are changed"
    if sum(change.last - change.first + 1 for change in (*lines, *changed_lines("", after, before))) > max_lines:
        return f"more than {max_lines} lines are changed"
    if extent == "hunk" and len(lines) > 1:
        return "several runs of lines are changed"
    if extent == "one-header":
        return "" if len(_headers(before, after)) <= 1 else "git shows its hunks below several functions"
    if extent == "one-function":
        return "" if fixed_function(language, before, after) else _SEVERAL
    if extent == "method":
        n = _n_changed(language, before, after)
        return "" if n == 1 else f"{n or 'no'} existing function{'s are' if n > 1 else ' is'} changed"
    return _not_one_function(language, before, after) if extent == "function" else ""


_CONTEXT = 3
_HEADER = re.compile(r"[A-Za-z_$]")
"""How a line begins that git shows in the head of a hunk."""


def _headers(before: str, after: str) -> set[str]:
    """Return the lines that git shows in the heads of the hunks of a change."""
    old, found, last = before.split("\n"), set(), None
    for change in changed_lines("", before, after):
        if last is None or change.first - last - 1 > 2 * _CONTEXT:  # else both are of one hunk
            above = old[: max(change.first - _CONTEXT - 1, 0)]
            found.add(next((line for line in reversed(above) if _HEADER.match(line)), ""))
        last = max(change.last, change.first - 1)
    return found


def fixed_function(language: str, before: str, after: str) -> str | None:
    """Return the qualified name of the one function that differs, if all else is the same but for comments and docstrings.

    Of overloads it is the signature.
    """
    differing = _differing(language, before, after)
    if len(differing) != 1 or not differing[0] or differing[0] not in _outermost(language, after):
        return None
    overloads, others = (
        [
            (function.signature, _plain(language, function.span.of(text)))
            for function in language_of(language).syntax.functions(text)
            if function.qualified == differing[0]
        ]
        for text in (before, after)
    )
    if not overloads:
        return None  # it is new
    if len(overloads) == 1:
        return differing[0]
    texts = [text for _, text in others]
    unlike = [signature for signature, text in overloads if text not in texts]
    return unlike[0] if len(unlike) == 1 and len(overloads) == len(others) else None


def location_of(language: str, before: str, after: str) -> str | None:
    r"""Return the label for how far a fix extends: a line, a hunk or a function; none when it is more.

    >>> location_of("python", "a = 1\nb = 1\n", "a = 2\nb = 1\n")
    'line'
    """
    old, new = changed_lines("", before, after), changed_lines("", after, before)
    if len(old) == 1:
        is_line = old[0].last <= old[0].first and new[0].last <= new[0].first
        return "line" if is_line else "hunk"
    return "function" if fixed_function(language, before, after) else None


def _not_one_function(language: str, before: str, after: str) -> str:
    syntax = language_of(language).syntax
    name = fixed_function(language, before, after)
    if not name:
        return _SEVERAL
    heads = [
        [
            _plain(language, text[function.span.start : function.body.start])
            for function in syntax.functions(text)
            if name in (function.qualified, function.signature)
        ]
        for text in (before, after)
    ]
    return "" if heads[0] == heads[1] else "the signature is changed"


def _n_changed(language: str, before: str, after: str) -> int:
    """Return how many functions of the old text the new one lacks in that form, counting overloads separately."""
    names = {*_differing(language, before, after)}
    old, new = (
        Counter(
            _plain(language, function.span.of(text))
            for function in language_of(language).syntax.functions(text)
            if function.qualified in names
        )
        for text in (before, after)
    )
    return (old - new).total()


def _differing(language: str, before: str, after: str) -> list[str]:
    """Return the functions that differ, including those in only one text; an empty name stands for code outside functions."""
    old, new = _outermost(language, before), _outermost(language, after)
    unlike = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    # Reading tokens is expensive, and most functions of a file have not changed at all.
    return [
        name for name in unlike if name not in old or name not in new or _plain(language, old[name]) != _plain(language, new[name])
    ]


@lru_cache(maxsize=4)
def _outermost(language: str, text: str) -> dict[str, str]:
    """Return the text of each outermost function by name, and of the rest under an empty name; overloads go together."""
    found: dict[str, str] = {}
    rest, end = "", 0
    for function in language_of(language).syntax.functions(text):
        if function.span.start >= end:
            rest += text[end : function.span.start] + "\n"
            end = function.span.end
            found[function.qualified] = found.get(function.qualified, "") + text[function.span.start : end] + "\n"
    found[""] = rest + text[end:]
    return found


def _plain(language: str, text: str) -> tuple[str, ...]:
    """Return the tokens of a text without comments and docstrings: strings that are statements of their own."""
    tokens = language_of(language).syntax.tokens(text)
    kept = (token for place, token in enumerate(tokens) if not _is_docstring(tokens, place))
    return tuple(token.kind if token.kind in ("indent", "dedent") else token.text for token in kept if token.kind != "newline")


def _is_docstring(tokens: Sequence[Token], place: int) -> bool:
    begins = place == 0 or tokens[place - 1].kind in ("newline", "indent", "dedent")
    ends = place + 1 < len(tokens) and tokens[place + 1].kind == "newline"
    return tokens[place].kind == "string" and begins and ends
