"""How much of a set of pairs a representation can show to a network, and get back."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record
from repairlab.languages.facts import title
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.learning.representations.code import same_fix
from repairlab.learning.representations.representation import Encoded, Learnt, Representation, Sample, Unit, Unrepresentable
from repairlab.learning.representations.samples import sample_of_pair
from repairlab.learning.representations.table import REPRESENTATIONS, representation
from repairlab.metrics.distribution import Distribution, distribution

_N_EXAMPLES = 5


@record
class RepresentedPairs:
    """What a representation makes of some pairs."""

    representation: str
    pairs: int
    represented: int
    recovered: int
    """Of those represented: the fix is among the texts that its own tokens are read back as, equal in tokens."""
    recovered_first: int
    """The fix is the first of them."""
    reasons: dict[str, int]
    """Why the others cannot be represented."""
    lost: tuple[str, ...]
    """Ids of the first pairs that are represented and not recovered."""
    counted_in: str
    """What lengths count: `tokens`, or `characters` where a text is left to a subword tokenizer."""
    source: Distribution | None
    context: Distribution | None
    written: Distribution | None
    source_words: int
    """Different tokens that are read; 0 for texts."""
    written_words: int


def learnt_settings(name: str, folder: Path, split: str, *, limit: int | None = None) -> Mapping[str, Any]:
    """Return the settings that a representation learns from a split; UserError when it learns none."""
    entry = REPRESENTATIONS[name]
    if not isinstance(entry, Learnt):
        raise UserError(f"the representation {name} learns nothing from pairs")
    facts, splits = read_head(folder)
    if split not in splits:
        raise unknown("split", split, splits)
    unit = representation(name).unit
    learnt: Mapping[str, Any] = entry.learn(_samples(islice(read_pairs(folder, split), limit), facts, unit))
    return learnt


def represent_pairs(
    pairs: Iterable[Pair], facts: PairSet, made: Representation, *, done: Callable[[], None] = lambda: None
) -> RepresentedPairs:
    """Represent pairs and read them back; UserError when the representation is not for their language."""
    if made.languages is not None and facts.language not in made.languages:
        known = ", ".join(sorted(map(title, made.languages)))
        raise UserError(f"the representation {made.name} is for {known}, and the pairs are in {title(facts.language)}")
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    lost: list[str] = []
    lengths = {part: array("l") for part in ("source", "context", "written")}
    read, wrote = set[str](), set[str]()
    is_text = True
    for pair in pairs:
        done()
        counts["pairs"] += 1
        try:
            sample, fixed = sample_of_pair(pair, facts, made.unit)
            encoded, written = made.target(sample, fixed)
        except Unrepresentable as reason:
            reasons[str(reason)] += 1
            continue
        counts["represented"] += 1
        is_text = is_text and len(encoded.source) == len(written) == 1
        for part, tokens in (("source", encoded.source), ("context", encoded.context), ("written", written)):
            lengths[part].append(len(tokens[0]) if is_text and tokens else len(tokens))
        if not is_text:
            read.update(encoded.source, encoded.context)
            wrote.update(written)
        place = _place(made, sample, fixed, written)
        counts["recovered"] += place is not None
        counts["first"] += place == 0
        if place is None and len(lost) < _N_EXAMPLES:
            lost.append(pair.id)
    return RepresentedPairs(
        representation=made.name,
        pairs=counts["pairs"],
        represented=counts["represented"],
        recovered=counts["recovered"],
        recovered_first=counts["first"],
        reasons=dict(reasons.most_common()),
        lost=tuple(lost),
        counted_in="characters" if is_text else "tokens",
        source=distribution(lengths["source"]),
        context=distribution(lengths["context"]) if any(lengths["context"]) else None,
        written=distribution(lengths["written"]),
        source_words=len(read),
        written_words=len(wrote),
    )


def _place(made: Representation, sample: Sample, fixed: str, written: tuple[str, ...]) -> int | None:
    """Return at which place the fix is recovered from what is known at test time; none when it is not."""
    encoded: Encoded = made.encode(sample)
    texts = made.recover(encoded, written)
    return next((at for at, text in enumerate(texts) if same_fix(sample, text, fixed)), None)


def _samples(pairs: Iterable[Pair], facts: PairSet, unit: Unit) -> Iterator[tuple[Sample, str]]:
    for pair in pairs:
        try:
            yield sample_of_pair(pair, facts, unit)
        except Unrepresentable:
            continue
