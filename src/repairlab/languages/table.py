"""The table of languages: by name and by file extension. Everything that needs a language asks here."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath

from repairlab.languages.language import Language, Tools
from repairlab.registry import PartError, Parts, lacking

_TABLE = {
    "python": "repairlab.languages.python:Python",
    "java": "repairlab.languages.java:Java",
    "c": "repairlab.languages.c:C",
    "cpp": "repairlab.languages.cpp:Cpp",
}
# Written out, so that asking for a file's language loads none.
_EXTENSIONS = {
    ".py": "python",
    ".java": "java",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hpp": "cpp",
    ".hh": "cpp",
    ".hxx": "cpp",
}

LANGUAGES: Parts[Callable[[Tools], Language]] = Parts(
    "languages", "language", _TABLE, check=lacking("name", "extensions", "self_test", "toolchain", "test_bodies", callable_too=True)
)
"""Classes that take the tools of the machine."""


def names() -> tuple[str, ...]:
    """Return the names of all languages."""
    return tuple(LANGUAGES)


def language(name: str, tools: Tools | None = None) -> Language:
    """Return a language by name; its tools are looked for only when its tool chain is used."""
    return _made(name, tools or Tools(cache=str(default_cache())))


@cache
def _made(name: str, tools: Tools) -> Language:
    return LANGUAGES[name](tools)


def language_of_path(path: str) -> str | None:
    """Return the name of the language of a file, by its extension; none when it is no source file.

    >>> language_of_path("src/bank/Account.java")
    'java'
    """
    suffix = PurePosixPath(path).suffix
    return _EXTENSIONS.get(suffix) or next((part.name for part in LANGUAGES.of_others() if suffix in _extensions(part.name)), None)


def _extensions(name: str) -> tuple[str, ...]:
    """Return the extensions of a language of another package; a broken one has none."""
    try:
        return language(name).extensions
    except PartError:
        return ()


def default_cache() -> Path:
    """Return the folder for what repairlab keeps between runs: $REPAIRLAB_CACHE, or the user's usual cache folder.

    Root's home is closed to the users that candidates run as, and so is a cache in it: root's is the machine's.
    """
    own = os.environ.get("REPAIRLAB_CACHE")
    if own:
        return Path(own)
    if os.geteuid() == 0 and not os.environ.get("XDG_CACHE_HOME"):
        return Path("/var/cache/repairlab")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "repairlab"
