"""Which lines of a fix tell it wherever they are read. One rule for issues that are cut and benchmarks that are audited."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable
from contextlib import suppress

TELLING = 16
"""Characters of code below which it may stand anywhere by chance."""
_LARGEST = 20_000_000
"""Bytes of a file that are looked at, packed or not."""
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
    """Return the texts of the files in an archive, one behind the other, as far as there is room for them."""
    found = b""
    for name in archive.namelist():
        with archive.open(name) as file:
            found += file.read(_LARGEST - len(found)) + b"\n"
        if len(found) >= _LARGEST:
            break
    return found
