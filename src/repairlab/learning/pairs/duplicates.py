"""Leave out pairs that repeat others, in their own split and across splits.

Near duplicates are found among millions: MinHash finds possible ones, the Jaccard index of token pairs decides. Everything but a
cache of limited size lies in a temporary database on disk.
"""

import hashlib
import math
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np

from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair
from repairlab.core.record import record, to_data
from repairlab.languages.facts import names
from repairlab.languages.language import language
from repairlab.learning.pairs.edits import words
from repairlab.learning.pairs.pair_files import Decision, Drop, Rewritten, read_head, read_pairs, rewrite

EXACT = "repeats another pair"
NEAR = "nearly repeats another pair"


@record
class DedupSettings:
    """What counts as a repetition."""

    near: float | None = None
    """Jaccard index of token pairs, over both texts, above which pairs are near duplicates; None: only equal ones."""
    keep: tuple[str, ...] = ("test", "valid", "train")
    """Splits in the order in which they keep a shared pair; others follow in their own order."""
    across: bool = True
    """Whether pairs of different splits are compared, too."""


def dedup_pairs(source: Path, to: Path, settings: DedupSettings, *, done: Callable[[], None] = lambda: None) -> Rewritten:
    """Write a set in which no pair repeats another; of equal ones the first stays, in the order of `keep`."""
    if settings.near is not None and not 0.5 <= settings.near <= 1:
        raise UserError(f"--near is {settings.near:g}: choose a Jaccard index from 0.5 to 1, such as 0.8")
    facts, splits = read_head(source)
    order = [*(split for split in settings.keep if split in splits), *(split for split in splits if split not in settings.keep)]
    repeated = _repeated(source, order, facts.language, settings, done)
    step = {"by": "pairs dedup", "settings": to_data(settings)}
    return rewrite(source, to, step, lambda split, pair: repeated.get(f"{split}/{pair.id}", split))


def _repeated(
    source: Path, order: Sequence[str], name: str, settings: DedupSettings, done: Callable[[], None]
) -> dict[str, Decision]:
    """Return what is to be dropped: SPLIT/ID → reason."""
    found: dict[str, Decision] = {}
    with ExitStack() as stack:
        seen: dict[bytes, str] = {}
        index = stack.enter_context(near_index(settings.near or 1.0))
        for split in order:
            if not settings.across:
                seen, index = {}, stack.enter_context(near_index(settings.near or 1.0))
            for pair in read_pairs(source, split):
                done()
                key, mine = f"{split}/{pair.id}", normal_key(pair, name)
                if mine in seen:
                    found[key] = Drop(reason=EXACT, of=seen[mine])
                    continue
                if settings.near is not None:
                    marks = features(pair.buggy, pair.fixed)
                    near = index.nearest(marks)
                    if near is not None:
                        found[key] = Drop(reason=NEAR, of=near.name, similarity=near.similarity)
                        continue
                    index.add(key, marks)
                seen[mine] = key
    return found


def normal_key(pair: Pair, name: str) -> bytes:
    """Return a hash that is equal for pairs that differ only in spacing and comments."""
    return text_key(pair.buggy, name) + text_key(pair.fixed, name)


def text_key(text: str, name: str) -> bytes:
    """Return a hash of the normal form of a text."""
    if name not in names():
        raise unknown("language", name, names())
    form = language(name).syntax.normal_form(text.strip())
    return hashlib.blake2b(form.encode("utf-8", "surrogatepass"), digest_size=12).digest()


BANDS, ROWS = 24, 5
"""Two texts with Jaccard index j are compared with probability 1 - (1 - j^5)^24: 0.99993 for 0.8, 0.99 for 0.7, 0.53 for 0.5."""
_SEED = 20_240_229
_DRAW = np.random.default_rng(_SEED)
_FACTORS = _DRAW.integers(1, 2**63, size=BANDS * ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_TERMS = _DRAW.integers(0, 2**63, size=BANDS * ROWS, dtype=np.uint64)
_CACHE_KB = 65_536
Features = np.ndarray[tuple[int], np.dtype[np.uint64]]


@record
class Nearest:
    """The most similar of the texts inserted before."""

    name: str
    similarity: float


def features(*texts: str) -> Features:
    """Return the pairs of neighbouring tokens of texts as sorted numbers; the second occurrence of a pair is another feature."""
    found: Counter[str] = Counter()
    numbers = set()
    for side, text in enumerate(texts):
        tokens = ["", *words(text), ""]
        for one, two in pairwise(tokens):
            key = f"{side}\0{one}\0{two}"
            found[key] += 1
            digest = hashlib.blake2b(f"{key}\0{found[key]}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
            numbers.add(int.from_bytes(digest, "big"))
    return np.array(sorted(numbers), dtype=np.uint64)


class NearIndex:
    """Texts by their features, and a search for the nearest."""

    def __init__(self, connection: sqlite3.Connection, threshold: float) -> None:
        """Take an empty database and how alike texts must be."""
        self._database, self._threshold = connection, threshold
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE texts (number INTEGER PRIMARY KEY, name TEXT, features BLOB)")
        connection.execute(
            "CREATE TABLE bands (hash INTEGER, size INTEGER, number INTEGER, PRIMARY KEY (hash, size, number)) WITHOUT ROWID"
        )
        self._n = 0

    def nearest(self, mine: Features) -> Nearest | None:
        """Return the most similar text so far; None if none is similar enough."""
        best: Nearest | None = None
        for name, theirs in self._may_be(mine):
            similarity = _jaccard(mine, theirs)
            if similarity >= self._threshold and (best is None or similarity > best.similarity):
                best = Nearest(name=name, similarity=similarity)
        return best

    def add(self, name: str, mine: Features) -> None:
        """Insert a text."""
        self._n += 1
        self._database.execute("INSERT INTO texts VALUES (?, ?, ?)", (self._n, name, mine.tobytes()))
        rows = ((band, mine.size, self._n) for band in _bands(mine))
        self._database.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?, ?)", rows)

    def _may_be(self, mine: Features) -> Iterator[tuple[str, Features]]:
        """Yield the texts that share a band; one whose length differs too much cannot be near."""
        least, most = math.floor(mine.size * self._threshold), math.ceil(mine.size / self._threshold)
        numbers: set[int] = set()
        for band in _bands(mine):
            query = "SELECT number FROM bands WHERE hash = ? AND size BETWEEN ? AND ?"
            numbers.update(number for (number,) in self._database.execute(query, (band, least, most)))
        for number in sorted(numbers):
            name, blob = self._database.execute("SELECT name, features FROM texts WHERE number = ?", (number,)).fetchone()
            yield name, np.frombuffer(blob, dtype=np.uint64)


@contextmanager
def near_index(threshold: float) -> Iterator[NearIndex]:
    """Yield an empty index, which is deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="repairlab-near-") as folder:
        connection = sqlite3.connect(Path(folder) / "near.sqlite", isolation_level=None)
        try:
            yield NearIndex(connection, threshold)
        finally:
            connection.close()


def _bands(mine: Features) -> list[int]:
    """Return a hash for each band of the MinHash signature."""
    # Multiplication wraps around: the upper half of the product is a hash.
    least = ((mine[:, None] * _FACTORS[None, :] + _TERMS[None, :]) >> np.uint64(32)).min(axis=0)
    hashes = []
    for band, part in enumerate(least.reshape(BANDS, ROWS)):
        digest = hashlib.blake2b(band.to_bytes(2, "big") + part.tobytes(), digest_size=8).digest()
        hashes.append(int.from_bytes(digest, "big", signed=True))
    return hashes


def _jaccard(one: Features, other: Features) -> float:
    places = np.searchsorted(other, one)
    places[places == other.size] = 0
    both = int(np.count_nonzero(other[places] == one))
    return round(both / (one.size + other.size - both), 6)
