"""Texts of one normal form are one program to Python itself, wherever candidates of that form would share a verdict."""

import ast
import io
import itertools
import tokenize
import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.languages.language import language

SYNTAX = language("python").syntax
PROGRAM = '''\
x = [1, 0x1f,
     1.5, .5, 2j]  # c
s = 'a  b' "c # d" r'\\ n', b'x'[0:1]
t = """a
  b""" + f'{x} {x  =} {x:>4} {s!r: <3}'
def f(a, *b, c: int = 1 if x else 2) -> None:
    \'\'\'Say
        it.\'\'\'
    if a and not b:
        for i in range(-1, 3): print(i, end='')
        else:
            pass

    while a < b >= c: a += 1; b = ~b ** -1
    return lambda x, /: (yield) or \\
        x[1:2, ...] @ {1: 2, **c} // {1}
class A(B): x: int = 3
@A
async def g():
    try: await f(1)
    except (A, B) as e: raise e from None
    with x as y, z: del y.z
'''
GAPS = [
    "",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    " # c\n",
    "#\n",
    "\\\n",
    " \\\n ",
    "\\ \n",
    "\n\n    ",
    "\n\t",
    "\n  # c\n",
    "\f",
    ";",
    "#!x\n",
]


def boundaries() -> list[int]:
    """Return where tokens of the program begin and end."""
    starts = list(itertools.accumulate(map(len, PROGRAM.splitlines(keepends=True)), initial=0))
    tokens = list(tokenize.generate_tokens(io.StringIO(PROGRAM).readline))[:-1]
    return sorted({starts[row - 1] + column for token in tokens for row, column in (token.start, token.end) if row <= len(starts)})


PLACES = st.sampled_from(boundaries())
changes = st.lists(st.tuples(PLACES, st.sampled_from(GAPS), st.booleans()), min_size=1, max_size=4)


def changed(some: list[tuple[int, str, bool]]) -> str:
    """Return the program with other gaps at some places, added to what is there, or in its stead."""
    text = PROGRAM
    for place, gap, is_added in sorted(some, reverse=True):
        rest = text[place:]
        text = text[:place] + gap + (rest if is_added else rest.lstrip(" \n"))
    return text


def meaning(text: str) -> str:
    """Return what Python makes of a text: its tree, or that it refuses it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError):
        return "refused"


def shares(one: str, other: str) -> bool:
    seen = SYNTAX.sees_text(one) or SYNTAX.sees_text(other)
    return not seen and SYNTAX.normal_form(one) == SYNTAX.normal_form(other)


def test_the_program_is_one_of_those_that_share_a_verdict() -> None:
    assert shares(PROGRAM, f"# c\n{PROGRAM}\n\n".replace("x else 2", "x  else  2"))


@given(some=changes)
@settings(max_examples=200)
def test_texts_of_one_normal_form_are_one_program(some: list[tuple[int, str, bool]]) -> None:
    text = changed(some)
    assert not shares(PROGRAM, text) or meaning(PROGRAM) == meaning(text)


@given(some=changes, others=changes)
@settings(max_examples=200)
def test_changed_texts_of_one_normal_form_are_one_program(
    some: list[tuple[int, str, bool]], others: list[tuple[int, str, bool]]
) -> None:
    one, other = changed(some), changed([*some, *others])
    assert SYNTAX.normal_form(one) != SYNTAX.normal_form(other) or not shares(one, other) or meaning(one) == meaning(other)
