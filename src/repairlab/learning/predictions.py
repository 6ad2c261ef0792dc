"""Predictions for a set of pairs: read from a file, matched against the fixes."""

from collections.abc import Callable, Iterator
from pathlib import Path

from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import field, read_json_lines, read_text
from repairlab.core.pair import Pair
from repairlab.core.record import record
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.metrics.matching import MatchCounts, MatchScores, MatchSettings


@record
class Matched:
    """Scores of predictions, and of the buggy texts themselves as if they were predicted."""

    scores: MatchScores
    copied: MatchScores | None


def match_predictions(
    path: Path, folder: Path, split: str, settings: MatchSettings, *, copy: bool = False, done: Callable[[], None] = lambda: None
) -> Matched:
    """Match a file of predictions against one split of a set of pairs; `copy` also takes the buggy texts."""
    counts = MatchCounts(settings)
    copied = MatchCounts(settings) if copy else None
    n = 0
    for pair, predictions in read_predictions(path, folder, split):
        counts.add(predictions, pair.fixed, pair.buggy)
        if copied is not None:
            copied.add([pair.buggy], pair.fixed, pair.buggy)
        n += 1
        done()
    if not n:
        raise UserError(f"the split {split!r} of {folder} is empty, so there is nothing to match")
    return Matched(scores=counts.result(), copied=copied.result() if copied else None)


def read_predictions(path: Path, folder: Path, split: str) -> Iterator[tuple[Pair, list[str]]]:
    """Yield every pair of a split with its predictions, the best first.

    A file *.jsonl has records with `id` and `prediction` or `predictions`; any other one text a line, in the order of the pairs.
    """
    _, splits = read_head(folder)
    if split not in splits:
        raise unknown("split", split, splits)
    found = _by_id(path) if path.suffix == ".jsonl" else None
    if found is not None:
        unused = set(found)
        for pair in read_pairs(folder, split):
            unused.discard(pair.id)
            yield pair, found.get(pair.id, [])
        if unused:
            raise UserError(
                f"{path} has predictions for {len(unused)} ids that are not in the split {split!r}, such as {min(unused)!r}"
            )
        return
    # Line breaks of Unicode (U+2028 and others) are text here: only "\n" ends a line.
    lines = read_text(path).removesuffix("\n").split("\n")
    if len(lines) != splits[split]:
        raise UserError(
            f"{path} has {len(lines)} lines, but the split {split!r} of {folder} has {splits[split]} pairs; give one prediction a "
            "line in the order of the pairs, or a file *.jsonl with their ids"
        )
    for line, pair in zip(lines, read_pairs(folder, split), strict=True):
        yield pair, [line]


def _by_id(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for where, entry in read_json_lines(path):
        name = field(entry, "id", str, where)
        if name in found:
            raise UserError(f"{where}: the id {name!r} is there twice; several predictions are a list: predictions")
        if "predictions" in entry:
            texts = field(entry, "predictions", list, where)
            if not all(isinstance(text, str) for text in texts):
                raise UserError(f"{where}: the field 'predictions' should be a list of strings")
            found[name] = texts
        else:
            found[name] = [field(entry, "prediction", str, where)]
    return found
