"""The one seam to language models: prompts in, completions out. All else of `repairers.llm` is on one side of it or the other."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from repairlab.core.prompt import Prompt
from repairlab.core.record import record

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
    """None when the price is not known."""
    logprob: float | None = None
    """Sum over the answer's tokens."""


Keep = Callable[[int, Completion], Completion]
"""Takes an answer and its number, and returns the one that counts."""


class Unanswerable(Exception):  # noqa: N818  # a fact about one prompt, told to whoever asked
    """The model cannot answer this prompt, and never will: too long for its context, or refused by the server's rules."""


class ChatModel(Protocol):
    """Anything that answers prompts."""

    name: str
    """As the user wrote it, such as `openai/gpt-4o`."""

    @property
    def context_window(self) -> int | None:
        """Return how many tokens prompt and answer may have together; none when nobody knows."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens a text has, never too few by much."""
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
