"""Subwords and their numbers: byte-pair encoding trained here, or the tokenizer of a pretrained model."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.learning.networks.pretrained_place import UNREADABLE, PretrainedPlace
from repairlab.learning.networks.vocabulary import BEGIN, END, PAD, SPECIAL, UNKNOWN, NumberedSource

FILE = "tokenizer.json"
FOLDER = "tokenizer"
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
        path = folder / FILE
        if not path.is_file():
            raise UserError(f"{folder} has no {FILE}; was the folder copied completely?")
        return cls(import_module("tokenizers").Tokenizer.from_file(str(path)), prefix)

    def save(self, folder: Path) -> None:
        """Write it into the folder of a model."""
        self._tokenizer.save(str(folder / FILE))

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
        self._tokenizer.save_pretrained(str(folder / FOLDER))

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
