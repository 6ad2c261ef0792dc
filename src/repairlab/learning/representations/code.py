"""Code as tokens and back: what all representations share. Nothing here knows a language but through `languages`.

Two codes are *equal in tokens* when they have the same tokens in the same order; line breaks and depth are tokens where the
language counts them, comments and other white space are none. That is what `recover` promises.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from repairlab.core.text import Span
from repairlab.languages.facts import facts
from repairlab.languages.language import Function, Syntax, Token
from repairlab.languages.language import language as language_named
from repairlab.learning.representations.representation import Sample, Unrepresentable

NEWLINE, INDENT, DEDENT = "<NEWLINE>", "<INDENT>", "<DEDENT>"
GLUE = "<GLUE>"
"""Between a macro's name and its bracket: a blank there would make another macro."""
LAYOUT = {"newline": NEWLINE, "indent": INDENT, "dedent": DEDENT}
_STEP = "    "
_CLOSING = frozenset({")", "]", ",", ";", ".", "::"})
_OPENING = frozenset({"(", "[", ".", "!", "@", "::"})
UNREADABLE = "the text cannot be read as tokens"


def syntax_of(language: str) -> Syntax:
    """Return how source text of a language is read."""
    return language_named(language).syntax


@lru_cache(maxsize=64)
def _tokens(language: str, text: str) -> tuple[Token, ...]:
    """Return the tokens of a text; many candidates of a bug need those of the same one."""
    return tuple(syntax_of(language).tokens(text))


@lru_cache(maxsize=8)
def functions_of(language: str, text: str) -> tuple[Function, ...]:
    """Return the functions of a text, outer before inner."""
    return tuple(syntax_of(language).functions(text))


def read_tokens(language: str, text: str, *, strict: Span | None = None) -> list[Token]:
    """Return the tokens of a piece of code without line breaks and depth at its ends; Unrepresentable when one is unreadable.

    Only those in `strict` must be readable, if it is given; the others are left out: code around a bug may be cut anywhere.
    """
    found = _tokens(language, text)
    if any(token.kind == "error" and (strict is None or _touches(token.span, strict)) for token in found):
        raise Unrepresentable(UNREADABLE)
    found = tuple(token for token in found if token.kind != "error")
    first = next((at for at, token in enumerate(found) if token.kind not in LAYOUT), len(found))
    last = next((at for at in range(len(found), first, -1) if found[at - 1].kind not in LAYOUT), first)
    return list(found[first:last])


def _touches(one: Span, two: Span) -> bool:
    return one.start < two.end and two.start < one.end


def words(tokens: Sequence[Token], spell: Callable[[Token], tuple[str, ...]] = lambda token: (token.text,)) -> tuple[str, ...]:
    """Return tokens as words of a vocabulary, each spelled as `spell` says; line breaks and depth have their own words."""
    made: list[str] = []
    for at, token in enumerate(tokens):
        if token.kind in LAYOUT:
            made.append(LAYOUT[token.kind])
            continue
        if token.kind == "directive" and token.text == "#" and made and made[-1] != NEWLINE:
            made.append(NEWLINE)  # a directive begins a line
        before = tokens[at - 2 : at] if at > 1 else ()
        is_macro = len(before) == 2 and before[0].kind == "directive" and before[0].text == "define"
        if is_macro and token.text == "(" and token.span.start == before[1].span.end:
            made.append(GLUE)
        made += spell(token)
    return tuple(made)


def split(language: str, text: str) -> tuple[str, ...]:
    r"""Return the words of a piece of code.

    >>> split("python", "if x:\n    return f(1)\n")
    ('if', 'x', ':', '<NEWLINE>', '<INDENT>', 'return', 'f', '(', '1', ')')
    """
    return words(read_tokens(language, text))


def split_fix(language: str, text: str) -> tuple[str, ...]:
    """Return the words of a fix; Unrepresentable if joining them gives other code, as with text between tags."""
    found = split(language, text)
    if split(language, join(language, found)) != found:
        raise Unrepresentable("the tokens of the fix do not make up the same code when they are joined")
    return found


def join(language: str, parts: Iterable[str]) -> str:
    r"""Return the code that words make up, in lines and with depth where there are words for it: the inverse of `split`.

    >>> join("python", ("if", "x", ":", "<NEWLINE>", "<INDENT>", "return", "f", "(", "1", ")"))
    'if x:\n    return f(1)'
    """
    lines: list[list[str]] = [[]]
    depths = [0]
    for part in parts:
        if part == NEWLINE:
            lines.append([])
            depths.append(depths[-1])
        elif part in (INDENT, DEDENT):
            depths[-1] = max(0, depths[-1] + (1 if part == INDENT else -1))
        else:
            lines[-1].append(part)
    return "\n".join(_STEP * depth + _join_line(language, line) for line, depth in zip(lines, depths, strict=True))


def _join_line(language: str, parts: Sequence[str]) -> str:
    text = ""
    for at, part in enumerate(parts):
        if part == GLUE:
            continue
        is_macro = at > 2 and parts[at - 3] == "#" and parts[at - 2] == "define"
        is_apart = at and parts[at - 1] != GLUE and (is_macro or not is_glued(language, parts[at - 1], part))
        text += f" {part}" if is_apart else part
    return text


@lru_cache(maxsize=1 << 16)
def is_glued(language: str, left: str, right: str) -> bool:
    """Return whether two tokens are written without a blank: by custom, and only if they stay two tokens."""
    name_or_end = _texts(language, left, kind="name") or left in (")", "]")
    is_called = right in ("(", "[") and name_or_end
    is_block = right == ":" and facts(language).is_indented
    if not (right in _CLOSING or left in _OPENING or is_called or is_block):
        return False
    return _texts(language, left + right) == _texts(language, left) + _texts(language, right)


def _texts(language: str, text: str, *, kind: str = "") -> list[str]:
    return [token.text for token in syntax_of(language).tokens(text) if token.kind not in LAYOUT and kind in ("", token.kind)]


def same_code(language: str, one: str, two: str) -> bool:
    """Return whether two codes are equal in tokens; texts that cannot be read must be equal as they stand.

    `>>` is taken as two tokens: at the end of nested type arguments it is, and nowhere else may two stand side by side.
    """
    if one.strip() == two.strip():
        return True
    try:
        first, second = ([mark for word in split(language, text) for mark in _ends(word)] for text in (one, two))
        return first == second
    except Unrepresentable:
        return False


def _ends(word: str) -> str | tuple[str]:
    return word if word and not word.strip(">") else (word,)


def flat(language: str, text: str, *, marks: Sequence[tuple[Span, str, str]] = ()) -> str:
    r"""Return code with one blank where there is white space or a comment; lines and depth stay where they are tokens.

    `marks` are spans, and what to write before and behind each. A text that cannot be read as tokens stays as it is.

    >>> flat("java", "int  a = 1; // one\n  return a;")
    'int a = 1; return a;'
    """
    if marks:
        tokens = read_tokens(language, text, strict=Span(start=marks[0][0].start, end=marks[-1][0].end))
    else:
        try:
            tokens = read_tokens(language, text)
        except Unrepresentable:
            return text.strip()
    pieces: list[str] = []
    end, depth, is_new = 0, 0, True
    todo = sorted(entry for span, before, after in marks for entry in ((span.start, 0, before), (span.end, 1, after)))
    for token in tokens:
        while todo and token.kind not in LAYOUT and (todo[0][0] <= token.span.start):
            _, _, mark = todo.pop(0)
            pieces.append(_STEP * depth + mark if is_new else f" {mark}")
            is_new, end = False, -1
        if todo and token.kind not in LAYOUT and todo[0][0] < token.span.end:
            raise Unrepresentable("the bug begins or ends within a token")
        if token.kind in ("indent", "dedent"):
            depth += 1 if token.kind == "indent" else -1
        elif token.kind == "newline":
            while todo and todo[0][0] <= token.span.start and todo[0][1]:
                pieces.append(f" {todo.pop(0)[2]}")
            pieces.append("\n")
            is_new = True
        else:
            if token.kind == "directive" and token.text == "#" and not is_new:
                pieces.append("\n")
                is_new = True
            pieces.append(_STEP * depth if is_new else " " if token.span.start > end else "")
            pieces.append(token.text)
            is_new, end = False, token.span.end
    pieces += [f" {mark}" for _, _, mark in todo]
    return "".join(pieces)


def indent_of(sample: Sample) -> str:
    """Return the blanks that the line begins with on which `buggy` stands."""
    for text, start in ((sample.method, sample.start), (sample.file, (sample.method_start or 0) + (sample.start or 0))):
        if text is None or start is None:
            continue
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if line or text is sample.file:
            return line[: len(line) - len(line.lstrip(" \t"))]
    return ""


def outdented(text: str, indent: str) -> str:
    """Return a text without this much at the beginning of its second and later lines."""
    return "\n".join(line if not at else line.removeprefix(indent) for at, line in enumerate(text.split("\n"))) if indent else text


def indented(text: str, indent: str) -> str:
    """Return a text with this much at the beginning of its second and later lines."""
    return "\n".join(line if not at or not line else indent + line for at, line in enumerate(text.split("\n"))) if indent else text


def same_fix(sample: Sample, one: str, two: str) -> bool:
    """Return whether two texts for `buggy` are equal in tokens: in both, only the first line lacks its leading blanks."""
    indent = indent_of(sample)
    return same_code(sample.language, outdented(one, indent), outdented(two, indent))


def choices(lists: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield one text of each list in all ways, by the sum of their places: no far one of a list before near ones of another.

    >>> list(choices([["a", "b"], ["x", "y"]]))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """
    if all(lists):
        most = [len(texts) - 1 for texts in lists]
        for total in range(sum(most) + 1):
            for places in _with_sum(most, total):
                yield tuple(texts[place] for texts, place in zip(lists, places, strict=True))


def _with_sum(most: Sequence[int], total: int) -> Iterator[Sequence[int]]:
    """Yield positions with this sum, the first ones low; by a loop, since a long text has thousands of positions."""
    places = _low_first(most, total)
    while True:
        yield places
        rest = 0
        for at in reversed(range(len(places))):
            if rest and places[at] < most[at]:
                places = [*places[:at], places[at] + 1, *_low_first(most[at + 1 :], rest - 1)]
                break
            rest += places[at]
        else:
            return


def _low_first(most: Sequence[int], total: int) -> list[int]:
    found = []
    for high in reversed(most):
        found.append(min(high, total))
        total -= found[-1]
    return found[::-1]
