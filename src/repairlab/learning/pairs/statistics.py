"""What a set of pairs holds: counts, lengths, kinds of edits, and how much its splits overlap."""

from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from repairlab.core.pair import PairSet
from repairlab.core.record import record
from repairlab.languages.language import language
from repairlab.learning.pairs.duplicates import text_key
from repairlab.learning.pairs.edits import edit_of
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.metrics.statistics import Distribution, distribution


@record
class SplitStatistics:
    """One split."""

    split: str
    n: int
    buggy_tokens: Distribution | None
    """Lengths in tokens of the language."""
    fixed_tokens: Distribution | None
    edits: dict[str, int]
    """Kind of edit → pairs: insert, delete, replace, mixed, none."""
    one_hunk: int
    repositories: int
    repeated: int
    """Pairs whose texts the split already has, except for spacing and comments."""


@record
class SplitOverlap:
    """What two splits share, except for spacing and comments."""

    one: str
    other: str
    pairs: int
    """Pairs of the second that the first also has."""
    buggy: int
    """Pairs of the second whose buggy text the first also has."""


@record
class PairStatistics:
    """A whole set."""

    facts: PairSet
    splits: tuple[SplitStatistics, ...]
    overlaps: tuple[SplitOverlap, ...]


def pair_statistics(folder: Path, *, done: Callable[[], None] = lambda: None) -> PairStatistics:
    """Read a set once and describe it; a few bytes are kept for each pair."""
    facts, names = read_head(folder)
    splits: list[SplitStatistics] = []
    overlaps: list[SplitOverlap] = []
    keys: dict[str, set[bytes]] = {}
    for split in names:
        mine: set[bytes] = set()
        shared = {other: [0, 0] for other in keys}
        lengths = array("L"), array("L")
        edits: Counter[str] = Counter()
        repositories: set[str] = set()
        n = one_hunk = repeated = 0
        for pair in read_pairs(folder, split):
            n += 1
            for side, text in zip(lengths, (pair.buggy, pair.fixed), strict=True):
                side.append(len(language(facts.language).syntax.tokens(text)))
            edit = edit_of(pair.buggy, pair.fixed)
            edits[edit.kind] += 1
            one_hunk += edit.n_hunks == 1
            repositories.update({pair.repository} if pair.repository else ())
            buggy = text_key(pair.buggy, facts.language)
            whole = buggy + text_key(pair.fixed, facts.language)
            for other, counts in shared.items():
                counts[0] += whole in keys[other]
                counts[1] += buggy in keys[other]
            repeated += whole in mine
            mine.update((buggy, whole))
            done()
        keys[split] = mine
        overlaps += [SplitOverlap(one=other, other=split, pairs=both, buggy=half) for other, (both, half) in shared.items()]
        splits.append(
            SplitStatistics(
                split=split,
                n=n,
                buggy_tokens=distribution(lengths[0]),
                fixed_tokens=distribution(lengths[1]),
                edits=dict(sorted(edits.items())),
                one_hunk=one_hunk,
                repositories=len(repositories),
                repeated=repeated,
            )
        )
    return PairStatistics(facts=facts, splits=tuple(splits), overlaps=tuple(overlaps))
