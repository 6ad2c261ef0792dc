"""Representations as text: a line, a line in its class, a marked method, whole programs, an instruction, unchanged tokens."""

import re
from typing import Literal

from repairlab.core.text import Span, common_ends
from repairlab.languages.facts import facts
from repairlab.learning.representations.code import LAYOUT, flat, indent_of, indented, join, outdented, split, split_fix, syntax_of
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable
from repairlab.learning.representations.sequencer import BugInContext, class_context, truncated

END = "<END>"
"""After the last token of the source: where a pure insertion at the end points."""


class TokenEdits:
    """The place of insertion, the end of the deletion, and the inserted tokens.

    Both places are numbers of tokens of the source, written in decimals: the first that is deleted, and the one behind the last.
    A pure insertion deletes nothing. `memory["first"]` and `memory["last"]` say between which tokens both lie.
    """

    name = "edits"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def __init__(self, *, context: bool = False, max_tokens: int = 500, max_bug: int = 50) -> None:
        """Take whether the surrounding class is also read, and the most tokens of source and bug."""
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
        """Return the edited line; None if the places are outside the bug."""
        first, last = encoded.memory["first"], encoded.memory["last"]
        if len(written) < 2 or not all(text.isascii() and text.isdigit() for text in written[:2]):
            return ()
        start, end = int(written[0]), int(written[1])
        if not first <= start <= end <= last or END in written:
            return ()
        tokens = (*encoded.source[first:start], *written[2:], *encoded.source[end:last])
        return (indented(join(encoded.memory["language"], tokens), encoded.memory["indent"]),)


class BuggyLine:
    """The buggy line as text, and the fixed one; nothing around it (CodeBERT-ft)."""

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
        """Return both lines; the fixed one is empty if the line is deleted."""
        encoded = self.encode(sample)
        return encoded, (flat(sample.language, outdented(fixed, encoded.memory["indent"])),)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text as the fixed line."""
        return (indented("".join(written).strip(), encoded.memory["indent"]),)


class LineInContext:
    """`buggy: line context: class`, where the class is SequenceR's without its marks, and the fixed line (RewardRepair)."""

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


BUG, BUG_END, FIX, FIX_END = "<BUGS>", "<BUGE>", "<FIXS>", "<FIXE>"


class MarkedMethod:
    """The method with `<BUGS> line <BUGE>` in place, and `<FIXS> line <FIXE>` (CodeT5-ft, UniXcoder-ft)."""

    name = "method-marked"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def encode(self, sample: Sample) -> Encoded:
        """Return the method, on one line unless layout matters."""
        if sample.method is None or sample.start is None:
            raise Unrepresentable("no function is known around the bug")
        span = Span(start=sample.start, end=sample.start + len(sample.buggy))
        text = flat(sample.language, sample.method, marks=[(span, BUG, BUG_END)])
        return Encoded(source=(text,), memory={"indent": indent_of(sample)})

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the marked method and the marked fix."""
        encoded = self.encode(sample)
        return encoded, (f"{FIX} {flat(sample.language, outdented(fixed, encoded.memory['indent']))} {FIX_END}",)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text between the marks; tokenizers may have left them out."""
        text = "".join(written).strip().removeprefix(FIX).removesuffix(FIX_END).strip()
        return () if FIX in text or FIX_END in text else (indented(text, encoded.memory["indent"]),)


class WholeProgram:
    """The whole program as it stands, and the fixed one (FixEval)."""

    name = "program"
    languages: frozenset[str] | None = None
    unit: Unit = "program"

    def encode(self, sample: Sample) -> Encoded:
        """Return the program."""
        return Encoded(source=(sample.buggy,))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return both programs."""
        return self.encode(sample), (fixed,)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text as it is."""
        del encoded
        return ("".join(written),)


class ProgramWithVerdict(WholeProgram):
    """The whole program and what the judge said of it, and the fixed program (FixEval)."""

    name = "program-verdict"

    def encode(self, sample: Sample) -> Encoded:
        """Return the program followed by the verdict in the judge's words."""
        if not sample.verdict:
            raise Unrepresentable("no verdict of a judge is known")
        return Encoded(source=(f"{sample.buggy} verdict: {sample.verdict}",))


_BLOCK = re.compile(r"^(`{3,})[^\n`]*\n(.*?)(?:\n\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


class FixInstruction:
    """What to do in words, the buggy code in a fenced block, and the fixed code in one; for language models (Defects4C)."""

    name = "instruction"
    languages: frozenset[str] | None = None

    def __init__(self, *, unit: Literal["method", "program"] = "method", verdict: bool = False) -> None:
        """Take whether a function or a whole program is shown and written, and whether the judge's verdict is told."""
        self.unit: Unit = unit
        self._verdict = verdict

    def encode(self, sample: Sample) -> Encoded:
        """Return the instruction; a description of the bug is part of it."""
        if self._verdict and not sample.verdict:
            raise Unrepresentable("no verdict of a judge is known")
        what = "function" if self.unit == "method" else "program"
        told = [f"The judge said: {sample.verdict}"] if self._verdict else []
        about = [text for text in (sample.description.strip(), *told) if text]
        head = f"Fix the bug in this {facts(sample.language).title} {what}. Answer with the fixed {what} alone."
        return Encoded(source=("\n\n".join([head, *about, _fenced(sample.buggy, sample.language)]),))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the instruction and the fixed code in a fenced block."""
        return self.encode(sample), (_fenced(fixed, sample.language),)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the first fenced block, or all of the text without one."""
        del encoded
        text = "".join(written)
        found = _BLOCK.search(text)
        code = found[2] if found else text.strip()
        return (code,) if code.strip() else ()


def _fenced(code: str, language: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    return f"{fence}{facts(language).fences[0]}\n{code}\n{fence}\n"


class PlainTokens:
    """Text that is already tokens, such as published sets of abstracted methods; one blank between two of them."""

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
        raise Unrepresentable("the text has several lines, so it is not a list of tokens")
    return tuple(text.split())
