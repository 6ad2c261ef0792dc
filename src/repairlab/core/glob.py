"""Matching relative paths against the glob patterns of recipes."""

import re
from collections.abc import Iterable
from functools import lru_cache


def matching(paths: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """Return the paths that match one of the patterns, in order: `*` stays within a folder, `**` crosses folders.

    A pattern behind `!` takes out what others match, wherever it stands.

    >>> matching(["a.c", "src/b.c", "src/x/c.c"], ("src/**/*.c",))
    ['src/b.c', 'src/x/c.c']
    >>> matching(["tests/a.py", "tests/x/b.py", "a.py"], ("tests/**",))
    ['tests/a.py', 'tests/x/b.py']
    >>> matching(["tests/a.py", "tests/rates.csv"], ("tests/**", "!tests/*.csv"))
    ['tests/a.py']
    """
    wanted = [_compiled(pattern) for pattern in patterns if not pattern.startswith("!")]
    unwanted = [_compiled(pattern[1:]) for pattern in patterns if pattern.startswith("!")]
    return [path for path in paths if _any(wanted, path) and not _any(unwanted, path)]


def _any(patterns: Iterable[re.Pattern[str]], path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
