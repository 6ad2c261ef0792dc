"""Whether a program can see how its own text is laid out: lines, spacing, comments. The languages' `layout` files say how.

Two texts that differ only in layout behave alike unless something looks. Tests are honest: they look where they say so, at line
numbers, frames or stack traces, at a macro's argument as text, at a source file by its name. Code that candidates write or call may
put such names together as it runs. So it counts as looking if it opens files, starts programs, loads code by names, or uses a part
of the library that may do so, whatever for. Whatever mentions one of these counts, in comments, too: a wrong yes costs a
validation, a wrong no a verdict.
"""

import re
from functools import cache

from repairlab.languages.facts import every

_STRICT = re.compile(r"Werror|WARNING_AS_ERROR|warnings-as-errors")


@cache
def source_files() -> str:
    """Return the pattern of a string that ends like the name of a source file of any language: the program may read it."""
    endings = "|".join(re.escape(ending.removeprefix(".")) for stated in every() for ending in stated.extensions)
    return rf"""\.(?:{endings})\\?["']"""


@cache
def looking(pattern: str) -> re.Pattern[str]:
    """Return what finds a text that looks at layout: by the ways of a language, or by reading a source file."""
    return re.compile(f"{pattern}|{source_files()}")


def turns_warnings_into_errors(text: str) -> bool:
    """Return whether flags or a build file ask for it: compilers warn of indentation and of comments, too."""
    return _STRICT.search(text) is not None
