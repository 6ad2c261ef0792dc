"""The process that compiles for all bugs of this one, candidate after candidate, and runs nothing of theirs.

A compiler is slow until it has worked for a while, so it stays for the bugs to come; it ends with this process. What came of
buggy trees is kept in the cache; nothing of a candidate is in it, and what runs in a sandbox sees none of it.
"""

import atexit
import contextlib
import dataclasses
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
import threading
import zlib
from collections.abc import Mapping
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution, Limits
from repairlab.languages.language import WarmTools
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.stopwatch import STOPWATCH

LIMITS = Limits(cpu_s=20.0, memory_mb=1024, output_mb=64.0, processes=64, disk_mb=64)
"""A candidate that needs more is compiled by a process of its own."""
OPENING_CPU_S = 120.0
"""For the whole buggy tree, by a compiler that has not yet worked much."""
PATIENCE_S = 10.0
"""Wall time per request, beyond what its CPU limit would take on a loaded machine."""

_compilers: dict[tuple[int, Sandbox, Command], "_Compiler"] = {}
_compilers_lock = threading.Lock()


class CompiledTree:
    """The tree of one bug and how the compiler sees it; HarnessError or ResidentLost when it cannot say."""

    def __init__(self, bug: Bug, sandbox: Sandbox, tools: WarmTools) -> None:
        self._tools, self._source = tools, bug.tree.source
        self._compiler = _compiler(sandbox, tools.compiler)
        self._name = secrets.token_hex(8)
        self._opened_in = 0
        self.base: dict[str, bytes] = {}
        """What came of the buggy tree; nothing when it does not compile, or was not compiled."""
        self.unchanged: Execution | None = None
        self._folder = self._compiler.folder / self._name
        lay_out(bug, {}, self._folder)
        _open_to_all(self._folder)

    def compile(self, changed: Mapping[str, str | None]) -> Execution | None:
        """Return what came of the tree with new texts of files; none when this is not for the compiler."""
        command = self._tools.compiling(self._name, changed)
        if command is None:
            return None
        with self._compiler.lock:
            if self._opened_in != self._compiler.generation or self.unchanged is None:
                with STOPWATCH.phase("set-up"):
                    self._open()
            with STOPWATCH.phase("build"):
                return self._compiler.ask(self._tools, command, cpu_s=LIMITS.cpu_s)

    def _open(self) -> None:
        """Have the buggy tree compiled, unless what comes of that is known."""
        kept = self._kept()
        known = read_kept(kept) if kept else b""
        unchanged = self._compiler.ask(self._tools, self._tools.opening(self._name, known), cpu_s=OPENING_CPU_S)
        self._opened_in = self._compiler.generation
        self.base = self._tools.products(dataclasses.replace(unchanged, report=known) if known else unchanged, {})
        self.unchanged = unchanged
        if kept and not known and unchanged.succeeded:
            keep(kept, unchanged.report)

    def _kept(self) -> Path | None:
        with contextlib.suppress(OSError):
            return self._tools.kept(Path(self._source))
        return None

    def products(self, compiled: Execution) -> dict[str, bytes]:
        """Return the files that came of a compilation."""
        return self._tools.products(compiled, self.base)

    def close(self) -> None:
        """Forget the tree; the compiler stays for others."""
        with self._compiler.lock:
            if self._opened_in == self._compiler.generation:
                with contextlib.suppress(ResidentLost, HarnessError):
                    self._compiler.ask(self._tools, self._tools.closing(self._name), cpu_s=LIMITS.cpu_s)
        shutil.rmtree(self._folder, ignore_errors=True)


class _Compiler:
    """The process: started when first asked, and again after it was lost. Whoever asks holds the lock."""

    def __init__(self, sandbox: Sandbox, command: Command) -> None:
        self._sandbox = sandbox
        self._command = command
        self._made = tempfile.TemporaryDirectory(prefix="repairlab-compiler-", ignore_cleanup_errors=True)
        self._running = contextlib.ExitStack()
        self._resident: Resident | None = None
        self.folder = Path(self._made.name)
        self.folder.chmod(0o755)
        self.generation = 1
        """Rises whenever the process is lost, and with it all trees that it knew."""
        self.lock = threading.Lock()

    def ask(self, tools: WarmTools, command: Command, *, cpu_s: float) -> Execution:
        """Return what came of a request."""
        if self._resident is None:
            self._resident = self._running.enter_context(self._sandbox.reside(self._command.under(LIMITS), self.folder))
        nonce = secrets.token_hex(16)
        try:
            request = tools.request(command.under(Limits(cpu_s=cpu_s)), nonce)
            answer = tools.answer(command, nonce, self._resident.ask(request, wall_s=PATIENCE_S + 4 * cpu_s))
        except (ResidentLost, ValueError) as error:
            self.stop()
            raise ResidentLost(str(error)) from None
        if answer.odd:
            raise HarnessError(f"the compiler cannot say: {answer.odd}")
        return answer.execution

    def stop(self) -> None:
        """End the process; what is asked next starts another."""
        self._resident = None
        self.generation += 1
        self._running.close()

    def close(self) -> None:
        """End for good."""
        self.stop()
        self._made.cleanup()


def _compiler(sandbox: Sandbox, command: Command) -> _Compiler:
    """Return the compiler of this process for such a command."""
    key = (os.getpid(), sandbox, command)  # a fork must not speak with its parent's
    with _compilers_lock:
        if key not in _compilers:
            _compilers[key] = _Compiler(sandbox, command)
            atexit.register(close_compilers)
        return _compilers[key]


def close_compilers() -> None:
    """End the compilers of this process; whoever needs one later starts another."""
    with _compilers_lock:
        for key in [key for key in _compilers if key[0] == os.getpid()]:
            _compilers.pop(key).close()


def _open_to_all(folder: Path) -> None:
    """Let the user that the compiler runs as read a tree, whatever its files' modes are."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) | (0o555 if path.is_dir() else 0o444))


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
    size = sum(status.st_size for status, _ in files)
    for status, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
        if size <= largest:
            return
        path.unlink(missing_ok=True)
        size -= status.st_size
