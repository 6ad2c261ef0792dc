"""Work on tensors recorded as CUDA graphs: steps of a search, and the passes of training, one graph for each shape of a batch.

Small networks are bound by the launch of kernels; a replayed graph launches them all at once.
"""

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from repairlab.learning.networks.tokens import TokenBatch

Record = Callable[[Callable[[], None]], Callable[[], None] | None]
"""Takes work that changes tensors in place, and returns what does it; None if that is impossible."""


@functools.cache
def recorder(device: torch.device) -> Record | None:
    """Return what records work on a device, for the life of the process; None for devices that cannot."""
    return GraphRecorder(device) if device.type == "cuda" else None


class GraphRecorder:
    """Records one graph after another. All share memory for what they make in between: one alone is replayed at a time.

    A pool of memory lives as long as one of its graphs, so the last one is kept.
    """

    def __init__(self, device: torch.device) -> None:
        """Take the device."""
        self._stream = torch.cuda.Stream(device)
        self._last: Any = None
        self._works = True

    def __call__(self, work: Callable[[], None]) -> Callable[[], None] | None:
        """Record work without doing it."""
        if not self._works:
            return None
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.stream(self._stream):
                graph.capture_begin(pool=self._last.pool() if self._last else None, capture_error_mode="thread_local")
                try:
                    work()
                finally:
                    graph.capture_end()
        except torch.OutOfMemoryError:
            return None
        except RuntimeError as error:  # whatever cannot be recorded still runs
            self._works = False
            torch.cuda.synchronize()
            warnings.warn(f"CUDA graphs are off: {str(error).splitlines()[0]}", RuntimeWarning, stacklevel=2)
            return None
        self._last = graph
        replay: Callable[[], None] = graph.replay
        return replay


_MOST = 64
"""Number of graphs that are kept; further shapes run kernel by kernel."""


@dataclass(slots=True)
class _Recorded:
    graph: Any
    inputs: TokenBatch
    loss: torch.Tensor


class GraphedPass:
    """Runs `work(batch)`, which adds to the gradients and returns the loss; from a shape's second batch on, as a graph."""

    def __init__(self, work: Callable[[TokenBatch], torch.Tensor], notify: Callable[[str], None]) -> None:
        """Take the work, whose gradients must lie where they lie for good."""
        self._work, self._notify = work, notify
        self._seen: set[tuple[Any, ...]] = set()
        self._recorded: dict[tuple[Any, ...], _Recorded] = {}
        self._pool: Any = None
        self._works = True

    def __call__(self, batch: TokenBatch) -> torch.Tensor:
        """Do the work for one batch."""
        shape = tuple((name, *item.shape) for name, item in batch.tensors.items())
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
        inputs = batch.mapped(torch.clone)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            loss = self._work(inputs)
        self._pool = graph.pool()
        return _Recorded(graph=graph, inputs=inputs, loss=loss)

    def _replay(self, recorded: _Recorded, batch: TokenBatch) -> torch.Tensor:
        for name, kept in recorded.inputs.tensors.items():
            kept.copy_(batch.tensors[name], non_blocking=True)
        recorded.graph.replay()
        return recorded.loss.clone()
