"""Other ways to read a piece of code that a model or a page has distorted: line numbers, entities, escapes, typographic quotes."""

import html
import re
from collections.abc import Iterator
from itertools import pairwise

_NUMBERED = re.compile(r"^[ \t]*+(\d{1,6})([ \t]*+[:|.)]|\t|(?=[ \t]))([^\n]*)$")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#34|#x27|#x22|#60|#62);")
_ESCAPE = re.compile(r"\\(n|t|r|\"|'|\\)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "", '"': '"', "'": "'", "\\": "\\"}
_TYPOGRAPHIC = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "–": "-", "−": "-"})
_LONGEST_LINE = 2000
"""No code has longer lines, but models that repeat themselves do, and whole functions with escaped line ends."""


def variants(text: str) -> Iterator[str]:
    """Yield a text as it is, and then, where it looks distorted, set right."""
    plain = unnumbered(text)
    if len(plain) <= _LONGEST_LINE or max(map(len, plain.split("\n"))) <= _LONGEST_LINE:
        yield plain
    if "\\n" in plain and plain.strip().count("\n") <= 1:
        yield _ESCAPE.sub(lambda match: _ESCAPED[match[1]], plain.strip().strip('"'))
    if "&" in plain and _ENTITY.search(plain):
        yield html.unescape(plain)
    if not plain.isascii():
        typed = plain.translate(_TYPOGRAPHIC)
        if typed != plain:
            yield typed


def unnumbered(text: str) -> str:
    r"""Return a text without the line numbers in front of its lines, if they all have one and count up.

    >>> unnumbered("7: int x;\n8:   y();")
    'int x;\n  y();'
    """
    first = text.lstrip()[:1]
    if not first.isdigit() or not first.isascii():
        return text
    lines = text.strip("\n").split("\n")
    matches = [_NUMBERED.match(line) for line in lines if line.strip()]
    found = [match for match in matches if match]
    if len(found) < max(2, len(matches)):
        return text
    numbers = [int(match[1]) for match in found]
    if any(after != before + 1 for before, after in pairwise(numbers)):
        return text
    rest = [match[3] for match in found]
    has_blank = all(line.startswith(" ") or not line.strip() for line in rest)
    return "\n".join(line[1:] if has_blank and line else line for line in rest)
