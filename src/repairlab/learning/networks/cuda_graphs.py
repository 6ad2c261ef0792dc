"""Work on tensors recorded as a CUDA graph, which launches all of its kernels at once."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch

Record = Callable[[Callable[[], None]], Callable[[], None] | None]
"""Takes work that changes tensors where they lie, and returns what does it; none where that is not possible."""


@functools.cache
def recorder(device: torch.device) -> Record | None:
    """Return what records work on a device, for as long as the process lives; none for devices that cannot."""
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
