"""Our own JSON Lines (docs/reference/formats.md): a line is an object with `bug` and one way to say the candidate.

These are the keys of a patch in the API and in requests (`patch_forms`). An `answer` with a `problem` is one from which nothing
could be read. Optional are `model`, `repairer`, `origin` and `verdict`. The order of the lines is the ranking.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import field
from repairlab.core.outcome import Verdict
from repairlab.core.record import to_data
from repairlab.core.storage.checking import checked
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, KnownVerdict, Sight, Unreadable
from repairlab.formats.patch_forms import KEYS, edits_of_text, key_of
from repairlab.formats.reading import Maker, read_lines
from repairlab.formats.writing import write_lines


def recognises(sight: Sight) -> bool:
    """Return whether the first line names a bug as we do."""
    return sight.lines and "bug" in sight.entry


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read one candidate per line."""
    maker = Maker(benchmark)
    return read_lines(maker.index, path, lambda entry: [_candidates_of(entry, maker)])


def _candidates_of(entry: dict[str, Any], maker: Maker) -> ExternalCandidate:
    if not isinstance(entry.get("bug"), str):
        raise UserError(f"the key 'bug' must be there and be a bug id, as text; it is {entry.get('bug')!r}")
    bug = maker.bug(entry["bug"])
    key = key_of(entry)
    origin, known, value = _origin(entry), _known(entry), entry[key]
    if key == "edits":
        return maker.made(bug, checked(tuple[Edit, ...], value, "edits", table="an object"), origin, known=known)
    if value is None or "problem" in entry:
        return maker.unusable(bug, entry.get("problem", "nothing could be read"), value, origin, known=known)
    try:
        return maker.made(bug, edits_of_text(value, bug, KEYS[key]), origin, known=known)
    except UserError as error:
        return maker.unusable(bug, str(error), value, origin, known=known)


def _origin(entry: dict[str, Any]) -> Origin:
    if "origin" in entry:
        return checked(Origin, entry["origin"], "origin", table="an object")
    return Origin(repairer=entry.get("repairer", "file"), model=entry.get("model"))


def _known(entry: dict[str, Any]) -> KnownVerdict | None:
    if "verdict" not in entry:
        return None
    name = field(entry, "verdict", str)
    if name not in Verdict.__members__:
        raise unknown("verdict", name, Verdict.__members__)
    return KnownVerdict(word=name, verdicts=(Verdict(name),)) if name != Verdict.UNDECIDED else None


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write every candidate with its edits and all that is known of its origin."""
    del benchmark
    write_lines(path, map(_entry, samples))
    return ()


def _entry(sample: JudgedCandidate) -> dict[str, Any]:
    candidate = sample.candidate
    entry: dict[str, Any] = {"bug": candidate.bug_id} | _form(candidate)
    origin = {key: value for key, value in to_data(candidate.origin).items() if value}
    entry |= origin if set(origin) <= {"repairer", "model"} else {"origin": origin}
    return entry | ({"verdict": sample.verdict.value} if sample.verdict else {})


def _form(candidate: Candidate) -> dict[str, Any]:
    if candidate.problem is not None:
        return {"answer": candidate.answer, "problem": candidate.problem}
    edits = [
        {"path": edit.path, "text": edit.text} | ({"span": to_data(edit.span)} if edit.span else {}) for edit in candidate.edits
    ]
    return {"edits": edits}
