"""A representation: the whole text, character by character."""

from repairlab.learning.representations.representation import Encoded, Sample, Unit


class Characters:
    """The characters of a pair's texts."""

    name = "characters"
    languages: frozenset[str] | None = None
    unit: Unit = "text"

    def encode(self, sample: Sample) -> Encoded:
        """Return the characters of the buggy text."""
        return Encoded(source=tuple(sample.buggy))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the characters of both texts."""
        return self.encode(sample), tuple(fixed)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the characters as one text."""
        del encoded
        return ("".join(written),)
