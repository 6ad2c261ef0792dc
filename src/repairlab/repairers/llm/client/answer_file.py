"""The file of stored answers and embeddings: one SQLite database for all runs and processes of a user.

Whatever is stored survives the end of the process at any moment. An unusable file costs money, never a run.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from repairlab.core.record import SCHEMA_VERSION
from repairlab.core.storage.database import Database
from repairlab.repairers.llm.client.model import Completion, Finish
from repairlab.repairers.llm.client.providers import Price, cost_of

FILE = f"answers-{SCHEMA_VERSION}.sqlite"
_MOST_NAMES = 500
"""Values in one query."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT, number INTEGER, text BLOB, finish TEXT, tokens_in INTEGER, tokens_out INTEGER, cost_usd REAL, logprob REAL,
  PRIMARY KEY (key, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thoughts (key TEXT, number INTEGER, text BLOB, PRIMARY KEY (key, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refusals (key TEXT PRIMARY KEY, reason BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS windows (key TEXT PRIMARY KEY, tokens INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID;
"""


class AnswerFile:
    """The file, open in one process; any number of threads and processes may use it at once."""

    def __init__(self, folder: Path, *, price: Price | None = None, notify: Callable[[str], None] = lambda _: None) -> None:
        """Open or create the file in a folder; the answers it returns cost what their tokens do at this price."""
        self._price = price
        self._database = Database(folder / FILE, _SCHEMA, preserve=True, report=notify)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def answers(self, key: str, numbers: Sequence[int]) -> dict[int, Completion]:
        """Return the stored answers."""
        if not numbers:
            return {}
        query = (
            "SELECT number, answers.text, finish, tokens_in, tokens_out, logprob, thoughts.text "
            "FROM answers LEFT JOIN thoughts USING (key, number) WHERE key = ? AND number BETWEEN ? AND ?"
        )
        wanted = set(numbers)
        rows = self._database.rows(query, (key, min(numbers), max(numbers)))
        return {row[0]: _completion(row[1:], self._price) for row in rows if row[0] in wanted}

    def keep(self, key: str, number: int, answer: Completion) -> Completion:
        """Store an answer and return it; if another process was faster, return that process's answer."""
        text = answer.text.encode("utf-8", "surrogatepass")
        values = (
            key,
            number,
            text,
            answer.finish,
            answer.tokens_in,
            answer.tokens_out,
            None,
            answer.logprob,
        )  # no cost: prices change
        if self._database.write("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values) == 0:
            return self.answers(key, [number]).get(number, answer)
        if answer.thinking:
            thought = answer.thinking.encode("utf-8", "surrogatepass")
            self._database.write("INSERT OR IGNORE INTO thoughts VALUES (?, ?, ?)", (key, number, thought))
        return answer

    def refusal(self, key: str) -> str | None:
        """Return why a prompt could not be answered."""
        rows = self._database.rows("SELECT reason FROM refusals WHERE key = ?", (key,))
        return str(rows[0][0].decode("utf-8", "surrogatepass")) if rows else None

    def keep_refusal(self, key: str, reason: str) -> None:
        """Store why a prompt could not be answered."""
        self._database.write("INSERT OR REPLACE INTO refusals VALUES (?, ?)", (key, reason.encode("utf-8", "surrogatepass")))

    def window(self, key: str) -> int | None:
        """Return the context window that a server reported."""
        rows = self._database.rows("SELECT tokens FROM windows WHERE key = ?", (key,))
        return int(rows[0][0]) if rows else None

    def keep_window(self, key: str, tokens: int) -> None:
        """Store the context window that a server reported."""
        if self.window(key) != tokens:
            self._database.write("INSERT OR REPLACE INTO windows VALUES (?, ?)", (key, tokens))

    def vectors(self, keys: Iterable[str]) -> dict[str, list[float]]:
        """Return the stored vectors."""
        asked, found = list(keys), {}
        for start in range(0, len(asked), _MOST_NAMES):
            part = asked[start : start + _MOST_NAMES]
            marks = ",".join("?" * len(part))
            for key, blob in self._database.rows(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", tuple(part)):
                found[key] = array("f", blob).tolist()
        return found

    def keep_vector(self, key: str, vector: Sequence[float]) -> None:
        """Store a vector, in single precision."""
        self._database.write("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, array("f", vector).tobytes()))


def _completion(row: Sequence[Any], price: Price | None) -> Completion:
    text, finish, tokens_in, tokens_out, logprob, thinking = row
    return Completion(
        text=text.decode("utf-8", "surrogatepass"),
        finish=cast(Finish, finish),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=cost_of(price, tokens_in, tokens_out),
        logprob=logprob,
        thinking=(thinking or b"").decode("utf-8", "surrogatepass"),
    )
