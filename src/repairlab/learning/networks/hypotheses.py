"""Hypotheses: what a search writes, and how they are drawn instead of searched."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from repairlab.learning.networks.network import StepDecoder
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.networks.tokens import TokenBatch

LOOK_EVERY = 4
"""Steps between checks whether all is done: each check waits for the device."""
NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One written sequence, without its end mark."""

    ids: tuple[int, ...]
    logprob: float
    score: float
    """The log-probability under the length rule, which decides the order."""
    places: tuple[int, ...] = ()
    """What a network pointed to before it wrote."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The special tokens that the search must know."""

    begin: int
    end: int
    banned: tuple[int, ...] = ()
    """Tokens that are never written."""


def allowed(logs: torch.Tensor, end: int, banned: torch.Tensor, *, only_end: bool) -> torch.Tensor:
    """Forbid tokens; the last place can only hold the end mark."""
    if only_end:
        ends = torch.full_like(logs, NEVER)
        ends[:, end] = logs[:, end]
        return ends
    return logs.index_fill_(1, banned, NEVER)


def best_first(hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    """Return hypotheses in order; groups may have found the same one."""
    return sorted({(item.places, item.ids): item for item in hypotheses}.values(), key=lambda item: -item.score)


def sample(
    network: StepDecoder, batch: TokenBatch, settings: DecodingSettings, marks: Marks, generator: torch.Generator | None
) -> list[list[Hypothesis]]:
    """Draw `beam` sequences for each source; equal ones are kept once, the likeliest first."""
    n, beam, longest = batch.source.shape[0], settings.beam, settings.max_length
    device = batch.source.device
    state = network.start(batch, beam)
    tokens = torch.full((n * beam,), marks.begin, dtype=torch.long, device=device)
    sums = torch.zeros(n * beam, device=device)
    is_open = torch.ones(n * beam, dtype=torch.bool, device=device)
    banned = torch.tensor(marks.banned, dtype=torch.long, device=device)
    written = []
    for length in range(1, longest + 1):
        logs, state = network.step(state, tokens)
        logs = allowed(logs, marks.end, banned, only_end=length == longest)
        stuck = (logs == NEVER).all(1) & is_open  # by the rules of a grammar, it can only be given up
        logs[:, marks.end] = logs[:, marks.end].masked_fill(stuck, 0.0)
        sums = sums.masked_fill(stuck, NEVER)
        drawn = torch.multinomial(_kept(logs / settings.temperature, settings.top_p), 1, generator=generator).squeeze(1)
        tokens = drawn.masked_fill(~is_open, marks.end)
        sums = sums + logs.gather(1, tokens.unsqueeze(1)).squeeze(1).masked_fill(~is_open, 0.0)
        written.append(tokens)
        is_open = is_open & (tokens != marks.end)
        if length % LOOK_EVERY == 0 and not is_open.any().item():
            break
    rows = torch.stack(written, 1).view(n, beam, -1).tolist()
    return [_distinct(found, logs, settings, marks.end) for found, logs in zip(rows, sums.view(n, beam).tolist(), strict=True)]


def _kept(logs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Return probabilities of only the likeliest tokens that make up `top_p`."""
    chances = logs.softmax(-1)
    if top_p >= 1:
        return chances
    ordered, places = chances.sort(-1, descending=True)
    dropped = ordered.cumsum(-1) - ordered >= top_p
    return torch.zeros_like(chances).scatter(-1, places, ordered.masked_fill(dropped, 0.0))


def _distinct(rows: list[list[int]], logprobs: list[float], settings: DecodingSettings, end: int) -> list[Hypothesis]:
    found: dict[tuple[int, ...], Hypothesis] = {}
    for row, logprob in zip(rows, logprobs, strict=True):
        if logprob == NEVER:
            continue
        ids = tuple(row[: row.index(end)]) if end in row else tuple(row)
        found[ids] = Hypothesis(ids=ids, logprob=logprob, score=logprob / (len(ids) + 1) ** settings.length_penalty)
    return best_first(found.values())
