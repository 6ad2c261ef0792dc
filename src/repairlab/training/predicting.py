"""What a model writes for the pairs of a split, as texts that `match` reads. Called by `repairlab predict`."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from repairlab.benchmarks.pairs import read_head, read_pairs
from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair
from repairlab.core.record import record
from repairlab.networks.ensemble import Ensemble
from repairlab.networks.inputs import network_input
from repairlab.networks.settings import DecodingSettings
from repairlab.representations.representation import Encoded, Unrepresentable
from repairlab.representations.samples import sample_of_pair
from repairlab.representations.table import representation

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
            encoded: list[Encoded | None] = []
            for pair in chunk:
                try:
                    sample, _ = sample_of_pair(pair, facts, made.unit)
                    encoded.append(made.encode(sample))
                except Unrepresentable:
                    encoded.append(None)
                    unrepresentable += 1
            inputs = [network_input(item.source, item.context, item.memory) for item in encoded if item is not None]
            written = iter(model.write(inputs, decoding, seed=seed, done=done))
            for pair, item in zip(chunk, encoded, strict=True):
                texts: dict[str, float] = {}
                for found in next(written) if item is not None else ():
                    for text in made.recover(item, found.tokens) if item is not None else ():
                        texts.setdefault(text, found.logprob)
                line: dict[str, Any] = {"id": pair.id, "predictions": list(texts), "logprobs": list(texts.values())}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                n_texts += len(texts)
            n += len(chunk)
    aside.replace(to)
    return Predicted(n=n, unrepresentable=unrepresentable, n_texts=n_texts)


def _chunks(pairs: Iterator[Pair]) -> Iterator[Sequence[Pair]]:
    while chunk := list(islice(pairs, _TOGETHER)):
        yield chunk
