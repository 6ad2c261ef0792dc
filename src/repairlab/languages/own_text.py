"""Whether a program can see how its own text is laid out: lines, spacing, comments. Called by the languages' `sees_text`.

Two texts that differ only in layout behave alike unless something looks: at line numbers, frames or stack traces, at a macro's
argument as text, at the source file itself, or by a name that is made up while the program runs. Whatever mentions one of these
counts, in comments, too: a wrong yes costs a validation, a wrong no a verdict.
"""

import re
import unicodedata

_FILES = r"""\.(?:py|java|c|cc|cpp|cxx|h|hh|hpp|hxx)\\?["']"""
"""A string that ends like the name of a source file: the program may read it."""
_PYTHON = re.compile(
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
    rf"|\A(?:[^\n]*\n)?[^\n]*coding[:=]|{_FILES}"
)
_JAVA = re.compile(
    r"StackTrace|StackWalker|LineNumber|StackFrame|fillIn|Throwables|SourceFile|Logger|reflect|invoke|forName|getResource|ScriptEngine"
    r"|listFiles|Files\.(?:walk|list|find|newDirectoryStream)|ToolProvider|Instrumentation"
    # letters that only the compiler sees
    rf"|\\u+[0-9a-fA-F]|{_FILES}"
)
_NATIVE_RUNNING = rf"stacktrace|backtrace|addr2line|dladdr|opendir|readdir|ftw\b|scandir|glob|directory_iterator|{_FILES}"
_NATIVE_RUNS = re.compile(_NATIVE_RUNNING)
_NATIVE = re.compile(
    rf"{_NATIVE_RUNNING}|LINE\b|__LINE|source_location|[Aa]ssert|ASSERT|incbin|#\s*embed|__TIMESTAMP__"
    r"|%:|\?\?="  # other spellings of #
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_STRICT = re.compile(r"Werror|WARNING_AS_ERROR|warnings-as-errors")


def python_sees(source: str) -> bool:
    """Return whether a Python text may look at its own layout; its names may be written in compatible characters."""
    return _PYTHON.search(source if source.isascii() else unicodedata.normalize("NFKC", source)) is not None


def java_sees(source: str) -> bool:
    """Return whether a Java text may look at its own layout."""
    return _JAVA.search(source) is not None


def native_sees(source: str, *, of_others: bool) -> bool:
    """Return whether a C or C++ text may look at its own layout, or, as it runs, at that `of_others`: macros see their own file."""
    text = _INCLUDE.sub("", _SPLICE.sub("", source))
    if of_others:
        return _NATIVE_RUNS.search(text) is not None
    # Within a line, # and ## are operators of macros: they make texts and names of what they are given.
    return _NATIVE.search(text) is not None or any("#" in line.lstrip()[1:] for line in text.split("\n"))


def turns_warnings_into_errors(text: str) -> bool:
    """Return whether flags or a build file ask for it: compilers warn of indentation and of comments, too."""
    return _STRICT.search(text) is not None
