"""`line`: the buggy line alone, as text (CodeBERT-ft). The table of representations loads it."""

from repairlab.learning.representations.code import flat, indent_of, indented, outdented
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable


class BuggyLine:
    """The buggy line as text, and the fixed one; nothing around it."""

    name = "line"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def encode(self, sample: Sample) -> Encoded:
        """Return the line with white space collapsed."""
        if not sample.buggy.strip():
            raise Unrepresentable("an insertion has no buggy line")
        indent = indent_of(sample)
        return Encoded(source=(flat(sample.language, outdented(sample.buggy, indent)),), memory={"indent": indent})

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return both lines; the fixed one is empty when the line is to be deleted."""
        encoded = self.encode(sample)
        return encoded, (flat(sample.language, outdented(fixed, encoded.memory["indent"])),)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text as the fixed line."""
        return (indented("".join(written).strip(), encoded.memory["indent"]),)
