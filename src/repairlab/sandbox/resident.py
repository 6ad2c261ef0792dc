"""A sandboxed process that stays and answers one request after another.

Requests and replies are frames on one socket, the process's file descriptor 3: a length of four bytes, then the content.
"""

import contextlib
import dataclasses
import os
import socket
import struct
import time
from collections.abc import Iterator

from repairlab.core.execution import Command
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.supervise import Launcher

_NO_TIME_LIMIT_S = 1e6
"""The launcher wants a number; the host watches the time of each request instead."""
_LENGTH = struct.Struct(">I")


class ResidentLost(Exception):  # noqa: N818  # what happened to it, and nobody's error: callers go on without it
    """The process is gone: it ended, did not answer in time, or answered nonsense; says which."""


class Resident:
    """The host's end of the socket; after the first failure the process is dead and every request fails."""

    def __init__(self, channel: socket.socket, launcher: Launcher, *, longest_reply: int) -> None:
        self._channel = channel
        self._launcher = launcher
        self._longest_reply = longest_reply
        self._lost = ""

    def ask(self, request: bytes, *, wall_s: float) -> bytes:
        """Send a request and return the reply; if none comes in time, kill the process and raise ResidentLost."""
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
            self._lose(f"it ended: {self._launcher.ending()}")
        except ResidentLost as lost:
            self._lose(str(lost))
        raise ResidentLost(self._lost)

    def _receive(self, size: int, deadline: float) -> bytes:
        received = bytearray()
        while len(received) < size:
            self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
            chunk = self._channel.recv(min(size - len(received), 1 << 20))
            if not chunk:
                raise ResidentLost(f"it ended: {self._launcher.ending()}")
            received += chunk
        return bytes(received)

    def _lose(self, reason: str) -> None:
        self._lost = reason
        self._channel.close()
        self._launcher.stop()


@contextlib.contextmanager
def resident(command: Command, launcher: Launcher) -> Iterator[Resident]:
    """Start a command in its own launcher and hold the other end of its descriptor 3."""
    unlimited = dataclasses.replace(command.limits, cpu_s=_NO_TIME_LIMIT_S, wall_s=_NO_TIME_LIMIT_S)
    with our_failure("cannot talk to a resident command"):
        ours, theirs = socket.socketpair()
    with ours:
        with our_failure("cannot start a resident command"), theirs, open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            launcher.send(dataclasses.replace(command, limits=unlimited), [nowhere.fileno(), nowhere.fileno(), theirs.fileno()])
        yield Resident(ours, launcher, longest_reply=int(4 * command.limits.output_mb * 1024 * 1024) + 65536)
