"""Subwords and their numbers: byte-pair encoding trained here, or the tokenizer of a pretrained model."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.networks.vocabulary import BEGIN, END, PAD, SPECIAL, UNKNOWN, NumberedSource

FILE = "tokenizer.json"
FOLDER = "tokenizer"


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

    def __init__(self, tokenizer: Any, prefix: Sequence[str] = ()) -> None:
        """Take a tokenizer of `transformers`, and what stands before every source."""
        if tokenizer.pad_token_id is None:  # many causal models have none
            tokenizer.add_special_tokens({"pad_token": "<pad>"})
        self._tokenizer = tokenizer
        self._prefix = list(prefix)
        self.size = len(tokenizer)
        self.end: int = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else tokenizer.sep_token_id
        self.pad: int = tokenizer.pad_token_id
        self.unknown: int = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else self.pad
        start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.cls_token_id
        self.begin: int = start if start is not None else self.pad

    @classmethod
    def load(cls, place: str | Path, prefix: Sequence[str] = ()) -> "PretrainedTokens":
        """Load it by the folder or name of a pretrained model."""
        try:
            return cls(import_module("transformers").AutoTokenizer.from_pretrained(str(place)), prefix)
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).strip().split("\n")[0]
            raise UserError(
                f"cannot load the tokenizer of {str(place)!r}: {reason}; give the folder of a pretrained model"
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
        before = self._tokenizer.convert_tokens_to_ids(self._prefix)
        ids = [*before, *self._tokenizer(" ".join(tokens), add_special_tokens=False)["input_ids"]]
        room = max(1, longest - self._tokenizer.num_special_tokens_to_add())
        return NumberedSource(ids=self._around(ids[:room]) or [self.end])

    def _around(self, ids: list[int]) -> list[int]:
        """Return the numbers with the tokenizer's marks around them, which it shows around nothing."""
        marks: list[int] = self._tokenizer("", add_special_tokens=True)["input_ids"]
        return [*marks[: len(marks) // 2], *ids, *marks[len(marks) // 2 :]]

    def target(self, tokens: Sequence[str], extra: Sequence[str]) -> list[int]:
        """Return what the decoder has to write, with its end mark."""
        del extra
        return [*self._tokenizer(" ".join(tokens), add_special_tokens=False)["input_ids"], self.end]

    def words(self, ids: Sequence[int], extra: Sequence[str]) -> tuple[str, ...] | None:
        """Return what was written as one text."""
        del extra
        kept = [number for number in ids if number not in (self.pad, self.begin, self.end)]
        return (self._tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False),)
