"""Batches on their way to the device: gathered there when the pairs lie on it, else read from disk ahead of their use."""

import queue
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import torch

from repairlab.learning.networks.token_batch import TokenBatch
from repairlab.learning.training.batches import BatchPlan
from repairlab.learning.training.pair_store import PairStore

_AHEAD = 8
"""Batches that are read before they are asked for."""
Fed = tuple[BatchPlan, TokenBatch]


def feed(store: PairStore, plans: Sequence[BatchPlan], device: torch.device) -> Iterator[Fed]:
    """Yield the batches of plans in their order, on the device."""
    if not plans:
        return
    if device.type != "cpu" and store.device.type == "cpu":
        yield from _read_ahead(store, plans, device)
        return
    order = torch.from_numpy(np.concatenate([plan.rows for plan in plans])).to(store.device, non_blocking=True)
    first = 0
    for plan in plans:
        last = first + len(plan.rows)
        yield plan, store.batch(order[first:last], plan.widths, n_extra=store.n_extra(plan.rows))
        first = last


def _read_ahead(store: PairStore, plans: Sequence[BatchPlan], device: torch.device) -> Iterator[Fed]:
    waiting: queue.Queue[Fed | None] = queue.Queue(_AHEAD)
    over = threading.Event()

    def read() -> None:
        for plan in plans:
            if over.is_set():
                return
            batch = store.batch(torch.from_numpy(plan.rows), plan.widths, n_extra=store.n_extra(plan.rows))
            waiting.put((plan, batch.pinned()))
        waiting.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        while (found := waiting.get()) is not None:
            yield found[0], found[1].to(device)
    finally:
        over.set()
        while reader.is_alive():  # it may wait for room
            try:
                waiting.get(timeout=0.1)
            except queue.Empty:
                continue
