"""The lexer of C and C++: cuts any text into pieces, never fails, and knows nothing of grammar."""

import functools
import re
from typing import Literal

from repairlab.languages import curly
from repairlab.languages.curly import ESCAPE, GLUE, NEWLINE, SINGLE, WORD, Lexicon, operators_of
from repairlab.languages.syntax import SPLICE, Piece

Native = Literal["c", "cpp"]

_C_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool
_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local"""
_CPP_KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while xor xor_eq"""
_C_OPERATORS = "... :: <<= >>= -> ++ -- << >> <= >= == != && || += -= *= /= %= &= ^= |= ## %:%: <% %> <: :> %:"
_CPP_OPERATORS = f"<=> ->* .* {_C_OPERATORS}"
_C_STRING = rf"""(?:u8|[uUL])?(?:"(?>(?:[^"\\\r\n]++|{ESCAPE})*)"|'(?>(?:[^'\\\r\n]++|{ESCAPE})*)')"""
_RAW_START = r"""(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\("""
_OPEN_STRING = rf"""(?:"(?>(?:[^"\\\r\n]++|{ESCAPE}|\\)*)|'(?>(?:[^'\\\r\n]++|{ESCAPE}|\\)*))"""


def _c_pattern(operators: str, *, raw: bool, block: bool) -> re.Pattern[str]:
    """Return what cuts C or C++; `raw` strings and `block` comments are known by their start alone when they have no end."""
    whole_block = rf"|/\*[\s\S]*?\*(?:{SPLICE})*/" if block else ""
    whole_raw = rf'{_RAW_START}[\s\S]*?\)(?P=mark)"|' if raw else ""
    raw_start = rf"|(?P<raw>{_RAW_START.replace('?P<mark>', '?:')})" if raw else ""
    return re.compile(
        rf"(?P<newline>{NEWLINE})|(?P<space>[ \t\v\f]+)"
        # A joined line inside an operator is no blank: `+\` and `=` on the next line are one `+=`.
        rf"|(?P<splice>(?<={GLUE}){SPLICE}(?!//|/\*)(?={GLUE}))|(?P<spliced>(?:{SPLICE})+)"
        rf"|(?P<comment>//(?>(?:[^\r\n\\]++|{SPLICE}|\\)*){whole_block})"
        rf"{'|(?P<block>/[*])' if block else ''}|(?P<string>{whole_raw}{_C_STRING}){raw_start}"
        rf"|(?P<word>{WORD}(?>(?:[\w$]|\\[uU][0-9a-fA-F{{}}]+|(?:{SPLICE})+(?=\w))*))"
        rf"|(?P<number>\.?[0-9](?>(?:[eEpP][+-]|'(?=\w)|[\w.]|(?:{SPLICE})+(?=\w))*))"
        rf"|(?P<error>/\*|{_OPEN_STRING})|(?P<hash>\#(?!\#))|(?P<operator>{operators})|(?P<other>[\s\S])"
    )


@functools.cache
def _c(raw: bool, block: bool) -> re.Pattern[str]:
    del raw  # C has none
    return _c_pattern(operators_of(_C_OPERATORS, SINGLE), raw=False, block=block)


@functools.cache
def _cpp(raw: bool, block: bool) -> re.Pattern[str]:
    return _c_pattern(operators_of(_CPP_OPERATORS, SINGLE), raw=raw, block=block)


_LEXICONS = {
    "c": Lexicon(keywords=frozenset(_C_KEYWORDS.split()), pattern=_c),
    "cpp": Lexicon(keywords=frozenset(_CPP_KEYWORDS.split()), pattern=_cpp),
}


def lex(language: Native, source: str) -> list[Piece]:
    """Cut the text into pieces."""
    return curly.lex(_LEXICONS[language], source)
