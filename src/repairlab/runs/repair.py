"""Repair a damaged run: keep what is intact, so that the run can go on and do again what is missing."""

import itertools
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic_core import from_json

from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.line_check import checked_line, line_key, number_of
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.samples import Ended
from repairlab.core.storage.encoding import decode, encode
from repairlab.core.words import count
from repairlab.runs.integrity import SEAL, CheckedFile, find_damage, whole_lines
from repairlab.runs.store import CHECKED_FILES, FILES, BugEnd, Store


def repair_run(store: Store) -> list[str]:
    """Move damaged files aside, keep their intact lines, and open bugs of which something is lost; returns what was done.

    Nothing changes when nothing is damaged. May be killed at any moment and started again.
    """
    run_id = store.manifest().id
    if not run_id:
        raise UserError(f"the run in {store.folder} is of before lines had checks: nobody can tell which of them are intact")
    damaged = _damaged(store)
    if not damaged:
        return []
    (store.folder / SEAL).unlink(missing_ok=True)
    said = [_keep_intact(store.folder / name, run_id) for name in damaged if name != FILES[BugEnd]]
    return [*said, _reopen(store, run_id, lost_candidates=FILES[Candidate] in damaged)]


def _damaged(store: Store) -> list[str]:
    try:
        return list(dict.fromkeys(damage.file for damage in find_damage(store)))
    except UserError:  # the seal itself: what it would say of the files is lost
        return list(CHECKED_FILES)


def _keep_intact(path: Path, run_id: str) -> str:
    """Write the intact lines of a file anew, in the order of their numbers; the damaged file stays beside it."""
    places: dict[int, int] = {}
    place = 0
    for line in whole_lines(path):
        number = number_of(line, line_key(run_id, path.name))
        if number is not None:
            places.setdefault(number, place)
        place += len(line)
    return f"{_replace(path, run_id, _bodies(path, places))}; {len(places)} intact lines are kept"


def _bodies(path: Path, places: dict[int, int]) -> Iterator[bytes]:
    """Yield the records of lines without their numbers and checks; a file may be too large to hold."""
    if places:
        with path.open("rb") as file:
            for number in sorted(places):
                file.seek(places[number])
                yield _body(file.readline())


def _body(line: bytes) -> bytes:
    return line[: line.rindex(b',"line":')] + b"}"


def _replace(path: Path, run_id: str, bodies: Iterable[bytes]) -> str:
    """Put records in the place of a file, numbered anew, and say where the old file is."""
    key = line_key(run_id, path.name)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with aside.open("wb") as file:
        for number, body in enumerate(bodies, start=1):
            file.write(checked_line(body, key, number))
    said = f"{path.name} was missing"
    if path.is_file():
        names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
        old = next(name for name in names if not name.exists())
        os.link(path, old)  # at no moment is there no file of this name
        said = f"{path.name} moved to {old.name}"
    aside.replace(path)
    return said


def _reopen(store: Store, run_id: str, *, lost_candidates: bool) -> str:
    """Write bugs.jsonl anew, with the bugs of which everything is there."""
    path = store.folder / FILES[BugEnd]
    ends: dict[str, Ended] = {}
    for line in CheckedFile(path, run_id).intact():
        end = decode(BugEnd, from_json(line), path.name)
        ends[end.bug_id] = end.ended
    whole = _whole_bugs(store, ends, lost_candidates=lost_candidates)
    said = _replace(path, run_id, [encode(BugEnd(bug_id=bug_id, ended=ends[bug_id])) for bug_id in whole])
    return f"{said}; {count(len(store.manifest().bug_ids) - len(whole), 'bug')} to be worked on again"


def _whole_bugs(store: Store, ends: dict[str, Ended], *, lost_candidates: bool) -> list[str]:
    """Return the finished bugs whose candidates and outcomes are all there."""
    ids: dict[str, dict[int, str]] = defaultdict(dict)
    for _, data in store.scan_data(Candidate):
        ids[data["bug_id"]][data["rank"]] = data["id"]
    verdicts = {data["candidate_id"]: data["verdict"] for _, data in store.scan_data(Outcome)}
    n = store.manifest().experiment.n
    whole = []
    for bug_id, ended in ends.items():
        sampled = ids[bug_id]
        is_whole = sorted(sampled) == list(range(1, len(sampled) + 1)) and all(name in verdicts for name in sampled.values())
        if ended == "asked":
            is_whole = is_whole and len(sampled) == n
        elif ended == "solved":
            is_whole = is_whole and any(verdicts[name] == Verdict.PLAUSIBLE for name in sampled.values())
        elif lost_candidates:  # nobody knows how many a repairer had that ran out of them
            is_whole = False
        if is_whole:
            whole.append(bug_id)
    return whole
