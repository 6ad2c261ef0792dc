"""Settings of the `llm` repairer: those that decide its answers, and those that only say how they are fetched."""

from typing import Literal

from repairlab.core.errors import UserError
from repairlab.core.record import record

Selection = Literal["nearest", "embedding", "random", "fixed"]
"""How few-shot examples are chosen: nearest buggy code by edit distance or by embedding, at random, or the first ones."""
Comments = Literal["original", "stripped"]
CONVERSATION = "conversation"
"""The one strategy whose questions depend on how earlier candidates failed."""


@record
class LlmSettings:
    """Everything that decides what a model is asked and how it answers; part of a run's settings."""

    model: str
    """Such as `openai/gpt-4o`, `openrouter/…`, `vllm/…`, `ollama/…`, `hf/…`."""
    strategy: str = "zero-shot"
    base_url: str | None = None
    """Address of the server; by default the provider's own, or $OPENAI_BASE_URL."""
    temperature: float = 0.8
    """0 is greedy."""
    top_p: float = 1.0
    max_tokens: int = 1024
    """Longest answer."""
    stop: tuple[str, ...] = ()
    """Texts that end an answer, in addition to the strategy's own."""
    logprobs: bool = False
    """Keep the log-probability of each answer, for ranking."""
    context_window: int | None = None
    """Tokens that prompt and answer may have together; by default what the server says."""
    comments: Comments = "original"
    """Show code as it is, or without comments."""
    prompt: str | None = None
    """Text of a prompt template of the user's own, instead of the strategy's."""
    shots: int = 3
    """Examples of few-shot prompts."""
    selection: Selection = "nearest"
    examples: str | None = None
    """Where examples come from: name or folder of a benchmark; by default the other bugs of the same one."""
    split: str | None = None
    """Take examples from bugs with this split label only."""
    embedding_model: str | None = None
    """For the selection by embedding: a model name like that of `model`, or `local/NAME` for sentence-transformers."""
    attempts: int = 10
    """Conversation: fresh starts."""
    turns: int = 3
    """Conversation: answers per start."""

    @property
    def tries(self) -> int:
        """Return how many candidates a conversation may have; a greedy model has one attempt, for each would be like the first."""
        return (self.attempts if self.temperature > 0 else 1) * self.turns


def check(settings: LlmSettings) -> None:
    """Refuse values that no model takes."""
    limits: tuple[tuple[str, float, float, float], ...] = (
        ("--temperature", settings.temperature, 0, 2),
        ("--top-p", settings.top_p, 0.000001, 1),
        ("--max-tokens", settings.max_tokens, 1, 10_000_000),
        ("--shots", settings.shots, 0, 1000),
        ("--attempts", settings.attempts, 1, 10_000),
        ("--turns", settings.turns, 1, 1000),
        ("--context-window", 1 if settings.context_window is None else settings.context_window, 1, 1_000_000_000),
    )
    for option, value, low, high in limits:
        if not low <= value <= high:
            raise UserError(f"{option} is {value}: write a number from {low:g} to {high:g}")
    if settings.selection == "embedding" and settings.embedding_model is None and settings.strategy == "few-shot":
        raise UserError(
            "--selection embedding needs a model that makes embeddings: --embedding-model openai/text-embedding-3-small"
        )
