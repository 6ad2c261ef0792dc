"""C++: reading source text, and the language's entry; the table of languages loads it by name."""

import random
from functools import cached_property

from repairlab.core.recipe import Framework
from repairlab.languages import syntax
from repairlab.languages.counter import TestBody
from repairlab.languages.cpp.facts import FACTS as CPP_FACTS
from repairlab.languages.language import Function, Syntax, Token, Toolchain, Tools
from repairlab.languages.native import counter, declarations
from repairlab.languages.native.layout import sees
from repairlab.languages.native.lexer import lex
from repairlab.languages.native.toolchain import NativeToolchain


class Cpp:
    """The language C++."""

    facts = CPP_FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = CppSyntax()
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return NativeToolchain(self._tools, "cpp")

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them."""
        return counter.test_bodies(source, draw, "cpp", framework)


class CppSyntax:
    """Reading C++ source text."""

    def functions(self, source: str) -> list[Function]:
        """Return all functions with a body, qualified by what is around them; unnamed namespaces and classes add nothing.

        `void ns::Foo::bar() {}` is `ns.Foo.bar`, a friend defined in a class is qualified by that class, lambdas are left out.
        """
        return declarations.functions("cpp", source)

    def strip_comments(self, source: str) -> str:
        """Return the text without comments."""
        return syntax.strip_comments(source, lex("cpp", source))

    def tokens(self, source: str) -> list[Token]:
        """Return the token stream; a directive ends with a `newline` token."""
        return syntax.tokens(source, lex("cpp", source))

    def normal_form(self, source: str) -> str:
        """Return a text equal for two sources that differ only in comments and white space; directives keep their lines."""
        return syntax.normal_form(source, lex("cpp", source))

    def has_errors(self, source: str) -> bool:
        """Return whether the parser found a syntax error."""
        return syntax.has_errors("cpp", source)

    def sees_text(self, source: str, *, of_others: bool = False) -> bool:
        """Return whether a program with this text may look at the layout of its own text, or of others."""
        return sees(source, of_others=of_others)
