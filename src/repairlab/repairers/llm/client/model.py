"""The interface to language models: prompts in, completions out; context limits; and a scripted model for tests."""

import threading
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from repairlab.core.model import Prompt
from repairlab.core.record import record
from repairlab.repairers.llm.settings import LlmSettings

Finish = Literal["stop", "length", "filtered"]
"""Why an answer ended: by itself or at a stop text, at the token limit, or because the server withheld the rest."""


@record
class Sampling:
    """How answers are drawn."""

    temperature: float = 0.8
    """0 is greedy: every answer is the same, so one is asked for and the others are copies."""
    top_p: float = 1.0
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()
    seed: int = 0
    logprobs: bool = False
    """Ask for the log-probability of each answer."""


@record
class Completion:
    """One answer of a model."""

    text: str
    finish: Finish = "stop"
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """None if the price is unknown."""
    logprob: float | None = None
    """Sum over the answer's tokens."""
    thinking: str = ""
    """What the model thought before, if the server reports it."""


Keep = Callable[[int, Completion], Completion]
"""Takes an answer and its number, and returns the one that counts."""


class Unanswerable(Exception):  # noqa: N818  # a fact about one prompt, told to whoever asked
    """The model will never answer this prompt: it is too long for its context, or refused by the server's rules."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for three bytes, which is rarely too few.

    >>> estimate_tokens("return x"), estimate_tokens("")
    (3, 0)
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


class ChatModel(Protocol):
    """Anything that answers prompts."""

    name: str
    """As the user wrote it, such as `openai/gpt-4o`."""

    @property
    def context_window(self) -> int | None:
        """Return how many tokens prompt and answer may have together; None if unknown."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens a text has, never much too few."""
        ...

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Return the answers number `first` to `first + n - 1` of an endless sequence that prompt and sampling (with seed) name.

        Raises Unanswerable for this prompt, Unreachable or OverBudget for now, UserError when nothing can be asked at all (no
        key, unknown model).
        """
        ...


class Embedder(Protocol):
    """Anything that turns texts into vectors."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text."""
        ...


_PER_MESSAGE = 8
"""Tokens around a message: its role and its borders; chat templates add about four to seven."""
CUT = " …"
"""Marks where the end of a text is cut off."""


class Window:
    """The context of one model, with room kept for the answer."""

    def __init__(self, settings: LlmSettings, model: ChatModel) -> None:
        """Take the user's size, else the model's own; None means that everything is tried."""
        self._model, self._answer = model, settings.max_tokens
        self._size = settings.context_window or model.context_window

    def fits(self, prompt: Prompt) -> bool:
        """Return whether prompt and answer fit."""
        return self._size is None or self.tokens(prompt) + self._answer <= self._size

    def tokens(self, prompt: Prompt) -> int:
        """Return about how many tokens a prompt has."""
        texts = [prompt.text or "", prompt.suffix or "", *(message.content for message in prompt.messages)]
        return sum(self._model.count_tokens(text) for text in texts if text) + _PER_MESSAGE * max(len(prompt.messages), 1)

    def lacking(self, prompt: Prompt) -> Unanswerable:
        """Return why a prompt cannot be asked."""
        return Unanswerable(
            f"the prompt has about {self.tokens(prompt)} tokens and its answer may have {self._answer}, "
            f"but {self._model.name} takes {self._size} in all"
        )


def shorter(text: str, length: int) -> str:
    """Return the beginning of a text, with a mark where it is cut; nothing for length 0.

    >>> shorter("a long story", 6)
    'a long …'
    """
    if len(text) <= length:
        return text
    return text[:length].rstrip() + CUT if length else ""


Script = Sequence[str] | Callable[[Prompt, int], str]


class ScriptedModel:
    """Answers number i with the i-th text, repeatedly, or with what a function says."""

    def __init__(self, answers: Script, *, name: str = "scripted", context_window: int | None = None) -> None:
        """Take the answers, or the function that makes them from the prompt and the number of the answer."""
        self.name = name
        self._answers = answers
        self._window = context_window
        self._lock = threading.Lock()
        self.asked: list[Prompt] = []
        """The prompt of each call."""

    @property
    def context_window(self) -> int | None:
        """Return what the test says."""
        return self._window

    def count_tokens(self, text: str) -> int:
        """Estimate, as served models do."""
        return estimate_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Answer by the script, whatever the sampling."""
        del sampling
        with self._lock:
            self.asked.append(prompt)
        return tuple(self._answer(prompt, number) for number in range(first, first + n))

    def _answer(self, prompt: Prompt, number: int) -> Completion:
        text = self._answers(prompt, number) if callable(self._answers) else self._answers[number % len(self._answers)]
        return Completion(text=text, tokens_in=1, tokens_out=estimate_tokens(text))
