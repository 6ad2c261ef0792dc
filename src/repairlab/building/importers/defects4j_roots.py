"""Folders of Java sources beside a tree's main one that its sources need: generated ones, libraries kept as sources."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from repairlab.building.importers.defects4j_jars import brought_classes, imports
from repairlab.building.importers.defects4j_projects import ProjectLayout
from repairlab.building.importers.importer import TreeFile
from repairlab.core.record import record

_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_NO_CODE = re.compile(r'/\*[\s\S]*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"')
_WORD = re.compile(r"\b[A-Z]\w*")


@record
class Roots:
    """Folders beside the main ones."""

    sources: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def more_roots(tree: Mapping[str, TreeFile], layout: ProjectLayout) -> Roots:
    """Return the folders whose classes the sources or tests name, and those that these name in turn.

    What a jar of the tree has is not compiled.
    """
    folders = (f"{layout.sources}/", f"{layout.tests}/")
    java = {path: file for path, file in tree.items() if path.endswith(".java") and not file.link}
    own = {path.removeprefix(folder) for path in java for folder in folders if path.startswith(folder)}
    own |= {f"{name.replace('.', '/')}.java" for name in brought_classes(tree, layout)}
    others: dict[str, dict[str, TreeFile]] = {}
    for path, file in java.items():
        if not path.startswith(folders) and (root := _root(path, file)) is not None and path.removeprefix(f"{root}/") not in own:
            others.setdefault(root, {})[path.removeprefix(f"{root}/")] = file
    sources, tests = ([file for path, file in java.items() if path.startswith(folder)] for folder in folders)
    found = _closure((*sources, *tests), others)
    of_tests = tuple(root for root in found if "test" in root.lower())
    return Roots(sources=tuple(root for root in found if root not in of_tests), tests=of_tests)


def _closure(files: Iterable[TreeFile], others: Mapping[str, Mapping[str, TreeFile]]) -> tuple[str, ...]:
    """Return the folders of `others` that files name classes of, and those that their files do."""
    named = named_files(files) if others else set()
    found: list[str] = []
    while more := [root for root, classes in others.items() if root not in found and not named.isdisjoint(classes)]:
        found += more
        named |= named_files(file for root in more for file in others[root].values())
    return tuple(found)


def _root(path: str, file: TreeFile) -> str | None:
    """Return the folder that the package of a file begins in."""
    parts, package = PurePosixPath(path).parent.parts, package_of(file)
    names = tuple(package.split(".")) if package else ()
    return "/".join(parts[: -len(names)]) or None if names and parts[-len(names) :] == names else None


def package_of(file: TreeFile) -> str:
    """Return the package of a source."""
    found = _PACKAGE.search(file.content)
    return found.group(1).decode() if found else ""


def named_files(files: Iterable[TreeFile]) -> set[str]:
    """Return the files of classes that sources import, or name as being in their own package."""
    found: set[str] = set()
    for file in files:
        text = _NO_CODE.sub(" ", file.content.decode("iso-8859-1"))
        names, own = imports([text])
        found.update(f"{name.replace('.', '/')}.java" for name in names)
        found.update(f"{package.replace('.', '/')}/{word}.java" for package in own for word in set(_WORD.findall(text)))
    return found
