"""The clones that one import needs, each looked for once. Called by importers of project bugs."""

from repairlab.benchmarks.importers.importer import Settings
from repairlab.benchmarks.importers.repository import Repository, clone_of
from repairlab.core.errors import UserError


class Clones:
    """Finds clones, and remembers those that could not be had."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._found: dict[str, Repository | UserError] = {}

    def get(self, name: str, url: str | None) -> Repository:
        """Return the clone of a project; a UserError says why there is none, the same one every time."""
        if name not in self._found:
            try:
                self._found[name] = clone_of(name, url, self._settings)
            except UserError as error:
                self._found[name] = error
        found = self._found[name]
        if isinstance(found, UserError):
            raise found
        return found
