"""Models that run inside this process, by transformers: `hf/NAME-OR-FOLDER`.

The packages are an extra and heavy: they are loaded with the first prompt. Prompts are answered one after the other, each with
several answers at once.
"""

import math
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from jinja2 import TemplateError

from repairlab.core.errors import UserError
from repairlab.core.extra import require
from repairlab.core.prompt import Message, Prompt
from repairlab.core.record import record
from repairlab.repairers.llm.client.model import Completion, Sampling, Unanswerable
from repairlab.repairers.llm.client.token_choice import Draw, StopDetector

PREFIX = "hf/"
_PACKAGES = ("torch", "transformers")
_AT_ONCE = 8
"""Answers made together: more need more memory."""
_GAPS = (
    ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    ("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    ("▁<PRE>", "▁<SUF>", "▁<MID>"),
)
"""How families of models mark what stands before a gap, what stands behind it, and where to fill it."""


@record
class _Loaded:
    """A model in memory, and what speaks its language."""

    tokenizer: Any
    network: Any


class InProcessModel:
    """A causal language model, by its name on the Hugging Face hub or the path of its folder."""

    def __init__(self, name: str, *, context_window: int | None = None) -> None:
        """Take a name such as `hf/Qwen/Qwen2.5-Coder-0.5B-Instruct`; nothing is loaded yet, but what is missing is told."""
        require(f"model {name!r}", "hf", _PACKAGES)
        if not name.removeprefix(PREFIX).strip():
            raise UserError(f"model name {name!r} has no model behind the provider. Write it like hf/NAME or hf/FOLDER")
        self.name = name
        self._window = context_window
        self._lock = threading.Lock()

    @cached_property
    def _loaded(self) -> _Loaded:
        return _load(self.name)

    @property
    def context_window(self) -> int | None:
        """Return what was given, or what the model was trained for."""
        if self._window is None:
            with self._lock:
                self._window = getattr(self._loaded.network.config, "max_position_embeddings", None)
        return self._window

    def count_tokens(self, text: str) -> int:
        """Count them with the model's own tokenizer."""
        with self._lock:
            return len(self._loaded.tokenizer(text, add_special_tokens=False)["input_ids"])

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Make the answers; each has a seed of its own, so that it does not matter which are asked for together."""
        window = self.context_window
        made: list[Completion] = []
        with self._lock:
            tokens = self._tokens(prompt)
            longest = min(sampling.max_tokens, window - len(tokens) if window else sampling.max_tokens)
            if longest < 1:
                raise Unanswerable(f"too long for the context of {self.name}: {len(tokens)} tokens, and {window} is all it takes")
            for start in range(first, first + n, _AT_ONCE):
                numbers = range(start, min(start + _AT_ONCE, first + n))
                made += self._generate(tokens, sampling, longest, numbers)
        return tuple(made)

    def _tokens(self, prompt: Prompt) -> list[int]:
        tokenizer = self._loaded.tokenizer
        if prompt.messages:
            text = self._chat(prompt.messages)
        elif prompt.suffix is not None:
            before, behind, here = self._gap()
            text = f"{before}{prompt.text or ''}{behind}{prompt.suffix}{here}"
        else:
            text = prompt.text or ""
        # A chat template writes the special tokens itself.
        found: list[int] = tokenizer(text, add_special_tokens=not prompt.messages)["input_ids"]
        return found or [tokenizer.bos_token_id or tokenizer.eos_token_id or 0]

    def _chat(self, messages: Sequence[Message]) -> str:
        tokenizer = self._loaded.tokenizer
        if not tokenizer.chat_template:
            raise UserError(f"model {self.name!r} has no chat template; use a strategy that completes, or a model made for chats")

        def rendered(messages: Sequence[Message]) -> str:
            chat = [{"role": message.role, "content": message.content} for message in messages]
            return str(tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))

        try:
            return rendered(messages)
        except TemplateError:
            return rendered(_without_system(messages))

    def _gap(self) -> tuple[str, str, str]:
        words = self._loaded.tokenizer.get_vocab()
        for marks in _GAPS:
            if all(mark in words for mark in marks):
                return marks
        raise UserError(f"model {self.name!r} does not fill in the middle; use a strategy without infilling by completion")

    def _generate(self, tokens: list[int], sampling: Sampling, longest: int, numbers: Sequence[int]) -> list[Completion]:
        torch = import_module("torch")
        tokenizer, network = self._loaded.tokenizer, self._loaded.network
        ends = StopDetector(tokenizer, _end_tokens(tokenizer, network), sampling.stop, n_prompt=len(tokens), n_rows=len(numbers))
        draw = Draw(sampling, [sampling.seed + number for number in numbers])
        ids = torch.tensor([tokens] * len(numbers), device=network.device)
        with torch.inference_mode():
            rows = network.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                num_beams=1,
                max_new_tokens=longest,
                pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id or 0,
                logits_processor=[draw],
                stopping_criteria=[ends],
            ).tolist()
        counts = [length if length is not None else len(rows[0]) - len(tokens) for length in ends.lengths]
        return [
            Completion(
                text=ends.text_of(row[len(tokens) : len(tokens) + count]),
                finish="length" if length is None else "stop",
                tokens_in=len(tokens),
                tokens_out=count,
                logprob=math.fsum(logprobs[:count]) if sampling.logprobs else None,
            )
            for row, count, length, logprobs in zip(rows, counts, ends.lengths, draw.logprobs, strict=True)
        ]


def _load(name: str) -> _Loaded:
    torch, library = (import_module(package) for package in _PACKAGES)
    place = name.removeprefix(PREFIX)
    device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        tokenizer = library.AutoTokenizer.from_pretrained(place)
        network = library.AutoModelForCausalLM.from_pretrained(place, dtype="auto").to(device).eval()
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(f"cannot load the model {name!r}: {reason}; name a causal language model, or give its folder") from None
    return _Loaded(tokenizer=tokenizer, network=network)


def _end_tokens(tokenizer: Any, network: Any) -> set[int]:
    said = network.generation_config.eos_token_id
    return {token for token in (tokenizer.eos_token_id, *(said if isinstance(said, list) else [said])) if token is not None}


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """Put the system's words before the user's first: some templates know no system."""
    system = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    if not others:
        return [Message(role="user", content="\n\n".join(system))]
    return [Message(role=others[0].role, content="\n\n".join([*system, others[0].content])), *others[1:]]
