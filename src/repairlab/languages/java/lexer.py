"""The lexer of Java: cuts any text into pieces, never fails, and knows nothing of grammar."""

import functools
import re

from repairlab.languages import curly
from repairlab.languages.curly import NEWLINE, SINGLE, WORD, Lexicon, operators_of
from repairlab.languages.syntax import Piece

_KEYWORDS = """abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package private protected
public return short static strictfp super switch synchronized this throw throws transient true try void volatile while"""
_OPERATORS = ">>>= >>> <<= >>= ... -> :: ++ -- && || == != <= >= += -= *= /= &= |= ^= %= << >> @"
_TEXT_BLOCK_START = r'"""[ \t\f]*(?:\r\n?|\n)'
_DIGITS = r"[0-9](?:[0-9_]*[0-9])?"


@functools.cache
def _pattern(raw: bool, block: bool) -> re.Pattern[str]:
    """Return what cuts Java; text blocks (`raw`) and `block` comments are known by their start alone when they have no end."""
    whole_block = r"|/\*[\s\S]*?\*/" if block else ""
    whole_raw = rf'{_TEXT_BLOCK_START}(?>(?:[^"\\]++|\\[\s\S]|"(?!""))*)"""|' if raw else ""
    return re.compile(
        rf"(?P<newline>{NEWLINE})|(?P<space>[ \t\f]+)"
        # Java reads \u000a as a line break even in a comment, where it ends it.
        rf"|(?P<comment>//(?>(?:[^\r\n\\]++|\\\\|(?!\\u+000[aAdD])\\)*){whole_block}){'|(?P<block>/[*])' if block else ''}"
        rf"{f'|(?P<string>{whole_raw}(?!{_TEXT_BLOCK_START})' if raw else '|(?P<string>'}"
        + r'(?:"(?>(?:[^"\\\r\n]++|\\[^\r\n])*)"'
        + r"|'(?>(?:[^'\\\r\n]++|\\[^\r\n])*)'))"
        rf"{f'|(?P<raw>{_TEXT_BLOCK_START})' if raw else ''}"
        rf"|(?P<word>{WORD}(?>(?:[\w$]|\\u+[0-9a-fA-F]+)*))"
        rf"|(?P<number>(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]+)?|0[bB][01_]+"
        rf"|(?:{_DIGITS}(?:\.(?!\.)(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9_]+)?)[lLfFdD]?)"
        r"""|(?P<error>/\*|"(?>(?:[^"\\\r\n]++|\\[^\r\n]|\\)*)|'(?>(?:[^'\\\r\n]++|\\[^\r\n]|\\)*))"""
        rf"|(?P<operator>{operators_of(_OPERATORS, SINGLE + '@')})|(?P<other>[\s\S])"
    )


_JAVA = Lexicon(keywords=frozenset(_KEYWORDS.split()), pattern=_pattern, prelude=re.compile(r"\ufeff?(?:#![^\r\n]*)?"))


def lex(source: str) -> list[Piece]:
    """Cut the text into pieces."""
    return curly.lex(_JAVA, source)
