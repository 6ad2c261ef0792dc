"""`line-context`: the buggy line and the class around it, as text (RewardRepair). The table of representations loads it."""

from repairlab.learning.representations.class_context import class_context, truncated
from repairlab.learning.representations.code import LAYOUT, flat, indent_of, indented, join, outdented, syntax_of
from repairlab.learning.representations.representation import Encoded, Sample, Unit


class LineInContext:
    """`buggy: line context: class`, where the class is SequenceR's without its marks, and the fixed line."""

    name = "line-context"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def __init__(self, *, max_tokens: int = 1000) -> None:
        """Take how many tokens of the class are shown at most."""
        self.max_tokens = max_tokens

    def encode(self, sample: Sample) -> Encoded:
        """Return line and class as one text."""
        indent = indent_of(sample)
        found = truncated(class_context(sample), self.max_tokens)
        context = join(sample.language, (*found.before, *found.bug, *found.after)).lstrip()
        line = flat(sample.language, outdented(sample.buggy, indent))
        return Encoded(source=(f"buggy: {line} context: {context}",), memory={"language": sample.language, "indent": indent})

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return line and class, and the fixed line; it is empty when the line is to be deleted."""
        encoded = self.encode(sample)
        return encoded, (flat(sample.language, outdented(fixed, encoded.memory["indent"])),)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the line with the operators joined that tokenizers for prose take apart."""
        text = join_operators(encoded.memory["language"], "".join(written).strip())
        return (indented(text, encoded.memory["indent"]),)


def join_operators(language: str, text: str) -> str:
    """Return a text in which `> =`, `< =`, `= =` and `! =` are one operator; strings stay as they are.

    >>> join_operators("java", 'if (a > = b) return "< =";')
    'if (a >= b) return "< =";'
    """
    syntax = syntax_of(language)
    tokens = [token for token in syntax.tokens(text) if token.kind not in LAYOUT]
    made, end = "", 0
    for at, token in enumerate(tokens):
        gap = text[end : token.span.start]
        is_part = at and token.text.startswith("=") and tokens[at - 1].kind == "operator" and gap and not gap.strip(" ")
        if is_part and made.endswith((">", "<", "=", "!")) and _is_one(language, tokens[at - 1].text + token.text):
            gap = ""
        made += gap + token.text
        end = token.span.end
    return made + text[end:]


def _is_one(language: str, text: str) -> bool:
    return sum(token.kind not in LAYOUT for token in syntax_of(language).tokens(text)) == 1
