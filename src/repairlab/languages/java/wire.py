"""How our Java servers are spoken to: bytes of requests, replies and class files.

Request: nonce, verb, CPU limit, output limit, body. Reply: nonce, exit code, why it is odd, standard output, standard error,
report, CPU time, wall time, pages of memory. Texts and bytes are a length and the content; times are in
nanoseconds.
Compiled: what of the program may last in a JVM, how many class files, then for each its name, and its source and content unless
they are those of the buggy tree.
"""

import os
import struct
from collections.abc import Iterable, Mapping

from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.record import record


@record
class Reply:
    """A server's answer to one request."""

    execution: Execution
    odd: str


class Reader:
    """Splits bytes into fields; ValueError if they end too early."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._content)

    def number(self, form: str) -> int:
        """Take a number."""
        (value,) = struct.unpack(form, self._take(struct.calcsize(form)))
        return int(value)

    def blob(self) -> bytes:
        """Take bytes with their length."""
        return self._take(self.number(">I"))

    def text(self) -> str:
        """Take a text with its length."""
        return self.blob().decode("utf-8", "replace")

    def _take(self, size: int) -> bytes:
        taken = self._content[self._at : self._at + size]
        if len(taken) < size:
            raise ValueError("the reply is too short")
        self._at += size
        return taken


def blob(content: bytes) -> bytes:
    """Return bytes with their length."""
    return struct.pack(">I", len(content)) + content


def text(content: str) -> bytes:
    """Return a text with its length."""
    return blob(content.encode())


def many(parts: Iterable[bytes]) -> bytes:
    """Return how many parts there are, and the parts."""
    listed = list(parts)
    return struct.pack(">I", len(listed)) + b"".join(listed)


def request(command: Command, nonce: str) -> bytes:
    """Return a request: its verb is the command's program, its body what the command reads."""
    limits = struct.pack(">qI", int(command.limits.cpu_s * 1e9), int(command.limits.output_mb * 1024 * 1024))
    return text(nonce) + text(command.argv[0]) + limits + blob(command.stdin)


def reply(content: bytes, nonce: str) -> Reply:
    """Read a reply; ValueError if it is malformed."""
    reader = Reader(content)
    if reader.blob() != nonce.encode():
        raise ValueError("the reply has another nonce than the request")
    exit_code, odd = reader.number(">i"), reader.text()
    stdout, stderr, report = reader.blob(), reader.blob(), reader.blob()
    execution = Execution(
        ending=Ending.EXITED,
        exit_code=exit_code,
        signal=None,
        stdout=stdout,
        stderr=stderr,
        report=report,
        cpu_s=reader.number(">q") / 1e9,
        wall_s=reader.number(">q") / 1e9,
        peak_mb=reader.number(">q") * os.sysconf("SC_PAGE_SIZE") / (1024 * 1024),
    )
    return Reply(execution=execution, odd=odd)


def changed_sources(changed: Mapping[str, str | None]) -> bytes:
    """Return new texts of files; a file without one is deleted."""
    return many(text(path) + (b"\0" if new is None else b"\1" + text(new)) for path, new in changed.items())


def cases(nonce: str, limits: Limits, classes: Mapping[str, bytes], inputs: Iterable[bytes], *, patience_s: float) -> bytes:
    """Return the request to run a program on one input after another; none is begun after this time."""
    head = text(nonce) + struct.pack(">Iq", int(limits.output_mb * 1024 * 1024), int(patience_s * 1e9))
    return head + many(text(name) + blob(content) for name, content in classes.items()) + many(map(blob, inputs))


@record
class Compiled:
    """The result of a compilation."""

    lasting: str
    """Parts of the program that may change or see more of its JVM than one run; empty: none."""
    classes: Mapping[str, bytes]


def read_compiled(content: bytes, base: Mapping[str, bytes]) -> Compiled:
    """Read class files; `base` are those of the buggy tree."""
    reader = Reader(content)
    lasting, files = reader.text(), {}
    for _ in range(reader.number(">I")):
        name = reader.text()
        if not reader.number(">B"):
            files[name] = base[name]
            continue
        reader.blob()  # its source, which only the compiler asks for
        files[name] = reader.blob()
    return Compiled(lasting=lasting, classes=files)
