"""Pairs as numbers on disk: represent them, count their words, number them. Each stage streams, so that memory is bounded."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from repairlab.benchmarks.pairs import read_head, read_pairs
from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import PairSet
from repairlab.core.record import record
from repairlab.networks.grammar_vocabulary import GrammarVocabulary, NodeLabels
from repairlab.networks.inputs import NetworkInput, TreeNode, network_input
from repairlab.networks.model import Numbering, context_numbers
from repairlab.networks.settings import ModelSettings
from repairlab.networks.subwords import BytePairs, PretrainedTokens
from repairlab.networks.vocabulary import FIRST_PLACE, WordVocabulary
from repairlab.representations.representation import Encoded, Learnt, Representation, Sample, Unrepresentable
from repairlab.representations.samples import sample_of_pair
from repairlab.representations.table import REPRESENTATIONS, representation
from repairlab.training.grammar_words import tree_grammar
from repairlab.training.pair_store import PARTS, PairStore

_LEARN_FROM = 20_000
"""Pairs that a representation is made to measure for."""


@record
class RepresentedPair:
    """A pair as tokens."""

    id: str
    encoded: Encoded
    target: tuple[str, ...]


class PairEncoder:
    """Represents the pairs of a set; counts those that it cannot."""

    def __init__(self, folder: Path, made: Representation) -> None:
        """Take the set and the representation, which must know the set's language."""
        self.facts, self.splits = read_head(folder)
        self._folder, self._representation = folder, made
        if made.languages is not None and self.facts.language not in made.languages:
            known = ", ".join(sorted(made.languages))
            raise UserError(f"the representation {made.name} is for {known}, but {folder} is in {self.facts.language}")
        self.dropped: Counter[str] = Counter()

    def samples(self, split: str) -> Iterator[tuple[str, Sample, str]]:
        """Yield id, sample and fix of the pairs of a split."""
        if split not in self.splits:
            raise unknown("split", split, self.splits)
        for pair in read_pairs(self._folder, split):
            try:
                sample, fixed = sample_of_pair(pair, self.facts, self._representation.unit)
            except Unrepresentable as error:
                self.dropped[str(error)] += 1
            else:
                yield pair.id, sample, fixed

    def pairs(self, split: str) -> Iterator[RepresentedPair]:
        """Yield the pairs of a split as tokens."""
        for name, sample, fixed in self.samples(split):
            try:
                encoded, target = self._representation.target(sample, fixed)
            except Unrepresentable as error:
                self.dropped[str(error)] += 1
            else:
                yield RepresentedPair(id=name, encoded=encoded, target=target)


def representation_for(name: str, facts: PairSet) -> str:
    """Return the representation for a set: one that is abstract, and so tokens already, needs none of its own."""
    return "tokens" if facts.abstract else name


def learn_representation(name: str, settings: dict[str, Any], folder: Path, split: str) -> dict[str, Any]:
    """Return the settings of a representation for a set of pairs: given ones, then those that it learns itself."""
    if not isinstance(REPRESENTATIONS[name], Learnt):
        return settings
    encoder = PairEncoder(folder, representation(name, settings))
    first = (item for _, item in zip(range(_LEARN_FROM), encoder.samples(split), strict=False))
    return {**REPRESENTATIONS[name].learn((sample, fixed) for _, sample, fixed in first), **settings}


def write_tokens(pairs: Iterable[RepresentedPair], path: Path, done: Callable[[], None]) -> int:
    """Write pairs as tokens, a JSON line each; return how many."""
    n = 0
    with path.open("w", encoding="utf-8") as file:
        for pair in pairs:
            read = network_input(pair.encoded.source, pair.encoded.context, pair.encoded.memory)
            line = [pair.id, read.source, read.context, pair.target, read.span, read.nodes]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            n += 1
            done()
    return n


def make_numbering(path: Path, settings: ModelSettings, marks: tuple[str, ...], learnt: Mapping[str, Any]) -> Numbering:
    """Make the vocabularies for written tokens; `learnt` is what the representation has learnt."""
    wanted = settings.vocabulary
    if wanted.kind == "pretrained":
        if not settings.network.pretrained:
            raise UserError(
                "vocabulary.kind is pretrained, but network.pretrained names no folder or model whose tokenizer it is; "
                "add --set network.pretrained=FOLDER, or --set vocabulary.kind=bpe for a network from random numbers"
            )
        tokens = PretrainedTokens.load(settings.network.pretrained, wanted.prefix)
        tokens.add_marks(marks)
        return Numbering(source=tokens, target=tokens)
    if wanted.kind == "bpe":
        texts = (text for _, read, target in _lines(path) for part in (read.source, read.context, target) for text in part)
        pairs = BytePairs.train(texts, size=wanted.size, marks=marks, prefix=wanted.prefix)
        return Numbering(source=pairs, target=pairs)
    is_edit = settings.network.kind == "edits"
    sources: Counter[str] = Counter()
    targets: Counter[str] = sources if wanted.shared else Counter()
    if settings.network.kind == "grammar":
        if "grammar" not in learnt:
            raise UserError(
                f"network.kind is grammar, but the representation {settings.representation} learns none; "
                "choose representation.name = recoder, or network.kind = transformer"
            )
        for _, read, _target in _lines(path):
            sources.update(read.source)
        labels = NodeLabels.most_frequent(sources, wanted.size, wanted.least_count)
        return Numbering(source=labels, target=GrammarVocabulary(tree_grammar(learnt)))
    for _, read, target in _lines(path):
        sources.update(read.source)
        sources.update(read.context)
        targets.update(target[2:] if is_edit else target)
    first = WordVocabulary.most_frequent(sources, wanted.size, wanted.least_count, copies=settings.network.copy)
    if wanted.shared:
        return Numbering(source=first, target=first)
    second = WordVocabulary.most_frequent(targets, wanted.size, wanted.least_count, copies=settings.network.copy)
    return Numbering(source=first, target=second)


def number_tokens(path: Path, folder: Path, settings: ModelSettings, numbering: Numbering) -> PairStore:
    """Number written tokens into a folder of arrays; pairs whose target is too long are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets: dict[str, list[int]] = {part: [0] for part in PARTS}
    with (
        (folder / "source.bin").open("wb") as source_file,
        (folder / "context.bin").open("wb") as context_file,
        (folder / "target.bin").open("wb") as target_file,
    ):
        files = {"source": source_file, "context": context_file, "target": target_file}
        spans, extras = [], []
        for _, read, target in _lines(path):
            numbered = _numbers(read, target, settings, numbering)
            if numbered is None:
                continue
            parts, n_extra = numbered
            for part, ids in zip(PARTS, parts, strict=True):
                _append(files[part], ids)
                offsets[part].append(offsets[part][-1] + len(ids))
            spans.append(read.span)
            extras.append(n_extra)
    for part in PARTS:
        np.save(folder / f"{part}.offsets.npy", np.asarray(offsets[part], dtype=np.int64))
    np.save(folder / "spans.npy", np.asarray(spans, dtype=np.int32).reshape(-1, 2))
    np.save(folder / "extras.npy", np.asarray(extras, dtype=np.int32))
    return PairStore.open(folder, pad=numbering.source.pad)


def _numbers(
    read: NetworkInput, target: tuple[str, ...], settings: ModelSettings, numbering: Numbering
) -> tuple[tuple[list[int], ...], int] | None:
    numbered = numbering.source.source(read.source, settings.max_source)
    if settings.network.kind == "edits":
        places = [int(place) + FIRST_PLACE for place in target[:2]]
        if max(places) >= len(numbered.ids) + FIRST_PLACE:
            return None
        written = [*places, *numbering.target.target(target[2:], numbered.extra)]
    else:
        written = numbering.target.target(target, numbered.extra)
    if len(written) > settings.max_target:
        return None
    around = context_numbers(read, settings, numbering, len(numbered.ids))
    return (numbered.ids, around, written), len(numbered.extra)


def _append(file: IO[bytes], ids: list[int]) -> None:
    file.write(np.asarray(ids, dtype=np.int32).tobytes())


def _lines(path: Path) -> Iterator[tuple[str, NetworkInput, tuple[str, ...]]]:
    """Yield id, what is read, and what is to be written."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            name, source, context, target, span, nodes = json.loads(line)
            read = NetworkInput(
                source=tuple(source), context=tuple(context), span=(span[0], span[1]), nodes=tuple(map(TreeNode._make, nodes))
            )
            yield name, read, tuple(target)
