"""Predictions in SWE-bench's form: `instance_id`, `model_name_or_path`, `model_patch`, as JSON Lines, a list or a table by id."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.amounts import count
from repairlab.core.foreign import as_type, field, read_json
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import Maker, items_of, look, read_entries, read_lines
from repairlab.formats.writing import Rendered, by_bug, diff_text, rendered, write_json, write_lines


def recognises(sight: Sight) -> bool:
    """Return whether the first entry is a prediction."""
    return "model_patch" in sight.entry or (isinstance(sight.value, dict) and "model_patch" in sight.value)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read predictions; several of one instance are ranked by their order."""
    maker = Maker(benchmark)
    sight = look(path)
    if sight.lines and "instance_id" in sight.entry and not isinstance(sight.first, list):
        return read_lines(maker.index, path, lambda entry: [_candidates_of(entry, maker)])
    whole = read_json(path)
    if isinstance(whole, list):
        entries = ((f"{path.name}, entry {number}", item) for number, item in enumerate(whole, start=1))
        return read_entries(maker.index, entries, lambda item: [_candidates_of(as_type(item, dict), maker)])
    return read_entries(maker.index, items_of(path, whole), lambda item: [_candidates_of(_of_table(*item), maker)])


def _of_table(name: str, value: Any) -> dict[str, Any]:
    return {"instance_id": name, "model_patch": value} if isinstance(value, str) else {"instance_id": name, **as_type(value, dict)}


def _candidates_of(entry: dict[str, Any], maker: Maker) -> ExternalCandidate:
    bug = maker.bug(field(entry, "instance_id", str))
    model = entry.get("model_name_or_path")
    patch = "" if entry.get("model_patch", "") is None else field(entry, "model_patch", str)
    return maker.diff(bug, patch, model=None if model is None else field(entry, "model_name_or_path", str))


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write one prediction per candidate, as a list when the file's name ends in .json, else as JSON Lines."""
    notes: list[str] = []
    entries = _entries(rendered(samples, benchmark, diff_text, notes), notes)
    if path.suffix == ".json":
        write_json(path, list(entries))
    else:
        write_lines(path, entries)
    return tuple(notes)


def _entries(items: Iterator[Rendered], notes: list[str]) -> Iterator[dict[str, str]]:
    several = 0
    for bug, group in by_bug(items):
        several += len(group) > 1
        for item in group:
            origin = item.sample.candidate.origin
            yield {"instance_id": bug.id, "model_name_or_path": origin.model or origin.repairer, "model_patch": item.text}
    if several:
        notes.append(f"{count(several, 'bug')} with several predictions; SWE-bench's own harness takes one per instance")
