"""`sequencer`: the class around the buggy line, marked, as tokens (SequenceR). The table of representations loads it."""

from repairlab.learning.representations.class_context import class_context, truncated
from repairlab.learning.representations.code import indent_of, indented, join, outdented, split_fix
from repairlab.learning.representations.representation import Encoded, Sample, Unit

START, END, DELETE, UNKNOWN = "<START_BUG>", "<END_BUG>", "<DELETE>", "<unk>"


class SequencerContext:
    """Fields, signatures and the buggy method with `<START_BUG> line <END_BUG>` in it, and the tokens of the fixed line."""

    name = "sequencer"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def __init__(self, *, max_tokens: int = 1000) -> None:
        """Take how many tokens are read at most: two thirds before the bug and one third behind it."""
        self.max_tokens = max_tokens

    def encode(self, sample: Sample) -> Encoded:
        """Return the abstract buggy context."""
        found = truncated(class_context(sample), self.max_tokens - 2)
        source = (*found.before, START, *found.bug, END, *found.after)
        return Encoded(source=source, memory={"language": sample.language, "indent": indent_of(sample)})

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the context and the fixed line; `<DELETE>` stands for none."""
        encoded = self.encode(sample)
        return encoded, split_fix(sample.language, outdented(fixed, encoded.memory["indent"])) or (DELETE,)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the tokens as a line; a line with an unknown word means nothing."""
        if written == (DELETE,):
            return ("",)
        if not written or {UNKNOWN, DELETE, START, END} & set(written):
            return ()
        return (indented(join(encoded.memory["language"], written), encoded.memory["indent"]),)
