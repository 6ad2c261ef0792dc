"""Lines of a run's files as changes of its index: what each kind of record tells."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.storage.encoding import line_key, number_of
from repairlab.repairers.ledger import Pricing
from repairlab.runs.store import FILES, BugEnd, TranscriptEntry

_CHUNK = 1 << 20
"""Bytes that are read in one step."""
VERDICTS = tuple(Verdict)
_PASSED = {"PASSED", "PLAUSIBLE"}
"""What `TestVerdict` takes for a pass."""
NUMBERS = {verdict.value: number for number, verdict in enumerate(VERDICTS)}
ORDER = (FILES[Outcome], FILES[Candidate], FILES[BugEnd], FILES[TranscriptEntry])
"""Outcomes first: a candidate then finds its own, and nothing has to be looked up twice."""
_ENDING = 24
_COUNT = """
INSERT OR REPLACE INTO bugs
SELECT :bug, coalesce((SELECT ended FROM bugs WHERE number = :bug), 'unfinished'), count(*),
  (SELECT json_group_array(json_array(verdict, n)) FROM (
    SELECT verdict, count(*) AS n FROM candidates WHERE bug = :bug AND verdict IS NOT NULL GROUP BY verdict)),
  min(CASE WHEN verdict = 0 THEN rank END), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),
  CASE WHEN count(*) = count(cost_usd) THEN coalesce(sum(cost_usd), 0.0) END,
  (SELECT coalesce(sum(cpu_s), 0.0) FROM outcomes WHERE bug = :bug)
FROM candidates WHERE bug = :bug
"""
"""Count a bug again; verdict 0 is the plausible one."""

Statement = tuple[str, Sequence[Any] | Mapping[str, Any]]


def read_step(
    path: Path, place: int, lines: int, run_id: str, numbers: Mapping[str, int], prices: Pricing
) -> list[Statement] | None:
    """Read the next lines of a file and return what they change in the index; none when there is no whole one.

    `lines` have been read up to `place`; `numbers` are those of the bugs, by id; `prices` say what answers cost for
    which nothing was booked.
    """
    name = path.name
    try:
        with path.open("rb") as file:
            file.seek(place)
            chunk = file.read(_CHUNK)
            while chunk and b"\n" not in chunk:
                more = file.read(_CHUNK)
                if not more:
                    return None
                chunk += more
    except FileNotFoundError:
        return None
    end = chunk.rfind(b"\n") + 1
    if not end:
        return None
    take = partial(_candidate, prices) if name == FILES[Candidate] else _TAKERS[name]
    key = line_key(run_id, name) if run_id else None
    statements: list[Statement] = []
    bugs: set[int] = set()
    at = place
    for line in _lines(chunk[:end]):
        lines += 1
        try:
            if key is not None and number_of(line, key) != lines:
                raise ValueError("it was changed, moved or cut")
            bug = take(_data(line), at, numbers, statements)
            if bug is not None:
                bugs.add(bug)
        except (ValueError, KeyError, TypeError) as error:
            what = str(error) if isinstance(error, ValueError) and error.args else f"it was not written by repairlab ({error!r})"
            statements.append(("INSERT INTO damages VALUES (?, ?, ?)", (name, lines, what)))
        at += len(line)
    statements += [(_COUNT, {"bug": bug}) for bug in bugs]
    statements.append(("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (name, at, lines, chunk[max(0, end - _ENDING) : end])))
    return statements


def _data(line: bytes) -> dict[str, Any]:
    try:
        data = from_json(line, cache_strings="keys")
    except ValueError:  # it takes no lone surrogates, which hostile candidates have
        data = json.loads(line.decode("utf-8", "surrogatepass"))
    if not isinstance(data, dict):
        raise ValueError("it is no JSON object")
    return data


_ALL_BITS = (1 << 64) - 1


def id_text(number: int) -> str:
    """Return the id of a candidate that SQLite holds as a number."""
    return f"{number & _ALL_BITS:016x}"


def id_number(candidate_id: str) -> int:
    """Return the id of a candidate, sixteen hexadecimal digits, as a number that SQLite takes."""
    if len(candidate_id) != 16:
        raise ValueError(f"{candidate_id!r} is no id of a candidate")
    number = int(candidate_id, 16)
    return number - (1 << 64) if number >> 63 else number


def _lines(chunk: bytes) -> Iterator[bytes]:
    return (line + b"\n" for line in chunk.split(b"\n")[:-1])


def _outcome(data: dict[str, Any], place: int, bugs: Mapping[str, int], into: list[Statement]) -> int | None:
    bug, number = bugs[data["bug_id"]], id_number(data["candidate_id"])
    n_passed = sum(test["verdict"] in _PASSED for test in data["tests"])
    passed = n_passed / data["n_tests"] if data["n_tests"] else 0.0
    verdict = NUMBERS[data["verdict"]]
    into.append(("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)", (number, bug, place, verdict, passed, data["cpu_s"])))
    into.append(("UPDATE candidates SET verdict = ?, passed = ? WHERE id = ?", (verdict, passed, number)))
    return bug


def _candidate(prices: Pricing, data: dict[str, Any], place: int, bugs: Mapping[str, int], into: list[Statement]) -> int | None:
    bug, number = bugs[data["bug_id"]], id_number(data["id"])
    origin = data["origin"]
    spent = {name: origin[name] for name in ("tokens_in", "tokens_out")}
    spent["cost_usd"] = prices.cost_usd(origin["model"], origin["tokens_in"], origin["tokens_out"], origin["cost_usd"])
    into.append((_INSERT, {"bug": bug, "rank": data["rank"], "id": number, "place": place, **spent}))
    return bug


_INSERT = """
INSERT OR REPLACE INTO candidates VALUES (:bug, :rank, :id, :place, :tokens_in, :tokens_out, :cost_usd,
  (SELECT verdict FROM outcomes WHERE id = :id), (SELECT passed FROM outcomes WHERE id = :id))
"""


def _end(data: dict[str, Any], _place: int, bugs: Mapping[str, int], into: list[Statement]) -> int | None:
    bug = bugs[data["bug_id"]]
    into.append((_COUNT, {"bug": bug}))
    into.append(("UPDATE bugs SET ended = ? WHERE number = ?", (data["ended"], bug)))
    return None


def _text(data: dict[str, Any], place: int, _bugs: Mapping[str, int], into: list[Statement]) -> int | None:
    into.append(("INSERT OR REPLACE INTO texts VALUES (?, ?)", (data["digest"], place)))
    return None


_TAKERS: Mapping[str, Callable[[dict[str, Any], int, Mapping[str, int], list[Statement]], int | None]] = {
    FILES[Outcome]: _outcome,
    FILES[BugEnd]: _end,
    FILES[TranscriptEntry]: _text,
}
