"""Programs in a sandbox that may reach named addresses and nothing else.

A sandbox's network has no way out. A port of its loopback is a socket made inside and handed to the host, where we accept the
connections: so a program reaches only what the host answers for, whatever it does with its own network.
"""

import contextlib
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution, Mount
from repairlab.core.record import record
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.launcher import compile_gate
from repairlab.sandbox.sandbox import Conversing
from repairlab.sandbox.supervise import Ends

MOST_PORTS = 16
MOST_CONNECTIONS = 64
"""Connections to one address at the same time."""
_CONNECT_S = 30.0


@record
class Port:
    """A port of the loopback inside a sandbox, and what answers there."""

    number: int
    serve: Callable[[socket.socket], AbstractContextManager[None]]
    """Accepts connections to a listening socket until the block ends."""


class Halt:
    """A switch that ends a program, and why it was pressed."""

    def __init__(self) -> None:
        """Make the switch."""
        self.reason = ""
        self._lock = threading.Lock()
        with our_failure("cannot make a switch"):
            self.number = os.eventfd(0, os.EFD_CLOEXEC)

    def press(self, reason: str) -> None:
        """End the program; the first reason counts."""
        with self._lock:
            if not self.reason and self.number >= 0:
                self.reason = reason
                os.eventfd_write(self.number, 1)

    def close(self) -> None:
        """Disarm the switch; pressing it does nothing any more."""
        with self._lock:
            os.close(self.number)
            self.number = -1


def run_with_ports(
    sandbox: Conversing, command: Command, tree: Path, ports: Sequence[Port], halt: Halt, *, cache: Path
) -> Execution:
    """Run a command that finds these ports on its loopback until it ends or is halted; its standard input is empty.

    Raises HarnessError if the sandbox cannot have ports or fails itself.
    """
    if len(ports) > MOST_PORTS:
        raise UserError(f"{len(ports)} addresses are named; no more than {MOST_PORTS} are possible")
    with contextlib.ExitStack() as stack:
        with our_failure("cannot talk with a program"):
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            output = stack.enter_context(_Output(int(command.limits.output_mb * 1024 * 1024), halt))
        servers = stack.enter_context(_Servers(ours, ports))
        with theirs:
            if ports:
                stdin, ready = theirs.fileno(), _behind_gate(command, ports, cache)
            else:
                stdin, ready = stack.enter_context(Path(os.devnull).open("rb")).fileno(), command
            done = sandbox.converse(ready, tree, Ends(stdin=stdin, stdout=output.theirs, halt=halt.number))
        servers.require(done)
        ending = Ending.OUTPUT_LIMIT if output.is_flooded else done.ending
        return replace(done, stdout=output.end(), ending=ending)


def _behind_gate(command: Command, ports: Sequence[Port], cache: Path) -> Command:
    gate = compile_gate(cache)
    argv = (str(gate), *(str(port.number) for port in ports), "--", *command.argv)
    return replace(command, argv=argv, mounts=(*command.mounts, Mount(path=str(gate))))


class _Servers:
    """Takes the sockets from inside, and has them served until the block ends."""

    def __init__(self, channel: socket.socket, ports: Sequence[Port]) -> None:
        self._channel, self._ports = channel, ports
        self._stack = contextlib.ExitStack()
        self._error: Exception | None = None
        self._is_open = False
        self._thread = threading.Thread(target=self._open, daemon=True)

    def __enter__(self) -> "_Servers":
        if self._ports:
            self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()
        self._stack.close()

    def require(self, done: Execution) -> None:
        """Raise HarnessError unless the ports were open before the program began."""
        self._end()
        if self._error is not None:
            raise self._error
        if self._ports and not self._is_open:
            said = done.stderr.decode(errors="replace").strip()[-300:]
            raise HarnessError(
                f"a program cannot reach named addresses in this sandbox ({said or done.ending}); bubblewrap can do it"
            )

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join()

    def _open(self) -> None:
        try:
            _, numbers, _, _ = socket.recv_fds(self._channel, 1, MOST_PORTS)
            listeners = [self._stack.enter_context(socket.socket(fileno=number)) for number in numbers]
            if len(listeners) != len(self._ports):
                return
            for port, listener in zip(self._ports, listeners, strict=True):
                self._stack.enter_context(port.serve(listener))
            self._is_open = True
            self._channel.send(b"g")
        except OSError:
            return  # the sandbox ended before: it says why
        except Exception as error:  # raised again by the thread that waits
            self._error = error


class _Output:
    """Up to a limit, what a program writes to its standard output."""

    def __init__(self, limit: int, halt: Halt) -> None:
        self._limit, self._halt = limit, halt
        self._chunks: list[bytes] = []
        self._size = 0
        self._number, self.theirs = os.pipe()
        self._over = os.eventfd(0, os.EFD_CLOEXEC)
        os.set_blocking(self._number, False)
        os.fchmod(self.theirs, 0o222)
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> "_Output":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()
        os.close(self._number)
        os.close(self._over)

    @property
    def is_flooded(self) -> bool:
        """Whether more came than may be kept."""
        return self._size > self._limit

    def end(self) -> bytes:
        """Take the rest once nobody writes any more, and return everything kept."""
        if self.theirs >= 0:
            os.close(self.theirs)
            self.theirs = -1
            os.eventfd_write(self._over, 1)
            self._thread.join()
        return b"".join(self._chunks)[: self._limit]

    def _read(self) -> None:
        # The end of the program counts, not that of the pipe: a fork of ours may hold it open unknowingly.
        poll = select.poll()
        poll.register(self._number, select.POLLIN)
        poll.register(self._over, select.POLLIN)
        while True:
            is_over = any(number == self._over for number, _ in poll.poll())
            try:
                while chunk := os.read(self._number, 65536):
                    self._take(chunk)
                return
            except BlockingIOError:
                if is_over:
                    return

    def _take(self, chunk: bytes) -> None:
        if not self.is_flooded:
            self._chunks.append(chunk)
            self._size += len(chunk)
            if self.is_flooded:
                self._halt.press("output limit")


def forward_to(host: str, port: int) -> Callable[[socket.socket], AbstractContextManager[None]]:
    """Return what forwards connections to one address of the host's network."""

    @contextlib.contextmanager
    def serve(listener: socket.socket) -> Iterator[None]:
        forwarder = _Forwarder(listener, (host, port))
        threading.Thread(target=forwarder.accept, daemon=True).start()
        try:
            yield
        finally:
            forwarder.close()

    return serve


class _Forwarder:
    """Joins each incoming connection with a new one to the address."""

    def __init__(self, listener: socket.socket, address: tuple[str, int]) -> None:
        self._listener, self._address = listener, address
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def accept(self) -> None:
        """Take connections until the listener is shut."""
        while True:
            try:
                inner, _ = self._listener.accept()
            except OSError:
                return
            if self._free.acquire(blocking=False):
                threading.Thread(target=self._join, args=(inner,), daemon=True).start()
            else:
                inner.close()

    def close(self) -> None:
        """End all connections."""
        with self._lock:
            self._is_closed = True
            ended = (self._listener, *self._open)
        for one in ended:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _join(self, inner: socket.socket) -> None:
        try:
            with inner, contextlib.suppress(OSError), socket.create_connection(self._address, timeout=_CONNECT_S) as outer:
                outer.settimeout(None)
                with self._lock:
                    if self._is_closed:
                        return
                    self._open |= {inner, outer}
                back = threading.Thread(target=_pump, args=(outer, inner), daemon=True)
                back.start()
                _pump(inner, outer)
                back.join()
        finally:
            with self._lock:
                self._open -= {inner}
                self._open = {one for one in self._open if one.fileno() >= 0}
            self._free.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Forward everything that comes, and then its end."""
    with contextlib.suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
