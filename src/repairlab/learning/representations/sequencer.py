"""`sequencer`: the class around the buggy line, without the bodies of its other methods, as tokens (SequenceR)."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.languages.facts import facts
from repairlab.languages.language import Token
from repairlab.languages.parser import Parsed
from repairlab.learning.representations.code import (
    LAYOUT,
    functions_of,
    indent_of,
    indented,
    join,
    outdented,
    read_tokens,
    split_fix,
    words,
)
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable

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
        """Return the context and the fixed line; `<DELETE>` stands for no line."""
        encoded = self.encode(sample)
        return encoded, split_fix(sample.language, outdented(fixed, encoded.memory["indent"])) or (DELETE,)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the tokens as a line; a line with an unknown word means nothing."""
        if written == (DELETE,):
            return ("",)
        if not written or {UNKNOWN, DELETE, START, END} & set(written):
            return ()
        return (indented(join(encoded.memory["language"], written), encoded.memory["indent"]),)


@record
class BugInContext:
    """Tokens around and of a bug."""

    before: tuple[str, ...]
    bug: tuple[str, ...]
    after: tuple[str, ...]


def class_context(sample: Sample) -> BugInContext:
    """Return the outermost class around the method: fields with their values, signatures of other methods, the whole method.

    Where no class is around it: the file without its imports; where no file is known: the method; else the bug alone.
    """
    text, start = _around(sample)
    end = start + len(sample.buggy)
    tokens = read_tokens(sample.language, text, strict=Span(start=start, end=end))
    if any(token.span.start < place < token.span.end for token in tokens for place in (start, end) if token.kind not in LAYOUT):
        raise Unrepresentable("the bug begins or ends within a token")
    kept = tokens
    if sample.file is not None and text is sample.file and sample.method is not None:
        method = Span(start=sample.method_start or 0, end=(sample.method_start or 0) + len(sample.method))
        kept = list(_kept(sample.language, text, tokens, method))
    bug = [at for at, token in enumerate(kept) if start <= token.span.start and token.span.end <= end and token.kind not in LAYOUT]
    if bug:
        first, last = bug[0], bug[-1] + 1
    else:
        first = last = next(
            (at for at, token in enumerate(kept) if token.kind not in LAYOUT and token.span.start >= start), len(kept)
        )
    return BugInContext(before=words(kept[:first]), bug=words(kept[first:last]), after=words(kept[last:]))


def truncated(found: BugInContext, most: int) -> BugInContext:
    """Return at most so many tokens: of those around the bug two thirds before it, or more where the other side is short."""
    room = most - len(found.bug)
    if room < 0:
        raise Unrepresentable("the bug alone is longer than the limit")
    n_after = min(len(found.after), max(room // 3, room - len(found.before)))
    n_before = min(len(found.before), room - n_after)
    return BugInContext(before=found.before[len(found.before) - n_before :], bug=found.bug, after=found.after[:n_after])


def _around(sample: Sample) -> tuple[str, int]:
    """Return the widest text that is known, and where the bug begins in it."""
    if sample.method is None or sample.start is None:
        return sample.buggy, 0
    if sample.file is None or sample.method_start is None:
        return sample.method, sample.start
    return sample.file, sample.method_start + sample.start


def _kept(language: str, text: str, tokens: list[Token], method: Span) -> Iterator[Token]:
    outer = _outermost_class(language, text, method)
    dropped = [
        function.body
        for function in functions_of(language, text)
        if (function.body.end <= method.start or function.body.start >= method.end) and function.body.end > function.body.start
    ]
    imports = [] if outer else list(_import_lines(language, text))
    at = 0
    for token in tokens:
        if outer and (token.span.start < outer.start or token.span.end > outer.end):
            continue
        if any(span.start <= token.span.start < span.end for span in imports):
            continue
        while at < len(dropped) and dropped[at].end <= token.span.start:
            at += 1
        if at == len(dropped) or token.span.start < dropped[at].start or _is_bracket(token, dropped[at]):
            yield token


def _is_bracket(token: Token, body: Span) -> bool:
    """Return whether a token is the first or last of a body in braces: when a method is left out, they stay."""
    return (token.text, token.span.start) == ("{", body.start) or (token.text, token.span.end) == ("}", body.end)


def _outermost_class(language: str, text: str, method: Span) -> Span | None:
    wanted = facts(language).class_nodes
    if not wanted:
        return None
    parsed = Parsed(language, text)
    node: Node | None = parsed.root
    while node is not None:
        if node.type in wanted:
            return parsed.span(node)
        node = next((child for child in node.children if parsed.span(child).holds(method)), None)
    return None


def _import_lines(language: str, text: str) -> Iterator[Span]:
    stated = facts(language)
    for pattern in filter(None, (stated.import_line, stated.package_line)):
        yield from (Span(start=match.start(), end=match.end()) for match in re.finditer(pattern, text, re.MULTILINE))
