"""Starting the launcher, reading its pipes and its status: the host's half of every sandboxed run; both back ends call it."""

import contextlib
import fcntl
import io
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator, Sequence

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.record import record

GRACE_S = 15.0
"""How long after the wall limit the launcher may take to clean up before it counts as lost."""
HEADROOM_MB = 128
"""Address space beyond the memory limit: program text and libraries are mapped, not resident."""
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/home/user",
    "TMPDIR": "/tmp",
    "LC_ALL": "C.UTF-8",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@record
class Place:
    """Where a back end runs a command, as the launcher sees it."""

    tree: str
    scratch: tuple[str, ...]
    """Private folders that the command may write to."""
    namespace: bool
    """Whether the launcher is process 1 of a namespace of its own."""
    nproc: int = 0
    """Limit for the kernel's own count of the user's processes; 0 where that count covers others too."""
    uid: int = 0
    """User and group that root gives the command; 0: the user stays."""
    owner: tuple[int, int] = (0, 0)
    """User and group that get a writable tree back."""
    env: tuple[tuple[str, str], ...] = ()
    """What differs from the fixed environment."""


@record
class Launch:
    """How a back end starts the launcher: its command line, to which the launcher's arguments are added."""

    place: Place
    argv: tuple[str, ...]
    files: tuple[int, ...] = ()
    """Further descriptors that the command line needs."""


@record
class Ends:
    """The descriptors that a launcher gets for its command's channels and for its own status."""

    stdout: int
    stderr: int
    report: int
    status: int


def supervise(command: Command, launch: Launch) -> Execution:
    """Run a command through the launcher and wait for its end."""
    with contextlib.ExitStack() as stack:
        pipes = [tuple(stack.enter_context(end) for end in _pipe()) for _ in range(4)]
        readers, (stdout, stderr, report, status) = [pipe[0] for pipe in pipes], [pipe[1] for pipe in pipes]
        ends = Ends(stdout=stdout.fileno(), stderr=stderr.fileno(), report=report.fileno(), status=status.fileno())
        process, stop = stack.enter_context(launched(command, launch, ends))
        for end in (stdout, stderr, report, status):
            end.close()
        deadline = time.monotonic() + command.limits.wall_s + GRACE_S
        output = _read(process, readers, stop, limit=int(command.limits.output_mb * 1024 * 1024), deadline=deadline)
        process.wait()
    return _execution(output, limit=int(command.limits.output_mb * 1024 * 1024))


@contextlib.contextmanager
def launched(command: Command, launch: Launch, ends: Ends) -> Iterator[tuple[subprocess.Popen[bytes], io.FileIO]]:
    """Start a launcher; gives its process and the pipe that stops it. At the end of the block it is stopped in any case."""
    with contextlib.ExitStack() as stack:
        orders = stack.enter_context(memory_file(_orders(command, launch.place)))
        stdin = stack.enter_context(memory_file(command.stdin))
        stop_read, stop = (stack.enter_context(end) for end in _pipe())
        passed = [orders, ends.stderr, ends.report, stop_read.fileno()]
        process = subprocess.Popen(
            [*launch.argv, *(str(number) for number in passed)],
            stdin=stdin,
            stdout=ends.stdout,
            stderr=ends.status,
            pass_fds=[*passed, *launch.files],
            env={},
            start_new_session=True,  # a Ctrl-C on the terminal is for the host to handle
        )
        stack.callback(_end, process, stop)
        stop_read.close()
        yield process, stop


@contextlib.contextmanager
def memory_file(content: bytes) -> Iterator[int]:
    """Open a sealed file in memory: unlike a pipe it needs nobody to write to it while it is read."""
    number = os.memfd_create("input", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with io.FileIO(number, "r+") as file:
        left = memoryview(content)
        while left:
            left = left[file.write(left) :]
        file.seek(0)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        yield number


def _orders(command: Command, place: Place) -> bytes:
    """Return what the launcher reads: NUL-terminated `name=value` strings."""
    limits = command.limits
    numbers: dict[str, int] = {
        "cpu_ms": round(limits.cpu_s * 1000),
        "wall_ms": round(limits.wall_s * 1000),
        "memory_kb": limits.memory_mb * 1024,
        "address_kb": (limits.memory_mb + HEADROOM_MB) * 1024 if command.address_space else 0,
        "processes": limits.processes,
        "nproc": place.nproc,
        "disk_kb": limits.disk_mb * 1024,
        "uid": place.uid,
        "gid": place.uid,
        "owner_uid": place.owner[0],
        "owner_gid": place.owner[1],
        "namespace": place.namespace,
        "writable": command.writable,
    }
    texts = [
        *(f"{name}={int(value)}" for name, value in numbers.items()),
        f"tree={place.tree}",
        f"cwd={place.tree}/{command.cwd}",
        *(f"scratch={folder}" for folder in place.scratch),
        *(f"arg={argument}" for argument in command.argv),
        *(f"env={name}={value}" for name, value in (ENVIRONMENT | dict(place.env) | dict(command.env)).items()),
    ]
    if not command.argv or any("\0" in text for text in texts):
        raise UserError(
            f"not a command: {command.argv!r} in {command.cwd!r}. It needs a program, and NUL characters are not possible."
        )
    return b"".join(os.fsencode(text) + b"\0" for text in texts)


def _pipe() -> tuple[io.FileIO, io.FileIO]:
    """Return a pipe as two files, which know whether they are closed."""
    read, write = os.pipe()
    os.fchmod(write, 0o666)  # test frameworks open /proc/self/fd/3 by name, and run as another user than root
    return io.FileIO(read, "r"), io.FileIO(write, "w")


class _Channel:
    """One pipe from the sandbox, of which only so much is kept."""

    def __init__(self, end: io.FileIO, limit: int) -> None:
        os.set_blocking(end.fileno(), False)
        self._end = end
        self._limit = limit
        self._chunks: list[bytes] = []
        self.size = 0

    def read(self) -> bool:
        """Take what the pipe holds now; returns False when it holds nothing more."""
        chunk = self._end.read(65536)
        if chunk and self.size <= self._limit:
            self._chunks.append(chunk)
            self.size += len(chunk)
        return bool(chunk)

    @property
    def content(self) -> bytes:
        """All that was kept: of a flooded pipe a little more than the limit."""
        return b"".join(self._chunks)


def _read(
    process: subprocess.Popen[bytes], readers: Sequence[io.FileIO], stop: io.FileIO, *, limit: int, deadline: float
) -> list[bytes]:
    """Read all pipes until the process ends; ask it to stop when one has given more than the limit."""
    channels = {reader.fileno(): _Channel(reader, limit) for reader in readers}
    poll = select.poll()
    for number in channels:
        poll.register(number, select.POLLIN)
    # The end of the process counts, not the end of the pipes: a fork of ours may hold those open without knowing.
    ended = os.pidfd_open(process.pid)
    poll.register(ended, select.POLLIN)
    try:
        while True:
            ready = [number for number, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)]
            if ended in ready:
                break
            if time.monotonic() > deadline:
                raise HarnessError("the launcher of the sandbox does not answer; the command was killed")
            for number in ready:
                if not channels[number].read():
                    poll.unregister(number)
            if any(channel.size > limit for channel in channels.values()):
                ask_to_stop(stop)
    finally:
        os.close(ended)
    for channel in channels.values():
        while channel.read():
            pass
    return [channel.content for channel in channels.values()]


def ask_to_stop(stop: io.FileIO) -> None:
    """Tell the launcher to end its command, once."""
    if not stop.closed:
        with contextlib.suppress(BrokenPipeError):
            stop.write(b".")
        stop.close()


def _end(process: subprocess.Popen[bytes], stop: io.FileIO) -> None:
    """End a launcher that still runs because the host gave up (error, Ctrl-C): ask first, so that it cleans up."""
    ask_to_stop(stop)
    try:
        process.wait(timeout=0 if process.returncode is not None else 2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _execution(output: Sequence[bytes], *, limit: int) -> Execution:
    """Make the record of a run from what its four pipes gave."""
    *channels, status = output
    try:
        facts = json.loads(status)
        flooded = any(len(channel) > limit for channel in channels)
        ending = Ending.OUTPUT_LIMIT if flooded else Ending(facts["ending"])
    except (ValueError, KeyError, TypeError):
        text = status.decode(errors="replace").strip()
        raise HarnessError(f"the sandbox failed: {text or 'it ended without a word'}") from None
    stdout, stderr, report = (channel[:limit] for channel in channels)
    return Execution(
        ending=ending,
        exit_code=facts["code"] if ending is Ending.EXITED else None,
        signal=facts["signal"] if ending is Ending.SIGNALLED else None,
        stdout=stdout,
        stderr=stderr,
        report=report,
        cpu_s=facts["cpu_us"] / 1e6,
        wall_s=facts["wall_us"] / 1e6,
        peak_mb=facts["peak_kb"] / 1024,
    )
