"""Pairs through a representation: how many it can show to a network and recover, and their tokens on disk for training."""

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record
from repairlab.languages.facts import title
from repairlab.learning.networks.inputs import NetworkInput, TreeNode, network_input
from repairlab.learning.pairs.pair_files import in_chunks, read_head, read_pairs
from repairlab.learning.representations.code import same_fix
from repairlab.learning.representations.representation import Encoded, Learnt, Representation, Sample, Unit, Unrepresentable
from repairlab.learning.representations.samples import sample_of_pair
from repairlab.learning.representations.table import REPRESENTATIONS, representation
from repairlab.metrics.statistics import Distribution, distribution
from repairlab.runs.executors.work_queue import map_in_order
from repairlab.validation.machine import usable_cores

_N_EXAMPLES = 5


@record
class RepresentedPairs:
    """What a representation makes of some pairs."""

    representation: str
    pairs: int
    represented: int
    recovered: int
    """Of those represented: the fix is among the texts recovered from its own tokens, equal in tokens."""
    recovered_first: int
    """The fix is the first of them."""
    reasons: dict[str, int]
    """Why the others cannot be represented."""
    lost: tuple[str, ...]
    """Ids of the first pairs that are represented and not recovered."""
    counted_in: str
    """What lengths count: `tokens`, or `characters` if a text is left to a subword tokenizer."""
    source: Distribution | None
    context: Distribution | None
    written: Distribution | None
    source_words: int
    """Different tokens that are read; 0 for texts."""
    written_words: int


def learnt_settings(name: str, folder: Path, split: str) -> Mapping[str, Any]:
    """Return the settings that a representation learns from a split; UserError if it learns none."""
    entry = REPRESENTATIONS[name]
    if not isinstance(entry, Learnt):
        raise UserError(f"the representation {name} learns nothing from pairs")
    facts, _ = read_head(folder)
    learnt: Mapping[str, Any] = entry.learn(_samples(read_pairs(folder, split), facts, representation(name).unit))
    return learnt


def represent_pairs(
    pairs: Iterable[Pair], facts: PairSet, made: Representation, *, done: Callable[[], None] = lambda: None
) -> RepresentedPairs:
    """Represent pairs and recover them; UserError if the representation does not support their language."""
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
    """Return the position at which the fix is recovered from what is known at test time; None if it is not."""
    encoded: Encoded = made.encode(sample)
    texts = made.recover(encoded, written)
    return next((at for at, text in enumerate(texts) if same_fix(sample, text, fixed)), None)


def _samples(pairs: Iterable[Pair], facts: PairSet, unit: Unit) -> Iterator[tuple[Sample, str]]:
    for pair in pairs:
        try:
            yield sample_of_pair(pair, facts, unit)
        except Unrepresentable:
            continue


_LEARN_FROM = 20_000
"""Number of pairs from which a representation learns its settings."""
_TOGETHER = 64
"""Pairs that a worker gets at once."""
_WORTH_IT = 1000
"""Number of pairs above which starting workers pays."""


@record
class EncodedChunk:
    """Some pairs as tokens."""

    lines: tuple[str, ...]
    """A JSON list each: id, source, context, target, span, nodes."""
    dropped: dict[str, int]
    """Pairs that could not be represented, by reason."""


class ChunkEncoder:
    """Represents pairs of a set, wherever it is called."""

    def __init__(self, facts: PairSet, name: str, settings: Mapping[str, Any]) -> None:
        """Take the set, and the representation's name and settings."""
        self._facts, self._name, self._settings = facts, name, settings
        self._made: Representation | None = None  # each worker makes its own

    def __call__(self, pairs: Sequence[Pair]) -> EncodedChunk:
        """Return pairs as tokens."""
        made = self._made = self._made or representation(self._name, self._settings)
        lines, dropped = [], Counter[str]()
        for pair in pairs:
            try:
                encoded, target = made.target(*sample_of_pair(pair, self._facts, made.unit))
            except Unrepresentable as error:
                dropped[str(error)] += 1
                continue
            read = network_input(encoded)
            line = [pair.id, read.source, read.context, target, read.span, read.nodes]
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        return EncodedChunk(lines=tuple(lines), dropped=dict(dropped))


class PairEncoder:
    """Represents the splits of a set; counts what it cannot."""

    def __init__(self, folder: Path, name: str, settings: Mapping[str, Any]) -> None:
        """Take the set and the representation, which must know the set's language."""
        self.facts, self.splits = read_head(folder)
        self._folder, self._name, self._settings = folder, name, settings
        made = representation(name, settings)
        self._unit = made.unit
        if made.languages is not None and self.facts.language not in made.languages:
            known = ", ".join(sorted(made.languages))
            raise UserError(f"the representation {made.name} is for {known}, but {folder} is in {self.facts.language}")
        self.dropped: Counter[str] = Counter()

    def samples(self, split: str) -> Iterator[tuple[Sample, str]]:
        """Return samples and fixes of a split, as far as there are any."""
        return _samples(read_pairs(self._folder, split), self.facts, self._unit)

    def write_tokens(self, split: str, path: Path, *, workers: int | None = None) -> int:
        """Write the pairs of a split as tokens, in order; return how many."""
        wanted = usable_cores() if self.splits.get(split, 0) >= _WORTH_IT else 1
        encoder = ChunkEncoder(self.facts, self._name, self._settings)
        n = 0
        with path.open("w", encoding="utf-8") as file:
            for chunk in map_in_order(encoder, in_chunks(read_pairs(self._folder, split), _TOGETHER), workers=workers or wanted):
                file.writelines(chunk.lines)
                n += len(chunk.lines)
                self.dropped.update(chunk.dropped)
        return n


def read_tokens(path: Path) -> Iterator[tuple[NetworkInput, tuple[str, ...]]]:
    """Yield source and target of the pairs that `write_tokens` wrote."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            _, source, context, target, span, nodes = json.loads(line)
            read = NetworkInput(
                source=tuple(source), context=tuple(context), span=(span[0], span[1]), nodes=tuple(map(TreeNode._make, nodes))
            )
            yield read, tuple(target)


def representation_for(name: str, facts: PairSet) -> str:
    """Return the representation for a set; an abstracted set, already tokens, needs none of its own."""
    return "tokens" if facts.abstract else name


def learn_representation(name: str, settings: dict[str, Any], folder: Path, split: str) -> dict[str, Any]:
    """Return the settings of a representation for a set of pairs: given ones, then those that it learns itself."""
    if not isinstance(REPRESENTATIONS[name], Learnt):
        return settings
    first = islice(PairEncoder(folder, name, settings).samples(split), _LEARN_FROM)
    return {**REPRESENTATIONS[name].learn(first), **settings}
