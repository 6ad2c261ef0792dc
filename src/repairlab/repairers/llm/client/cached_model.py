"""Models and embedders whose answers are kept: nothing is asked, or paid, twice, and a finished run replays without a server.

Answers have numbers; only those that are missing are asked for, and each is stored as it comes, before it is booked: the answers
that a killed run has on its books are there. (Vectors cost little, and are booked first.)
"""

import dataclasses
import sys
import threading
import time
from array import array
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from repairlab.core.amounts import count, total_cost
from repairlab.core.model import Prompt
from repairlab.core.record import digest, record
from repairlab.repairers.ledger import Kind, Ledger, Request, current_bug
from repairlab.repairers.llm.client.answer_file import AnswerFile
from repairlab.repairers.llm.client.model import ChatModel, Completion, Embedder, Keep, Sampling, Unanswerable
from repairlab.repairers.repairer import TranscriptKeeper, Unreachable

_AT_ONCE = 8
"""Answers requested together from a model that hands them out together: all of them are lost when it is stopped."""
_GREEDY_NUMBER = 0
"""The only answer that is requested at temperature 0."""


@runtime_checkable
class Streaming(Protocol):
    """A model that hands out each answer as it arrives, so that it can be stored at once."""

    def answers(self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int], keep: Keep) -> Iterator[tuple[int, Completion]]:
        """Yield number and answer, in any order; each was passed to `keep`, in any thread, before it was booked."""
        ...


@record
class Keeping:
    """Where answers are stored, and how that is used."""

    file: AnswerFile | None = None
    """None: nothing is stored, everything is requested."""
    scope: str = ""
    """What else identifies a model: the address of its server."""
    offline: bool = False
    """Never ask."""
    ledger: Ledger | None = None


class _Closing:
    """What both wrappers share: closing."""

    def __init__(self, inner: object, keeping: Keeping) -> None:
        self._wrapped = inner
        self._keeping = keeping

    def close(self) -> None:
        """End connections and close the file."""
        close = getattr(self._wrapped, "close", None)
        if close:
            close()
        if self._keeping.file:
            self._keeping.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class CachedModel(_Closing):
    """A model with a memory; any number of threads may ask it at once."""

    def __init__(self, model: ChatModel, keeping: Keeping, *, context_window: int | None = None) -> None:
        """Wrap a model; a context window given here overrides the model's."""
        super().__init__(model, keeping)
        self._window = context_window
        self.name = model.name
        self._model = model
        self._asking: set[tuple[str, int]] = set()
        self._changed = threading.Condition()

    @property
    def context_window(self) -> int | None:
        """Return what was given, what the model reports, or what it last reported: prompts must not change with the weather."""
        if self._window is not None:
            return self._window
        key, file = digest(self.name, self._keeping.scope), self._keeping.file
        if self._keeping.offline:
            return file.window(key) if file else None
        try:
            window = self._model.context_window
        except Unreachable:
            kept = file.window(key) if file else None
            if kept is None:
                raise
            return kept
        if file and window is not None:
            file.keep_window(key, window)
        return window

    def count_tokens(self, text: str) -> int:
        """Count as the model does."""
        return self._model.count_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Return stored answers, and request missing ones."""
        numbers = range(first, first + n)
        if sampling.temperature > 0 or not numbers:
            return self._numbered(prompt, sampling, numbers)
        (answer,) = self._numbered(prompt, sampling, [_GREEDY_NUMBER])
        copy = dataclasses.replace(answer, tokens_in=0, tokens_out=0, cost_usd=0.0)
        return tuple(answer if number == _GREEDY_NUMBER else copy for number in numbers)

    def _numbered(self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int]) -> tuple[Completion, ...]:
        file = self._keeping.file
        if file is None:
            found = dict(self._ask(prompt, sampling, numbers, lambda _, answer: answer))
        else:
            key = digest(self.name, self._keeping.scope, prompt, sampling)
            found = file.answers(key, numbers)
            self._book(prompt, found, from_cache=True)
            while missing := [number for number in numbers if number not in found]:
                found |= self._fetch(key, prompt, sampling, missing)
        return tuple(found[number] for number in numbers)

    def _fetch(self, key: str, prompt: Prompt, sampling: Sampling, missing: list[int]) -> dict[int, Completion]:
        """Request those numbers that no other thread is requesting; if there are none, wait for a change."""
        file = self._keeping.file
        assert file is not None
        with self._changed:
            mine = [number for number in missing if (key, number) not in self._asking]
            if not mine:
                self._changed.wait()
                return file.answers(key, missing)
            self._asking.update((key, number) for number in mine)
        try:
            found = file.answers(key, mine)  # another thread may have just finished
            wanted = [number for number in mine if number not in found]
            if wanted:
                found |= self._ask(prompt, sampling, wanted, lambda number, answer: file.keep(key, number, answer))
            return found
        except Unanswerable as reason:
            file.keep_refusal(key, str(reason))
            raise
        finally:
            with self._changed:
                self._asking.difference_update((key, number) for number in mine)
                self._changed.notify_all()

    def _ask(self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int], keep: Keep) -> Iterator[tuple[int, Completion]]:
        if self._keeping.offline:
            raise self._absent(prompt, sampling, len(numbers))
        if isinstance(self._model, Streaming):
            yield from self._model.answers(prompt, sampling, numbers, keep)
            return
        for first, n in _runs(numbers, most=_AT_ONCE):
            started = time.monotonic()
            made = dict(enumerate(self._model.complete(prompt, sampling, first=first, n=n), first))
            seconds = round(time.monotonic() - started, 3)
            kept = {number: keep(number, answer) for number, answer in made.items()}
            self._book(prompt, made, seconds=seconds)
            yield from kept.items()

    def _absent(self, prompt: Prompt, sampling: Sampling, n: int) -> Exception:
        file = self._keeping.file
        refused = file.refusal(digest(self.name, self._keeping.scope, prompt, sampling)) if file else None
        if refused is not None:
            return Unanswerable(refused)
        return Unreachable(
            f"of {self.name}: {count(n, 'answer')} not kept from earlier, and --offline forbids asking. Run again without --offline"
        )

    def _book(self, prompt: Prompt, found: dict[int, Completion], *, seconds: float = 0.0, from_cache: bool = False) -> None:
        """Book stored answers, and those of models that keep no books."""
        if self._keeping.ledger is None:
            return
        kind: Kind = "chat" if prompt.messages else "completion"
        for first, n in _runs(sorted(found)):
            self._keeping.ledger.add(
                Request(
                    bug_id=current_bug(),
                    model=self.name,
                    kind=kind,
                    prompt=digest(prompt),
                    first=first,
                    n=n,
                    tokens_in=sum(found[number].tokens_in for number in range(first, first + n)),
                    tokens_out=sum(found[number].tokens_out for number in range(first, first + n)),
                    cost_usd=0.0 if from_cache else total_cost(found[number].cost_usd for number in range(first, first + n)),
                    seconds=seconds,
                    from_cache=from_cache,
                )
            )


class CachedEmbedder(_Closing):
    """An embedder with a memory."""

    def __init__(self, embedder: Embedder, keeping: Keeping) -> None:
        """Wrap an embedder."""
        super().__init__(embedder, keeping)
        self.name = embedder.name
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return stored vectors, and request missing ones, each text once; all in single precision."""
        file = self._keeping.file
        keys = [digest("vector", self.name, self._keeping.scope, text) for text in texts]
        found = file.vectors(set(keys)) if file else {}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing and self._keeping.offline:
            raise Unreachable(
                f"{len(missing)} vectors of {self.name} are not kept from earlier, and --offline forbids to ask for them. "
                "Run again without --offline"
            )
        for batch in _batches(list(missing), 64):
            made = self._embedder.embed([missing[key] for key in batch])
            for key, vector in zip(batch, made, strict=True):
                found[key] = array("f", vector).tolist()
                if file:
                    file.keep_vector(key, vector)
        return [found[key] for key in keys]


def _runs(numbers: Sequence[int], *, most: int = sys.maxsize) -> Iterator[tuple[int, int]]:
    """Yield first and length of each run of numbers that follow each other, none longer than `most`.

    >>> list(_runs([0, 1, 2, 5, 7, 8])), list(_runs([0, 1, 2], most=2))
    ([(0, 3), (5, 1), (7, 2)], [(0, 2), (2, 1)])
    """
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or end - start == most or numbers[end] != numbers[end - 1] + 1:
            yield numbers[start], end - start
            start = end


def _batches(keys: list[str], size: int) -> Iterator[list[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


class RecordedModel:
    """A model whose prompts and answers become part of the run; any number of threads may ask it at once."""

    def __init__(self, model: ChatModel, keep: TranscriptKeeper) -> None:
        """Wrap a model; `keep` records prompts and answers."""
        self.name = model.name
        self._model, self._keep = model, keep

    @property
    def context_window(self) -> int | None:
        """Return what the model says."""
        return self._model.context_window

    def count_tokens(self, text: str) -> int:
        """Count as the model does."""
        return self._model.count_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Return the model's answers, once they are recorded."""
        answers = self._model.complete(prompt, sampling, first=first, n=n)
        self._keep(prompt, *(text for answer in answers for text in (answer.text, answer.thinking) if text or text is answer.text))
        return answers
