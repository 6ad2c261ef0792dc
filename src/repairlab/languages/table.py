"""Languages by name and by file extension. Everything that needs a language asks here."""

import os
from functools import cache
from pathlib import Path, PurePosixPath

from repairlab.languages.facts import LANGUAGES, by_extension
from repairlab.languages.language import Language, Tools


def language(name: str, tools: Tools | None = None) -> Language:
    """Return a language by name; its tools are looked for only when its tool chain is used."""
    return _made(name, tools or Tools(cache=str(default_cache())))


@cache
def _made(name: str, tools: Tools) -> Language:
    made: Language = LANGUAGES[name](tools)
    return made


def language_of_path(path: str) -> str | None:
    """Return the name of the language of a file, by its extension; none when it is no source file.

    >>> language_of_path("src/bank/Account.java")
    'java'
    """
    return by_extension().get(PurePosixPath(path).suffix)


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
