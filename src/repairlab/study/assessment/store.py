"""Tasks, ratings and rulings of a run, in one SQLite file in its folder. Any number of people may write to it at once.

Nothing is changed or deleted: whoever thinks again adds a rating, and the last one counts. Unlike a cache, a file that cannot be
read or written is an error. The files of the run itself, and its seal, are not touched.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from repairlab.core.errors import UserError
from repairlab.core.storage.database import Database
from repairlab.study.assessment.ratings import AssessmentTask, Rating, Ruling

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
"""Statements that migrate each version of the file to the next."""
_DESK: Sequence[str] = (
    "CREATE INDEX IF NOT EXISTS assignments_by_rater ON assignments (rater, number)",
    "CREATE INDEX IF NOT EXISTS ratings_by_rater ON ratings (rater, task, number)",
    "CREATE INDEX IF NOT EXISTS tasks_by_id ON tasks (task)",
    "CREATE TABLE IF NOT EXISTS raters (rater TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS drafts (task TEXT NOT NULL, rater TEXT NOT NULL, form TEXT NOT NULL, PRIMARY KEY (task, rater))",
)
"""What rating in the browser needs in addition: all of it may be missing or lost, but no rating may."""
_RATING = "task, rater, label, rules, note, seconds, time"

_LAST = "SELECT task, rater, label, max(number) FROM ratings GROUP BY task, rater"
_OPEN_TASKS = f"""
SELECT task FROM ({_LAST}) AS last
LEFT JOIN (SELECT task, label AS ruled, max(number) FROM rulings GROUP BY task) USING (task)
WHERE ruled IS NULL OR ruled = 'unsure'
GROUP BY task HAVING count(DISTINCT last.label) > 1 OR sum(last.label = 'unsure')
ORDER BY (SELECT min(number) FROM tasks WHERE tasks.task = last.task)
"""


class AssessmentStore:
    """The file, open in one process."""

    def __init__(self, path: Path) -> None:
        """Open or create the file, and migrate an older one."""
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
        """Add tasks; existing ones stay as they are."""
        self._database.write_all(
            ("INSERT OR IGNORE INTO tasks (task, run, bug, candidate) VALUES (?, ?, ?, ?)", (t.id, t.run, t.bug_id, t.candidate_id))
            for t in tasks
        )

    def tasks(self) -> list[AssessmentTask]:
        """Return all tasks in the order in which they were added; several may have one id."""
        rows = self._database.rows("SELECT task, run, bug, candidate FROM tasks ORDER BY number")
        return [AssessmentTask(id=task, run=run, bug_id=bug, candidate_id=candidate) for task, run, bug, candidate in rows]

    def assign(self, drawn: Mapping[str, Sequence[str]]) -> None:
        """Give raters their tasks, in this order; earlier assignments stay."""
        self._database.write_all(
            ("INSERT OR IGNORE INTO assignments (task, rater) VALUES (?, ?)", (task, rater))
            for rater, tasks in drawn.items()
            for task in tasks
        )

    def assignments(self) -> dict[str, list[str]]:
        """Return the tasks of each rater, in working order."""
        found: dict[str, list[str]] = {}
        for task, rater in self._database.rows("SELECT task, rater FROM assignments ORDER BY number"):
            found.setdefault(rater, []).append(task)
        return found

    def add_ratings(self, ratings: Iterable[Rating]) -> int:
        """Add ratings and return how many; one that repeats the rater's last rating of a task is left out."""
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
        return list(map(_rating, self._database.rows(f"SELECT {_RATING} FROM ratings ORDER BY number")))

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
        """Store evidence on a task, replacing what was known before."""
        self._database.write("INSERT OR REPLACE INTO evidence (task, value) VALUES (?, ?)", (task, json.dumps(value)))

    def evidence(self, *, task: str | None = None) -> dict[str, dict[str, Any]]:
        """Return the automatic evidence on tasks."""
        where, values = ("", ()) if task is None else ("WHERE task = ?", (task,))
        found = self._database.rows(f"SELECT task, value FROM evidence {where} ORDER BY task", values)
        return {name: json.loads(value) for name, value in found}

    # One task at a time, however many there are.

    def prepare_desk(self) -> None:
        """Create what rating in the browser needs."""
        self._database.write_all((statement, ()) for statement in _DESK)

    def tokens(self) -> dict[str, str]:
        """Return the token of each rater who has tasks, creating missing ones."""
        raters = [row[0] for row in self._database.rows("SELECT DISTINCT rater FROM assignments ORDER BY rater")]
        self._database.write_all(
            ("INSERT OR IGNORE INTO raters VALUES (?, ?)", (rater, secrets.token_urlsafe(16))) for rater in raters
        )
        known = dict(self._database.rows("SELECT rater, token FROM raters"))
        return {rater: known[rater] for rater in raters}

    def progress(self, rater: str) -> tuple[int, int]:
        """Return how many tasks a rater has, and how many of them are rated."""
        rated = "EXISTS (SELECT 1 FROM ratings WHERE ratings.rater = a.rater AND ratings.task = a.task)"
        rows = self._database.rows(f"SELECT count(*), coalesce(sum({rated}), 0) FROM assignments a WHERE rater = ?", (rater,))
        return int(rows[0][0]), int(rows[0][1])

    def next_task(self, rater: str, *, after: str = "") -> str | None:
        """Return a rater's next unrated task: the first after a task, else the first of all."""
        query = (
            "SELECT task FROM assignments a WHERE rater = ? AND number > coalesce((SELECT number FROM assignments b"
            " WHERE b.rater = a.rater AND b.task = ?), 0) AND NOT EXISTS"
            " (SELECT 1 FROM ratings WHERE ratings.rater = a.rater AND ratings.task = a.task) ORDER BY number LIMIT 1"
        )
        found = self._database.rows(query, (rater, after)) or self._database.rows(query, (rater, ""))
        return str(found[0][0]) if found else None

    def task_of(self, rater: str, task: str) -> AssessmentTask | None:
        """Return a task of a rater; None if it is not theirs."""
        query = "SELECT 1 FROM assignments WHERE rater = ? AND task = ?"
        return self.task(task) if self._database.rows(query, (rater, task)) else None

    def task(self, task: str) -> AssessmentTask | None:
        """Return the first candidate of a task."""
        rows = self._database.rows("SELECT task, run, bug, candidate FROM tasks WHERE task = ? ORDER BY number LIMIT 1", (task,))
        return next((AssessmentTask(id=name, run=run, bug_id=bug, candidate_id=item) for name, run, bug, item in rows), None)

    def last_ratings(self, rater: str, *, task: str = "", n: int = 2) -> list[Rating]:
        """Return a rater's last ratings, of one task or any, newest first."""
        where, values = ("AND task = ?", (rater, task, n)) if task else ("", (rater, n))
        rows = self._database.rows(f"SELECT {_RATING} FROM ratings WHERE rater = ? {where} ORDER BY number DESC LIMIT ?", values)
        return [_rating(row) for row in rows]

    def add_rating(self, item: Rating) -> None:
        """Add one rating, unless it repeats the rater's last one, and drop the draft."""
        last = self.last_ratings(item.rater, task=item.task, n=1)
        statements: list[tuple[str, Sequence[Any]]] = [("DELETE FROM drafts WHERE task = ? AND rater = ?", (item.task, item.rater))]
        if not last or last[0].said != item.said:
            values = (item.task, item.rater, item.label, " ".join(item.rules), item.note, item.seconds, item.time)
            statements.append((f"INSERT INTO ratings ({_RATING}) VALUES (?, ?, ?, ?, ?, ?, ?)", values))
        self._database.write_all(statements)

    def state(self) -> tuple[int, int]:
        """Return a value that changes with every rating."""
        rows = self._database.rows("SELECT (SELECT max(number) FROM ratings), (SELECT max(number) FROM rulings)")
        return rows[0][0] or 0, rows[0][1] or 0

    def last_words(self) -> dict[str, dict[str, str]]:
        """Return the last label of each task by each rater."""
        found: dict[str, dict[str, str]] = {}
        for task, rater, label in self._database.rows(f"SELECT task, rater, label FROM ({_LAST})"):
            found.setdefault(task, {})[rater] = label
        return found

    def open_tasks(self) -> list[str]:
        """Return the unsettled tasks on which raters differ, or of which one is unsure."""
        return [row[0] for row in self._database.rows(_OPEN_TASKS)]

    def keep_draft(self, task: str, rater: str, form: Mapping[str, Any]) -> None:
        """Store a rater's draft, replacing the last one."""
        self._database.write("INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", (task, rater, json.dumps(form)))

    def draft(self, task: str, rater: str) -> dict[str, Any] | None:
        """Return a rater's draft."""
        found = self._database.rows("SELECT form FROM drafts WHERE task = ? AND rater = ?", (task, rater))
        return dict(json.loads(found[0][0])) if found else None

    def _version(self) -> int:
        return int(self._database.rows("PRAGMA user_version")[0][0])

    def _refuse(self, message: str) -> NoReturn:
        raise UserError(f"{message}. Ratings are kept there, so nothing was done")


def _rating(row: Sequence[Any]) -> Rating:
    task, rater, label, rules, note, seconds, time = row
    return Rating(task=task, rater=rater, label=label, rules=tuple(rules.split()), note=note, seconds=seconds, time=time)


@contextmanager
def open_assessment(folder: Path) -> Iterator[AssessmentStore]:
    """Open the assessment of a run for the time of a block."""
    store = AssessmentStore(folder / FILE)
    try:
        yield store
    finally:
        store.close()
