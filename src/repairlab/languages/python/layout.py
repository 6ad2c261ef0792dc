"""Whether a Python program can see how its own text is laid out; see `own_text`."""

import ast
import string
import sys
import unicodedata
import warnings

from repairlab.languages.source_introspection import looking

_LOOKING = (
    # line numbers and frames
    r"line_?(?:no|num|cache)|_frames?\b|[a-z]frame\b|trace|inspect|warnings|logging|doctest|excepthook|exc_info|faulthandler|profile"
    r"|\b(?:tb|co|f|gi|cr|ag)_[a-z]+|__code__"
    # the text itself
    r"|get_?source|tokenize|__file__|__loader__|__spec__|__cached__|import __main__|\bargv\b|get_data|runpy|pkgutil"
    r"|importlib|zipimport|\bast\b|\bdis\b"
    r"|listdir|scandir|glob\b|\bwalk\b|iterdir|__path__"
    # names made up as it runs
    r"|getattr|\beval\b|\bexec\b|(?<!re\.)\bcompile\b|__import__|globals|\bvars\b|__dict__|__builtins__|ctypes"
    # a comment that says how the bytes are to be read
    r"|\A(?:[^\n]*\n)?[^\n]*coding[:=]"
)
_WAYS = (
    rf"{_LOOKING}"
    # files, programs, and names made up as it runs, wherever these come from
    r"|[Oo]pen|[Ff]ile|exec|spawn|system|fork|read_(?:text|bytes)|fromfile|load(?:txt|_module)|memmap|locals|breakpoint"
    r"|attrgetter|methodcaller|get_field|type_hints|singledispatch|ForwardRef|\bmodules\b|\braw\b|detach|monitoring"
    # what Python writes there of errors that nobody caught
    r"|stderr"
)
_PLAIN_MODULES = """__future__ abc array base64 binascii bisect calendar cmath collections colorsys contextlib contextvars copy
dataclasses datetime decimal difflib enum errno fractions functools graphlib hashlib heapq hmac html io itertools json keyword
locale math numbers operator queue random re secrets statistics string stringprep struct sys textwrap time typing types
unicodedata weakref zlib"""
_PLAIN = frozenset(_PLAIN_MODULES.split())
"""Modules of the library that neither open files nor start programs nor load code, but for words above and what they imported."""
_TOOLS = frozenset({"py", "pluggy", "iniconfig", "packaging", "pygments"})
"""What comes along with pytest; all else that is not the library's is the project's own, and is looked at itself."""
_SPECIAL_NAMES = """__init__ __new__ __post_init__ __name__ __main__ __class__ __doc__ __all__ __slots__ __version__ __author__
__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __repr__ __str__ __len__ __iter__ __next__ __contains__ __getitem__
__setitem__ __delitem__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __neg__ __abs__ __bool__ __int__
__float__ __enter__ __exit__ __call__ __missing__ __reversed__ __debug__"""
_SPECIAL = frozenset(_SPECIAL_NAMES.split())
"""Names of the language that may be used; any may be defined."""
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
        return True  # Whether the interpreter of the bug takes it, and as what, is for that one to say.


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
