"""How a bug is encoded for a network, and how what it writes is decoded into code."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from repairlab.core.record import record

Unit = Literal["line", "method", "program", "text"]
"""What a representation replaces: the changed lines, the function around them, the whole file, or whatever a pair holds."""


@record
class Sample:
    """One bug as a network may see it, of a pair set or of a benchmark."""

    language: str
    buggy: str
    """What is replaced: one or more lines, an expression, a method or a program, as the representation asks."""
    method: str | None = None
    """The function around `buggy`, which it includes; None if the source has no more."""
    file: str | None = None
    """The file around `method`."""
    start: int | None = None
    """Where `buggy` begins in `method`, in characters; an insertion has an empty `buggy`."""
    method_start: int | None = None
    """Where `method` begins in `file`, in characters."""
    verdict: str | None = None
    description: str = ""
    marked: tuple[int, int] | None = None
    """Where in `buggy` the bug is (first character, and the one after the last), if more than the bug is replaced."""


@record
class Encoded:
    """What a network reads of one sample. A token is a word of a vocabulary, or a text that a subword tokenizer splits."""

    source: tuple[str, ...]
    context: tuple[str, ...] = ()
    """For a second encoder, if the network has one."""
    memory: Any = None
    """What `recover` needs to turn tokens back into code: the map of an abstraction, for example."""


class Unrepresentable(ValueError):  # noqa: N818  # a fact about a sample, counted by whoever asked
    """A sample cannot be represented like this; the message is a short reason, the same for all samples of its kind."""


class Representation(Protocol):
    """One way to show bugs to a network. Pure: the same sample gives the same tokens."""

    name: str
    languages: frozenset[str] | None
    """Languages it can represent; None: all that we can parse."""
    unit: Unit
    """What `Sample.buggy` has to be."""

    def encode(self, sample: Sample) -> Encoded:
        """Return what the network reads; Unrepresentable when it cannot."""
        ...

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return what the network reads and must write in training, where both sides are known; Unrepresentable when it cannot."""
        ...

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the texts for `Sample.buggy` that the written tokens may mean, best first; empty if they mean none."""
        ...


@runtime_checkable
class Learnt(Protocol):
    """A representation that learns settings from a set of pairs."""

    @staticmethod
    def learn(pairs: Iterable[tuple[Sample, str]]) -> Mapping[str, Any]:
        """Return the settings for these samples and their fixes, as JSON can hold them."""
        ...
