"""Search over everything: names and texts of bugs, and all that candidates, outcomes and conversations say.

Records are searched as they stand in the files, byte for byte: a gigabyte takes about a second, and no index has to be made.
"""

import base64
import json
import mmap
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome
from repairlab.core.record import record
from repairlab.runs.store import FILES, TranscriptEntry
from repairlab.serve.browser.open_runs import BugHead, OpenBenchmark, OpenRun, Workbench
from repairlab.serve.browser.page import Page
from repairlab.serve.browser.run_index import Place
from repairlab.study.diffs import visible

_LIMIT_S = 3.0
_MAX_HITS = 50
_AROUND = 60


@record
class BugHit:
    """A bug whose name, title or description has the text."""

    opened: OpenBenchmark
    head: BugHead


@record
class CandidateHit:
    """A candidate, and what is around the text that was found."""

    run: OpenRun
    place: Place
    where: str
    before: str
    found: str
    behind: str


def search_page(bench: Workbench, *, query: str = "") -> Page:
    """Find a text; bugs whatever its case, records exactly as it is written."""
    text = query.strip()
    deadline = time.monotonic() + _LIMIT_S
    bugs: list[BugHit] = []
    hits: list[CandidateHit] = []
    if text:
        bench.open_all()
        bugs = [hit for opened in bench.benchmarks.values() for hit in _bugs(opened, text.casefold())][:_MAX_HITS]
        for run in bench.runs.values():
            for hit in _candidates(run, text, deadline):
                hits.append(hit)
                if len(hits) >= _MAX_HITS:
                    break
    is_cut = bool(text) and (time.monotonic() > deadline or len(hits) >= _MAX_HITS)
    return Page(template="search.html", values={"query": text, "bugs": bugs, "hits": hits, "is_cut": is_cut})


def _bugs(opened: OpenBenchmark, text: str) -> Iterator[BugHit]:
    for head in opened.heads.values():
        if (
            text in head.id.casefold()
            or text in head.title.casefold()
            or text in opened.bug(head.id).problem.description.casefold()
        ):
            yield BugHit(opened=opened, head=head)


def _candidates(run: OpenRun, text: str, deadline: float) -> Iterator[CandidateHit]:
    for named in run.index.with_id(text)[:1]:
        yield CandidateHit(run=run, place=named, where="id", before="", found=text, behind="")
    seen: set[tuple[str, int]] = set()
    for kind, where in ((Outcome, "outcome"), (Candidate, "candidate")):
        for data in _lines_with(run, FILES[kind], text, deadline):
            name, said = next(((name, said) for name, said in _fields(data) if text in said), ("", ""))
            place = _place(run, data) if said else None  # else it is how the record is written that has the text
            if place is not None and (place.bug_id, place.rank) not in seen:
                seen.add((place.bug_id, place.rank))
                before, behind = _around(said, text)
                yield CandidateHit(run=run, place=place, where=f"{where}: {name}", before=before, found=text, behind=behind)
    for digest, before, behind in _texts_with(run, text, deadline):
        for data in _lines_with(run, FILES[Candidate], digest, deadline):
            place = _place(run, data)
            if place is not None:
                yield CandidateHit(run=run, place=place, where="conversation", before=before, found=text, behind=behind)
            break


def _place(run: OpenRun, data: Mapping[str, Any]) -> Place | None:
    """Return the candidate that a line is of, or the first of those that share its outcome."""
    if "candidate_id" in data:
        return next(iter(run.index.with_id(data["candidate_id"])), None)
    return run.index.at_rank(data["bug_id"], data["rank"])


def _lines_with(run: OpenRun, name: str, text: str, deadline: float) -> Iterator[dict[str, Any]]:
    """Yield the records of a file whose lines hold a text."""
    path = run.index.store.folder / name
    if not path.is_file() or not path.stat().st_size:
        return
    wanted = json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(wanted)
        while at >= 0 and time.monotonic() < deadline:
            start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
            if end < 0:
                return
            yield json.loads(data[start:end].decode("utf-8", "surrogatepass"))
            at = data.find(wanted, end)


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a record with the names of their fields.

    >>> list(_fields({"message": "late", "tests": [{"id": "a", "runs": 2}]}))
    [('message', 'late'), ('tests, id', 'a')]
    """
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list):
        for item in value:
            yield from _fields(item, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _fields(item, f"{name}, {key}" if name else key)


def _around(said: str, text: str) -> tuple[str, str]:
    at = said.index(text)
    return visible(said[max(0, at - _AROUND) : at]), visible(said[at + len(text) : at + len(text) + _AROUND])


def _texts_with(run: OpenRun, text: str, deadline: float) -> Iterator[tuple[str, str, str]]:
    """Yield the digests that candidates may name, of answers that hold a text and of prompts with a part that does."""
    found: dict[str, tuple[str, str]] = {}
    for place in run.index.text_places():
        if time.monotonic() > deadline:
            return
        entry = run.index.store.at(TranscriptEntry, place)
        said = zlib.decompress(base64.b64decode(entry.data)).decode("utf-8", "surrogatepass")
        if entry.kind == "prompt":  # its parts stand before it
            around = next((found[part] for part in _parts(json.loads(said)) if part in found), None)
        else:
            around = _around(said, text) if text in said else None
        if around is not None:
            found[entry.digest] = around
            yield entry.digest, *around


def _parts(prompt: Mapping[str, Any]) -> Iterator[str]:
    """Yield the digests of the texts of a prompt."""
    yield from (part for _, part in prompt["messages"])
    yield from filter(None, (prompt["text"], prompt["suffix"]))
