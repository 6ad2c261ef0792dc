"""What the runners of Python tests share: the report on file descriptor 3, and the way from their start to their end.

They start inside the sandbox, beside the code under test, which may patch modules as it likes: all that the report needs is bound
before that is imported. Standard input brings one JSON request: `nonce`, `tests`, `stop`, `path` (folders to import from).
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FIRST_PRIVATE_DESCRIPTOR = 100
_LONGEST_MESSAGE = 2000

# No more of this folder, but pytest: it may be imported next, or by the tests.
sys.path[:] = [*sys.path[1:], str(Path(__file__).parent.parent / "packages")]


class Channel:
    """The report: JSON lines on a private descriptor that children do not inherit."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._process = os.getpid()
        first = _FIRST_PRIVATE_DESCRIPTOR + int.from_bytes(nonce[:2].encode(), "big") % 500
        self._descriptor = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, first)
        os.close(3)
        self._encode = json.JSONEncoder().encode
        self._write, self._getpid = os.write, os.getpid
        self._times, self._wall = os.times, time.perf_counter
        self._began = (0.0, 0.0)
        self.ended: set[str] = set()

    def _send(self, event: dict[str, Any]) -> None:
        # A test may fork and let the child run on: only the process that was started reports.
        if self._getpid() != self._process:
            return
        line = (self._encode({"nonce": self._nonce, **event}) + "\n").encode()
        while line:
            line = line[self._write(self._descriptor, line) :]

    def _now(self) -> tuple[float, float]:
        return sum(self._times()[:4]), self._wall()

    def start(self, test: str) -> None:
        """Say that a test begins."""
        self._began = self._now()
        self._send({"event": "start", "test": test})

    def end(self, test: str, status: str, message: str = "") -> None:
        """Say how a test ended."""
        if test in self.ended:
            return
        self.ended.add(test)
        cpu, wall = self._now()
        cpu_s, wall_s = (cpu - self._began[0], wall - self._began[1]) if self._began[1] else (0.0, 0.0)
        message = message.strip()[:_LONGEST_MESSAGE]
        self._send({"event": "end", "test": test, "status": status, "message": message, "cpu_s": cpu_s, "wall_s": wall_s})

    def error(self, message: str) -> None:
        """Say why tests could not be loaded."""
        self._send({"event": "error", "message": message.strip()[:_LONGEST_MESSAGE]})

    def done(self) -> None:
        """Say that the runner came to its proper end."""
        self._send({"event": "done"})


def code_of(function: Any) -> list[Any]:
    """Return what a test function consists of, wrappers included: code under test may put other code in its place."""
    found = []
    while function is not None:
        function = getattr(function, "__func__", function)
        found.append(getattr(function, "__code__", function))
        function = getattr(function, "__wrapped__", None)
    return found


def stop_here_as_server() -> None:
    """Return in each fork of a fork server (see the folder zygote), or at once when none is wanted."""
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(ImportError):
        import _zygote  # type: ignore[import-not-found]  # noqa: F401, PLC0415
    os.environ.pop("REPAIRLAB_FORK_SERVER", None)
    for name in ("script_ended", "serve_script", "read_kept"):
        vars(sys).pop(name, None)
    serve_forks = vars(sys).pop("serve_forks", None)
    gc.collect()
    gc.freeze()  # collections in forks need not look at what was here before them
    if serve_forks is not None:
        serve_forks()


def main(framework: str, run: Callable[[Channel, dict[str, Any]], bool]) -> None:
    """Read the request, hide the channel, run, and leave without running anything more of the code under test."""
    stop_here_as_server()
    request = json.loads(sys.stdin.buffer.read())
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    channel = Channel(request.pop("nonce"))
    leave, flush = os._exit, [sys.stdout.flush, sys.stderr.flush]
    del sys.modules[__name__]  # code under test has no business here
    sys.path[:0] = [str(Path.cwd()), *(str(Path(folder).absolute()) for folder in request["path"])]
    if request["path"]:
        os.environ["PYTHONPATH"] = os.pathsep.join(request["path"])
    sys.argv[:] = [framework]
    finished = run(channel, request)
    if finished:
        channel.done()
    for stream in flush:
        stream()
    leave(0 if finished else 1)
