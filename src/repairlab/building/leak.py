"""Which texts give a bug away: lines of its fix, wherever they appear, and the tests that show it."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from repairlab.languages.counter import words
from repairlab.languages.facts import by_extension
from repairlab.languages.language import language

TELLING = 16
"""Characters of code below which a line may appear anywhere by chance."""
_LARGEST = 20_000_000
"""Bytes of a file that are searched, packed or not."""
NAME = re.compile(r"[A-Za-z_]\w{3,}")


def telling_lines(added: Iterable[str]) -> list[str]:
    """Return the added lines that do not stand anywhere by chance, blanks folded.

    >>> telling_lines(["    return  sum(prices)", "}", "------------------"])
    ['return sum(prices)']
    """
    lines = map(folded, added)
    return [line for line in lines if len(line) >= TELLING and NAME.search(line)]


def folded(text: str) -> str:
    """Return a text with one blank for all white space between words."""
    return " ".join(text.split())


def unpacked(content: bytes) -> str:
    """Return a file as text, whatever it is; of one that is compressed, what is in it.

    >>> import gzip
    >>> unpacked(gzip.compress(b"return sum(prices)"))
    'return sum(prices)'
    """
    content = content[:_LARGEST]
    if content.startswith((b"\x1f\x8b", b"\x78")):
        with suppress(zlib.error):
            content = zlib.decompressobj(wbits=47).decompress(content, _LARGEST)
    elif content.startswith(b"PK"):
        with suppress(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
            content = _of_zip(zipfile.ZipFile(io.BytesIO(content)))
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    return content.decode(encoding, "replace")


def _of_zip(archive: zipfile.ZipFile) -> bytes:
    """Return the texts of the files in an archive, one after another, up to a limit."""
    found = b""
    for name in archive.namelist():
        with archive.open(name) as file:
            found += file.read(_LARGEST - len(found)) + b"\n"
        if len(found) >= _LARGEST:
            break
    return found


def texts_of_tests(tests: Sequence[str], files: Mapping[str, str]) -> list[str]:
    r"""Return the functions that tests are named after, of files that they name if there are such; else whole files.

    >>> files = {"a/test_b.py": "def test_c():\n    pass\n", "a/test_d.py": "def test_c():\n    assert d\n"}
    >>> texts_of_tests(["a/test_d.py::test_c[1]"], files)
    ['def test_c():\n    assert d']
    """
    wanted = words(tests)
    named = {path: text for path, text in files.items() if wanted.intersection((path, PurePosixPath(path).stem))}
    found = [text for path, source in (named or files).items() for text in _functions(path, source, wanted)]
    return found or list(named.values()) or _called_after(wanted, files)


def _functions(path: str, source: str, wanted: frozenset[str]) -> list[str]:
    name = by_extension().get(PurePosixPath(path).suffix)
    functions = language(name).syntax.functions(source) if name else []
    return [function.span.of(source).rstrip() for function in functions if function.name in wanted]


def _called_after(wanted: frozenset[str], files: Mapping[str, str]) -> list[str]:
    """Return code files named after a test, as `test_sum.c` is after `sum`."""
    code = {path: text for path, text in files.items() if PurePosixPath(path).suffix in by_extension()}
    return [text for path, text in code.items() if any(len(word) > 2 and word in PurePosixPath(path).stem for word in wanted)]
