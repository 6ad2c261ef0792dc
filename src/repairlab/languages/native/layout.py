"""Whether a C or C++ program can see how its own text is laid out; see `own_text`. Called by their syntax."""

import re

from repairlab.languages.own_text import looking

_RUNNING = r"stacktrace|backtrace|addr2line|dladdr|opendir|readdir|ftw\b|scandir|glob|directory_iterator"
_WAYS = (
    rf"{_RUNNING}|LINE\b|__LINE|source_location|[Aa]ssert|ASSERT|incbin|#\s*embed|__TIMESTAMP__"
    r"|%:|\?\?[=/'()!<>-]"  # other spellings of #, and of what else C spells in three characters
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_SPLICE = re.compile(r"\\[ \t]*\r?\n")


def sees(source: str, *, of_others: bool) -> bool:
    """Return whether a C or C++ text may look at its own layout, or, as it runs, at that `of_others`: macros see their own file."""
    text = _INCLUDE.sub("", _SPLICE.sub("", source))
    if of_others:
        return looking(_RUNNING).search(text) is not None
    # Within a line, # and ## are operators of macros: they make texts and names of what they are given.
    return looking(_WAYS).search(text) is not None or any("#" in line.lstrip()[1:] for line in text.split("\n"))
