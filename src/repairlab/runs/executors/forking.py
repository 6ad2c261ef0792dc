"""Processes forked from one that has loaded their code, has no threads and never ran anything.

Each costs milliseconds instead of the time Python takes to load that code. The server ends with this process, however that ends,
and its forks end with it; it leaves no file behind.
"""

import atexit
import ctypes
import gc
import importlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, NoReturn

from repairlab.core.errors import HarnessError

PRELOADED = ("repairlab.runs.worker", "repairlab.runs.validator_pool")
"""Modules that every worker needs, including all that they import."""
_LOST = -int(signal.SIGKILL)
_PR_SET_PDEATHSIG = 1


class ForkServer:
    """The process that forks, and our end of its socket."""

    def __init__(self, *, by_fork: bool = False) -> None:
        """Start it, by a fork if this process has no threads, has run nothing and needs the same code."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._wait = _forked(ours, theirs) if by_fork else _started(theirs)
        self._socket = ours
        self._connection = Connection(os.dup(ours.fileno()))
        self._lock = threading.Lock()

    def fork(self, function: Callable[..., None], arguments: Sequence[Any], pipe: Connection) -> int:
        """Call a function with arguments and a pipe in a new process, and return its id."""
        call = pickle.dumps((function, arguments))
        order = pickle.dumps((sys.path, dict(os.environ), _folder(), call))
        with self._talking():
            self._connection.send(("fork", order))
            socket.send_fds(self._socket, [b"."], [pipe.fileno()])
            pid: int = self._connection.recv()
        return pid

    def wait(self, pid: int) -> int:
        """Wait for the end of a process and return its exit code, or the negative number of the signal that killed it."""
        try:
            with self._talking():
                self._connection.send(("wait", pid))
                code: int = self._connection.recv()
        except (OSError, EOFError):
            return _LOST  # the server was killed, and all its forks with it
        return code

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """Let one thread ask at a time; a request that is interrupted, say by Ctrl-C, is the last: its answer would come next."""
        with self._lock:
            try:
                yield
            except BaseException:
                hang_up(self._socket.fileno())
                raise

    def close(self) -> None:
        """End the server."""
        with self._lock:
            hang_up(self._socket.fileno())
            self._connection.close()
            self._socket.close()
        self._wait()


def _started(theirs: socket.socket) -> Callable[[], object]:
    """Start a server and return what waits for its end."""
    code = f"from repairlab.runs.executors.forking import serve; serve({theirs.fileno()})"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],  # -P: modules in the current folder are not ours
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ).wait


def _forked(ours: socket.socket, theirs: socket.socket) -> Callable[[], object]:
    """Fork a server and return what waits for its end."""
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        ours.close()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code: object = 1
        try:
            serve(theirs.detach())
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()  # the parent has no other message for it
        _leave(code if isinstance(code, int) else 1)
    return partial(os.waitpid, pid, 0)


def _leave(code: int) -> NoReturn:
    """End this process as an interpreter would, but never return to the code that forked it: that belongs to its parent."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as an interpreter does first
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _folder() -> str:
    """Return the current folder of this process; if it has been deleted, work goes on anyway."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return os.sep


def hang_up(descriptor: int) -> None:
    """Close a connection for both ends, whoever else has it open: forks of this process keep what they inherited."""
    with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as held:
        held.shutdown(socket.SHUT_RDWR)


_servers: dict[int, ForkServer] = {}
_locks: dict[int, threading.Lock] = {}
"""By process: a fork must not talk to its parent's server or wait for a lock that a thread of its parent held."""


def start_server(*, by_fork: bool = False) -> ForkServer:
    """Return the server of this process; the first call starts it, and it loads while this process does something else."""
    pid = os.getpid()
    with _locks.setdefault(pid, threading.Lock()):
        if pid not in _servers:
            _servers[pid] = ForkServer(by_fork=by_fork)
            # Unlike `atexit`, this also runs at the end of a `multiprocessing` process, and after workers were closed.
            Finalize(None, _stop_server, exitpriority=0)
        return _servers[pid]


def _stop_server() -> None:
    server = _servers.pop(os.getpid(), None)
    if server is not None:
        server.close()


def fork(function: Callable[..., None], arguments: Sequence[Any], pipe: Connection) -> int:
    """Call a function in a process forked from the server, which is restarted if it was killed."""
    try:
        return start_server().fork(function, arguments, pipe)
    except (OSError, EOFError):
        _stop_server()
    try:
        return start_server().fork(function, arguments, pipe)
    except (OSError, EOFError) as error:
        raise HarnessError(f"the process that starts workers does not live: {error!r}") from error


def wait_for(pid: int) -> int:
    """Wait for the end of a process that was forked."""
    server = _servers.get(os.getpid())
    return server.wait(pid) if server is not None else _LOST


def serve(descriptor: int) -> None:
    """Be the server: fork and wait on request until the socket ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # those are for the main process, whose end is ours
    requests = socket.socket(fileno=descriptor)
    connection = Connection(os.dup(descriptor))
    gc.disable()  # everything loaded stays
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # forks only collect what they made themselves, and share the rest
    gc.enable()
    while True:
        try:
            kind, what = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        if kind == "wait":
            with suppress(OSError):  # nobody waits any more, and the next request is the end
                connection.send(_exit_code(what))
            continue
        _, (pipe,), _, _ = socket.recv_fds(requests, 1, 1)
        pid = os.fork()
        if pid == 0:
            requests.close()
            connection.close()
            _be_worker(what, pipe)
            sys.exit()  # like any other process, with everything due at its end
        os.close(pipe)
        connection.send(pid)


def _exit_code(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return _LOST  # this server was forked from an earlier one


def _be_worker(what: bytes, pipe: int) -> None:
    """Run the requested function in a fork."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # a killed run leaves no workers behind
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    path, environment, folder, call = pickle.loads(what)
    sys.path[:] = path
    os.environ.clear()
    os.environ.update(environment)  # all of these may have changed since the server started
    os.chdir(folder)
    function, arguments = pickle.loads(call)
    function(*arguments, Connection(pipe))
