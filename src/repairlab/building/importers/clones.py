"""The clones that one import needs, each looked for once."""

import re
from functools import cached_property
from pathlib import Path

from repairlab.building.importers.importer import Settings
from repairlab.building.importers.repository import Repository, clone_of, is_git_folder
from repairlab.core.errors import UserError

_COMMIT = re.compile("[0-9a-f]{40}")


class Clones:
    """Finds clones, and remembers those that could not be had."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._found: dict[str, Repository | UserError] = {}

    def get(self, name: str, url: str | None, revision: str | None = None) -> Repository:
        """Return the clone of a project; a UserError says why there is none, the same one every time.

        It is the one called NAME or NAME.git; or one, in --clones or in a folder of it, whose remote is the project's,
        or whose history has the revision. Where there is none, it is cloned.
        """
        if name not in self._found:
            try:
                self._found[name] = self._look(name, url, revision)
            except UserError as error:
                self._found[name] = error
        found = self._found[name]
        if isinstance(found, UserError):
            raise found
        return found

    def _look(self, name: str, url: str | None, revision: str | None) -> Repository:
        folder = self._settings.clones
        if folder is None or any((folder / called).is_dir() for called in (name, f"{name}.git")):
            return clone_of(name, url, self._settings)
        wanted = _place(url) if url else None
        for repository in self._all:
            if wanted and wanted in map(_place, repository.remotes()):
                return repository
        # A short history may hold one revision of two projects, such as a fork's; one with the name in its path comes first.
        likely = sorted(self._all, key=lambda repository: name not in str(repository.folder.relative_to(folder)))
        # A number of another system for versions may look like the beginning of a name.
        for repository in likely if revision and _COMMIT.fullmatch(revision) else ():
            if repository.has(str(revision)):
                return repository
        return clone_of(name, url, self._settings)

    @cached_property
    def _all(self) -> list[Repository]:
        """All clones in the folder, and in its folders."""
        folder = self._settings.clones
        if folder is None or not folder.is_dir():
            return []
        near: list[Path] = sorted(path for path in folder.iterdir() if path.is_dir())
        inner = [child for path in near if not is_git_folder(path) for child in sorted(path.iterdir()) if child.is_dir()]
        return [Repository(path) for path in (*near, *inner) if is_git_folder(path)]


def _place(url: str) -> str:
    """Return what is the same in all addresses of a repository: its owner and name.

    >>> _place("git@github.com:apache/commons-csv.git") == _place("https://github.com/Apache/commons-csv/")
    True
    """
    return "/".join(re.split(r"[/:]", url.removesuffix("/").removesuffix(".git").lower())[-2:])
