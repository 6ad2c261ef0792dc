"""A sandboxed process that stays and answers one request after the other; every back end's `reside` gives one.

Requests and replies are frames on one socket, the process's file descriptor 3: a length of four bytes, then the content.
"""

import contextlib
import dataclasses
import io
import os
import socket
import struct
import time
from collections.abc import Iterator

from repairlab.core.execution import Command
from repairlab.sandbox.supervise import Ends, Launch, ask_to_stop, launched

_NO_TIME_LIMIT_S = 1e6
"""The launcher wants a number; the host watches the time of each request instead."""
_LENGTH = struct.Struct(">I")


class ResidentLost(Exception):  # noqa: N818  # what happened to it, and nobody's error: callers go on without it
    """The process is gone: it ended, did not answer in time, or answered nonsense; says which."""


class Resident:
    """The host's end of the socket; after the first failure the process is dead and every request fails."""

    def __init__(self, channel: socket.socket, stop: io.FileIO, status: int, *, longest_reply: int) -> None:
        self._channel = channel
        self._stop = stop
        self._status = status
        self._longest_reply = longest_reply
        self._lost = ""

    def ask(self, request: bytes, *, wall_s: float) -> bytes:
        """Send a request and return the reply; raises ResidentLost, and kills the process, when none comes in time."""
        if self._lost:
            raise ResidentLost(self._lost)
        deadline = time.monotonic() + wall_s
        try:
            self._channel.settimeout(wall_s)
            self._channel.sendall(_LENGTH.pack(len(request)) + request)
            (length,) = _LENGTH.unpack(self._receive(_LENGTH.size, deadline))
            if length > self._longest_reply:
                raise ResidentLost(f"it announced a reply of {length} bytes")
            return self._receive(length, deadline)
        except TimeoutError:
            self._lose(f"no answer within {wall_s:g} s")
        except OSError:
            self._lose(f"it ended{self._last_words()}")
        except ResidentLost as lost:
            self._lose(str(lost))
        raise ResidentLost(self._lost)

    def _receive(self, size: int, deadline: float) -> bytes:
        received = bytearray()
        while len(received) < size:
            self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
            chunk = self._channel.recv(min(size - len(received), 1 << 20))
            if not chunk:
                raise ResidentLost(f"it ended{self._last_words()}")
            received += chunk
        return bytes(received)

    def _lose(self, reason: str) -> None:
        self._lost = reason
        self._channel.close()
        ask_to_stop(self._stop)

    def _last_words(self) -> str:
        said = os.pread(self._status, 500, 0).decode(errors="replace").strip()
        return f": {said}" if said else ""


@contextlib.contextmanager
def resident(command: Command, launch: Launch) -> Iterator[Resident]:
    """Start a command through the launcher and hold the other end of its descriptor 3."""
    unlimited = dataclasses.replace(command.limits, cpu_s=_NO_TIME_LIMIT_S, wall_s=_NO_TIME_LIMIT_S)
    with contextlib.ExitStack() as stack:
        ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        stack.callback(os.close, nowhere)
        status = os.memfd_create("status", os.MFD_CLOEXEC)
        stack.callback(os.close, status)
        ends = Ends(stdout=nowhere, stderr=nowhere, report=theirs.fileno(), status=status)
        _, stop = stack.enter_context(launched(dataclasses.replace(command, limits=unlimited), launch, ends))
        theirs.close()
        yield Resident(ours, stop, status, longest_reply=int(4 * command.limits.output_mb * 1024 * 1024) + 65536)
