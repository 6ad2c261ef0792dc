"""The validation set: mean loss of a token, and exact match by beam search."""

import numpy as np
import torch
from torch import nn

from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.hypothesis import Hypothesis, Marks
from repairlab.learning.networks.model import Numbering
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.networks.vocabulary import FIRST_PLACE
from repairlab.learning.training.batches import plan_all, plan_rows
from repairlab.learning.training.feeding import feed
from repairlab.learning.training.pair_store import PairStore
from repairlab.learning.training.settings import TrainingSettings


def written_numbers(hypothesis: Hypothesis, end: int) -> tuple[int, ...]:
    """Return a hypothesis as targets are numbered."""
    return (*(place + FIRST_PLACE for place in hypothesis.places), *hypothesis.ids, end)


class ValidationSet:
    """Measures networks on one split."""

    def __init__(self, store: PairStore, numbering: Numbering, training: TrainingSettings, decoding: DecodingSettings) -> None:
        """Take the numbered pairs and what is measured."""
        self._store, self._training = store, training
        self._n_exact = min(training.exact_match_pairs, len(store)) if training.stop_on == "exact-match" else 0
        self._decoding = DecodingSettings(
            beam=1, max_length=decoding.max_length, at_once=decoding.at_once, precision=decoding.precision
        )
        target = numbering.target
        banned = {target.pad, target.begin, target.unknown} - {target.end}
        self._marks = Marks(begin=target.begin, end=target.end, banned=tuple(banned))

    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        """Return the mean loss of a token, and the share of pairs that are written exactly, if that is wanted."""
        return self.loss(network), self.exact_match(network, self._n_exact) if self._n_exact else None

    def loss(self, network: nn.Module) -> float:
        """Return the mean loss of a token."""
        device = next(network.parameters()).device
        total = torch.zeros(2, device=device)
        with torch.no_grad():
            for _, batch in feed(self._store, plan_all(self._store.lengths, self._training), device):
                assert batch.target is not None
                losses = network.token_losses(batch, 0.0)
                total += torch.stack((losses.sum(), (batch.target != self._store.pad).sum()))
        found: list[float] = total.tolist()
        return found[0] / max(found[1], 1.0)

    def exact_match(self, network: nn.Module, n: int) -> float:
        """Return the share of the first `n` pairs whose target is the best hypothesis of a greedy search."""
        device = next(network.parameters()).device
        lengths = self._store.lengths
        order = np.argsort(lengths["source"][:n], kind="stable")
        n_right = 0
        plans = plan_rows(order, lengths, TrainingSettings(batch_pairs=512, bucket=self._training.bucket))
        for _, batch in feed(self._store, plans, device):
            found = beam_search(network, batch, self._decoding, self._marks)
            assert batch.target is not None
            for wanted, hypotheses in zip(batch.target.tolist(), found, strict=True):
                ids = written_numbers(hypotheses[0], self._marks.end) if hypotheses else ()
                n_right += list(ids) == wanted[: len(ids)] and set(wanted[len(ids) :]) <= {self._store.pad}
        return n_right / max(n, 1)
