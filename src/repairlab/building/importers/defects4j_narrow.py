"""Test sources of a Java tree that its relevant tests have nothing to do with: left out, they need not be compiled.

They are half of what there is to compile, for every check and every worker again.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from repairlab.building.importers.importer import TreeFile

_DECLARED = re.compile(rb"^(?:[\w@]+[ \t]+)*(?:class|interface|enum)[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(rb"\w+")
_SERVICES = "META-INF/services/"


def unneeded_tests(tree: Mapping[str, TreeFile], folder: str, classes: Iterable[str]) -> set[str]:
    """Return the sources of a folder of tests that neither these classes nor files with services name, nor what they name in turn.

    What tests in other folders name is needed, too. A word counts as a name wherever it stands, in texts and comments: rather one
    file too many.
    """
    tests = {path: file for path, file in tree.items() if path.startswith(f"{folder}/") and path.endswith(".java")}
    declaring: dict[bytes, set[str]] = {}
    for path, file in tests.items():
        for name in (path.rpartition("/")[2].removesuffix(".java").encode(), *_DECLARED.findall(file.content)):
            declaring.setdefault(name, set()).add(path)
    words = {word.encode() for name in classes for word in re.split(r"[.$]", name)}
    elsewhere = (path for path in tree if path.endswith(".java") and "test" in path.lower() and path not in tests)
    words |= _words(tree[path] for path in (*elsewhere, *(path for path in tree if _SERVICES in path)))
    needed: set[str] = set()
    while more := _declared(words, declaring) - needed:
        needed |= more
        words = _words(tests[path] for path in more)
    return tests.keys() - needed


def _declared(words: Collection[bytes], declaring: Mapping[bytes, set[str]]) -> set[str]:
    return set().union(*(declaring[word] for word in words if word in declaring))


def _words(files: Iterable[TreeFile]) -> set[bytes]:
    return set().union(*(_WORD.findall(file.content) for file in files))
