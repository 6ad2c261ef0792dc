"""C: reading source text, and the language's entry; the table of languages loads it by name."""

import random
from functools import cached_property

from repairlab.core.recipe import Framework
from repairlab.languages import syntax
from repairlab.languages.c.facts import FACTS as C_FACTS
from repairlab.languages.counter import TestBody
from repairlab.languages.language import Function, Syntax, Token, Toolchain, Tools
from repairlab.languages.native import counter, declarations
from repairlab.languages.native.layout import sees
from repairlab.languages.native.lexer import lex
from repairlab.languages.native.toolchain import NativeToolchain


class C:
    """The language C."""

    facts = C_FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = CSyntax()
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return NativeToolchain(self._tools, "c")

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them."""
        return counter.test_bodies(source, draw, "c", framework)


class CSyntax:
    """Reading C source text."""

    def functions(self, source: str) -> list[Function]:
        """Return all functions with a body; a macro that makes one, `DEFINE_TEST(x) {`, lends it its own name."""
        return declarations.functions("c", source)

    def strip_comments(self, source: str) -> str:
        """Return the text without comments."""
        return syntax.strip_comments(source, lex("c", source))

    def tokens(self, source: str) -> list[Token]:
        """Return the token stream; a directive ends with a `newline` token."""
        return syntax.tokens(source, lex("c", source))

    def normal_form(self, source: str) -> str:
        """Return a text equal for two sources that differ only in comments and white space; directives keep their lines."""
        return syntax.normal_form(source, lex("c", source))

    def has_errors(self, source: str) -> bool:
        """Return whether the parser found a syntax error."""
        return syntax.has_errors("c", source)

    def sees_text(self, source: str, *, of_others: bool = False) -> bool:
        """Return whether a program with this text may look at the layout of its own text, or of others."""
        return sees(source, of_others=of_others)
