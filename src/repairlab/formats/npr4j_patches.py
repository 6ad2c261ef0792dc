"""NPR4J's `.patches`: a JSON object from bug to rank to the whole patched method; ranks begin at 0 or 1, or lie under `patches`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, read_json
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import Maker, items_of, read_entries
from repairlab.formats.writing import by_bug, function_text, rendered, write_json


def recognises(sight: Sight) -> bool:
    """Return whether the first bug has texts by number."""
    ranks = _ranks(sight.value)
    return isinstance(ranks, dict) and bool(ranks) and all(key.isdecimal() and isinstance(text, str) for key, text in ranks.items())


def _ranks(value: Any) -> Any:
    return value["patches"] if isinstance(value, dict) and isinstance(value.get("patches"), dict) else value


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read methods in the order of their numbers."""
    maker = Maker(benchmark, repairer="npr4j")
    return read_entries(maker.index, items_of(path, read_json(path)), lambda item: _candidates_of(*item, maker))


def _candidates_of(name: str, value: Any, maker: Maker) -> Iterator[ExternalCandidate]:
    bug = maker.bug(name)
    ranks = as_type(_ranks(value), dict)
    for key in ranks:
        if not key.isdecimal():
            raise UserError(f"{key!r} is no rank; ranks are whole numbers")
    for key in sorted(ranks, key=int):
        yield maker.function(bug, as_type(ranks[key], str, what=f"rank {key}"))


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write methods by rank, beginning at 1."""
    notes: list[str] = []
    groups = by_bug(rendered(samples, benchmark, function_text, notes))
    write_json(path, {bug.id: {str(item.sample.candidate.rank): item.text for item in group} for bug, group in groups})
    return tuple(notes)
