"""Find the pieces of an answer that may hold code (fences, tags, JSON fields, bare text), and repair distorted ones."""

import html
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from repairlab.languages.facts import every

_FENCE = re.compile(r"^([ \t>]*+(?:(?:\d{1,3}[.)]|[-*+])[ \t]+)?)(`{3,}+|~{3,}+)[ \t]*+(.*)$")
_FENCE_AT_END = re.compile(r"(`{3,}+)([\w+#.-]{0,20})[ \t]*$")
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}(?:[ \t]*[:{\[( ][^`]{0,200})?$")
_OTHER_WORDS = ("diff", "patch", "json", "text", "txt", "plaintext", "code")
_TAG_NAMES = (
    "fix|fixed|fixed_code|fixed_function|fixedcode|code|patch|diff|answer|solution|output|result|final|final_answer|function|method"
    "|file|program|response|infill|completion|repair|repaired|corrected|corrected_code|edit|edits|replacement"
)
_OLD = re.compile(
    r"\b(?:original|buggy|before|incorrect|wrong|current|broken|faulty|old|problematic|instead of|replace this|change this|usage"
    r"|example|test)\b",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final|complete|full|entire|whole)\b", re.IGNORECASE)
_NEW = re.compile(r"\b(?:fix(?:ed|es)?|correct(?:ed)?|updated|repaired|new|patched|final|revised|should be)\b", re.IGNORECASE)
_KEYS = [
    "fixed_code",
    "fixed_function",
    "fixedcode",
    "fixed",
    "corrected_code",
    "corrected",
    "repaired_code",
    "fix",
    "patch",
    "patched_code",
    "code",
    "function",
    "solution",
    "answer",
    "completion",
    "infill",
    "replacement",
    "new_code",
    "program",
    "file",
    "content",
    "output",
    "result",
    "response",
]


@cache
def _block_words() -> frozenset[str]:
    """Return whether a text after a fence is not code."""
    return frozenset([*_OTHER_WORDS, *(word for stated in every() for word in stated.fences)])


@cache
def _tag() -> re.Pattern[str]:
    names = "|".join([_TAG_NAMES, *(stated.name for stated in every())])
    return re.compile(rf"^[ \t]*+(?:<({names})(?:[ \t][^<>\n]{{0,200}})?>|\[({names})\])", re.IGNORECASE | re.MULTILINE)


class Block(NamedTuple):
    """A piece of an answer that may hold code."""

    text: str
    info: str = ""
    """The text after the opening fence, in lower case, or the name of the tag."""
    is_closed: bool = True
    """Whether the end of the piece is marked."""
    lead: str = ""
    """The last line of text before it."""
    is_bare: bool = False
    """Whether nothing marks it as code."""

    @property
    def rank(self) -> tuple[bool, bool]:
        """Return the sort key: pieces called the old code come last, those called the final code first."""
        is_new = _NEW.search(self.lead) is not None
        return (not is_new and _OLD.search(self.lead) is not None, _FINAL.search(self.lead) is None)


def blocks(text: str) -> list[Block]:
    """Return the pieces of an answer, the most promising first."""
    values = json_strings(text)
    if values:
        return [Block(value, "json") for value in values]
    lines = text.split("\n")
    fenced, outside = _fences(lines) if "```" in text or "~~~" in text else ([], text)
    found: list[Block] = []
    if "<" in text or "[" in text:
        found.extend(_tagged(outside if fenced else text, text))
    found.extend(sorted(fenced, key=lambda block: block.rank) if len(fenced) > 1 else fenced)
    found = [inner for block in found for inner in _json_inside(block)]
    if outside.strip():
        found.append(Block(outside, is_closed=False, is_bare=True))
    return found


def _json_inside(block: Block) -> Iterator[Block]:
    if block.info.startswith("json"):
        values = json_strings(block.text)
        if values:
            yield from (Block(value, "json") for value in values)
            return
    yield block


class _Open:
    def __init__(self, match: re.Match[str] | None, mark: str, info: str, line: int) -> None:
        self.mark = mark
        self.info = info.strip().lower()
        self.first = line + 1
        self.prefix = match[1] if match else ""
        self.depth = 0


def _fences(lines: list[str], *, nested: bool = True) -> tuple[list[Block], str]:
    """Return the fenced blocks in order and the text outside them; a fence with a language within a block opens a nested one."""
    found: list[Block] = []
    outside: list[str] = []
    spans: list[tuple[int, int]] = []
    opened: _Open | None = None
    for number, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            if opened is None:
                outside.append(line)
            continue
        match = _FENCE.match(line)
        if opened is None:
            opened = _opening(line, match, number, found, outside)
            continue
        is_fence = match is not None and match[2][0] == opened.mark[0] and len(match[2]) >= len(opened.mark)
        if is_fence and match is not None and not match[3].strip():
            if opened.depth:
                opened.depth -= 1
            else:
                found.append(_block(lines, opened, number, is_closed=True))
                spans.append((opened.first, number))
                opened = None
        elif is_fence and match is not None and nested and match[3].strip().lower() in _block_words():
            opened.depth += 1
        elif line.rstrip().endswith(opened.mark) and line.count(opened.mark) % 2 and not is_fence and not opened.depth:
            lines[number] = line.rstrip()[: -len(opened.mark)]
            found.append(_block(lines, opened, number + 1, is_closed=True))
            opened = None
    if opened is not None:
        if opened.depth and nested:
            return _fences(lines, nested=False)
        found.append(_block(lines, opened, len(lines), is_closed=False))
    if len(spans) > 1:
        # A bare fence within the code, as in a docstring, ends the block too early: the last reading takes all of it.
        found.append(Block("\n".join(lines[spans[0][0] : spans[-1][1]]), lead="original"))
    return found, "\n".join(outside)


def _opening(line: str, match: re.Match[str] | None, number: int, found: list[Block], outside: list[str]) -> _Open | None:
    """Return the block that a line opens; a block on one line is added to those found."""
    if match is None:
        at_end = _FENCE_AT_END.search(line[-60:])
        if at_end is None or line.count("```") % 2 == 0:
            outside.append(line)
            return None
        outside.append(line[: -len(at_end[0])])
        return _Open(None, at_end[1], at_end[2], number)
    mark, rest = match[2], match[3].strip()
    if rest.endswith(mark) and len(rest) > len(mark):
        inner = rest[: -len(mark)].strip()
        word, _, code = inner.partition(" ")
        found.append(Block(code if word.lower() in _block_words() and code else inner, lead=_last_line(outside)))
        return None
    opened = _Open(match, mark, rest, number)
    if rest and not _LANGUAGE.match(rest):
        word, _, code = rest.partition(" ")
        is_word = word.lower() in _block_words()
        opened.info = f"{word.lower() if is_word else ''}\n{code if is_word else rest}"
    outside.append("")
    opened.prefix = match[1]
    return opened


def _block(lines: list[str], opened: _Open, end: int, *, is_closed: bool) -> Block:
    body = lines[opened.first : end]
    info, _, first = opened.info.partition("\n")
    prefix = opened.prefix
    if ">" in prefix:
        body = [line.lstrip(" \t")[1:].removeprefix(" ") if line.lstrip(" \t").startswith(">") else line for line in body]
    elif prefix:
        blank = " " * len(prefix)
        if all(line.startswith(blank) or not line.strip() for line in body):
            body = [line[len(blank) :] for line in body]
    if first:
        body.insert(0, first)
    return Block("\n".join(body), info, is_closed=is_closed, lead=_lead(lines, opened.first - 2))


def _lead(lines: list[str], index: int) -> str:
    for line in reversed(lines[max(0, index - 2) : index + 1]):
        if line.strip():
            return line.strip()[-200:]
    return ""


def _last_line(lines: list[str]) -> str:
    return _lead(lines, len(lines) - 1)


def _tagged(outside: str, text: str) -> Iterator[Block]:
    """Yield the text between tags; tags within fenced blocks are code."""
    position = 0
    for match in list(_tag().finditer(outside))[:50]:
        name = match[1] or match[2]
        opening = match[0].lstrip()
        start = text.find(opening, position)
        if start < 0:
            continue
        closing = f"</{name}>" if match[1] else f"[/{name}]"
        begin = start + len(opening)
        end = text.find(closing, begin)
        if end < 0 and match[2]:
            continue
        inner = text[begin : end if end >= 0 else len(text)]
        position = end + len(closing) if end >= 0 else begin
        inner = inner.strip("\n")
        if inner.lstrip().startswith("<![CDATA["):
            inner = inner.strip()[9:].removesuffix("]]>")
        if "```" in inner or "~~~" in inner:
            fenced, _ = _fences(inner.split("\n"))
            if fenced:
                yield from sorted(fenced, key=lambda block: block.rank)
                continue
        yield Block(inner, name.lower(), is_closed=end >= 0)
        if end < 0:
            return


def json_strings(text: str) -> list[str]:
    """Return the texts of a JSON answer that may be code, by field name; None if it is not JSON."""
    data = json_data(text)
    if data is None:
        return []
    found: list[tuple[int, str]] = []
    todo: list[tuple[str, Any]] = [("", data)]
    while todo and len(found) < 50:
        key, value = todo.pop(0)
        if isinstance(value, dict):
            todo.extend((str(name).lower(), item) for name, item in value.items())
        elif isinstance(value, list):
            if value and all(isinstance(item, str) for item in value):
                found.append((_KEYS.index(key) if key in _KEYS else len(_KEYS), "\n".join(value)))
            else:
                todo.extend((key, item) for item in value[:50])
        elif isinstance(value, str) and value.strip() and (key in _KEYS or "\n" in value or ";" in value or "(" in value):
            found.append((_KEYS.index(key) if key in _KEYS else len(_KEYS), value))
    return [value for _, value in sorted(found, key=lambda item: item[0])]


def json_data(text: str) -> Any:
    """Return a JSON object or list that is the whole text; None if there is none."""
    bare = text.strip()
    is_object = bare[:1] == "{" and bare[-1:] == "}" and bare[1:].lstrip()[:1] == '"'
    is_list = bare[:1] == "[" and bare[-1:] == "]" and bare[1:].lstrip()[:1] in ("{", '"')
    if not is_object and not is_list:
        return None
    try:
        return json.loads(bare, strict=False)
    except (ValueError, RecursionError):
        return None


_NUMBERED = re.compile(r"^[ \t]*+(\d{1,6})([ \t]*+[:|.)]|\t|(?=[ \t]))([^\n]*)$")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#34|#x27|#x22|#60|#62);")
_ESCAPE = re.compile(r"\\(n|t|r|\"|'|\\)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "", '"': '"', "'": "'", "\\": "\\"}
_TYPOGRAPHIC = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "–": "-", "−": "-"})
_LONGEST_LINE = 2000
"""Code has no longer lines, except from models that repeat themselves and functions with escaped line ends."""


def variants(text: str) -> Iterator[str]:
    """Yield a text as it is, and then repaired, if it looks distorted."""
    plain = unnumbered(text)
    if len(plain) <= _LONGEST_LINE or max(map(len, plain.split("\n"))) <= _LONGEST_LINE:
        yield plain
    if "\\n" in plain and plain.strip().count("\n") <= 1:
        yield _ESCAPE.sub(lambda match: _ESCAPED[match[1]], plain.strip().strip('"'))
    if "&" in plain and _ENTITY.search(plain):
        yield html.unescape(plain)
    if not plain.isascii():
        typed = plain.translate(_TYPOGRAPHIC)
        if typed != plain:
            yield typed


def unnumbered(text: str) -> str:
    r"""Return a text without the line numbers in front of its lines, if they all have one and count up.

    >>> unnumbered("7: int x;\n8:   y();")
    'int x;\n  y();'
    """
    first = text.lstrip()[:1]
    if not first.isdigit() or not first.isascii():
        return text
    lines = text.strip("\n").split("\n")
    matches = [_NUMBERED.match(line) for line in lines if line.strip()]
    found = [match for match in matches if match]
    if len(found) < max(2, len(matches)):
        return text
    numbers = [int(match[1]) for match in found]
    if any(after != before + 1 for before, after in pairwise(numbers)):
        return text
    rest = [match[3] for match in found]
    has_blank = all(line.startswith(" ") or not line.strip() for line in rest)
    return "\n".join(line[1:] if has_blank and line else line for line in rest)
