"""The files of an image: its layers one over the other, as hard links to what is unpacked."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from repairlab.core.errors import UserError
from repairlab.sandbox.layers import ImageLayer, LayerEntry, digest_of

Merged: TypeAlias = dict[str, Any]
"""A folder: each name's folder, or its layer's number and its entry there."""


def overlay(layers: Sequence[ImageLayer]) -> Merged:
    """Return what layers come to, one over the other."""
    top: Merged = {}
    for number, layer in enumerate(layers):
        links = {entry.path: _linked(top, entry) for entry in layer.entries if entry.kind == "h"}
        for path in layer.opaque:
            if isinstance(found := _find(top, path), dict):
                found.clear()
        for path in layer.removed:
            above, _, name = path.rpartition("/")
            if isinstance(found := _find(top, above), dict):
                found.pop(name, None)
        for entry in layer.entries:
            *parents, name = entry.path.split("/")
            folder = top
            for part in parents:
                folder = folder[part]  # an index names each folder before what is in it
            if entry.kind != "d":
                folder[name] = links.get(entry.path) or (number, entry)
            elif not isinstance(folder.get(name), dict):
                folder[name] = {}
    return top


def _linked(top: Merged, entry: LayerEntry) -> tuple[int, LayerEntry]:
    found = _find(top, entry.target)
    if found is None or isinstance(found, dict):
        raise UserError(f"{entry.path!r} is a hard link to {entry.target!r}, which no layer has as a file")
    return found  # type: ignore[no-any-return]


def _find(top: Merged, path: str) -> Any:
    node: Any = top
    for part in filter(None, path.split("/")):
        node = node.get(part) if isinstance(node, dict) else None
    return node


def leaves(top: Merged, above: str = "") -> Iterator[tuple[str, int, LayerEntry | None]]:
    """Yield each path of merged layers with its layer and entry there, folders (no entry) before what is in them."""
    for name, node in top.items():
        path = f"{above}{name}"
        if isinstance(node, dict):
            yield path, 0, None
            yield from leaves(node, f"{path}/")
        else:
            yield (path, *node)


def link_root(layers: Sequence[ImageLayer], folders: Sequence[Path], root: Path) -> None:
    """Make the root of an image in a new folder: hard links to the files of its layers, which take no room."""
    root.mkdir(mode=0o755)
    for path, number, entry in leaves(overlay(layers)):
        if entry is None:
            (root / path).mkdir(mode=0o755)
        elif entry.kind == "l":
            (root / path).symlink_to(entry.target)
        else:
            source = folders[number] / "tree" / entry.path
            try:
                os.link(source, root / path, follow_symlinks=False)
            except OSError:  # a file system without links, or a file that has as many as it may
                shutil.copy2(source, root / path, follow_symlinks=False)


def damage_of(top: Merged, root: Path, seen: dict[tuple[int, int], str]) -> Iterator[str]:
    """Yield what in a folder is not as merged layers say; `seen` keeps the digests of files with several names."""
    wanted = {path: entry for path, _, entry in leaves(top)}
    for path, entry in wanted.items():
        found = _kind(root / path)
        if found != (entry.kind if entry else "d"):
            yield f"{path!r} is missing or of another kind"
        elif entry and entry.kind == "l" and os.readlink(root / path) != entry.target:  # noqa: PTH115  # as it is
            yield f"{path!r} leads elsewhere"
        elif entry and entry.kind == "f":
            status = (root / path).stat()
            key = (status.st_dev, status.st_ino)
            seen[key] = seen.get(key) or digest_of(root / path)
            if seen[key] != entry.target:
                yield f"{path!r} has another content"
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            if (path := os.path.relpath(f"{folder}/{name}", root)) not in wanted:
                yield f"{path!r} was added"


def _kind(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return ""
    return "d" if stat.S_ISDIR(mode) else "l" if stat.S_ISLNK(mode) else "f" if stat.S_ISREG(mode) else "other"
