"""Makes the language model that the tests talk to: under 1 MB, made in a second, the same every time.

A byte-pair tokenizer trained on the programs of the built-in benchmark, and a two-layer llama whose embeddings hold which token
follows which in them. Random attention makes its answers depend on the whole prompt. They are fenced blocks of nonsense.
"""

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import repairlab
from repairlab.core.record import record
from tests.llm_server.gguf_file import Value, write_gguf

Floats = NDArray[np.float32]
Pair = tuple[str, str]

N_MERGES = 256
N_LAYERS = 2
N_HEADS = 4
WIDTH = 64
HIDDEN = 128
CONTEXT = 8192
SYSTEM, USER, ASSISTANT, END, PRE, SUF, MID = SPECIAL = (
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|end|>",
    "<|fim_prefix|>",
    "<|fim_suffix|>",
    "<|fim_middle|>",
)
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_WORD = re.compile(r" ?[A-Za-z]+| ?\d+| ?[^\sA-Za-z\d]+|\s+(?!\S)|\s+")
FENCES = {".py": "```python", ".java": "```java", ".c": "```c", ".cpp": "```cpp"}
"""Tokens of their own, so that what follows an opening fence differs from what follows a closing one."""
_LINES = 6
_N_WORDS = 600
_SEED = 5
_STEPS = 60
_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4


@record
class Tokenizer:
    """A byte-pair tokenizer in the manner of GPT-2."""

    tokens: tuple[str, ...]
    merges: tuple[Pair, ...]


def byte_letters() -> dict[int, str]:
    """Return GPT-2's printable letter for each byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + place) for place, byte in enumerate(others)}


_LETTERS = byte_letters()


def words_of(text: str) -> list[tuple[str, ...]]:
    """Return the words of a text, inside which tokens may grow, as letters of bytes."""
    return [tuple(_LETTERS[byte] for byte in word.encode()) for word in _WORD.findall(text)]


def train_tokenizer(text: str) -> Tokenizer:
    """Return a tokenizer that joins the most frequent pairs of a text."""
    words = Counter(dict(Counter(words_of(text)).most_common(_N_WORDS)))
    merges: list[Pair] = []
    for _ in range(N_MERGES):
        pairs: Counter[Pair] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        words = Counter({_merge(word, best): count for word, count in words.items()})
    return Tokenizer(
        tokens=(*SPECIAL, *FENCES.values(), *_LETTERS.values(), *("".join(pair) for pair in merges)), merges=tuple(merges)
    )


def _merge(word: tuple[str, ...], pair: Pair) -> tuple[str, ...]:
    merged: list[str] = []
    for token in word:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


def _merge_all(word: tuple[str, ...], ranks: dict[Pair, int]) -> tuple[str, ...]:
    while True:
        known = [pair for pair in pairwise(word) if pair in ranks]
        if not known:
            return word
        word = _merge(word, min(known, key=ranks.__getitem__))


@record
class Document:
    """A piece of a program as an answer shows it."""

    fence: str
    text: str


def training_documents() -> list[Document]:
    """Return pieces of the programs of the built-in benchmark."""
    folder = Path(repairlab.__file__).parent / "benchmarks" / "data"
    documents = []
    for path in sorted(folder.glob("*/bugs/*/buggy/**/*")):
        if path.suffix in FENCES and "test" not in path.as_posix().rsplit("/buggy/", 1)[1].lower():
            lines = path.read_text(encoding="utf-8").splitlines()
            pieces = ["\n".join(lines[start : start + _LINES]) for start in range(0, len(lines), _LINES)]
            documents += [Document(fence=FENCES[path.suffix], text=f"\n{piece}\n```") for piece in pieces]
    return documents


def _followers(tokenizer: Tokenizer, documents: list[Document]) -> Floats:
    """Return how often each token follows each other one, one row per token."""
    numbers = {token: number for number, token in enumerate(tokenizer.tokens)}
    counts = np.zeros((len(numbers), len(numbers)), dtype=np.float32)
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    whole = cache(lambda word: _merge_all(word, ranks))
    for document in documents:
        tokens = [token for word in words_of(document.text) for token in whole(word)]
        for before, after in pairwise([ASSISTANT, document.fence, *tokens, END]):
            counts[numbers[before], numbers[after]] += 1
    return counts


def _fit(followers: Floats, rank: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return embeddings and outputs whose products predict the next token, by Adam on the cross-entropy."""
    seen = followers.sum(axis=1, keepdims=True)
    wanted = followers / np.maximum(seen, 1)
    weight = np.sqrt(seen / seen.max())
    factors = rng.normal(0, 0.3, (2, len(followers), rank)).astype(np.float32)
    slope, square = np.zeros_like(factors), np.zeros_like(factors)
    for _ in range(_STEPS):
        logits = factors[0] @ factors[1].T
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = weight * (odds / odds.sum(axis=1, keepdims=True) - wanted)
        gradient = np.stack([error @ factors[1], error.T @ factors[0]]) + 1e-3 * factors
        slope = 0.8 * slope + 0.2 * gradient
        square = 0.95 * square + 0.05 * gradient**2
        factors -= 0.05 * slope / (np.sqrt(square) + 1e-6)
    return factors[0], factors[1]


def _weights(followers: Floats) -> dict[str, Floats]:
    """Return the tensors: layers that disturb a little, between embeddings and outputs that know the `followers`."""
    rng = np.random.default_rng(_SEED)
    rows, columns = _fit(followers, WIDTH - 1, rng)
    square = (rows**2).sum(axis=1)
    # All rows get one length, by a column that no output reads: the last norm then scales them alike.
    embedding = np.column_stack([rows, np.sqrt(square.max() - square)]).astype(np.float32)
    scale = np.sqrt(square.max() / WIDTH)
    output = np.zeros((len(followers), WIDTH), dtype=np.float32)
    output[:, :-1] = columns * scale

    def noise(outs: int, ins: int, strength: float) -> Floats:
        return rng.normal(0, strength / np.sqrt(ins), (outs, ins)).astype(np.float32)

    ones = np.ones(WIDTH, dtype=np.float32)
    tensors = {"token_embd.weight": embedding}
    for layer in range(N_LAYERS):
        block = f"blk.{layer}."
        tensors |= {block + "attn_norm.weight": ones, block + "ffn_norm.weight": ones}
        tensors |= {f"{block}attn_{part}.weight": noise(WIDTH, WIDTH, 1.0) for part in ("q", "k", "v")}
        tensors |= {f"{block}attn_output.weight": noise(WIDTH, WIDTH, 0.4 * scale)}
        tensors |= {f"{block}ffn_{part}.weight": noise(HIDDEN, WIDTH, 1.0) for part in ("gate", "up")}
        tensors |= {f"{block}ffn_down.weight": noise(WIDTH, HIDDEN, 0.1 * scale)}
    return tensors | {"output_norm.weight": ones, "output.weight": output}


def _values(tokenizer: Tokenizer) -> dict[str, Value]:
    kinds = dict.fromkeys(SPECIAL, _CONTROL) | dict.fromkeys(FENCES.values(), _USER_DEFINED)
    number = tokenizer.tokens.index
    llama: dict[str, Value] = {
        "vocab_size": len(tokenizer.tokens),
        "context_length": CONTEXT,
        "embedding_length": WIDTH,
        "block_count": N_LAYERS,
        "feed_forward_length": HIDDEN,
        "attention.head_count": N_HEADS,
        "attention.head_count_kv": N_HEADS,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.dimension_count": WIDTH // N_HEADS,
    }
    words: dict[str, Value] = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": list(tokenizer.tokens),
        "token_type": [kinds.get(token, _NORMAL) for token in tokenizer.tokens],
        "merges": [" ".join(pair) for pair in tokenizer.merges],
        "bos_token_id": number(END),
        "eos_token_id": number(END),
        "add_bos_token": False,
        "fim_pre_token_id": number(PRE),
        "fim_suf_token_id": number(SUF),
        "fim_mid_token_id": number(MID),
    }
    return {
        "general.architecture": "llama",
        "general.name": "tiny",
        **{f"llama.{key}": value for key, value in llama.items()},
        **{f"tokenizer.ggml.{key}": value for key, value in words.items()},
        "tokenizer.chat_template": TEMPLATE,
    }


@record
class Parts:
    """What the tiny model is made of, whatever file it is written to."""

    tokenizer: Tokenizer
    tensors: dict[str, Floats]


@cache
def tiny_parts() -> Parts:
    """Train the tiny model."""
    documents = training_documents()
    tokenizer = train_tokenizer("".join(document.text for document in documents))
    return Parts(tokenizer=tokenizer, tensors=_weights(_followers(tokenizer, documents)))


def make_tiny_model(folder: Path) -> Path:
    """Write the model into a folder as `tiny.gguf`, and return its path."""
    parts = tiny_parts()
    return write_gguf(folder / "tiny.gguf", _values(parts.tokenizer), parts.tensors)
