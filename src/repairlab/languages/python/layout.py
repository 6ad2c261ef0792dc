"""Whether a Python program can see how its own text is laid out; see `own_text`. Called by its syntax."""

import unicodedata

from repairlab.languages.own_text import looking

_WAYS = (
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


def sees(source: str) -> bool:
    """Return whether a Python text may look at its own layout; its names may be written in compatible characters."""
    return looking(_WAYS).search(source if source.isascii() else unicodedata.normalize("NFKC", source)) is not None
