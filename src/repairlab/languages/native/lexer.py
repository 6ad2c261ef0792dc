"""The lexer of C and C++: splits any text into pieces, never fails, and knows nothing of grammar."""

import functools
import re
from typing import Literal

from repairlab.languages import curly
from repairlab.languages.c.facts import FLOW as C_FLOW
from repairlab.languages.cpp.facts import FLOW as CPP_FLOW
from repairlab.languages.curly import ESCAPE, GLUE, NEWLINE, SINGLE, WORD, Lexicon, operators_of
from repairlab.languages.syntax import SPLICE, Piece

Native = Literal["c", "cpp"]

_C_OPERATORS = "... :: <<= >>= -> ++ -- << >> <= >= == != && || += -= *= /= %= &= ^= |= ## %:%: <% %> <: :> %:"
_CPP_OPERATORS = f"<=> ->* .* {_C_OPERATORS}"
_C_STRING = rf"""(?:u8|[uUL])?(?:"(?>(?:[^"\\\r\n]++|{ESCAPE})*)"|'(?>(?:[^'\\\r\n]++|{ESCAPE})*)')"""
_RAW_START = r"""(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\("""
_OPEN_STRING = rf"""(?:"(?>(?:[^"\\\r\n]++|{ESCAPE}|\\)*)|'(?>(?:[^'\\\r\n]++|{ESCAPE}|\\)*))"""


def _c_pattern(operators: str, *, raw: bool, block: bool) -> re.Pattern[str]:
    """Return the pattern that splits C or C++; `raw` strings and `block` comments without an end are recognised by their start."""
    whole_block = rf"|/\*[\s\S]*?\*(?:{SPLICE})*/" if block else ""
    whole_raw = rf'{_RAW_START}[\s\S]*?\)(?P=mark)"|' if raw else ""
    raw_start = rf"|(?P<raw>{_RAW_START.replace('?P<mark>', '?:')})" if raw else ""
    return re.compile(
        rf"(?P<newline>{NEWLINE})|(?P<space>[ \t\v\f]+)"
        # A joined line inside an operator is not a blank: `+\` and `=` on the next line are one `+=`.
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
    "c": Lexicon(keywords=C_FLOW.keywords, pattern=_c),
    "cpp": Lexicon(keywords=CPP_FLOW.keywords, pattern=_cpp),
}


def lex(language: Native, source: str) -> list[Piece]:
    """Cut the text into pieces."""
    return curly.lex(_LEXICONS[language], source)
