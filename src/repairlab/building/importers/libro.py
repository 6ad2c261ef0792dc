"""Reports of Defects4J bugs as coinse/libro keeps them: one JSON file for each bug, its description in HTML.

Nothing but the title and the description is read: what came later tells how it was fixed.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from repairlab.building.importers.defects4j_bug import Issue
from repairlab.building.importers.html_text import html_text
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json

_PLACES = ("data/Defects4J/bug_report", "bug_report", ".")


class Reports(Mapping[str, Issue]):
    """Issues by bug id such as `Csv-1`, each read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        """Take a checkout of libro, or its folder of reports."""
        found = [sorted((folder / place).glob("[A-Z]*-[0-9]*.json")) for place in _PLACES]
        self._files = {path.stem: path for path in next(filter(None, found), [])}
        if not self._files:
            raise UserError(
                f"{folder} is no checkout of coinse/libro: it has no reports such as data/Defects4J/bug_report/Csv-1.json"
            )

    def __getitem__(self, bug_id: str) -> Issue:
        path = self._files[bug_id]
        data = read_json(path)
        if not isinstance(data, dict):
            raise UserError(f"{path} should hold a JSON object with a title and a description")
        title = " ".join(html_text(field(data, "title", str, str(path))).split())
        return Issue(title=title, description=html_text(data["description"]) if data.get("description") else "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
