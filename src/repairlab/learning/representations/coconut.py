"""`coconut`: the buggy line and, apart, the method around it, as sub-tokens (CoCoNut)."""

import itertools
import re
from collections.abc import Iterator, Sequence

from repairlab.core.text import Span
from repairlab.languages.language import Token
from repairlab.learning.representations.code import choices, indent_of, indented, join, outdented, read_tokens, split_fix, words
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable

STRING, NUMBER = "$STRING$", "$NUMBER$"
CAMEL, UNDERSCORE, DIGITS = "CaMeL", "UnDeR", "DiGiTs"
"""What stands between the parts of a name: a capital letter follows, an underscore was there, letters and digits meet."""
KEPT_NUMBERS = frozenset({"0", "1", "8", "16", "32", "64"})
_MARKS = {CAMEL: "", UNDERSCORE: "_", DIGITS: ""}
_NOWHERE = Span(start=0, end=0)
_NAME = re.compile(r"(_*)(.*?)(_*)", re.DOTALL)
_PART = re.compile(r"_|\d+|[^\W\d_]*[^\W\d_A-Z](?=[A-Z])|[A-Z]+(?=[A-Z][^\W\d_A-Z])|[^\W\d_]+|[^\w]+")


class CoconutSubtokens:
    """Sub-tokens of the line and, for a second encoder, of the method; strings and numbers are put back from the file."""

    name = "coconut"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def __init__(self, *, max_recovered: int = 100, new_literals: bool = False) -> None:
        """Take how many ways to put literals back are tried at most, and whether to train on fixes that none of them gives."""
        self.max_recovered, self.new_literals = max_recovered, new_literals

    def encode(self, sample: Sample) -> Encoded:
        """Return the line and its method, which CoCoNut writes as one text with `<CTX>` between them."""
        indent = indent_of(sample)
        line = read_tokens(sample.language, outdented(sample.buggy, indent))
        method = () if sample.method is None else read_tokens(sample.language, sample.method, strict=_NOWHERE)
        wider = () if sample.file is None else read_tokens(sample.language, sample.file, strict=_NOWHERE)
        literals = [token.text for token in (*line, *method, *wider) if _spelled(token) in ((STRING,), (NUMBER,))]
        known = {
            mark: [text for text in dict.fromkeys(literals) if _is_string(text) is (mark == STRING)] for mark in (STRING, NUMBER)
        }
        memory = {"language": sample.language, "indent": indent, "literals": known}
        return Encoded(source=words(line, _spelled), context=words(method, _spelled), memory=memory)

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return line, method and the fixed line."""
        encoded = self.encode(sample)
        text = outdented(fixed, encoded.memory["indent"])
        split_fix(sample.language, text)
        tokens = read_tokens(sample.language, text)
        if any(token.text in _MARKS or token.text in (STRING, NUMBER) for token in tokens):
            raise Unrepresentable("a name is spelled like a mark")
        written = words(tokens, _spelled)
        if not self.new_literals:
            literals = tuple(token.text for token in tokens if _spelled(token) in ((STRING,), (NUMBER,)))
            if literals not in itertools.islice(_choices(encoded, written), self.max_recovered):
                raise Unrepresentable("the fix has literals that are not among the nearest of the file")
        return encoded, written

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the line with the literals of the file in all ways, those of the buggy line first."""
        names = _joined_names(written)
        if names is None:
            return ()
        made = []
        for literals in itertools.islice(_choices(encoded, written), self.max_recovered):
            rest = iter(literals)
            parts = [next(rest) if part in (STRING, NUMBER) else part for part in names]
            made.append(indented(join(encoded.memory["language"], parts), encoded.memory["indent"]))
        return tuple(dict.fromkeys(made))


def sub_tokens(name: str) -> tuple[str, ...]:
    """Return the parts of a name and the marks between them; underscores at its ends stay where they are.

    >>> sub_tokens("maxHTTPCount2"), sub_tokens("_is_ok")
    (('max', 'CaMeL', 'HTTP', 'CaMeL', 'Count', 'DiGiTs', '2'), ('_is', 'UnDeR', 'ok'))
    """
    if not re.sub("[_$]", "", name).isalnum():
        return (name,)
    lead, middle, tail = _NAME.fullmatch(name).groups()  # type: ignore[union-attr]  # it takes any text
    made: list[str] = []
    for part in _PART.findall(middle):
        if part == "_":
            made.append(UNDERSCORE)
            continue
        if made and made[-1] != UNDERSCORE:
            made.append(DIGITS if part[0].isdigit() or made[-1][-1].isdigit() else CAMEL)
        made.append(part)
    if not made:
        return (name,)
    made[0] = lead + made[0]
    made[-1] += tail
    return tuple(made)


def _spelled(token: Token) -> tuple[str, ...]:
    if token.kind == "string":
        return (STRING,)
    if token.kind == "number":
        return (token.text,) if token.text in KEPT_NUMBERS else (NUMBER,)
    return sub_tokens(token.text) if token.kind == "name" else (token.text,)


def _is_string(text: str) -> bool:
    return not text[0].isdigit() and not text.startswith(".")


def _joined_names(written: Sequence[str]) -> list[str] | None:
    """Return the tokens with the parts of names joined; none when a mark does not stand between two parts."""
    made: list[str] = []
    is_open = False
    for at, part in enumerate(written):
        if part not in _MARKS:
            made[-1:] = [made[-1] + part] if is_open else [*made[-1:], part]
            is_open = False
            continue
        after = written[at + 1] if at + 1 < len(written) else ""
        if not made or not _ends_name(made[-1]) or not (_ends_name(after) or (part == after == UNDERSCORE)):
            return None
        made[-1] += _MARKS[part]
        is_open = True
    return made


def _ends_name(text: str) -> bool:
    return bool(text) and text not in (STRING, NUMBER) and text not in _MARKS and (text[-1].isalnum() or text[-1] in "_$")


def _choices(encoded: Encoded, written: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield texts for the literals in the order written, the nearest to the bug first."""
    known = encoded.memory["literals"]
    return choices([known[part] for part in written if part in (STRING, NUMBER)])
