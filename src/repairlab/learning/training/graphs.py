"""Forward and backward passes recorded as CUDA graphs, one for each shape of a batch.

Small networks are bound by the launch of kernels; a replayed graph launches them all at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch

from repairlab.learning.networks.token_batch import TokenBatch

_MOST = 64
"""Graphs that are kept; further shapes run kernel by kernel."""


@dataclass(slots=True)
class _Recorded:
    graph: Any
    inputs: TokenBatch
    loss: torch.Tensor


class GraphedPass:
    """Runs `work(batch)`, which adds to the gradients and returns the loss; from a shape's second batch on as a graph."""

    def __init__(self, work: Callable[[TokenBatch], torch.Tensor], notify: Callable[[str], None]) -> None:
        """Take the work, whose gradients must lie where they lie for good."""
        self._work, self._notify = work, notify
        self._seen: set[tuple[Any, ...]] = set()
        self._recorded: dict[tuple[Any, ...], _Recorded] = {}
        self._pool: Any = None
        self._works = True

    def __call__(self, batch: TokenBatch) -> torch.Tensor:
        """Do the work for one batch."""
        shape = tuple(None if item is None else tuple(item.shape) for item in _tensors(batch))
        if shape in self._recorded:
            return self._replay(self._recorded[shape], batch)
        if shape not in self._seen or not self._works or len(self._recorded) >= _MOST:
            self._seen.add(shape)
            return self._work(batch)
        try:
            self._recorded[shape] = self._record(batch)
        except RuntimeError as error:  # whatever cannot be recorded still runs
            self._works = False
            torch.cuda.synchronize()
            self._notify(f"CUDA graphs are off: {str(error).splitlines()[0]}")
            return self._work(batch)
        return self._replay(self._recorded[shape], batch)

    def _record(self, batch: TokenBatch) -> _Recorded:
        inputs = TokenBatch(**{item.name: _copy(getattr(batch, item.name)) for item in fields(batch)})
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            loss = self._work(inputs)
        self._pool = graph.pool()
        return _Recorded(graph=graph, inputs=inputs, loss=loss)

    def _replay(self, recorded: _Recorded, batch: TokenBatch) -> torch.Tensor:
        for kept, new in zip(_tensors(recorded.inputs), _tensors(batch), strict=True):
            if kept is not None:
                kept.copy_(new, non_blocking=True)
        recorded.graph.replay()
        return recorded.loss.clone()


def _tensors(batch: TokenBatch) -> tuple[torch.Tensor | None, ...]:
    return (batch.source, batch.context, batch.target, batch.span)


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
