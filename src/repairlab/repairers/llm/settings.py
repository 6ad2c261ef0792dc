"""Settings of the `llm` repairer that decide its answers; `core.model` has those that only say how they are fetched."""

from typing import Annotated, Literal

from repairlab.core.errors import UserError, unknown
from repairlab.core.option import Option
from repairlab.core.record import record
from repairlab.repairers.llm.prompts.table import STRATEGIES

Selection = Literal["nearest", "embedding", "random", "fixed"]
"""How few-shot examples are chosen: nearest buggy code by edit distance or by embedding, at random, or the first ones."""
Comments = Literal["original", "stripped"]
Opening = Literal["function", "infill"]
FollowUp = Literal["dialogue", "replace"]
CONVERSATION = "conversation"
"""The one strategy whose questions depend on how earlier candidates failed."""


@record
class LlmSettings:
    """Everything that decides what a model is asked and how it answers; part of a run's settings."""

    model: Annotated[
        str,
        Option(
            "PROVIDER/NAME: openai/gpt-4o, openrouter/…, vllm/…, ollama/…, hf/….",
            example="--model openai/gpt-4o, or --model vllm/NAME --base-url URL",
        ),
    ]
    strategy: Annotated[
        str,
        Option(
            "zero-shot, title-only, few-shot, reasoning, infill, infill-line, infill-hunk, infill-function, verdict, completion, "
            "edit, file, conversation, localise, or one of another package."
        ),
    ] = "zero-shot"
    base_url: Annotated[
        str | None,
        Option(
            "Address of an OpenAI-compatible server, such as http://localhost:8000/v1. [default: the provider's, or "
            "$OPENAI_BASE_URL]",
            may_change=True,
        ),
    ] = None
    temperature: Annotated[float, Option("0 is greedy.", short=("--greedy", 0.0, "Take the likeliest answer: temperature 0."))] = (
        0.8
    )
    top_p: Annotated[float, Option("Sample from the likeliest tokens with this total probability.")] = 1.0
    max_tokens: Annotated[int, Option("Longest answer.")] = 1024
    effort: Annotated[
        str | None, Option("How much to think: none, minimal, low, medium, high, xhigh, or a number of tokens.", flag="--effort")
    ] = None
    stop: Annotated[tuple[str, ...], Option("Text that ends an answer, besides the strategy's own; repeatable.")] = ()
    logprobs: Annotated[bool, Option("Keep log-probabilities, for `repairlab rank`.")] = False
    context_window: Annotated[int | None, Option("Tokens of prompt and answer, if the server does not say.")] = None
    comments: Annotated[Comments, Option("original, or stripped: show code without comments.")] = "original"
    prompt: Annotated[
        str | None,
        Option("Your own prompt template; start from `repairlab prompt`.", flag="--prompt-file", is_file=True),
    ] = None
    shots: Annotated[int, Option("Examples of few-shot prompts.")] = 3
    selection: Annotated[Selection, Option("Examples by nearest code, embedding, random or fixed.")] = "nearest"
    examples: Annotated[str | None, Option("Benchmark to take examples from, by name or folder. [default: the other bugs]")] = None
    split: Annotated[str | None, Option("Take examples only from bugs with this split label.")] = None
    embedding_model: Annotated[
        str | None, Option("For --selection embedding: a model like --model, or local/NAME for sentence-transformers.")
    ] = None
    attempts: Annotated[int, Option("Conversation: fresh starts.")] = 10
    turns: Annotated[int, Option("Conversation: answers per start.")] = 3
    opening: Annotated[Opening, Option("Conversation: begin each start with the function, or as the strategy infill does.")] = (
        "function"
    )
    follow_up: Annotated[
        FollowUp,
        Option("Conversation: dialogue continues the chat; replace asks anew about the last candidate's function and its message."),
    ] = "dialogue"

    @property
    def tries(self) -> int:
        """Return how many candidates a conversation may have."""
        return self.attempts * self.turns

    def check(self) -> None:
        """Refuse values that no model takes."""
        limits: tuple[tuple[str, float, float, float], ...] = (
            ("--temperature", self.temperature, 0, 2),
            ("--top-p", self.top_p, 0.000001, 1),
            ("--max-tokens", self.max_tokens, 1, 10_000_000),
            ("--shots", self.shots, 0, 1000),
            ("--attempts", self.attempts, 1, 10_000),
            ("--turns", self.turns, 1, 1000),
            ("--context-window", 1 if self.context_window is None else self.context_window, 1, 1_000_000_000),
        )
        for option, value, low, high in limits:
            if not low <= value <= high:
                raise UserError(f"{option} is {value}: write a number from {low:g} to {high:g}")
        if self.selection == "embedding" and self.embedding_model is None and self.strategy == "few-shot":
            raise UserError(
                "--selection embedding needs a model that makes embeddings: --embedding-model openai/text-embedding-3-small"
            )
        if self.strategy not in STRATEGIES:
            raise unknown("strategy", self.strategy, STRATEGIES)
