"""Test sources of a Java tree that cannot be compiled here, for nothing at hand has a package that they import."""

import itertools
from collections.abc import Collection, Mapping

from repairlab.building.importers.defects4j_jars import PROVIDED, imported_names
from repairlab.building.importers.defects4j_roots import named_files, package_of
from repairlab.building.importers.importer import TreeFile

_JDK = (*PROVIDED, "javax.", "sun.", "com.sun.", "jdk.", "org.ietf.")


def unbuildable_tests(tree: Mapping[str, TreeFile], folder: str, given: Collection[str]) -> dict[str, str]:
    """Return the sources of a folder of tests that import what nobody has, and those that name these; each with the package.

    `given` is what jars have: classes (`a.b.C`) and packages (`a.b.*`).
    """
    java = {path: file for path, file in tree.items() if path.endswith(".java") and not file.link}
    tests = {path: file for path, file in java.items() if path.startswith(f"{folder}/")}
    known = {package_of(file) for file in java.values()} | {name.removesuffix(".*") for name in given if name.endswith(".*")}
    found = {path: missing for path, file in tests.items() if (missing := _missing(file, known))}
    named = {path: named_files([file]) for path, file in tests.items()} if found else {}
    while more := {
        path: found[f"{folder}/{user}"]
        for path, names in named.items()
        if path not in found
        for user in names
        if f"{folder}/{user}" in found
    }:
        found |= more
    return found


def _missing(file: TreeFile, known: Collection[str]) -> str:
    """Return the first package that a source imports and nobody has, or nothing."""
    for name in imported_names(file.content.decode("iso-8859-1")):
        parts = name.split(".")
        packages = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
        if not f"{name}.".startswith(_JDK) and not any(package in known for package in packages):
            return ".".join(itertools.takewhile(lambda part: part[:1].islower(), parts))
    return ""
