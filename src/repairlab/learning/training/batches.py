"""Which pairs make a batch, in which order: by length, shuffled, the same for the same seed and epoch."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from repairlab.learning.training.settings import TrainingSettings

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """Pairs of one batch, and the widths that hold them."""

    rows: Rows
    widths: tuple[int, int, int]
    """Of source, context and target."""
    n_tokens: int
    """Without padding, of source and target."""


def plan_epoch(lengths: dict[str, Rows], settings: TrainingSettings, seed: int, epoch: int) -> list[BatchPlan]:
    """Return the batches of one epoch in their order."""
    chance = np.random.Generator(np.random.PCG64([seed, epoch]))
    order = chance.permutation(len(lengths["target"]))
    size = settings.batch_pairs * settings.pool
    plans = []
    for first in range(0, len(order), size):
        pool = order[first : first + size]
        pool = pool[np.lexsort((lengths["source"][pool], lengths["target"][pool]))]
        plans += plan_rows(pool, lengths, settings)
    return [plans[number] for number in chance.permutation(len(plans))]


def plan_all(lengths: dict[str, Rows], settings: TrainingSettings) -> list[BatchPlan]:
    """Return batches of all pairs, short ones first, for validation."""
    order = np.lexsort((lengths["source"], lengths["target"]))
    return plan_rows(order, lengths, settings)


def plan_rows(order: Rows, lengths: dict[str, Rows], settings: TrainingSettings) -> list[BatchPlan]:
    """Cut sorted pairs into batches that keep to the limits on pairs and on tokens."""
    plans, first = [], 0
    while first < len(order):
        last = min(first + settings.batch_pairs, len(order))
        if settings.batch_tokens:
            while last - first > 1 and _n_padded(order[first:last], lengths, settings.bucket) > settings.batch_tokens:
                last = first + max(1, (last - first) * 3 // 4)
        rows = order[first:last]
        n_tokens = int(lengths["source"][rows].sum() + lengths["target"][rows].sum())
        plans.append(BatchPlan(rows=rows, widths=_widths(rows, lengths, settings.bucket), n_tokens=n_tokens))
        first = last
    return plans


def _widths(rows: Rows, lengths: dict[str, Rows], bucket: int) -> tuple[int, int, int]:
    source, context, target = (-(-int(lengths[part][rows].max()) // bucket) * bucket for part in ("source", "context", "target"))
    return source, context, target


def _n_padded(rows: Rows, lengths: dict[str, Rows], bucket: int) -> int:
    return len(rows) * sum(_widths(rows, lengths, bucket))
