"""Leave out pairs that repeat others, in their own split and across splits."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair
from repairlab.core.record import record, to_data
from repairlab.languages.facts import names
from repairlab.languages.table import language
from repairlab.learning.pairs.minhash import features, near_index
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.learning.pairs.rewriting import Decision, Drop, Rewritten, rewrite

EXACT = "repeats another pair"
NEAR = "nearly repeats another pair"


@record
class DedupSettings:
    """What counts as a repetition."""

    near: float | None = None
    """Jaccard index of token pairs, of both texts together, from which on pairs are nearly alike; none: only equal ones."""
    keep: tuple[str, ...] = ("test", "valid", "train")
    """Splits in the order in which they keep a pair that several have; others follow as they are."""
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
    """Return what is to be dropped: SPLIT/ID → why."""
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
    """Return a hash that is equal for pairs which differ in spacing and comments only."""
    return text_key(pair.buggy, name) + text_key(pair.fixed, name)


def text_key(text: str, name: str) -> bytes:
    """Return a hash of the normal form of a text."""
    if name not in names():
        raise unknown("language", name, names())
    form = language(name).syntax.normal_form(text.strip())
    return hashlib.blake2b(form.encode("utf-8", "surrogatepass"), digest_size=12).digest()
