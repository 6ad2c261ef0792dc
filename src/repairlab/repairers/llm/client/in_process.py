"""Models and embedders in this process: `hf/NAME-OR-FOLDER` by transformers, `local/NAME` by sentence-transformers.

The packages are extras and heavy: they are loaded with the first prompt or text. Prompts are answered one after another, each with
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
from repairlab.core.installation import adding, require
from repairlab.core.model import Message, Prompt
from repairlab.core.record import record
from repairlab.repairers.llm.client.model import Completion, Sampling, Unanswerable

HF = "hf/"
_PACKAGES = ("torch", "transformers")
_AT_ONCE = 8
"""Answers generated together: more need more memory."""
_GAPS = (
    ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    ("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    ("▁<PRE>", "▁<SUF>", "▁<MID>"),
)
"""How families of models mark the text before a gap, the text after it, and where to fill it."""


@record
class _Loaded:
    """A model in memory, and its tokenizer."""

    tokenizer: Any
    network: Any


class InProcessModel:
    """A causal language model, by its name on the Hugging Face hub or the path of its folder."""

    def __init__(self, name: str, *, context_window: int | None = None) -> None:
        """Take a name such as `hf/Qwen/Qwen2.5-Coder-0.5B-Instruct`; nothing is loaded yet, but missing packages are reported."""
        require(f"model {name!r}", "hf", _PACKAGES)
        if not name.removeprefix(HF).strip():
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
        """Make the answers; each has its own seed, so that it does not matter which are requested together."""
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
    place = name.removeprefix(HF)
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
    """Put the system's words before the user's first: some templates have no system role."""
    system = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    if not others:
        return [Message(role="user", content="\n\n".join(system))]
    return [Message(role=others[0].role, content="\n\n".join([*system, others[0].content])), *others[1:]]


_TAIL = 16
"""Tokens that are read again for a stop text, in addition to one for each of its letters."""


class Draw:
    """Replaces the scores of all tokens by those of one token that is drawn, so that the best one is the drawn one."""

    def __init__(self, sampling: Sampling, seeds: Sequence[int]) -> None:
        """Take a seed for each row."""
        self._torch = import_module("torch")
        self._sampling = sampling
        self._chances = [self._torch.Generator().manual_seed(seed % 2**63) for seed in seeds]
        self.logprobs: list[list[float]] = [[] for _ in seeds]
        """For each row's tokens so far; those of an ended row mean nothing."""

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
    """Notes when each row ends: at an end token or at a stop text."""

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


LOCAL = "local/"


class LocalEmbedder:
    """A sentence-transformers model, by its name on the Hugging Face hub or the path of its folder."""

    def __init__(self, name: str) -> None:
        """Take a name such as `local/all-MiniLM-L6-v2`; nothing is loaded yet."""
        self.name = name
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text; texts longer than the model's limit are cut, as the library does."""
        if self._model is None:
            self._model = _load_embedder(self.name.removeprefix(LOCAL))
        vectors: list[list[float]] = self._model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True).tolist()
        return vectors


def _load_embedder(name: str) -> Any:
    try:
        library = import_module("sentence_transformers")
    except ImportError:
        raise UserError(
            f"the embedding model {LOCAL + name!r} needs sentence-transformers; get it with: {adding('embeddings')}"
        ) from None
    try:
        return library.SentenceTransformer(name)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(
            f"cannot load the embedding model {LOCAL + name!r}: {reason}; name a sentence-transformers model, or give its folder"
        ) from None
