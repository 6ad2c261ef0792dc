"""C and C++: reading source text, whether a program can see how its own text is laid out, and the entries of both languages."""

import random
import re
from collections.abc import Sequence
from functools import cached_property, partial
from typing import ClassVar

from repairlab.core.recipe import Framework
from repairlab.languages.blind import BlindFile, said_in
from repairlab.languages.c.facts import FACTS as C_FACTS
from repairlab.languages.counter import TestBody
from repairlab.languages.cpp.facts import FACTS as CPP_FACTS
from repairlab.languages.language import Syntax, Toolchain, Tools
from repairlab.languages.native import blind, counter, declarations
from repairlab.languages.native.lexer import Native, lex
from repairlab.languages.native.toolchain import NativeToolchain
from repairlab.languages.syntax import LexedSyntax, looking


class C:
    """The language C."""

    facts = C_FACTS
    name: ClassVar[Native] = "c"

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = LexedSyntax(self.name, partial(lex, self.name), partial(declarations.functions, self.name), sees)
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return NativeToolchain(self._tools, self.name)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them."""
        return counter.test_bodies(source, draw, self.name, framework)

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations."""
        del framework
        return blind.blind(source, self.name, nonce, first)

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order."""
        return said_in(nonce, output)


class Cpp(C):
    """The language C++, which is read, built and tested as C is."""

    facts = CPP_FACTS
    name = "cpp"


_RUNNING = r"stacktrace|backtrace|addr2line|dladdr|opendir|readdir|ftw\b|scandir|glob|directory_iterator"
_WAYS = (
    rf"{_RUNNING}|LINE\b|__LINE|source_location|[Aa]ssert|ASSERT|incbin|#\s*embed|__TIMESTAMP__"
    r"|%:|\?\?[=/'()!<>-]"  # other spellings of #, and of whatever else C spells in three characters
    # what some standards read as a part of a number and others as a quotation mark; a raw string that is none
    r"""|\d[\w.]*'|\b(?:u8|[uUL])?R"(?![^()\\\s]{0,16}\()"""
    # files and programs, and things with neither name nor type: instructions, symbols named by a string
    r"|[Oo]pen|\bcreat|fstream|filebuf|filesystem|\b_*[flx]*stat(?:x|at|64|at64)?\b|exec|spawn|system|syscall|wordexp"
    r"|asm\b|asm_|dlv?sym|weakref|alias|section|ifunc"
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_GLUED = re.compile(r"\S\\[ \t]*\r?\n\S")
"""Lines joined within a token, perhaps at the start of a comment or of a raw string, in which nothing is joined."""


def sees(source: str, *, of_others: bool) -> bool:
    """Return whether a C or C++ text may look at its own layout or, at run time, at that `of_others`: macros see their own file."""
    text = _INCLUDE.sub("", _SPLICE.sub("", source))
    if of_others:
        return looking(_RUNNING).search(text) is not None
    # Within a line, # and ## are operators of macros: they make texts and names of their arguments.
    return (
        looking(_WAYS).search(text) is not None
        or _GLUED.search(source) is not None
        or any("#" in line.lstrip()[1:] for line in text.split("\n"))
    )
