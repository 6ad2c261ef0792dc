"""Files that an Ant build copies to the classes it compiles, where the program looks for them."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from repairlab.building.importers.importer import TreeFile

_PROPERTY = re.compile(r'<property\s+name="([^"]+)"\s+(?:value|location)="([^"]*)"')
_JAVAC = re.compile(r'<javac\b[^>]*\bdestdir="([^"]+)"')
_COPY = re.compile(r"<copy\b([^>]*)>")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_REFERENCE = re.compile(r"\$\{([^}]+)\}")
_DEPTH = 10
"""Properties of properties."""


def copied_resources(tree: Mapping[str, TreeFile]) -> dict[str, TreeFile]:
    """Return the files that build.xml copies one by one below a folder of classes, by their place there."""
    text = tree["build.xml"].content.decode("utf-8", "replace") if "build.xml" in tree else ""
    properties: dict[str, str] = {"basedir": "."}
    for name, value in _PROPERTY.findall(text):
        properties.setdefault(name, value)  # in Ant the first one counts
    folders = {_place(folder, properties) for folder in _JAVAC.findall(text)}
    found = {}
    for attributes in map(dict, map(_ATTRIBUTE.findall, _COPY.findall(text))):
        source = _place(attributes.get("file", ""), properties)
        target = _place(attributes.get("tofile") or f"{attributes.get('todir', '')}/{PurePosixPath(source).name}", properties)
        for folder in folders:
            if source in tree and target.startswith(f"{folder}/"):
                found[target.removeprefix(f"{folder}/")] = tree[source]
    return found


def _place(text: str, properties: Mapping[str, str]) -> str:
    """Return a path of the tree with the values of properties; one that is not known stays as it is."""
    for _ in range(_DEPTH):
        text = _REFERENCE.sub(lambda found: properties.get(found[1], found[0]), text)
    return PurePosixPath(text).as_posix()
