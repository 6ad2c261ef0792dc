"""Where every candidate and outcome of a run stands, and what pages count: a SQLite file in the cache that follows the run's files.

Nothing in it is the only copy: it is made again when it is lost, or when the run is not the one that it was made from. Reading goes
in short steps, so that pages can be shown of a run that is still being read, and of one that is still being written.
"""

import fcntl
import json
import os
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest, record
from repairlab.core.score import Ended, Samples
from repairlab.core.storage.database import Database
from repairlab.runs.experiment import Manifest
from repairlab.runs.integrity import read_seal
from repairlab.runs.repairing import prices_of
from repairlab.runs.store import Store
from repairlab.serve.browser.index_lines import NUMBERS, ORDER, VERDICTS, id_number, id_text, read_step

_VERSION = 2
"""Of the tables below; a file of another version has another name."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, place INTEGER NOT NULL, lines INTEGER NOT NULL, ending BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS bugs (
  number INTEGER PRIMARY KEY, ended TEXT NOT NULL, n INTEGER NOT NULL, verdicts TEXT NOT NULL, first INTEGER,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_usd REAL, cpu_s REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS candidates (
  bug INTEGER NOT NULL, rank INTEGER NOT NULL, id INTEGER NOT NULL, place INTEGER NOT NULL, tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL, cost_usd REAL, verdict INTEGER, passed REAL, PRIMARY KEY (bug, rank)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS candidates_by_id ON candidates (id);
CREATE INDEX IF NOT EXISTS candidates_by_verdict ON candidates (verdict, bug, rank);
CREATE TABLE IF NOT EXISTS outcomes (
  id INTEGER PRIMARY KEY, bug INTEGER NOT NULL, place INTEGER NOT NULL, verdict INTEGER NOT NULL, passed REAL NOT NULL,
  cpu_s REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS outcomes_by_bug ON outcomes (bug, cpu_s);
CREATE TABLE IF NOT EXISTS texts (digest TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS damages (file TEXT NOT NULL, line INTEGER NOT NULL, what TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS made (name TEXT PRIMARY KEY, state TEXT NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
"""
_TABLES = ("files", "bugs", "candidates", "outcomes", "texts", "damages", "made")
_PAGE = """
SELECT candidates.bug, rank, candidates.id, candidates.place, outcomes.place, candidates.verdict
FROM candidates LEFT JOIN outcomes ON outcomes.id = candidates.id
"""


@record
class BugCounts:
    """What is known of one bug of a run."""

    id: str
    language: str
    ended: Ended
    n: int
    """Candidates, judged or not."""
    verdicts: Mapping[Verdict, int]
    first: int | None
    """Rank of the first plausible candidate."""
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """None when the price of the model is not known."""
    cpu_s: float


@record
class Place:
    """Where one candidate stands in the files of its run."""

    bug_id: str
    rank: int
    candidate_id: str
    candidate: int
    outcome: int | None
    """None: not judged yet."""
    verdict: Verdict | None


class RunIndex:
    """The index of one run folder. One process follows the files, and any number of threads and processes read."""

    def __init__(self, folder: Path, cache: Path) -> None:
        """Open the index of a run, or an empty one; nothing of the run is read yet."""
        self.store = Store(folder)
        self.manifest: Manifest = self.store.manifest()
        self._prices = prices_of(folder)
        name = digest(_VERSION, str(folder.resolve()), self.manifest.id, self.manifest.created, self._prices.digest)
        self.problem = ""
        """Why the index cannot be used; pages say so instead of showing nothing."""
        self._path = cache / "view" / f"{name}.sqlite"
        self._database = Database(self._path, _SCHEMA, report=self._fail)
        self._reading = Database(self._path, "", report=self._fail)  # so that pages do not wait for what is being written
        self._numbers = {bug_id: number for number, bug_id in enumerate(self.manifest.bug_ids)}
        self._writing = threading.Lock()
        self._lock: int | None = None

    def close(self) -> None:
        """Close the file and let others follow the run."""
        self._database.close()
        self._reading.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _fail(self, message: str) -> None:
        self.problem = message

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return what a query finds; a UserError when the file cannot be read."""
        found = self._reading.rows(query, values)
        if self.problem:
            raise UserError(f"the index of {self.store.folder} cannot be used: {self.problem}")
        return found

    # Following the files.

    def follow(self) -> bool:
        """Read a little more of the run's files and return whether there is more to read; another process may be at it already."""
        with self._writing:
            if not self._may_write():
                return False
            known = {name: (place, lines, ending) for name, place, lines, ending in self.rows("SELECT * FROM files")}
            for name in ORDER:
                place, lines, ending = known.get(name, (0, 0, b""))
                if self._is_other(name, place, ending):
                    self._database.write_all([(f"DELETE FROM {table}", ()) for table in _TABLES])
                    return True
                step = read_step(self.store.folder / name, place, lines, self.manifest.id, self._numbers, self._prices)
                if step is not None:
                    self._database.write_all(step)
                    return True
            return False

    @property
    def is_behind(self) -> bool:
        """Whether the files have lines that are not read yet."""
        return any(self._size(name) > place for name, place in self._places().items())

    @property
    def share(self) -> float:
        """Return how much of the files is read, from 0 to 1."""
        places = self._places()
        total = sum(map(self._size, places))
        return min(1.0, sum(places.values()) / total) if total else 1.0

    @property
    def state(self) -> str:
        """Return a text that changes whenever a line is added."""
        return " ".join(f"{name}:{lines}" for name, lines in self.rows("SELECT name, lines FROM files ORDER BY name"))

    @property
    def damages(self) -> list[str]:
        """Say where the files are not as they were written."""
        found = [f"{file}, line {line}: {what}" for file, line, what in self.rows("SELECT * FROM damages LIMIT 20")]
        seal = read_seal(self.store)
        if seal is not None and not self.is_behind:
            lines = dict(self.rows("SELECT name, lines FROM files"))
            for name in ORDER:
                sealed = seal.files.get(name)
                if sealed and lines.get(name, 0) < sealed.lines:
                    found.append(f"{name}: {sealed.lines - lines.get(name, 0)} of {count(sealed.lines, 'line')} missing")
        return found

    def _places(self) -> dict[str, int]:
        places = dict.fromkeys(ORDER, 0)
        return places | dict(self.rows("SELECT name, place FROM files"))

    def _size(self, name: str) -> int:
        try:
            return (self.store.folder / name).stat().st_size
        except OSError:
            return 0

    def _may_write(self) -> bool:
        """Return whether this process is the one that follows the run."""
        if self._lock is None:
            try:
                lock = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                self._fail(f"cannot write {self._path.with_suffix('.lock')}: {error.strerror}")
                return False
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return False
            self._lock = lock
        return True

    def _is_other(self, name: str, place: int, ending: bytes) -> bool:
        """Tell whether a file is not the one that was read so far: a repaired run has other lines."""
        if not place:
            return False
        try:
            with (self.store.folder / name).open("rb") as file:
                file.seek(place - len(ending))
                return file.read(len(ending)) != ending
        except OSError:
            return True

    # Reading.

    def bugs(self) -> list[BugCounts]:
        """Return what is known of every bug, in the order of the run."""
        known = {row[0]: row[1:] for row in self.rows("SELECT * FROM bugs")}
        return [self._counts(number, known.get(number)) for number in range(len(self.manifest.bug_ids))]

    def bug(self, bug_id: str) -> BugCounts:
        """Return what is known of one bug."""
        found = self.rows("SELECT * FROM bugs WHERE number = ?", (self._numbers[bug_id],))
        return self._counts(self._numbers[bug_id], found[0][1:] if found else None)

    def has(self, bug_id: str) -> bool:
        """Tell whether a bug is part of the run."""
        return bug_id in self._numbers

    def _counts(self, number: int, row: Sequence[Any] | None) -> BugCounts:
        ended, n, verdicts, first, tokens_in, tokens_out, cost_usd, cpu_s = row or ("unfinished", 0, "[]", None, 0, 0, 0.0, 0.0)
        return BugCounts(
            id=self.manifest.bug_ids[number],
            language=self.manifest.languages[number],
            ended=cast(Ended, ended),
            n=n,
            verdicts={VERDICTS[verdict]: count for verdict, count in json.loads(verdicts)},
            first=first,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost_usd=cost_usd,
            cpu_s=cpu_s,
        )

    def verdicts(self) -> Counter[Verdict]:
        """Count the verdicts of all candidates."""
        counted: Counter[Verdict] = Counter()
        for bug in self.bugs():
            counted.update(bug.verdicts)
        return counted

    def page(self, *, bug_id: str | None = None, verdict: Verdict | None = None, start: int = 0, n: int = 50) -> list[Place]:
        """Return some candidates by bug and rank: of one bug or all, with one verdict or any."""
        conditions, values = [], []
        if bug_id is not None:
            conditions.append("candidates.bug = ?")
            values.append(self._numbers[bug_id])
        if verdict is not None:
            conditions.append("candidates.verdict = ?")
            values.append(NUMBERS[verdict])
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self.rows(f"{_PAGE} {where} ORDER BY candidates.bug, rank LIMIT ? OFFSET ?", (*values, n, start))
        return [self._place(row) for row in rows]

    def at_rank(self, bug_id: str, rank: int) -> Place | None:
        """Return the candidate of a bug at a rank."""
        found = self.rows(f"{_PAGE} WHERE candidates.bug = ? AND rank = ?", (self._numbers[bug_id], rank))
        return self._place(found[0]) if found else None

    def with_id(self, candidate_id: str) -> list[Place]:
        """Return where a candidate was proposed, the best rank first."""
        try:
            number = id_number(candidate_id)
        except ValueError:
            return []
        return [self._place(row) for row in self.rows(f"{_PAGE} WHERE candidates.id = ? ORDER BY rank LIMIT 50", (number,))]

    def near(self, bug_id: str, rank: int) -> tuple[int | None, int | None]:
        """Return the ranks before and behind one."""
        bug = self._numbers[bug_id]
        before = self.rows("SELECT max(rank) FROM candidates WHERE bug = ? AND rank < ?", (bug, rank))
        behind = self.rows("SELECT min(rank) FROM candidates WHERE bug = ? AND rank > ?", (bug, rank))
        return before[0][0], behind[0][0]

    def newest(self, n: int = 12) -> list[Place]:
        """Return the candidates that were judged last, the last one first."""
        ids = [row[0] for row in self.rows("SELECT id FROM outcomes ORDER BY place DESC LIMIT ?", (n,))]
        found = (self.rows(f"{_PAGE} WHERE candidates.id = ? ORDER BY rank LIMIT 1", (number,)) for number in ids)
        return [self._place(rows[0]) for rows in found if rows]

    def text_place(self, name: str) -> int | None:
        """Return where a text of the transcripts stands."""
        found = self.rows("SELECT place FROM texts WHERE digest = ?", (name,))
        return found[0][0] if found else None

    def text_places(self) -> list[int]:
        """Return where all texts of the transcripts stand."""
        return [row[0] for row in self.rows("SELECT place FROM texts ORDER BY place")]

    def spent_until_fixed(self) -> list[tuple[int, float]]:
        """Return tokens and CPU seconds that each fixed bug took to its first plausible candidate; equal ones were judged once."""
        spent = "sum(candidates.tokens_in + candidates.tokens_out) AS tokens, outcomes.cpu_s AS cpu_s"
        joined = (
            "bugs JOIN candidates ON candidates.bug = number AND rank <= first LEFT JOIN outcomes ON outcomes.id = candidates.id"
        )
        each = f"SELECT candidates.bug AS bug, {spent} FROM {joined} GROUP BY candidates.bug, candidates.id"
        found = self.rows(f"SELECT sum(tokens), sum(cpu_s) FROM ({each}) GROUP BY bug")
        return [(tokens, cpu_s or 0.0) for tokens, cpu_s in found]

    def samples(self) -> tuple[Samples, ...]:
        """Return what metrics are made from; the same as `read_samples` reads from the files."""
        ended = dict(self.rows("SELECT number, ended FROM bugs"))
        made = []
        for number, (bug_id, language) in enumerate(zip(self.manifest.bug_ids, self.manifest.languages, strict=True)):
            rows = self.rows(
                "SELECT verdict, passed, id FROM candidates WHERE bug = ? AND verdict IS NOT NULL ORDER BY rank", (number,)
            )
            made.append(
                Samples(
                    bug_id=bug_id,
                    language=language,
                    verdicts=tuple(VERDICTS[row[0]] for row in rows),
                    passed=tuple(row[1] for row in rows),
                    distinct=len({row[2] for row in rows}),
                    ended=ended.get(number, "unfinished"),
                )
            )
        return tuple(made)

    def _place(self, row: Sequence[Any]) -> Place:
        bug, rank, number, candidate, outcome, verdict = row
        return Place(
            bug_id=self.manifest.bug_ids[bug],
            rank=rank,
            candidate_id=id_text(number),
            candidate=candidate,
            outcome=outcome,
            verdict=None if verdict is None else VERDICTS[verdict],
        )

    # What was computed once.

    def made(self, name: str, *, is_fresh: bool = True) -> Any:
        """Return what was kept under a name, if no line was added since or that does not matter; none when there is nothing."""
        found = self.rows("SELECT data, state FROM made WHERE name = ?", (name,))
        return json.loads(found[0][0]) if found and (not is_fresh or found[0][1] == self.state) else None

    def keep(self, name: str, state: str, data: Any) -> None:
        """Keep what was computed in a state of the run."""
        self._database.write("INSERT OR REPLACE INTO made VALUES (?, ?, ?)", (name, state, json.dumps(data)))
