"""One batched beam search for all networks, with diverse decoding as an option.

The scores of hypotheses are sums of log-probabilities; the length rule decides only their order. The search ends for a source when
no hypothesis that is still open can enter its best ones.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import nn

from repairlab.learning.networks.cuda_graphs import Record, recorder
from repairlab.learning.networks.hypotheses import LOOK_EVERY, NEVER, Hypothesis, Marks, allowed, best_first, sample
from repairlab.learning.networks.network import PointingDecoder, RecordableDecoder, StepDecoder
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.networks.tokens import TokenBatch

_ROUND = 2
"""Steps that are recorded together: choosing hypotheses copies them to and fro."""


@dataclass(slots=True)
class _Ended:
    """The best finished hypotheses; a row per source, a column per hypothesis."""

    scores: torch.Tensor
    logprobs: torch.Tensor
    lengths: torch.Tensor
    parents: torch.Tensor
    """Which of the open ones each was before it ended."""

    @classmethod
    def none(cls, n: int, beam: int, device: torch.device) -> "_Ended":
        scores, numbers = torch.full((n, beam), NEVER, device=device), torch.zeros((n, beam), dtype=torch.long, device=device)
        return cls(scores=scores, logprobs=scores.clone(), lengths=numbers, parents=numbers.clone())

    def keep(self, rows: torch.Tensor) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name).index_select(0, rows))

    def put(self, sources: torch.Tensor, others: "_Ended") -> None:
        for name in self.__slots__:
            getattr(self, name).index_copy_(0, sources, getattr(others, name))


@dataclass(frozen=True, slots=True)
class _Open:
    """Open hypotheses, a row per unfinished source; input of the next step."""

    state: Any
    rows: torch.Tensor | None
    """Which hypotheses of the state these are; None: in their order there."""
    tokens: torch.Tensor
    logprobs: torch.Tensor


class _Step(NamedTuple):
    """What a step chose: for each hypothesis the one it extends, its token, and those that ended."""

    parents: torch.Tensor
    tokens: torch.Tensor
    ended: torch.Tensor


@dataclass(slots=True)
class _Search:
    """A search: what ended, and where each token came from; a row per unfinished source."""

    sources: torch.Tensor
    ended: _Ended
    steps: list[tuple[torch.Tensor, _Step]]
    """For every step the sources and its choices: texts are read from them at the end."""
    n_looked: int = 0
    """Steps whose ends were examined."""

    def keep(self, rows: torch.Tensor) -> None:
        self.sources = self.sources.index_select(0, rows)
        self.ended.keep(rows)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What stays the same during a search."""

    network: StepDecoder
    settings: DecodingSettings
    end: int
    banned: torch.Tensor


def beam_search(
    network: StepDecoder,
    batch: TokenBatch,
    settings: DecodingSettings,
    marks: Marks,
    *,
    generator: torch.Generator | None = None,
) -> list[list[Hypothesis]]:
    """Return at most `beam` hypotheses for every source, best first."""
    is_half = settings.precision == "bf16" or (settings.precision == "auto" and batch.source.device.type == "cuda")
    weights = half_weights(network) if is_half else nullcontext()
    with weights, torch.inference_mode(), torch.autocast(batch.source.device.type, torch.bfloat16, enabled=is_half):
        return sample(network, batch, settings, marks, generator) if settings.sample else _search(network, batch, settings, marks)


def _search(network: StepDecoder, batch: TokenBatch, settings: DecodingSettings, marks: Marks) -> list[list[Hypothesis]]:
    n, beam, longest = batch.source.shape[0], settings.beam, settings.max_length
    device = batch.source.device
    search = _Search(sources=torch.arange(n, device=device), ended=_Ended.none(n, beam, device), steps=[])
    every = _Ended.none(n, beam, device)
    front, places = _begin(network, batch, settings, marks)
    while True:
        n_steps = min(_ROUND, longest - len(search.steps))
        is_last = len(search.steps) + n_steps == longest
        search.steps += [(search.sources, step) for step in front.extend(n_steps, is_last=is_last)]
        if len(search.steps) % LOOK_EVERY and not is_last:
            continue
        _keep_best_ended(search, settings)
        is_open = _is_open(search, front.open.logprobs, settings)
        kept = is_open.nonzero().squeeze(1)
        if len(kept) == 0 or is_last:
            break
        if front.is_worth_dropping(len(is_open) - len(kept)):
            every.put(search.sources, search.ended)
            search.keep(kept)
            front.keep(kept)
    every.put(search.sources, search.ended)
    return _hypotheses(every, search.steps, places)


def _begin(network: StepDecoder, batch: TokenBatch, settings: DecodingSettings, marks: Marks) -> tuple["_Front", torch.Tensor]:
    """Return empty hypotheses, and what a network points to with them."""
    n, beam, device = batch.source.shape[0], settings.beam, batch.source.device
    state = network.start(batch, beam)
    # Hypotheses are equal at first: only one is open in each group.
    logprobs = torch.full((n, beam), NEVER, device=device).index_fill_(1, _firsts(settings, device), 0.0)
    places = torch.zeros((n, beam, 0), dtype=torch.long, device=device)
    if isinstance(network, PointingDecoder):
        logprobs, places = network.openings(state)
    tokens = torch.full((n * beam,), marks.begin, dtype=torch.long, device=device)
    banned = torch.tensor(marks.banned, dtype=torch.long, device=device)
    rules = _Rules(network=network, settings=settings, end=marks.end, banned=banned)
    return _Front(_Open(state=state, rows=None, tokens=tokens, logprobs=logprobs), rules, recorder(device)), places


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A recorded round, and the tensors in which it leaves its steps."""

    replay: Callable[[], None]
    steps: list[_Step]


class _Front:
    """The open hypotheses of a search. Steps whose tensors stay where they are become a graph, on a device that has graphs."""

    def __init__(self, first: _Open, rules: _Rules, record: Record | None) -> None:
        """Take hypotheses of which nothing is written, and what records work."""
        self.open = first
        self._rules, self._record = rules, record if isinstance(rules.network, RecordableDecoder) else None
        self._recorded: _Recorded | None = None

    def is_worth_dropping(self, n_done: int) -> bool:
        """Return whether finished sources are dropped: new shapes must be recorded again."""
        return n_done >= (1 if self._record is None else math.ceil(len(self.open.logprobs) / 2))

    def keep(self, sources: torch.Tensor) -> None:
        """Keep the hypotheses of some sources."""
        now, (n, beam) = self.open, self.open.logprobs.shape
        rows = torch.arange(n * beam, device=sources.device) if now.rows is None else now.rows
        rows, tokens = (item.view(n, beam).index_select(0, sources).flatten() for item in (rows, now.tokens))
        self._recorded = None
        self.open = _Open(
            state=self._rules.network.select(now.state, rows, sources),
            rows=None,
            tokens=tokens,
            logprobs=now.logprobs.index_select(0, sources),
        )

    def extend(self, n_steps: int, *, is_last: bool) -> list[_Step]:
        """Extend all hypotheses by some tokens; the very last can only be an end mark."""
        steps = None if is_last else self._replayed()
        if steps is None:
            self._recorded, steps = None, []
            while len(steps) < n_steps:
                self.open, step = _extended(self.open, self._rules, only_end=is_last and len(steps) == n_steps - 1)
                steps.append(step)
        return steps

    def _replayed(self) -> list[_Step] | None:
        """Take the steps of a round by a graph; None if that is impossible."""
        network = self._rules.network
        if self._record is None or not isinstance(network, RecordableDecoder):
            return None
        ahead = network.ahead(self.open.state, _ROUND)
        if ahead is None:
            return None
        if self._recorded is None:
            self._recorded = self._recording(self._record)
        if self._recorded is None:
            self._record = None
            return None
        self._recorded.replay()
        self.open = replace(self.open, state=ahead)
        return [_Step(*(item.clone() for item in step)) for step in self._recorded.steps]

    def _recording(self, record: Record) -> "_Recorded | None":
        """Record a round, which leaves the input of the next one in the tensors of `open`."""
        now, steps = self.open, list[_Step]()
        rows = None if now.rows is None else now.rows.clone()
        self.open = first = replace(now, rows=rows, tokens=now.tokens.clone(), logprobs=now.logprobs.clone())

        def work() -> None:
            last = first
            for _ in range(_ROUND):
                last, step = _extended(last, self._rules, only_end=False)
                steps.append(step)
            for kept, new in ((first.rows, last.rows), (first.tokens, last.tokens), (first.logprobs, last.logprobs)):
                if kept is not None:
                    kept.copy_(new)

        replay = record(work)
        return None if replay is None else _Recorded(replay=replay, steps=steps)


def _firsts(settings: DecodingSettings, device: torch.device) -> torch.Tensor:
    return torch.arange(0, settings.beam, settings.beam // settings.groups, device=device)


def _extended(now: _Open, rules: _Rules, *, only_end: bool) -> tuple[_Open, _Step]:
    """Extend all hypotheses by one token: the best extensions continue, those with the end mark have ended."""
    state, (n, beam), groups = now.state, now.logprobs.shape, rules.settings.groups
    if now.rows is not None:
        state = rules.network.select(state, now.rows, None)
    logs, state = rules.network.step(state, now.tokens)
    logs = allowed(logs, rules.end, rules.banned, only_end=only_end)
    words, size = logs.shape[-1], beam // groups
    sums = now.logprobs.unsqueeze(2) + logs.view(n, beam, words)
    ended = sums[:, :, rules.end].clone()
    sums[:, :, rules.end] = NEVER
    parts: list[_Chosen] = []
    for group in range(groups):
        mine = slice(group * size, (group + 1) * size)
        parts.append(_choose(sums[:, mine].flatten(1), _cost(parts, rules.settings.diversity, words), ended[:, mine], words))
    step = _Step(
        parents=_joined([part.parents + group * size if group else part.parents for group, part in enumerate(parts)]),
        tokens=_joined([part.tokens for part in parts]),
        ended=_joined([part.ended for part in parts]),
    )
    firsts = torch.arange(0, n * beam, beam, device=logs.device).unsqueeze(1)
    rows = (step.parents + firsts).flatten() if beam > 1 else None  # one hypothesis alone stays where it is
    logprobs = _joined([part.logprobs for part in parts])
    return _Open(state=state, rows=rows, tokens=step.tokens.flatten(), logprobs=logprobs), step


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What continues of one group, and what ended."""

    parents: torch.Tensor
    tokens: torch.Tensor
    logprobs: torch.Tensor
    ended: torch.Tensor


def _choose(sums: torch.Tensor, cost: torch.Tensor | None, ended: torch.Tensor, words: int) -> _Chosen:
    """Return the best extensions of a group. An end that is not among the best is not kept."""
    size = ended.shape[1]
    scores = sums if cost is None else sums - cost.repeat(1, size)
    best, places = scores.topk(size)
    worst = torch.cat((best, ended), 1).topk(size).values[:, -1:]
    return _Chosen(
        parents=places // words,
        tokens=places % words,
        logprobs=best if cost is None else sums.gather(1, places),
        ended=ended.masked_fill(ended < worst, NEVER),
    )


def _cost(earlier: list[_Chosen], diversity: float, words: int) -> torch.Tensor | None:
    """Return what tokens cost by which earlier groups go on (diverse beam search, Vijayakumar et al. 2016); none for the first."""
    if not earlier:
        return None
    taken = torch.cat([part.tokens for part in earlier], 1)
    cost = torch.zeros((len(taken), words), device=taken.device)
    return cost.scatter_add_(1, taken, torch.full_like(taken, diversity, dtype=cost.dtype))


def _joined(parts: list[torch.Tensor]) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, 1)


def _keep_best_ended(search: _Search, settings: DecodingSettings) -> None:
    """Merge newly ended hypotheses into the best ones of their source and group."""
    groups, first, last = settings.groups, search.n_looked, len(search.steps)
    logprobs = torch.stack([step.ended for _, step in search.steps[first:]], 1)
    n, steps, beam = logprobs.shape
    lengths = torch.arange(first, last, device=logprobs.device).view(1, steps, 1).expand(n, steps, beam)
    parents = torch.arange(beam, device=logprobs.device).expand(n, steps, beam)
    fresh = _Ended(scores=logprobs / (lengths + 1) ** settings.length_penalty, logprobs=logprobs, lengths=lengths, parents=parents)

    def together(name: str) -> torch.Tensor:
        """Return old and new ones: sources, groups, hypotheses."""
        new = getattr(fresh, name).unflatten(2, (groups, -1)).transpose(1, 2).flatten(2)
        return torch.cat((getattr(search.ended, name).unflatten(1, (groups, -1)), new), 2)

    order = together("scores").topk(beam // groups).indices
    search.ended = _Ended(**{name: together(name).gather(2, order).flatten(1) for name in _Ended.__slots__})
    search.n_looked = last


def _is_open(search: _Search, logprobs: torch.Tensor, settings: DecodingSettings) -> torch.Tensor:
    """Return the sources for which a hypothesis could still enter the best ones of its group: log-probabilities only fall."""
    length = settings.max_length if settings.length_penalty > 0 else len(search.steps)
    best = logprobs.unflatten(1, (settings.groups, -1)).amax(2)
    worst = search.ended.scores.unflatten(1, (settings.groups, -1)).amin(2)
    bound = best / length**settings.length_penalty
    return ((bound > worst) & (best > NEVER)).any(1)


def _hypotheses(ended: _Ended, steps: list[tuple[torch.Tensor, _Step]], places: torch.Tensor) -> list[list[Hypothesis]]:
    """Read the texts of all ended hypotheses from their last tokens back to their first."""
    written = ended.parents.new_zeros((*ended.parents.shape, len(steps)))
    every = ended.parents
    for length in range(len(steps), 0, -1):
        sources, step = steps[length - 1]
        before = every.index_select(0, sources)
        written[:, :, length - 1].index_copy_(0, sources, step.tokens.gather(1, before))
        is_longer = ended.lengths.index_select(0, sources) < length
        every = every.index_copy(0, sources, torch.where(is_longer, before, step.parents.gather(1, before)))
    opened = places.gather(1, every.unsqueeze(2).expand(-1, -1, places.shape[2])).tolist()
    rows = zip(written.tolist(), ended.lengths.tolist(), ended.logprobs.tolist(), ended.scores.tolist(), opened, strict=True)
    return [
        best_first(
            Hypothesis(ids=tuple(ids[:n]), logprob=logprob, score=score, places=tuple(pointed))
            for ids, n, logprob, score, pointed in zip(*row, strict=True)
            if score > NEVER
        )
        for row in rows
    ]


@contextmanager
def half_weights(network: object) -> Iterator[None]:
    """Keep weights of linear layers in bf16 while the block runs; autocast then uses them as they are, with the same result.

    The layers get weights of their own, so that an embedding stays as it is where an output layer shares it.
    """
    modules = network.modules() if isinstance(network, nn.Module) else ()
    layers = [layer for layer in modules if isinstance(layer, nn.Linear)]
    kept = [
        (layer, name, weights)
        for layer in layers
        for name, weights in layer.named_parameters(recurse=False)
        if weights.dtype == torch.float32
    ]
    try:
        for layer, name, weights in kept:
            setattr(layer, name, nn.Parameter(weights.detach().to(torch.bfloat16), requires_grad=False))
        yield
    finally:
        for layer, name, weights in kept:
            setattr(layer, name, weights)
