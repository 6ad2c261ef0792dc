"""Trees of C and C++ projects as they are to be built: with submodules from clones, sources as UTF-8."""

import dataclasses
from collections.abc import Mapping

from repairlab.building.importers.clones import Clones
from repairlab.building.importers.importer import TreeFile
from repairlab.building.importers.repository import Repository
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.table import language


@record
class WholeTree:
    """The files of a revision with those of its submodules, and which of these could not be had."""

    files: Mapping[str, TreeFile]
    notes: tuple[str, ...]


def tree_with_submodules(clone: Repository, revision: str, clones: Clones) -> WholeTree:
    """Return the tree of a revision; submodules come from clones, by name or content, none is fetched."""
    files, notes = dict(clone.tree(revision)), []
    for path, module in clone.submodules(revision).items():
        name = module.url.rstrip("/").removesuffix(".git").rpartition("/")[2]
        try:
            found = clones.get(name, None, module.commit)
            if not found.has(module.commit):
                raise UserError(f"{found.folder} has no commit {module.commit}")
        except UserError as error:
            notes.append(f"submodule {path} stays empty: {error}")
            continue
        inner = tree_with_submodules(found, module.commit, clones)
        files.update({f"{path}/{below}": file for below, file in inner.files.items()})
        notes += inner.notes
    return WholeTree(files=files, notes=tuple(notes))


def as_utf8(path: str, file: TreeFile, language_name: str) -> TreeFile:
    """Return a source as UTF-8; one in ISO-8859-1 is changed to it where that can change nothing but comments."""
    try:
        file.content.decode()
        return file
    except UnicodeDecodeError:
        text = file.content.decode("iso-8859-1")
    if not language(language_name).syntax.strip_comments(text).isascii():
        raise UserError(f"{path} is not UTF-8 text, and not in its comments alone: as UTF-8 it would be another program")
    return dataclasses.replace(file, content=text.encode())
