"""Linear layers in bf16 for as long as a search lasts. Called by beam search, which would otherwise turn them at every step."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def half_weights(network: object) -> Iterator[None]:
    """Keep weights of linear layers in bf16 while the block runs; autocast then uses them as they are, with the same result.

    Embeddings stay as they are, and with them an output layer that is one.
    """
    modules = list(network.modules()) if isinstance(network, nn.Module) else []
    embeddings = {id(item.weight) for item in modules if isinstance(item, nn.Embedding)}
    linear = {id(item): item for layer in modules if isinstance(layer, nn.Linear) for item in layer.parameters(recurse=False)}
    weights = [item for number, item in linear.items() if number not in embeddings and item.dtype == torch.float32]
    kept = [item.data for item in weights]
    try:
        for item in weights:
            item.data = item.data.to(torch.bfloat16)
        yield
    finally:
        for item, full in zip(weights, kept, strict=True):
            item.data = full
