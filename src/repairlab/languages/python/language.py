"""Python: finding functions by the depth of lines, whether a program can see its own layout, and the language's entry."""

import ast
import random
import string
import sys
import unicodedata
import warnings
from collections.abc import Collection, Sequence
from functools import cached_property

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages.blind import BlindFile, said_in
from repairlab.languages.counter import TestBody
from repairlab.languages.language import Function, Syntax, Toolchain, Tools
from repairlab.languages.python import blind, counter
from repairlab.languages.python.facts import FACTS
from repairlab.languages.python.lexer import lex
from repairlab.languages.python.toolchain import PythonToolchain
from repairlab.languages.syntax import LexedSyntax, Piece, joined, looking


class Python:
    """The language Python."""

    facts = FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = LexedSyntax("python", lex, functions, sees)
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return PythonToolchain(self._tools)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them."""
        del framework
        return counter.test_bodies(source, draw)

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations."""
        return blind.blind(source, framework, nonce, first)

    def blind_opaque(self, source: str, framework: Framework, nonce: str, first: int, opaque: Collection[str]) -> BlindFile:
        """Return the same where assertions with these texts can say of what they look at no more than whether they hold."""
        return blind.blind(source, framework, nonce, first, opaque)

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order."""
        return said_in(nonce, output)


def functions(source: str) -> list[Function]:
    """Return all functions and methods, nested ones too; lambdas have no name and are left out."""
    return _Outline(source).run()


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
        """Where the last token other than a line break ended."""

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
        return self.found

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
        return tuple(joined(self.source, parameter) for parameter in parameters if parameter)


_LOOKING = (
    # line numbers and frames
    r"line_?(?:no|num|cache)|_frames?\b|[a-z]frame\b|trace|inspect|warnings|logging|doctest|excepthook|exc_info|faulthandler|profile"
    r"|\b(?:tb|co|f|gi|cr|ag)_[a-z]+|__code__"
    # the text itself
    r"|get_?source|tokenize|__file__|__loader__|__spec__|__cached__|import __main__|\bargv\b|get_data|runpy|pkgutil"
    r"|importlib|zipimport|\bast\b|\bdis\b"
    r"|listdir|scandir|glob\b|\bwalk\b|iterdir|__path__"
    # names made up at run time
    r"|getattr|\beval\b|\bexec\b|(?<!re\.)\bcompile\b|__import__|globals|\bvars\b|__dict__|__builtins__|ctypes"
    # a comment that says how the bytes are to be read
    r"|\A(?:[^\n]*\n)?[^\n]*coding[:=]"
)
_WAYS = (
    rf"{_LOOKING}"
    # files, programs, and names made up at run time, wherever these come from
    r"|[Oo]pen|[Ff]ile|exec|spawn|system|fork|read_(?:text|bytes)|fromfile|load(?:txt|_module)|memmap|locals|breakpoint"
    r"|attrgetter|methodcaller|get_field|type_hints|singledispatch|ForwardRef|\bmodules\b|\braw\b|detach|monitoring"
    # what Python writes there about uncaught errors
    r"|stderr"
)
_PLAIN_MODULES = """__future__ abc array base64 binascii bisect calendar cmath collections colorsys contextlib contextvars copy
dataclasses datetime decimal difflib enum errno fractions functools graphlib hashlib heapq hmac html io itertools json keyword
locale math numbers operator queue random re secrets statistics string stringprep struct sys textwrap time typing types
unicodedata weakref zlib"""
_PLAIN = frozenset(_PLAIN_MODULES.split())
"""Library modules that neither open files nor start programs nor load code, apart from the words above and their imports."""
_TOOLS = frozenset({"py", "pluggy", "iniconfig", "packaging", "pygments"})
"""What comes with pytest; everything else outside the library is the project's own and is examined itself."""
_SPECIAL_NAMES = """__init__ __new__ __post_init__ __name__ __main__ __class__ __doc__ __all__ __slots__ __version__ __author__
__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __repr__ __str__ __len__ __iter__ __next__ __contains__ __getitem__
__setitem__ __delitem__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __neg__ __abs__ __bool__ __int__
__float__ __enter__ __exit__ __call__ __missing__ __reversed__ __debug__"""
_SPECIAL = frozenset(_SPECIAL_NAMES.split())
"""Names of the language that may be used; any may be redefined."""
_PRINTERS = frozenset({"copyright", "credits", "help", "license"})
"""Built-in names whose classes read files."""


def sees(source: str, *, of_others: bool) -> bool:
    """Return whether a Python text may look at its own layout; a test, which sees that `of_others`, says so.

    Names may be written in compatible characters.
    """
    text = source if source.isascii() else unicodedata.normalize("NFKC", source)
    if of_others:
        return looking(_LOOKING).search(text) is not None
    return looking(_WAYS).search(text) is not None or _uses_more_than_plain_parts(source)


def _uses_more_than_plain_parts(source: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
        return any(map(_is_more_than_plain, ast.walk(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # Whether the bug's interpreter accepts it, and as what, is for that interpreter to say.


def _is_more_than_plain(node: ast.AST) -> bool:
    match node:
        case ast.Import():
            return any(_is_looking_module(alias.name) for alias in node.names)
        case ast.ImportFrom():
            names = [alias.name for alias in node.names]
            return (not node.level and _is_looking_module(node.module or "")) or any(map(_is_looking_name, names))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return _formats_attributes(text)
        case ast.Attribute(value=value, attr=("format" | "format_map" | "vformat") as verb):
            return not (verb == "format" and isinstance(value, ast.Constant))
        case ast.Attribute(attr=name):
            return _is_looking_name(name)
        case ast.Name(id=name):
            return _is_special(name) or name in _PRINTERS
    return False


def _is_looking_module(name: str) -> bool:
    first = name.split(".", maxsplit=1)[0]
    is_library = first.lstrip("_") in sys.stdlib_module_names or first in sys.stdlib_module_names
    return first not in _PLAIN if is_library else "test" in name or first in _TOOLS


def _is_looking_name(name: str) -> bool:
    bare = name.lstrip("_")
    return _is_special(name) or (bare in sys.stdlib_module_names and bare not in _PLAIN)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _SPECIAL


def _formats_attributes(text: str) -> bool:
    """Return whether a format takes more of its arguments than their texts: `{0.name}`."""
    try:
        return any("." in (name or "") or "{" in (spec or "") for _, name, spec, _ in string.Formatter().parse(text))
    except ValueError:
        return True
