"""What came of compiling buggy trees, kept in the cache: the next worker, check or run need not compile them again.

Nothing of a candidate is in it, and what runs in a sandbox sees none of it.
"""

import contextlib
import hashlib
import os
import secrets
import zlib
from pathlib import Path

LARGEST_CACHE = 2 << 30
"""Bytes of all that is kept; what was not used for the longest time goes first."""
_DIGEST = hashlib.sha256().digest_size


def read_kept(path: Path) -> bytes:
    """Return what was kept in a file; nothing when there is none, or it is damaged."""
    with contextlib.suppress(OSError, zlib.error):
        content = path.read_bytes()
        if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
            os.utime(path)
            return zlib.decompress(content[_DIGEST:])
    return b""


def keep(path: Path, content: bytes) -> None:
    """Keep something in a file; where that cannot be written, it is done without."""
    packed = zlib.compress(content, 1)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(hashlib.sha256(packed).digest() + packed)
        aside.replace(path)
        make_room(path.parent)


def make_room(folder: Path, *, largest: int = LARGEST_CACHE) -> None:
    """Remove files until no more than so many bytes are left."""
    files = [(path.stat(), path) for path in folder.iterdir()]
    size = sum(stat.st_size for stat, _ in files)
    for stat, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
        if size <= largest:
            return
        path.unlink(missing_ok=True)
        size -= stat.st_size
