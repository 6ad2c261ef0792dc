"""What a sandboxed command reads from and writes to: files in memory, and pipes that keep a limited amount."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from typing import Self


class OutputPipe:
    """One pipe from the sandbox, which keeps a limited amount."""

    def __init__(self, limit: int) -> None:
        self.number, self.theirs = os.pipe()
        # Test frameworks open /proc/self/fd/3 by name and run as a user other than root; what was written cannot be taken back.
        os.fchmod(self.theirs, 0o222)
        os.set_blocking(self.number, False)
        self.ended = False
        """Whether nobody can write to it any more."""
        self._limit = limit
        self._chunks: list[bytes] = []
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self.number)
        self.leave_to_them()

    def leave_to_them(self) -> None:
        """Close the end to write to."""
        if self.theirs >= 0:
            os.close(self.theirs)
        self.theirs = -1

    def read(self) -> bool:
        """Read what the pipe holds now; return False if it is empty, for now or for good."""
        try:
            chunk = os.read(self.number, 65536)
        except BlockingIOError:
            return False
        self.ended = not chunk
        if chunk and self.size <= self._limit:
            self._chunks.append(chunk)
            self.size += len(chunk)
        return bool(chunk)

    @property
    def content(self) -> bytes:
        """Everything kept: for a flooded pipe, a little more than the limit."""
        return b"".join(self._chunks)


@contextlib.contextmanager
def memory_file(content: bytes) -> Iterator[int]:
    """Open a sealed file in memory: unlike a pipe, it needs no writer while it is read."""
    with open_memory("input") as number:
        left = memoryview(content)
        while left:
            left = left[os.write(number, left) :]
        os.lseek(number, 0, os.SEEK_SET)
        fcntl.fcntl(number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        yield number


@contextlib.contextmanager
def open_memory(name: str) -> Iterator[int]:
    """Open an empty file in memory."""
    number = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        yield number
    finally:
        os.close(number)
