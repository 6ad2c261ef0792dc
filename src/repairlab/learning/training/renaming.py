"""Ids of abstracted methods dealt anew: a pair with VAR_1 and VAR_2 exchanged is another pair to learn from."""

import dataclasses
from collections.abc import Sequence

import torch

from repairlab.learning.networks.token_batch import TokenBatch
from repairlab.learning.representations.tufano import kind_of_id


class Renaming:
    """Exchanges ids of the same kind that a source has, in source, context and target alike; nothing here waits for the device."""

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
