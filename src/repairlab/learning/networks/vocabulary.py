"""Words and their numbers, with room for words of a source that the vocabulary lacks.

A number at or above the vocabulary's size is a word of the source at hand that is not in the vocabulary: a network with a pointer
can still copy it, and reads it as unknown.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, Self

from repairlab.core.errors import UserError
from repairlab.core.record import record

PAD, UNKNOWN, BEGIN, END = range(4)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
FILE = "vocabulary.json"
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
    def load(cls, folder: Path, name: str = FILE) -> Self:
        """Read it from the folder of a model."""
        try:
            found = json.loads((folder / name).read_text(encoding="utf-8"))
            return cls(found["words"], copies=found["copies"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{folder / name} is no vocabulary: {error}; was the folder copied completely?") from None

    def save(self, folder: Path, name: str = FILE) -> None:
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
