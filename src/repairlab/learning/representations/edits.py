"""`edits`: where to delete and what to insert instead (Edits: patching as translation)."""

from repairlab.core.text import common_ends
from repairlab.learning.representations.code import indent_of, indented, join, outdented, split, split_fix
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable
from repairlab.learning.representations.sequencer import BugInContext, class_context, truncated

END = "<END>"
"""Behind the last token of the source: where a pure insertion at the end points to."""


class TokenEdits:
    """The place of insertion, the end of the deletion, and the inserted tokens.

    Both places are numbers of tokens of the source, written in decimals: the first that is deleted, and the one behind the last.
    A pure insertion deletes nothing. `memory["first"]` and `memory["last"]` say between which tokens both lie.
    """

    name = "edits"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def __init__(self, *, context: bool = False, max_tokens: int = 500, max_bug: int = 50) -> None:
        """Take whether the class around is read, too, and how many tokens source and bug have at most."""
        self.context, self.max_tokens, self.max_bug = context, max_tokens, max_bug

    def encode(self, sample: Sample) -> Encoded:
        """Return the tokens of the line, with those around it if wanted."""
        indent = indent_of(sample)
        bug = split(sample.language, outdented(sample.buggy, indent))
        if len(bug) > self.max_bug:
            raise Unrepresentable(f"the bug has more than {self.max_bug} tokens")
        found = BugInContext(before=(), bug=bug, after=())
        if self.context:
            around = class_context(sample)
            found = truncated(BugInContext(before=around.before, bug=bug, after=around.after), self.max_tokens - 1)
        elif not bug:
            raise Unrepresentable("an insertion has no buggy line")
        first = len(found.before)
        memory = {"language": sample.language, "indent": indent, "first": first, "last": first + len(bug)}
        return Encoded(source=(*found.before, *found.bug, *found.after, END), memory=memory)

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the source and the edit: start, end, inserted tokens."""
        encoded = self.encode(sample)
        first, last = encoded.memory["first"], encoded.memory["last"]
        after = split_fix(sample.language, outdented(fixed, encoded.memory["indent"]))
        head, tail = common_ends(encoded.source[first:last], after)
        return encoded, (str(first + head), str(last - tail), *after[head : len(after) - tail])

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the line with the edit made; none when the places are no places of the bug."""
        first, last = encoded.memory["first"], encoded.memory["last"]
        if len(written) < 2 or not all(text.isascii() and text.isdigit() for text in written[:2]):
            return ()
        start, end = int(written[0]), int(written[1])
        if not first <= start <= end <= last or END in written:
            return ()
        tokens = (*encoded.source[first:start], *written[2:], *encoded.source[end:last])
        return (indented(join(encoded.memory["language"], tokens), encoded.memory["indent"]),)
