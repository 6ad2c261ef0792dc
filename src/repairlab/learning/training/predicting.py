"""What a model writes for the pairs of a split, as texts that `match` reads."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record
from repairlab.learning.networks.ensemble import Ensemble
from repairlab.learning.networks.inputs import network_input
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.learning.representations.representation import Encoded, Sample, Unrepresentable
from repairlab.learning.representations.samples import put_back, sample_of_pair
from repairlab.learning.representations.table import representation

_TOGETHER = 4096
"""Pairs that are held in memory."""


@record
class Predicted:
    """What came of predicting a split."""

    n: int
    unrepresentable: int
    n_texts: int


def predict(
    model: Ensemble,
    pairs: Path,
    split: str,
    to: Path,
    decoding: DecodingSettings,
    *,
    seed: int = 0,
    done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
) -> Predicted:
    """Write the predictions of a split to a file of JSON lines, best first; a pair that cannot be represented has none."""
    facts, splits = read_head(pairs)
    if split not in splits:
        raise unknown("split", split, splits)
    if not splits[split]:
        raise UserError(f"the split {split!r} of {pairs} is empty")
    made = representation(model.representation, model.learnt)
    if made.languages is not None and facts.language not in made.languages:
        raise UserError(f"the model reads {', '.join(sorted(made.languages))}, but {pairs} is in {facts.language}")
    n = unrepresentable = n_texts = 0
    aside = to.with_name(f".{to.name}.part")
    with aside.open("w", encoding="utf-8") as file:
        for chunk in _chunks(read_pairs(pairs, split)):
            encoded: list[tuple[Sample, Encoded] | None] = []
            for pair in chunk:
                try:
                    sample, _ = sample_of_pair(pair, facts, made.unit)
                    encoded.append((sample, made.encode(sample)))
                except Unrepresentable:
                    encoded.append(None)
                    unrepresentable += 1
            inputs = [network_input(item[1].source, item[1].context, item[1].memory) for item in encoded if item is not None]
            written = iter(model.write(inputs, decoding, seed=seed, done=done))
            for pair, item in zip(chunk, encoded, strict=True):
                texts: dict[str, float] = {}
                if item is not None:
                    for found in next(written):
                        for text in made.recover(item[1], found.tokens):
                            texts.setdefault(text_of_pair(pair, facts, item[0], text), found.logprob)
                line: dict[str, Any] = {"id": pair.id, "predictions": list(texts), "logprobs": list(texts.values())}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                n_texts += len(texts)
            n += len(chunk)
    aside.replace(to)
    return Predicted(n=n, unrepresentable=unrepresentable, n_texts=n_texts)


def text_of_pair(pair: Pair, facts: PairSet, sample: Sample, text: str) -> str:
    """Return what a recovered text makes of a pair's buggy text: the whole of it, where the sample is a part of it."""
    if facts.form == "line" or sample.method is None or sample.method_start is None:
        return text
    method, old = put_back(sample, text), sample.file or sample.method
    start = sample.method_start if sample.file else 0
    whole = old[:start] + method + old[start + len(sample.method) :]
    before = old.find(pair.buggy) if pair.start is None else pair.start
    return whole[before : len(whole) - (len(old) - before - len(pair.buggy))] if before >= 0 else whole


def _chunks(pairs: Iterator[Pair]) -> Iterator[Sequence[Pair]]:
    while chunk := list(islice(pairs, _TOGETHER)):
        yield chunk
