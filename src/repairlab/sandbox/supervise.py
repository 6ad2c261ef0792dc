"""The host's half of every sandboxed run: start a launcher, send it commands, read the answers."""

import array
import contextlib
import dataclasses
import functools
import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.record import record
from repairlab.sandbox.cgroups import ControlGroups
from repairlab.sandbox.descriptors import OutputPipe, memory_file, open_memory
from repairlab.sandbox.failures import our_failure

START_S = 60.0
"""How long a container may take to start."""
STARVED = 3
"""A command that waits for a CPU may take this multiple of its wall limit; waiting is not its own time."""
GRACE_S = 15.0
"""How long after the wall limit the launcher may clean up before it counts as lost."""
SERIES_S = 1.0
"""How long a series of runs may exceed the wall limit of one: the launcher ends it early."""
HEAD_START_MS = 10
"""How long to wait for the answer alone, at first and after each look at the pipes: they have room for what comes meanwhile."""
MUCH = 16 * 1024
"""Bytes of one read after which the next follows at once: that command says much."""
HEADROOM_MB = 128
"""Address space beyond the memory limit: program text and libraries are mapped, not resident."""
ANSWER_BYTES = 1 << 17
"""The longest answer of the launcher."""
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/home/user",
    "TMPDIR": "/tmp",
    "LC_ALL": "C.UTF-8",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GIT_CONFIG_NOSYSTEM": "1",  # the machine's git settings differ between machines, and some back ends hide the file
}


@record
class SandboxLayout:
    """Where a back end runs commands, as the launcher sees it."""

    tree: str
    scratch: tuple[str, ...]
    """Private folders that commands may write to; each command finds them as the first one did."""
    fixtures: tuple[str, ...] = ()
    """Files and folders of the host that are mounted below them."""
    layers: bool = False
    """Whether the launcher may mount: private folders and layers over the tree are then new for each command."""
    namespace: bool = False
    """Whether the launcher is process 1 of a namespace of its own."""
    counted: bool = False
    """Whether the kernel's count of the user's processes covers just the commands of this launcher."""
    spare: int = 0
    """How many processes of ours that count covers too."""
    uid: int = 0
    """User and group that root gives a command; 0: the user stays."""
    owner: tuple[int, int] = (0, 0)
    """User and group that get a writable tree back."""
    keep: bool = False
    """Whether the tree stays the command's user's instead, for the next command."""
    allow: tuple[str, ...] = ()
    """Without namespaces: all of the host that a command may use, each a letter for the kind of use, a colon and a path."""
    env: tuple[tuple[str, str], ...] = ()
    """What differs from the fixed environment."""
    options: tuple[tuple[str, str, str], ...] = ()
    """What programs must be told: the program, the option, and the variable for where another command starts it."""
    base: str = ""
    """The folder of trees, where the launcher shows one after the other."""


@record
class Launch:
    """How a back end starts the launcher: its command line, to which the launcher's own arguments are added."""

    layout: SandboxLayout
    argv: tuple[str, ...]
    files: tuple[int, ...] = ()
    """Further descriptors that the command line needs."""
    socket_path: Path | None = None
    """Socket to make, to which the launcher will connect; without one it inherits a socket."""
    env: tuple[tuple[str, str], ...] = ()
    """Environment of the command line; what commands get is fixed."""
    groups: ControlGroups | None = None
    """Where to make a control group for the launcher."""


@record
class Ends:
    """Descriptors of one side of a conversation."""

    stdin: int
    stdout: int
    halt: int
    """Has the command killed as soon as it can be read from."""


class Launcher:
    """A running launcher: runs one command after the other, for one thread; after a HarnessError it is of no more use."""

    def __init__(self, launch: Launch) -> None:
        self._layout = launch.layout
        self.source = ""
        """The name of the tree to show."""
        self.not_reusable = False
        """Whether the last command left something in the kernel that could disturb the next one."""
        with our_failure("cannot start the sandbox"), contextlib.ExitStack() as undo:
            self._errors = os.memfd_create("errors", os.MFD_CLOEXEC)
            undo.callback(os.close, self._errors)
            self._group = launch.groups.make() if launch.groups else None
            if self._group:
                undo.callback(self._group.remove)
            self._control = self._connect(launch, undo)
            undo.pop_all()

    def _connect(self, launch: Launch, undo: contextlib.ExitStack) -> socket.socket:
        """Start the command line and return the socket to the launcher."""
        if launch.socket_path:
            with _listening(launch.socket_path) as listener:
                self._process = self._start(launch, [], [])
                undo.callback(self._kill)  # a launcher that comes late finds nobody there, and ends
                return self._accept(listener)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.callback(ours.close)
        with theirs, contextlib.ExitStack() as stack:
            numbers = [theirs.fileno()]
            if self._group:
                numbers.append(stack.enter_context(self._group.members()))
            self._process = self._start(launch, [str(number) for number in numbers], [*numbers, *launch.files])
        return ours

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _start(self, launch: Launch, arguments: list[str], files: list[int]) -> "subprocess.Popen[bytes]":
        """Start the command line."""
        return subprocess.Popen(
            [*launch.argv, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=files,
            env=dict(launch.env),
            start_new_session=True,  # a Ctrl-C on the terminal is for the host to handle
        )

    def _accept(self, listener: socket.socket) -> socket.socket:
        """Wait until the launcher connects."""
        listener.settimeout(0.05)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(TimeoutError):
                return listener.accept()[0]
        raise HarnessError(f"the sandbox does not start: {self.last_words()}")

    def run(self, command: Command, *, forks: bool = False, ends: Ends | None = None) -> Execution:
        """Run a command and wait for its end; with `forks` its program may be one that was started before.

        With `ends` its standard input and output are those, and its record has no output.
        """
        limit = int(command.limits.output_mb * 1024 * 1024)
        with our_failure("cannot watch a command"), contextlib.ExitStack() as stack:
            channels = [stack.enter_context(OutputPipe(limit)) for _ in range(3)]
            theirs = [channel.theirs for channel in channels]
            if ends is None:
                self.send(command, theirs, forks=forks)
            else:
                self.send(command, [ends.stdout, *theirs[1:]], stdin=ends.stdin)
            for channel in channels:
                channel.leave_to_them()
            deadline = time.monotonic() + STARVED * command.limits.wall_s + GRACE_S
            status = self._read(channels, deadline=deadline, limit=limit, halt=ends.halt if ends else None)
        return self._execution(status, [channel.content for channel in channels], limit=limit, can_be_halted=ends is not None)

    def run_series(self, command: Command, inputs: Sequence[bytes], *, stop: bool) -> list[Execution]:
        """Run a command for one input after the other; at least one run is made, and all when nothing happens on the way.

        With `stop` the first run is the last whose exit code is not 0. Its program may be one that was started before.
        """
        limit = int(command.limits.output_mb * 1024 * 1024)
        numbers = array.array("q", [stop, len(inputs), *map(len, inputs)])
        with (
            our_failure("cannot watch commands"),
            memory_file(b"".join((numbers.tobytes(), *inputs))) as given,
            open_memory("answers") as answers,
        ):
            self._order(command, [given, answers], forks=True)
            status = self._read([], deadline=time.monotonic() + STARVED * command.limits.wall_s + SERIES_S + GRACE_S, limit=limit)
            told = os.pread(answers, os.fstat(answers).st_size, 0)
        if status != b"done\n":
            return [self._execution(status, [], limit=limit, can_be_halted=False)]
        executions, place = [], 0
        while place < len(told):
            facts, sizes, _ = told[place : place + 1024].split(b"\n", 2)
            place += len(facts) + len(sizes) + 2
            output = []
            for size in map(int, sizes.split()):
                output.append(told[place : place + size])
                place += size
            executions.append(self._execution(facts, output, limit=limit, can_be_halted=False))
        return executions

    def send(self, command: Command, ends: list[int], *, forks: bool = False, stdin: int | None = None) -> None:
        """Order a command whose standard output, standard error and report go to these descriptors."""
        with our_failure("cannot send a command"), memory_file(command.stdin) as given:
            self._order(command, [given if stdin is None else stdin, *ends], forks=forks)

    def _order(self, command: Command, files: list[int], *, forks: bool) -> None:
        orders = _orders(dataclasses.replace(command, stdin=b""), self._layout, self.source, forks=forks and command.forks)
        if self._group:
            self._group.make_room(command.limits)
        with our_failure("cannot send a command"), memory_file(orders) as order_file:
            rights = array.array("i", [order_file, *files])
            try:
                self._control.sendmsg([b"r"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            except OSError:
                raise HarnessError(f"the sandbox failed: {self.last_words()}") from None

    def stop(self) -> None:
        """Have the running command killed."""
        with contextlib.suppress(OSError):
            self._control.send(b"s")

    def leave_tree(self) -> None:
        """Have an idle launcher show no tree any more, and end what has seen the last one."""
        with contextlib.suppress(OSError):
            self._control.send(b"l")

    def ending(self) -> str:
        """Say how a command that was sent came to its end, as far as that is known soon."""
        self._control.settimeout(2)
        return self._answer().decode(errors="replace").strip() or self.last_words()

    def last_words(self) -> str:
        """Return what the launcher, or what should have started it, said of its end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        return os.pread(self._errors, 2000, 0).decode(errors="replace").strip() or "it ended without a word"

    def close(self) -> None:
        """End the launcher and all that runs in it: ask first, so that it cleans up."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._kill()
        os.close(self._errors)
        if self._group:
            self._group.remove()

    def _read(self, channels: "list[OutputPipe]", *, deadline: float, limit: int, halt: int | None = None) -> bytes:
        """Read the pipes until the launcher answers; ask it to stop the command when one has given more than the limit."""
        control = self._control.fileno()
        open_channels = {channel.number: channel for channel in channels}
        poll, answer = select.poll(), select.poll()
        for some in (poll, answer):
            some.register(control, select.POLLIN)
        answer.poll(HEAD_START_MS)
        for number in (*open_channels, *(() if halt is None else (halt,))):
            poll.register(number, select.POLLIN)
        stopped, n_read = False, 0
        while True:
            # The answer counts, not the end of the pipes: a fork of ours may hold those open without knowing.
            ready = [number for number, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)]
            if control in ready:
                break
            if time.monotonic() > deadline:
                self._process.kill()
                raise HarnessError("the launcher of the sandbox does not answer; the command was killed")
            if halt is not None and halt in ready:
                self.stop()
                poll.unregister(halt)
            for channel in (open_channels[number] for number in ready if number != halt):
                channel.read()
                if channel.ended:
                    poll.unregister(channel.number)
            if not stopped and any(channel.size > limit for channel in channels):
                self.stop()
                stopped = True
            n_before, n_read = n_read, sum(channel.size for channel in channels)
            if halt is None and not stopped and n_read - n_before < MUCH:
                answer.poll(HEAD_START_MS)
        for channel in channels:
            while channel.read():
                pass
        return self._answer()

    def _answer(self) -> bytes:
        """Take the launcher's answer; none when it is gone."""
        try:
            return self._control.recv(ANSWER_BYTES)
        except OSError:
            return b""

    def _execution(self, status: bytes, output: list[bytes], *, limit: int, can_be_halted: bool) -> Execution:
        """Make the record of a run."""
        told, _, journal = status.partition(b"\n")
        try:
            facts = json.loads(told)
            flooded = any(len(channel) > limit for channel in output)
            halted = can_be_halted and facts["ending"] == "stopped"
            ending = Ending.OUTPUT_LIMIT if flooded else Ending.SIGNALLED if halted else Ending(facts["ending"])
        except (ValueError, KeyError, TypeError):
            text = status.decode(errors="replace").strip()
            raise HarnessError(f"the sandbox failed: {text or self.last_words()}") from None
        self.not_reusable = bool(facts["not_reusable"])
        stdout, stderr, report = (channel[:limit] for channel in output)
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
            busy_s=None if facts["busy_us"] < 0 else facts["busy_us"] / 1e6,
            changed=tuple(sorted(os.fsdecode(path) for path in journal.split(b"\0") if path)),
        )


@contextlib.contextmanager
def launched(launch: Launch) -> Iterator[Launcher]:
    """Start a launcher; at the end of the block it is stopped in any case."""
    launcher = Launcher(launch)
    try:
        yield launcher
    finally:
        launcher.close()


@contextlib.contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    """Open a socket that one launcher can connect to."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen(1)
        yield listener


@functools.lru_cache(maxsize=64)
def _orders(command: Command, layout: SandboxLayout, source: str, *, forks: bool) -> bytes:
    """Return what the launcher reads: NUL-terminated `name=value` strings."""
    limits = command.limits
    numbers: dict[str, int] = {
        "cpu_ms": round(limits.cpu_s * 1000),
        "wall_ms": round(limits.wall_s * 1000),
        "most_ms": round(STARVED * limits.wall_s * 1000),
        "memory_kb": limits.memory_mb * 1024,
        "address_kb": (limits.memory_mb + HEADROOM_MB) * 1024 if command.address_space else 0,
        "processes": limits.processes,
        "nproc": limits.processes + layout.spare if layout.counted else 0,
        "disk_kb": limits.disk_mb * 1024,
        "output": int(limits.output_mb * 1024 * 1024),
        "uid": layout.uid,
        "gid": layout.uid,
        "owner_uid": layout.owner[0],
        "owner_gid": layout.owner[1],
        "namespace": layout.namespace,
        "writable": command.writable,
        "private": command.private,
        "layers": layout.layers,
        "keep": layout.keep,
        "cpus": command.cpus,
        "random_addresses": command.random_addresses,
        "forks": forks,
    }
    argv, env = command.argv, ENVIRONMENT | dict(layout.env)
    for program, option, variable in layout.options:
        if argv and Path(argv[0]).name == program:
            argv = (argv[0], option, *argv[1:])
        else:
            env[variable] = option
    texts = [
        *(f"{name}={int(value)}" for name, value in numbers.items()),
        f"tree={layout.tree}",
        f"cwd={layout.tree}/{command.cwd}",
        *(f"sealed={layout.tree}/{path}" for path in command.sealed),
        *(f"scratch={folder}" for folder in layout.scratch),
        *(f"fixture={path}" for path in layout.fixtures),
        *(f"allow={rule}" for rule in layout.allow),
        *(f"arg={argument}" for argument in argv),
        *((f"base={layout.base}",) if layout.base else ()),
        *(f"env={name}={value}" for name, value in (env | dict(command.env)).items()),
        *(f"turn={name}={value}" for name, value in command.turns),
        *((f"source={source}",) if layout.base else ()),
    ]
    if not command.argv or any("\0" in text for text in texts):
        raise UserError(
            f"not a command: {command.argv!r} in {command.cwd!r}. It needs a program, and NUL characters are not possible."
        )
    return b"".join(os.fsencode(text) + b"\0" for text in texts)
