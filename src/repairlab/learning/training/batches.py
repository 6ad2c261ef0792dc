"""From numbered pairs on disk to batches on a device: which pairs make one, how it is read ahead, how its ids may be renamed."""

import dataclasses
import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.representations.tufano import kind_of_id
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
    """Split sorted pairs into batches that keep to the limits on pairs and on tokens."""
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


PARTS = ("source", "context", "target")


@dataclass(slots=True)
class _Column:
    """One part of all pairs: their numbers one after another, and where each begins."""

    ids: torch.Tensor
    starts: torch.Tensor
    lengths: torch.Tensor

    def to(self, device: torch.device) -> "_Column":
        return _Column(ids=self.ids.to(device), starts=self.starts.to(device), lengths=self.lengths.to(device))

    def take(self, rows: torch.Tensor, width: int, pad: int) -> torch.Tensor:
        """Return some rows, padded to a width, without waiting for the device."""
        places = torch.arange(width, device=rows.device)
        lengths = self.lengths.index_select(0, rows).unsqueeze(1)
        found = self.starts.index_select(0, rows).unsqueeze(1) + torch.minimum(places, (lengths - 1).clamp(min=0))
        return self.ids[found].long().masked_fill(places >= lengths, pad)


class PairStore:
    """The pairs of one split."""

    def __init__(self, columns: dict[str, _Column], spans: torch.Tensor, extras: npt.NDArray[np.int32], pad: int) -> None:
        """Take the parts; `open` makes them from a folder."""
        self._columns, self._spans, self._extras, self.pad = columns, spans, extras, pad
        self.lengths = {part: column.lengths.numpy() for part, column in columns.items()}

    @classmethod
    def open(cls, folder: Path, *, pad: int = 0) -> "PairStore":
        """Open a folder that `number_tokens` wrote; the numbers stay on disk."""
        columns = {}
        for part in PARTS:
            offsets = np.load(folder / f"{part}.offsets.npy")
            path = folder / f"{part}.bin"
            ids = np.memmap(path, dtype=np.int32, mode="c") if path.stat().st_size else np.zeros(1, dtype=np.int32)
            columns[part] = _Column(
                ids=torch.from_numpy(ids), starts=torch.from_numpy(offsets[:-1].copy()), lengths=torch.from_numpy(np.diff(offsets))
            )
        spans = torch.from_numpy(np.load(folder / "spans.npy").astype(np.int64))
        return cls(columns, spans, np.load(folder / "extras.npy"), pad)

    def __len__(self) -> int:
        return len(self._extras)

    @property
    def device(self) -> torch.device:
        """Return where the numbers are."""
        return self._columns["source"].ids.device

    @property
    def size_mb(self) -> float:
        """Return how much memory the numbers take."""
        return sum(int(column.ids.nelement()) * 4 for column in self._columns.values()) / 2**20

    def to(self, device: torch.device) -> "PairStore":
        """Return it with all numbers on a device."""
        moved = PairStore(self._columns, self._spans, self._extras, self.pad)
        moved._columns = {part: column.to(device) for part, column in self._columns.items()}
        moved._spans = self._spans.to(device)
        return moved

    def batch(self, rows: torch.Tensor, widths: tuple[int, int, int], *, n_extra: int = 0) -> TokenBatch:
        """Return a batch; `widths` are those of source, context (0: none) and target."""
        source, context, target = widths
        return TokenBatch(
            source=self._columns["source"].take(rows, source, self.pad),
            context=self._columns["context"].take(rows, context, self.pad) if context else None,
            target=self._columns["target"].take(rows, target, self.pad),
            span=self._spans.index_select(0, rows),
            n_extra=n_extra,
        )

    def n_extra(self, rows: npt.NDArray[np.int64]) -> int:
        """Return the largest number of words beyond the vocabulary in a source of these pairs."""
        return int(self._extras[rows].max())


_AHEAD = 8
"""Batches that are read ahead."""
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


class Renaming:
    """Exchanges ids of the same kind that a source has, in source, context and target alike; nothing here waits for the device.

    A pair of abstracted methods with VAR_1 and VAR_2 exchanged is another pair to learn from.
    """

    def __init__(self, words: Sequence[str], share: float, device: torch.device) -> None:
        """Take the words of the vocabulary by number, and the share of pairs that are renamed."""
        kinds = {number: kind for number, word in enumerate(words) if (kind := kind_of_id(word))}
        order = sorted(set(kinds.values()))
        self._share, self._size = share, len(words)
        self._ids = torch.tensor(list(kinds), dtype=torch.long, device=device)
        self._kinds = torch.tensor([float(order.index(kind)) for kind in kinds.values()], device=device)

    def __call__(self, batch: TokenBatch) -> TokenBatch:
        """Return the batch with other ids."""
        if not len(self._ids):
            return batch
        table = self._table(batch.source, batch.n_extra)
        parts = (batch.source, batch.target, batch.context)
        source, target, context = (None if item is None else table.gather(1, item) for item in parts)
        return dataclasses.replace(batch, source=source, target=target, context=context)

    def _table(self, source: torch.Tensor, n_extra: int) -> torch.Tensor:
        """Return for each pair what every number becomes."""
        n, size = source.shape[0], self._size + n_extra
        found = torch.zeros((n, size), dtype=torch.bool, device=source.device).scatter(1, source, value=True)
        present = found.index_select(1, self._ids)
        chance = torch.rand(present.shape, device=source.device)
        chance = chance * (torch.rand((n, 1), device=source.device) < self._share)
        absent = len(self._ids)  # behind all kinds, in the order of their numbers
        before = self._kinds.expand_as(chance).masked_fill(~present, absent).argsort(dim=1, stable=True)
        behind = (self._kinds + chance).masked_fill(~present, absent).argsort(dim=1, stable=True)
        table = torch.arange(size, device=source.device).repeat(n, 1)
        return table.scatter(1, self._ids[before], self._ids[behind])
