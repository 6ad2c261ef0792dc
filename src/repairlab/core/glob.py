"""Matching relative paths against the glob patterns of recipes."""

import re
from collections.abc import Iterable
from functools import lru_cache


def matching(paths: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """Return the paths that match one of the patterns, in order: `*` stays within a folder, `**` crosses folders.

    >>> matching(["a.c", "src/b.c", "src/x/c.c"], ("src/**/*.c",))
    ['src/b.c', 'src/x/c.c']
    >>> matching(["tests/a.py", "tests/x/b.py", "a.py"], ("tests/**",))
    ['tests/a.py', 'tests/x/b.py']
    """
    return [path for path in paths if any(_compiled(pattern).fullmatch(path) for pattern in patterns)]


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
