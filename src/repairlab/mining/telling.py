"""Which lines of a fix tell it wherever they are read. One rule for issues that are cut and benchmarks that are audited."""

import re
from collections.abc import Iterable

TELLING = 16
"""Characters of code below which it may stand anywhere by chance."""
NAME = re.compile(r"[A-Za-z_]\w{3,}")


def telling_lines(added: Iterable[str]) -> list[str]:
    """Return the added lines that do not stand anywhere by chance, blanks folded.

    >>> telling_lines(["    return  sum(prices)", "}", "------------------"])
    ['return sum(prices)']
    """
    lines = map(folded, added)
    return [line for line in lines if len(line) >= TELLING and NAME.search(line)]


def folded(text: str) -> str:
    """Return a text with one blank for all white space between words."""
    return " ".join(text.split())
