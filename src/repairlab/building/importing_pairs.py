"""Import bug–fix pairs into a set of our own form."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from repairlab.building.importers.pairs import open_pairs
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.new_folder import new_folder
from repairlab.learning.pairs.pair_files import PairWriter


@record
class ImportedPairs:
    """What came of an import."""

    folder: Path
    splits: dict[str, int]
    unchanged: int
    """Pairs left out because nothing was fixed in them."""
    repeated: int
    """Pairs left out because their split has them already."""


def import_pairs(
    name: str, sources: Sequence[Path], folder: Path, done: Callable[[], None], *, limit: int | None = None
) -> ImportedPairs:
    """Read pairs and write all of them, or nothing, to a new folder; `limit` is for each split."""
    with new_folder(folder) as aside, ExitStack() as stack:
        found = open_pairs(name, sources)
        writer = PairWriter(aside, stack)
        unchanged = 0
        for split, pair in found.pairs:
            if limit is not None and writer.counts.get(split, 0) >= limit:
                continue
            if pair.buggy == pair.fixed:
                unchanged += 1
            else:
                writer.add(split, pair)
            done()
        if not writer.counts:
            raise UserError(f"no pair could be imported from {sources[0]}")
        stack.close()
        writer.finish(found.facts)
    return ImportedPairs(folder=folder, splits=writer.counts, unchanged=unchanged, repeated=writer.repeated)
