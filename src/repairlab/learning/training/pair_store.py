"""Numbered pairs on disk, and batches of them as tensors: from the device's memory when they fit, else from the files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from repairlab.learning.networks.token_batch import TokenBatch

PARTS = ("source", "context", "target")


@dataclass(slots=True)
class _Column:
    """One part of all pairs: their numbers one behind the other, and where each begins."""

    ids: torch.Tensor
    starts: torch.Tensor
    lengths: torch.Tensor

    def to(self, device: torch.device) -> "_Column":
        return _Column(ids=self.ids.to(device), starts=self.starts.to(device), lengths=self.lengths.to(device))

    def take(self, rows: torch.Tensor, width: int, pad: int) -> torch.Tensor:
        """Return some rows, padded to a width; nothing here waits for the device."""
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
        """Return how many words beyond the vocabulary a source of these pairs has at most."""
        return int(self._extras[rows].max())
