"""Tokens as numbers on disk: count the words of pairs, number them. Each stage streams, so that memory is bounded."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from repairlab.core.errors import UserError
from repairlab.learning.networks.grammar_vocabulary import GrammarVocabulary, GrammarWord, NodeLabels, TreeGrammar, WordKind
from repairlab.learning.networks.inputs import NetworkInput
from repairlab.learning.networks.model import Numbering, context_numbers
from repairlab.learning.networks.settings import ModelSettings
from repairlab.learning.networks.vocabulary import FIRST_PLACE, BytePairs, PretrainedTokens, WordVocabulary
from repairlab.learning.pairs.representing import read_tokens
from repairlab.learning.representations.recoder import RecoderTree
from repairlab.learning.representations.recoder_grammar import COPY, EDITS, END, UNKNOWN, rule_parts, terminal_parts
from repairlab.learning.training.batches import PARTS, PairStore


def make_numbering(path: Path, settings: ModelSettings, marks: tuple[str, ...], learnt: Mapping[str, Any]) -> Numbering:
    """Make the vocabularies for written tokens; `learnt` is what the representation has learnt."""
    wanted = settings.vocabulary
    if wanted.kind == "pretrained":
        if not settings.network.pretrained:
            raise UserError(
                "vocabulary.kind is pretrained, but network.pretrained names no folder or model whose tokenizer it is; "
                "add --set network.pretrained=FOLDER, or --set vocabulary.kind=bpe for a network from random numbers"
            )
        tokens = PretrainedTokens.load(settings.network.pretrained, wanted.prefix, chat=wanted.chat)
        tokens.add_marks(marks)
        return Numbering(source=tokens, target=tokens)
    if wanted.kind == "bpe":
        texts = (text for read, target in read_tokens(path) for part in (read.source, read.context, target) for text in part)
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
        for read, _ in read_tokens(path):
            sources.update(read.source)
        labels = NodeLabels.most_frequent(sources, wanted.size, wanted.least_count)
        return Numbering(source=labels, target=GrammarVocabulary(tree_grammar(learnt)))
    for read, target in read_tokens(path):
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
    with ExitStack() as stack:
        files = {part: stack.enter_context((folder / f"{part}.bin").open("wb")) for part in PARTS}
        spans, extras = [], []
        for read, target in read_tokens(path):
            numbered = _numbers(read, target, settings, numbering)
            if numbered is None:
                continue
            parts, n_extra = numbered
            for part, ids in zip(PARTS, parts, strict=True):
                files[part].write(np.asarray(ids, dtype=np.int32).tobytes())
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


def tree_grammar(learnt: Mapping[str, Any]) -> TreeGrammar:
    """Return the words of a grammar: edits, rules, terminals, and a placeholder for each type of leaf."""
    made = RecoderTree(**learnt)
    grammar = made.grammar
    assert grammar is not None
    kinds = {edit: WordKind.ADD if takes_tree else WordKind.DELETE for edit, takes_tree in EDITS.items()}
    kinds |= {"modify": WordKind.MODIFY, END: WordKind.FINISH, COPY: WordKind.COPY}
    words = [GrammarWord(text=text, kind=kind) for text, kind in kinds.items()]
    inner = set()
    for rule in grammar.rules:
        type_, _ = rule_parts(rule) or ("", ())
        inner.add(type_)
        words.append(GrammarWord(text=rule, kind=WordKind.RULE, type=type_, slots=grammar.slots_of(rule)))
    leaves = {type_ for found in grammar.slots.values() for type_ in found} - inner
    for text in grammar.terminals:
        type_, _ = terminal_parts(text) or ("", "")
        leaves.add(type_)
        words.append(GrammarWord(text=text, kind=WordKind.TERMINAL, type=type_))
    words += [GrammarWord(text=f"{type_}={UNKNOWN}", kind=WordKind.TERMINAL, type=type_) for type_ in sorted(leaves)]
    return TreeGrammar(words=tuple(words), slots=dict(grammar.slots), longest=made.max_written)
