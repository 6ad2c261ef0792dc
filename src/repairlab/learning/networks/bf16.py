"""Linear layers in bf16 for as long as a search lasts."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def half_weights(network: object) -> Iterator[None]:
    """Keep weights of linear layers in bf16 while the block runs; autocast then uses them as they are, with the same result.

    The layers get weights of their own, so that an embedding stays as it is where an output layer shares it.
    """
    modules = network.modules() if isinstance(network, nn.Module) else ()
    layers = [layer for layer in modules if isinstance(layer, nn.Linear)]
    kept = [
        (layer, name, weights)
        for layer in layers
        for name, weights in layer.named_parameters(recurse=False)
        if weights.dtype == torch.float32
    ]
    try:
        for layer, name, weights in kept:
            setattr(layer, name, nn.Parameter(weights.detach().to(torch.bfloat16), requires_grad=False))
        yield
    finally:
        for layer, name, weights in kept:
            setattr(layer, name, weights)
