"""Python: finding functions by the depth of lines, and the language's entry; the table of languages loads it by name."""

import random
from functools import cached_property

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages import syntax
from repairlab.languages.counter import TestBody
from repairlab.languages.language import Function, Syntax, Token, Toolchain, Tools
from repairlab.languages.python import counter
from repairlab.languages.python.facts import FACTS
from repairlab.languages.python.layout import sees
from repairlab.languages.python.lexer import lex
from repairlab.languages.python.toolchain import PythonToolchain
from repairlab.languages.syntax import Piece


class Python:
    """The language Python."""

    facts = FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = PythonSyntax()
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return PythonToolchain(self._tools)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them."""
        del framework
        return counter.test_bodies(source, draw)


class PythonSyntax:
    """Reading Python source text."""

    def functions(self, source: str) -> list[Function]:
        """Return all functions and methods, nested ones too; lambdas have no name and are left out."""
        return _Outline(source).run()

    def strip_comments(self, source: str) -> str:
        """Return the text without comments; docstrings are strings and stay."""
        return syntax.strip_comments(source, lex(source))

    def tokens(self, source: str) -> list[Token]:
        """Return the token stream, with `newline`, `indent` and `dedent`."""
        return syntax.tokens(source, lex(source))

    def normal_form(self, source: str) -> str:
        """Return a text equal for two sources that differ only in comments, blank lines, spacing and width of indentation."""
        return syntax.normal_form(source, lex(source))

    def has_errors(self, source: str) -> bool:
        """Return whether the parser found a syntax error."""
        return syntax.has_errors("python", source)

    def sees_text(self, source: str, *, of_others: bool = False) -> bool:
        """Return whether a program with this text may look at its own layout."""
        return sees(source, of_others=of_others)


class _Block:
    """A class or function whose lines are being read."""

    def __init__(self, name: str, depth: int) -> None:
        self.name = name
        self.depth = depth
        self.start = 0
        self.body = -1
        self.parameters: tuple[str, ...] = ()
        self.is_function = False


class _Outline:
    """One walk over the logical lines of a text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.pieces = [piece for piece in lex(source) if piece.kind not in ("space", "comment", "prelude")]
        self.found: list[Function] = []
        self.open: list[_Block] = []
        self.end = 0
        """Where the last token that is no line break ended."""

    def text(self, index: int) -> str:
        """Return the text of a token, empty behind the last."""
        return self.source[self.pieces[index].start : self.pieces[index].end] if index < len(self.pieces) else ""

    def run(self) -> list[Function]:
        depth = index = 0
        decorated: int | None = None
        while index < len(self.pieces):
            kind = self.pieces[index].kind
            if kind in ("indent", "dedent", "newline"):
                depth += {"indent": 1, "dedent": -1, "newline": 0}[kind]
                index += 1
                continue
            last = index
            while self.pieces[last].kind != "newline":
                last += 1
            self._close(depth)
            first = self.pieces[index].start if decorated is None else decorated
            if kind != "error":
                decorated = first if self.text(index) == "@" else None
                self._header(index, last, depth, first)
            self.end = self.pieces[last - 1].end
            index = last
        self._close(0)
        return sorted(self.found, key=lambda function: (function.span.start, -function.span.end))

    def _close(self, depth: int) -> None:
        while self.open and self.open[-1].depth >= depth:
            block = self.open.pop()
            if block.is_function and 0 <= block.body < self.end:
                self.found.append(
                    Function(
                        name=block.name,
                        qualified=".".join([outer.name for outer in self.open] + [block.name]),
                        span=Span(start=block.start, end=self.end),
                        body=Span(start=block.body, end=self.end),
                        parameters=block.parameters,
                    )
                )

    def _header(self, first: int, last: int, depth: int, start: int) -> None:
        if self.open and self.open[-1].body < 0:
            self.open[-1].body = self.pieces[first].start
        index = first + (self.text(first) == "async")
        if self.text(index) not in ("def", "class") or self.text(index + 1) == "" or self.pieces[index + 1].kind != "name":
            return
        block = _Block(self.text(index + 1), depth)
        block.start = start
        block.is_function = self.text(index) == "def"
        colon = self._colon(index + 2, last)
        if block.is_function:
            block.parameters = self._parameters(index + 2, colon)
        if colon < last - 1:
            block.body = self.pieces[colon + 1].start
        self.open.append(block)

    def _colon(self, index: int, last: int) -> int:
        """Return the index of the colon that ends a header, or of the last token without one."""
        n_brackets = 0
        while index < last:
            text = self.text(index)
            n_brackets += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == ":" and n_brackets <= 0:
                return index
            index += 1
        return last - 1

    def _parameters(self, index: int, colon: int) -> tuple[str, ...]:
        n_brackets = 0
        # Type parameters, in square brackets, come first and may hold round ones.
        while index < colon and (n_brackets or self.text(index) != "("):
            n_brackets += (self.text(index) == "[") - (self.text(index) == "]")
            index += 1
        parameters: list[list[Piece]] = [[]]
        n_brackets = 0
        for piece in self.pieces[index + 1 : colon]:
            text = self.source[piece.start : piece.end]
            n_brackets += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if n_brackets < 0:
                break
            if text == "," and n_brackets == 0:
                parameters.append([])
            else:
                parameters[-1].append(piece)
        return tuple(syntax.joined(self.source, parameter) for parameter in parameters if parameter)
