"""What every network promises to training and to search, and the network that settings describe."""

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from repairlab.core.errors import UserError
from repairlab.learning.networks.convolution import Convolution
from repairlab.learning.networks.grammar_decoder import GrammarDecoder
from repairlab.learning.networks.grammar_vocabulary import TreeGrammar
from repairlab.learning.networks.pointer_edit import PointerEdit
from repairlab.learning.networks.pretrained import SpecialTokens, build_pretrained
from repairlab.learning.networks.recurrent import Recurrent
from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.transformer import Transformer


class StepDecoder(Protocol):
    """Extends hypotheses by one token; what beam search needs of a network."""

    def start(self, batch: TokenBatch, beam: int) -> Any:
        """Return the state of `beam` hypotheses for each source, in rows of sources."""
        ...

    def step(self, state: Any, tokens: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """Return log-probabilities of what follows the last tokens, one row per hypothesis, and the next state."""
        ...

    def select(self, state: Any, rows: torch.Tensor, sources: torch.Tensor | None) -> Any:
        """Return the state of these hypotheses; `sources` are those that are kept, None: all."""
        ...


@runtime_checkable
class RecordableDecoder(StepDecoder, Protocol):
    """Its steps and choices have constant shapes and change tensors in place, so that a graph can repeat them."""

    def ahead(self, state: Any, n: int) -> Any:
        """Return the state `n` steps later, an even number, in the same tensors; None if the steps would move it."""
        ...


@runtime_checkable
class PointingDecoder(StepDecoder, Protocol):
    """Points to places of the source before it writes."""

    def openings(self, state: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities and places that hypotheses begin with."""
        ...


_OWN = {"recurrent": Recurrent, "transformer": Transformer, "convolution": Convolution, "edits": PointerEdit}


def build(
    settings: NetworkSettings,
    n_source: int,
    n_target: int,
    *,
    marks: SpecialTokens = SpecialTokens(),  # noqa: B008  # it is frozen
    folder: Path | None = None,
    grammar: TreeGrammar | None = None,
) -> nn.Module:
    """Return a network with random weights; a pretrained one as published, or as the folder of a model describes it."""
    settings.check()
    if settings.kind == "pretrained":
        return build_pretrained(settings, n_target, marks, folder)
    if settings.kind == "grammar":
        if grammar is None:
            raise UserError("a network of the kind grammar needs a grammar, which only the representation recoder learns")
        return GrammarDecoder(settings, n_source, grammar)
    return _OWN[settings.kind](settings, n_source, n_target)
