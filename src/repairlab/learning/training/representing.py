"""Pairs as tokens on disk, in as many processes as there are cores."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record
from repairlab.learning.networks.inputs import NetworkInput, TreeNode, network_input
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.learning.representations.representation import Learnt, Representation, Sample, Unrepresentable
from repairlab.learning.representations.samples import sample_of_pair
from repairlab.learning.representations.table import REPRESENTATIONS, representation
from repairlab.runs.executors.pool import usable_cores
from repairlab.runs.executors.process_map import map_in_order

_LEARN_FROM = 20_000
"""Pairs that a representation is made to measure for."""
_TOGETHER = 64
"""Pairs that a worker is handed at once."""
_WORTH_IT = 1000
"""Pairs from which on workers are worth the time to start them."""


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
            read = network_input(encoded.source, encoded.context, encoded.memory)
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
        """Yield samples and fixes of a split, as far as there are any."""
        for pair in self._pairs(split):
            try:
                yield sample_of_pair(pair, self.facts, self._unit)
            except Unrepresentable:
                continue

    def write_tokens(self, split: str, path: Path, *, workers: int | None = None) -> int:
        """Write the pairs of a split as tokens, in their order; return how many."""
        wanted = usable_cores() if self.splits.get(split, 0) >= _WORTH_IT else 1
        encoder = ChunkEncoder(self.facts, self._name, self._settings)
        n = 0
        with path.open("w", encoding="utf-8") as file:
            for chunk in map_in_order(encoder, _chunks(self._pairs(split)), workers=workers or wanted):
                file.writelines(chunk.lines)
                n += len(chunk.lines)
                self.dropped.update(chunk.dropped)
        return n

    def _pairs(self, split: str) -> Iterator[Pair]:
        if split not in self.splits:
            raise unknown("split", split, self.splits)
        return read_pairs(self._folder, split)


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while chunk := list(islice(pairs, _TOGETHER)):
        yield chunk


def read_tokens(path: Path) -> Iterator[tuple[NetworkInput, tuple[str, ...]]]:
    """Yield what is read and what is to be written of the pairs that `write_tokens` wrote."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            _, source, context, target, span, nodes = json.loads(line)
            read = NetworkInput(
                source=tuple(source), context=tuple(context), span=(span[0], span[1]), nodes=tuple(map(TreeNode._make, nodes))
            )
            yield read, tuple(target)


def representation_for(name: str, facts: PairSet) -> str:
    """Return the representation for a set: one that is abstract, and so tokens already, needs none of its own."""
    return "tokens" if facts.abstract else name


def learn_representation(name: str, settings: dict[str, Any], folder: Path, split: str) -> dict[str, Any]:
    """Return the settings of a representation for a set of pairs: given ones, then those that it learns itself."""
    if not isinstance(REPRESENTATIONS[name], Learnt):
        return settings
    first = islice(PairEncoder(folder, name, settings).samples(split), _LEARN_FROM)
    return {**REPRESENTATIONS[name].learn(first), **settings}
