"""The lexer of Java, C and C++: cuts any text into pieces, never fails, and knows nothing of grammar.

What a compiler would not accept becomes an `error` piece: an open string up to the end of its line, a stray character.
"""

import functools
import re

from repairlab.languages.syntax import SPLICE, Piece

_JAVA_KEYWORDS = """abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package private protected
public return short static strictfp super switch synchronized this throw throws transient true try void volatile while"""
_C_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool
_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local"""
_CPP_KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while xor xor_eq"""
KEYWORDS = {
    "java": frozenset(_JAVA_KEYWORDS.split()),
    "c": frozenset(_C_KEYWORDS.split()),
    "cpp": frozenset(_CPP_KEYWORDS.split()),
}

_JAVA_OPERATORS = ">>>= >>> <<= >>= ... -> :: ++ -- && || == != <= >= += -= *= /= &= |= ^= %= << >> @"
_C_OPERATORS = "... :: <<= >>= -> ++ -- << >> <= >= == != && || += -= *= /= %= &= ^= |= ## %:%: <% %> <: :> %:"
_CPP_OPERATORS = f"<=> ->* .* {_C_OPERATORS}"
_SINGLE = "{}()[]<>;,.?:=+-*/%&|^!~"


def _operators(several: str, single: str) -> str:
    words = sorted(several.split(), key=len, reverse=True)
    # `<::` is `<` and `::` unless a third colon or `>` follows (C++ [lex.pptoken]).
    escaped = [r"<:(?!:(?![:>]))" if word == "<:" else re.escape(word) for word in words]
    return "|".join([*escaped, "[" + re.escape(single) + "]"])


# Repeats of groups are atomic, (?>(?:…)*), not possessive, (?:…)*+, which Python before 3.11.5 gets wrong.
_NEWLINE = r"\r\n?|\n"
_ESCAPE = rf"{SPLICE}|\\(?:\r\n|[\s\S])"
_WORD = r"(?:[^\W0-9]|[$]|\\[uU][0-9a-fA-F{])"
_GLUE = r"[-+*/%&|^<>=!:.#]"
_C_STRING = rf"""(?:u8|[uUL])?(?:"(?>(?:[^"\\\r\n]++|{_ESCAPE})*)"|'(?>(?:[^'\\\r\n]++|{_ESCAPE})*)')"""
_RAW_START = r"""(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\("""
_TEXT_BLOCK_START = r'"""[ \t\f]*(?:\r\n?|\n)'
_OPEN_STRING = rf"""(?:"(?>(?:[^"\\\r\n]++|{_ESCAPE}|\\)*)|'(?>(?:[^'\\\r\n]++|{_ESCAPE}|\\)*))"""


def _c_pattern(operators: str, *, raw: bool, block: bool) -> re.Pattern[str]:
    """Return what cuts C or C++; `raw` strings and `block` comments are known by their start alone when they have no end."""
    whole_block = rf"|/\*[\s\S]*?\*(?:{SPLICE})*/" if block else ""
    whole_raw = rf'{_RAW_START}[\s\S]*?\)(?P=mark)"|' if raw else ""
    raw_start = rf"|(?P<raw>{_RAW_START.replace('?P<mark>', '?:')})" if raw else ""
    return re.compile(
        rf"(?P<newline>{_NEWLINE})|(?P<space>[ \t\v\f]+)"
        # A joined line inside an operator is no blank: `+\` and `=` on the next line are one `+=`.
        rf"|(?P<splice>(?<={_GLUE}){SPLICE}(?!//|/\*)(?={_GLUE}))|(?P<spliced>(?:{SPLICE})+)"
        rf"|(?P<comment>//(?>(?:[^\r\n\\]++|{SPLICE}|\\)*){whole_block})"
        rf"{'|(?P<block>/[*])' if block else ''}|(?P<string>{whole_raw}{_C_STRING}){raw_start}"
        rf"|(?P<word>{_WORD}(?>(?:[\w$]|\\[uU][0-9a-fA-F{{}}]+|(?:{SPLICE})+(?=\w))*))"
        rf"|(?P<number>\.?[0-9](?>(?:[eEpP][+-]|'(?=\w)|[\w.]|(?:{SPLICE})+(?=\w))*))"
        rf"|(?P<error>/\*|{_OPEN_STRING})|(?P<hash>\#(?!\#))|(?P<operator>{operators})|(?P<other>[\s\S])"
    )


_JAVA_DIGITS = r"[0-9](?:[0-9_]*[0-9])?"


def _java_pattern(*, raw: bool, block: bool) -> re.Pattern[str]:
    """Return what cuts Java; text blocks (`raw`) and `block` comments are known by their start alone when they have no end."""
    whole_block = r"|/\*[\s\S]*?\*/" if block else ""
    whole_raw = rf'{_TEXT_BLOCK_START}(?>(?:[^"\\]++|\\[\s\S]|"(?!""))*)"""|' if raw else ""
    return re.compile(
        rf"(?P<newline>{_NEWLINE})|(?P<space>[ \t\f]+)"
        # Java reads \u000a as a line break even in a comment, where it ends it.
        rf"|(?P<comment>//(?>(?:[^\r\n\\]++|\\\\|(?!\\u+000[aAdD])\\)*){whole_block}){'|(?P<block>/[*])' if block else ''}"
        rf"{f'|(?P<string>{whole_raw}(?!{_TEXT_BLOCK_START})' if raw else '|(?P<string>'}"
        + r'(?:"(?>(?:[^"\\\r\n]++|\\[^\r\n])*)"'
        + r"|'(?>(?:[^'\\\r\n]++|\\[^\r\n])*)'))"
        rf"{f'|(?P<raw>{_TEXT_BLOCK_START})' if raw else ''}"
        rf"|(?P<word>{_WORD}(?>(?:[\w$]|\\u+[0-9a-fA-F]+)*))"
        rf"|(?P<number>(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]+)?|0[bB][01_]+"
        rf"|(?:{_JAVA_DIGITS}(?:\.(?!\.)(?:{_JAVA_DIGITS})?)?|\.{_JAVA_DIGITS})(?:[eE][+-]?[0-9_]+)?)[lLfFdD]?)"
        r"""|(?P<error>/\*|"(?>(?:[^"\\\r\n]++|\\[^\r\n]|\\)*)|'(?>(?:[^'\\\r\n]++|\\[^\r\n]|\\)*))"""
        rf"|(?P<operator>{_operators(_JAVA_OPERATORS, _SINGLE + '@')})|(?P<other>[\s\S])"
    )


@functools.cache
def _pattern(language: str, *, raw: bool = True, block: bool = True) -> re.Pattern[str]:
    if language == "java":
        return _java_pattern(raw=raw, block=block)
    operators = _CPP_OPERATORS if language == "cpp" else _C_OPERATORS
    return _c_pattern(_operators(operators, _SINGLE), raw=raw and language == "cpp", block=block)


_HEADER = re.compile(r"<[^>\r\n]*>")
_PRELUDE = re.compile(r"\ufeff?(?:#![^\r\n]*)?")


def lex(language: str, source: str) -> list[Piece]:
    """Cut the text into pieces; `language` is `java`, `c` or `cpp`."""
    reads = {"raw": True, "block": True}
    match_at = _pattern(language).match
    keywords = KEYWORDS[language]
    pieces: list[Piece] = []
    position = 0
    if source.startswith("\ufeff") or (language == "java" and source.startswith("#!")):
        start = _PRELUDE.match(source) if language == "java" else None
        position = start.end() if start else 1
        pieces.append(Piece("prelude", 0, position))
    is_line_start = True
    words: list[str] | None = None  # of the directive at hand
    while position < len(source):
        match = match_at(source, position)
        assert match is not None, "the pattern takes any character"
        kind = match.lastgroup or "other"
        if kind in reads:
            # It has no end, so no compiler takes this text; to look for an end of each later one costs the square of its length.
            reads[kind] = False
            match_at = _pattern(language, **reads).match
            continue
        end = match.end()
        if kind == "newline":
            kind = "space" if words is None else "newline"
            words = None
            is_line_start = True
        elif kind in ("space", "spliced", "comment") or (kind == "splice" and pieces[-1].kind in ("space", "comment")):
            kind = "comment" if kind == "comment" else "space"
        else:
            if kind == "hash":
                kind = "directive" if is_line_start else "operator"
                words = [] if is_line_start else words
            elif kind == "word":
                text = source[position:end]
                kind = "keyword" if text in keywords else "name"
                if words is not None:
                    kind = "directive" if not words else kind
                    words.append(text)
            elif kind == "operator" and words in (["include"], ["include_next"], ["import"]) and source[position] == "<":
                header = _HEADER.match(source, position)
                kind, end = ("string", header.end()) if header else (kind, end)
                words = ["include", ""]
            elif kind in ("splice", "other"):
                kind = "operator" if kind == "splice" else "error"
            is_line_start = False
        pieces.append(Piece(kind, position, end))
        position = end
    if words is not None:
        pieces.append(Piece("newline", position, position))
    return pieces
