"""From numbers of words to vectors, for all networks of ours that are trained from nothing."""

import torch
from torch import nn

from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.vocabulary import BEGIN, PAD, UNKNOWN


def word_embeddings(settings: NetworkSettings, n_source: int, n_target: int, size: int) -> tuple[nn.Embedding, nn.Embedding]:
    """Return those of source and target: the same one where weights are tied and vocabularies shared."""
    source = nn.Embedding(n_source, size, padding_idx=PAD)
    shared = settings.tied and n_source == n_target
    return source, source if shared else nn.Embedding(n_target, size, padding_idx=PAD)


def embedded(embedding: nn.Embedding, tokens: torch.Tensor) -> torch.Tensor:
    """Return the vectors of tokens; a word that only a source has is as good as unknown."""
    return embedding(tokens.masked_fill(tokens >= embedding.num_embeddings, UNKNOWN))


def written_before(target: torch.Tensor) -> torch.Tensor:
    """Return what a decoder has written before each token of the targets."""
    return torch.cat((torch.full_like(target[:, :1], BEGIN), target[:, :-1]), 1)
