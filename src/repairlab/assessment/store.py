"""Tasks, ratings and rulings of a run, in one SQLite file in its folder. Any number of people may write to it at once.

Nothing is changed or deleted: whoever thinks again adds a rating, and the last one counts. Unlike a cache, a file that cannot be
read or written is an error. The files of the run itself, and its seal, are not touched.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from repairlab.assessment.records import AssessmentTask, Rating, Ruling
from repairlab.core.errors import UserError
from repairlab.storage.database import Database

FILE = "assessment.sqlite"
_MIGRATIONS: Sequence[Sequence[str]] = (
    (
        "CREATE TABLE IF NOT EXISTS tasks (number INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, run TEXT NOT NULL,"
        " bug TEXT NOT NULL, candidate TEXT NOT NULL, UNIQUE (run, candidate))",
        "CREATE TABLE IF NOT EXISTS assignments (number INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, rater TEXT NOT NULL,"
        " UNIQUE (task, rater))",
        "CREATE TABLE IF NOT EXISTS ratings (number INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, rater TEXT NOT NULL,"
        " label TEXT NOT NULL, rules TEXT NOT NULL, note TEXT NOT NULL, seconds REAL NOT NULL, time TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS rulings (number INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, judge TEXT NOT NULL,"
        " label TEXT NOT NULL, rules TEXT NOT NULL, note TEXT NOT NULL, time TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS evidence (task TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ),
)
"""Statements that lead from each version of the file to the next."""


class AssessmentStore:
    """The file, open in one process."""

    def __init__(self, path: Path) -> None:
        """Open the file or make it, and bring an older one up to date."""
        self._path = path
        self._database = Database(path, "", preserve=True, report=self._refuse)
        version = self._version()
        if version > len(_MIGRATIONS):
            raise UserError(
                f"{path} was written by a later version of repairlab (form {version}, this one knows {len(_MIGRATIONS)}); update it"
            )
        for number in range(version, len(_MIGRATIONS)):
            statements = [*_MIGRATIONS[number], f"PRAGMA user_version = {number + 1}"]
            self._database.write_all((statement, ()) for statement in statements)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add_tasks(self, tasks: Iterable[AssessmentTask]) -> None:
        """Add tasks; those that are there stay as they are."""
        self._database.write_all(
            ("INSERT OR IGNORE INTO tasks (task, run, bug, candidate) VALUES (?, ?, ?, ?)", (t.id, t.run, t.bug_id, t.candidate_id))
            for t in tasks
        )

    def tasks(self) -> list[AssessmentTask]:
        """Return all tasks in the order in which they were added; several may have one id."""
        rows = self._database.rows("SELECT task, run, bug, candidate FROM tasks ORDER BY number")
        return [AssessmentTask(id=task, run=run, bug_id=bug, candidate_id=candidate) for task, run, bug, candidate in rows]

    def assign(self, drawn: Mapping[str, Sequence[str]]) -> None:
        """Give raters their tasks, in this order; what somebody has already stays theirs."""
        self._database.write_all(
            ("INSERT OR IGNORE INTO assignments (task, rater) VALUES (?, ?)", (task, rater))
            for rater, tasks in drawn.items()
            for task in tasks
        )

    def assignments(self) -> dict[str, list[str]]:
        """Return the tasks of each rater, in the order in which to look at them."""
        found: dict[str, list[str]] = {}
        for task, rater in self._database.rows("SELECT task, rater FROM assignments ORDER BY number"):
            found.setdefault(rater, []).append(task)
        return found

    def add_ratings(self, ratings: Iterable[Rating]) -> int:
        """Add ratings and return how many; one that repeats the rater's last word on a task is left out."""
        last = {(item.task, item.rater): item.said for item in self.ratings()}
        new = [item for item in ratings if last.get((item.task, item.rater)) != item.said]
        self._database.write_all(
            (
                "INSERT INTO ratings (task, rater, label, rules, note, seconds, time) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (item.task, item.rater, item.label, " ".join(item.rules), item.note, item.seconds, item.time),
            )
            for item in new
        )
        return len(new)

    def ratings(self) -> list[Rating]:
        """Return all ratings, the oldest first."""
        rows = self._database.rows("SELECT task, rater, label, rules, note, seconds, time FROM ratings ORDER BY number")
        names = ("task", "rater", "label", "rules", "note", "seconds", "time")
        return [Rating(**{**dict(zip(names, row, strict=True)), "rules": tuple(row[3].split())}) for row in rows]

    def add_rulings(self, rulings: Iterable[Ruling]) -> int:
        """Add rulings and return how many; one that repeats the last one on a task is left out."""
        last = {item.task: item.said for item in self.rulings()}
        new = [item for item in rulings if last.get(item.task) != item.said]
        self._database.write_all(
            (
                "INSERT INTO rulings (task, judge, label, rules, note, time) VALUES (?, ?, ?, ?, ?, ?)",
                (item.task, item.judge, item.label, " ".join(item.rules), item.note, item.time),
            )
            for item in new
        )
        return len(new)

    def rulings(self) -> list[Ruling]:
        """Return all rulings, the oldest first."""
        rows = self._database.rows("SELECT task, judge, label, rules, note, time FROM rulings ORDER BY number")
        names = ("task", "judge", "label", "rules", "note", "time")
        return [Ruling(**{**dict(zip(names, row, strict=True)), "rules": tuple(row[3].split())}) for row in rows]

    def put_evidence(self, task: str, value: Mapping[str, Any]) -> None:
        """Keep what was found out about a task, in the place of what was known before."""
        self._database.write("INSERT OR REPLACE INTO evidence (task, value) VALUES (?, ?)", (task, json.dumps(value)))

    def evidence(self) -> dict[str, dict[str, Any]]:
        """Return what is known of tasks beside what people say."""
        return {task: json.loads(value) for task, value in self._database.rows("SELECT task, value FROM evidence ORDER BY task")}

    def _version(self) -> int:
        return int(self._database.rows("PRAGMA user_version")[0][0])

    def _refuse(self, message: str) -> NoReturn:
        raise UserError(f"{message}. Ratings are kept there, so nothing was done")


@contextmanager
def open_assessment(folder: Path) -> Iterator[AssessmentStore]:
    """Open the assessment of a run for the time of a block."""
    store = AssessmentStore(folder / FILE)
    try:
        yield store
    finally:
        store.close()
