"""How `in_process` draws tokens: each answer by a random sequence of its own, until it ends. Handed to transformers' `generate`."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from repairlab.repairers.llm.client.model import Sampling

_TAIL = 16
"""Tokens that are read again for a stop text, in addition to one for each of its letters."""


class Draw:
    """Replaces the scores of all tokens by those of one token that is drawn, so that taking the best one takes it."""

    def __init__(self, sampling: Sampling, seeds: Sequence[int]) -> None:
        """Take a seed for each row."""
        self._torch = import_module("torch")
        self._sampling = sampling
        self._chances = [self._torch.Generator().manual_seed(seed % 2**63) for seed in seeds]
        self.logprobs: list[list[float]] = [[] for _ in seeds]
        """Of each row's tokens so far; those of a row that has ended mean nothing."""

    def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ARG002  # transformers calls it so
        """Draw one token for each row."""
        scores = scores.float()
        tokens = self._drawn(scores) if self._sampling.temperature > 0 else scores.argmax(dim=-1, keepdim=True)
        if self._sampling.logprobs:
            for row, value in zip(self.logprobs, scores.log_softmax(dim=-1).gather(1, tokens)[:, 0].tolist(), strict=True):
                row.append(value)
        return self._torch.full_like(scores, float("-inf")).scatter(1, tokens, 0.0)

    def _drawn(self, scores: Any) -> Any:
        chances = [self._torch.rand(1, generator=chance) for chance in self._chances]
        likely = (scores / self._sampling.temperature).softmax(dim=-1).sort(dim=-1, descending=True)
        sums = likely.values.cumsum(dim=-1)
        kept = self._torch.where(sums - likely.values < self._sampling.top_p, sums, 0.0).amax(dim=-1, keepdim=True)
        places = self._torch.searchsorted(sums, self._torch.stack(chances).to(scores.device) * kept)
        return likely.indices.gather(1, places.clamp(max=scores.shape[-1] - 1))


class StopDetector:
    """Notes when each row ends: at a token for that, or at a stop text."""

    def __init__(self, tokenizer: Any, tokens: set[int], stop: Sequence[str], *, n_prompt: int, n_rows: int) -> None:
        """Take what ends a row."""
        self._torch = import_module("torch")
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._stop = [text for text in stop if text]
        self._tail = _TAIL + max(map(len, self._stop), default=0)
        self._n_prompt = n_prompt
        self.lengths: list[int | None] = [None] * n_rows
        """Tokens of each answer that has ended, with the one that ended it."""

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:  # noqa: ARG002  # transformers calls it so
        """Return which rows are done."""
        made = input_ids[:, self._n_prompt :].tolist()
        for row, tokens in enumerate(made):
            if self.lengths[row] is None and (tokens[-1] in self._tokens or self._has_stop(tokens[-self._tail :])):
                self.lengths[row] = len(tokens)
        done = [length is not None for length in self.lengths]
        return self._torch.tensor(done, dtype=self._torch.bool, device=input_ids.device)

    def text_of(self, tokens: list[int]) -> str:
        """Return the text of an answer, without what ended it."""
        text = self._decoded(tokens)
        places = [place for stop in self._stop if (place := text.find(stop)) >= 0]
        return text[: min(places, default=len(text))]

    def _has_stop(self, tokens: list[int]) -> bool:
        text = self._decoded(tokens) if self._stop else ""
        return any(stop in text for stop in self._stop)

    def _decoded(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))
