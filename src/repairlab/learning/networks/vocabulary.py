"""Tokens and their numbers: whole words, byte pairs learnt here, or the tokenizer of a pretrained model.

A number at or above the size of a vocabulary of words is a word of the source at hand that is not in it: a network with a pointer
can still copy it, and reads it as unknown.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, Self

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.learning.networks.folder import UNREADABLE, PretrainedPlace

PAD, UNKNOWN, BEGIN, END = range(4)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
WORDS_FILE = "vocabulary.json"
FIRST_PLACE = 1
"""The number of a source's first place where a target points to one: 0 is padding."""


@record
class NumberedSource:
    """A source as numbers."""

    ids: list[int]
    extra: tuple[str, ...] = ()
    """Words beyond the vocabulary, in the order of their numbers."""


class TokenNumbers(Protocol):
    """Turns tokens into numbers and back."""

    size: int
    pad: int
    begin: int
    end: int
    unknown: int

    def source(self, tokens: Sequence[str], longest: int) -> NumberedSource:
        """Return what the encoder reads, with its end mark; cut to the longest."""
        ...

    def target(self, tokens: Sequence[str], extra: Sequence[str]) -> list[int]:
        """Return what the decoder has to write, with its end mark."""
        ...

    def words(self, ids: Sequence[int], extra: Sequence[str]) -> tuple[str, ...] | None:
        """Return what was written; none when a part of it is unknown."""
        ...

    def save(self, folder: Path) -> None:
        """Write it into the folder of a model."""
        ...


class WordVocabulary:
    """Whole words, most frequent first."""

    pad, unknown, begin, end = PAD, UNKNOWN, BEGIN, END

    def __init__(self, words: Sequence[str], *, copies: bool = False) -> None:
        """Take the words without the special ones; `copies`: unknown words of a source get numbers of their own."""
        self.every = (*SPECIAL, *words)
        """All words by their number."""
        self._ids = {word: number for number, word in enumerate(self.every)}
        self._copies = copies
        self.size = len(self.every)

    @classmethod
    def most_frequent(cls, counts: Counter[str], size: int, least_count: int, *, copies: bool = False) -> Self:
        """Make a vocabulary of counted words; those that are as frequent come in their alphabetical order."""
        kept = sorted((item for item in counts.items() if item[1] >= least_count and item[0] not in SPECIAL), key=_by_frequency)
        return cls([word for word, _ in kept[: max(size - len(SPECIAL), 0)]], copies=copies)

    @classmethod
    def load(cls, folder: Path, name: str = WORDS_FILE) -> Self:
        """Read it from the folder of a model."""
        try:
            found = json.loads((folder / name).read_text(encoding="utf-8"))
            return cls(found["words"], copies=found["copies"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{folder / name} is no vocabulary: {error}; was the folder copied completely?") from None

    def save(self, folder: Path, name: str = WORDS_FILE) -> None:
        """Write it into the folder of a model."""
        data = {"copies": self._copies, "words": self.every[len(SPECIAL) :]}
        (folder / name).write_text(json.dumps(data, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")

    def source(self, tokens: Sequence[str], longest: int) -> NumberedSource:
        """Return what the encoder reads, with its end mark; cut to the longest."""
        extra: dict[str, int] = {}
        ids = []
        for word in tokens[: longest - 1]:
            number = self._ids.get(word, UNKNOWN)
            if number == UNKNOWN and self._copies:
                number = extra.setdefault(word, self.size + len(extra))
            ids.append(number)
        return NumberedSource(ids=[*ids, END], extra=tuple(extra))

    def target(self, tokens: Sequence[str], extra: Sequence[str]) -> list[int]:
        """Return what the decoder has to write, with its end mark."""
        beyond = {word: self.size + number for number, word in enumerate(extra)}
        return [*(self._ids.get(word, beyond.get(word, UNKNOWN)) for word in tokens), END]

    def words(self, ids: Sequence[int], extra: Sequence[str]) -> tuple[str, ...] | None:
        """Return what was written; none when a part of it is unknown."""
        if any(number < len(SPECIAL) or number >= self.size + len(extra) for number in ids):
            return None
        return tuple(self.every[number] if number < self.size else extra[number - self.size] for number in ids)


def _by_frequency(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


SUBWORDS_FILE = "tokenizer.json"
TOKENIZER_FOLDER = "tokenizer"
_MESSAGE = "\ue000"
"""Stands for a message while its template is looked at; no text holds it."""


class BytePairs:
    """Byte-pair encoding over bytes, so that every text can be written."""

    pad, unknown, begin, end = PAD, UNKNOWN, BEGIN, END

    def __init__(self, tokenizer: Any, prefix: Sequence[str] = ()) -> None:
        """Take a tokenizer of `tokenizers`, and what stands before every source."""
        self._tokenizer = tokenizer
        self._prefix = [tokenizer.token_to_id(mark) for mark in prefix]
        self.size: int = tokenizer.get_vocab_size()

    @classmethod
    def train(cls, texts: Iterable[str], *, size: int, marks: Sequence[str] = (), prefix: Sequence[str] = ()) -> "BytePairs":
        """Learn subwords from texts; `marks` and `prefix` are never split."""
        library = import_module("tokenizers")
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=list(dict.fromkeys([*SPECIAL, *prefix, *marks])),
            initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(texts, trainer)
        return cls(tokenizer, prefix)

    @classmethod
    def load(cls, folder: Path, prefix: Sequence[str] = ()) -> "BytePairs":
        """Read it from the folder of a model."""
        path = folder / SUBWORDS_FILE
        if not path.is_file():
            raise UserError(f"{folder} has no {SUBWORDS_FILE}; was the folder copied completely?")
        return cls(import_module("tokenizers").Tokenizer.from_file(str(path)), prefix)

    def save(self, folder: Path) -> None:
        """Write it into the folder of a model."""
        self._tokenizer.save(str(folder / SUBWORDS_FILE))

    def source(self, tokens: Sequence[str], longest: int) -> NumberedSource:
        """Return what the encoder reads, with its end mark; cut to the longest."""
        room = max(0, longest - 1 - len(self._prefix))
        return NumberedSource(ids=[*self._prefix, *self._ids(tokens)[:room], END])

    def target(self, tokens: Sequence[str], extra: Sequence[str]) -> list[int]:
        """Return what the decoder has to write, with its end mark."""
        del extra
        return [*self._ids(tokens), END]

    def words(self, ids: Sequence[int], extra: Sequence[str]) -> tuple[str, ...] | None:
        """Return what was written as one text."""
        del extra
        return (self._tokenizer.decode(list(ids), skip_special_tokens=False),)

    def _ids(self, tokens: Sequence[str]) -> list[int]:
        return [number for text in tokens for number in self._tokenizer.encode(text, add_special_tokens=False).ids]


class PretrainedTokens:
    """The tokenizer of a pretrained model, with its own marks around sequences."""

    def __init__(self, tokenizer: Any, prefix: Sequence[str] = (), *, chat: bool = False) -> None:
        """Take a tokenizer of `transformers`, what stands before every source, and whether a source is a message of a chat."""
        self._tokenizer = tokenizer
        self._prefix = list(prefix)
        self.end: int = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else tokenizer.sep_token_id
        self.pad: int = _padding(tokenizer, self.end)
        self.size = len(tokenizer)
        self.unknown: int = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else self.pad
        start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.cls_token_id
        self.begin: int = start if start is not None else self.pad
        self._before, self._behind = _chat_marks(tokenizer) if chat else _own_marks(tokenizer)

    @classmethod
    def load(cls, place: str | Path, prefix: Sequence[str] = (), *, chat: bool = False) -> "PretrainedTokens":
        """Load it by the folder or name of a pretrained model."""
        found = PretrainedPlace.of(place)
        try:
            return cls(import_module("transformers").AutoTokenizer.from_pretrained(found.name, **found.more), prefix, chat=chat)
        except UNREADABLE as error:
            reason = str(error).strip().split("\n")[0]
            raise UserError(
                f"cannot load the tokenizer of {str(place)!r}: {reason}; give the folder of a pretrained model, or a file *.gguf"
            ) from None

    def save(self, folder: Path) -> None:
        """Write it into the folder of a model."""
        self._tokenizer.save_pretrained(str(folder / TOKENIZER_FOLDER))

    def add_marks(self, marks: Sequence[str]) -> None:
        """Make texts tokens that are never split."""
        self._tokenizer.add_tokens([mark for mark in marks if mark not in self._tokenizer.get_vocab()])
        self.size = len(self._tokenizer)

    def source(self, tokens: Sequence[str], longest: int) -> NumberedSource:
        """Return what the encoder reads, with the tokenizer's own marks; cut to the longest."""
        before = [*self._before, *self._tokenizer.convert_tokens_to_ids(self._prefix)]
        room = max(1, longest - len(before) - len(self._behind))
        ids = self._tokenizer(" ".join(tokens), add_special_tokens=False)["input_ids"][:room]
        return NumberedSource(ids=[*before, *ids, *self._behind] or [self.end])

    def target(self, tokens: Sequence[str], extra: Sequence[str]) -> list[int]:
        """Return what the decoder has to write, with its end mark."""
        del extra
        return [*self._tokenizer(" ".join(tokens), add_special_tokens=False)["input_ids"], self.end]

    def words(self, ids: Sequence[int], extra: Sequence[str]) -> tuple[str, ...] | None:
        """Return what was written as one text."""
        del extra
        kept = [number for number in ids if number not in (self.pad, self.begin, self.end)]
        return (self._tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False),)


def _padding(tokenizer: Any, end: int) -> int:
    """Return a mark that texts never hold: a sequence that is padded with its end mark would never learn to end."""
    for found in (tokenizer.pad_token_id, tokenizer.unk_token_id):
        if found is not None and found != end:
            return int(found)
    tokenizer.add_special_tokens({"pad_token": "<pad>"})
    return int(tokenizer.pad_token_id)


def _own_marks(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the marks that a tokenizer puts before and behind a text."""
    plain, whole = (tokenizer("x", add_special_tokens=wanted)["input_ids"] for wanted in (False, True))
    start = next(place for place in range(len(whole)) if whole[place : place + len(plain)] == plain)
    return list(whole[:start]), list(whole[start + len(plain) :])


def _chat_marks(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return what a chat template puts before and behind a user's message, up to where the answer begins."""
    if not tokenizer.chat_template:
        raise UserError(
            "vocabulary.chat is true, but the tokenizer has no chat template; leave it out: --set vocabulary.chat=false"
        )
    message = [{"role": "user", "content": _MESSAGE}]
    text = tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
    before, behind = (list(tokenizer(part, add_special_tokens=False)["input_ids"]) for part in text.split(_MESSAGE))
    return before, behind
