"""`tokens`: text that is tokens already, such as published sets of abstracted methods. The table of representations loads it."""

from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable


class PlainTokens:
    """Text that is tokens already, one blank between two of them."""

    name = "tokens"
    languages: frozenset[str] | None = None
    unit: Unit = "text"

    def encode(self, sample: Sample) -> Encoded:
        """Return the buggy text cut at its blanks."""
        return Encoded(source=_cut(sample.buggy))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return both texts cut at their blanks."""
        return self.encode(sample), _cut(fixed)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the tokens with a blank between two."""
        del encoded
        return (" ".join(written),)


def _cut(text: str) -> tuple[str, ...]:
    if "\n" in text.strip():
        raise Unrepresentable("the text has several lines, so it is no list of tokens")
    return tuple(text.split())
