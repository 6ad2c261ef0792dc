"""One command to run in a sandbox and its result; languages make commands, validation runs them."""

import dataclasses
import enum

from repairlab.core.record import record

RUNTIME_OVERHEAD_MB = 512
"""Memory that a JVM or AddressSanitizer needs besides the program's, which its own limit bounds."""


@record
class Limits:
    """Resources that one command may use; the whole process tree counts."""

    cpu_s: float = 10.0
    wall_s: float = 30.0
    """Back-stop only: verdicts are meant to depend on CPU time."""
    memory_mb: int = 512
    output_mb: float = 16.0
    """Standard output, standard error and report, each."""
    processes: int = 64
    disk_mb: int = 256
    """Everything the command writes: its tree, its private /tmp and home."""


@record
class BuildLimits(Limits):
    """Resources of each build command; one that needs more is UNCOMPILABLE: candidates can make a compiler run forever."""

    cpu_s: float = 120.0
    wall_s: float = 300.0
    memory_mb: int = 4096
    output_mb: float = 4.0
    processes: int = 256
    disk_mb: int = 1024


@record
class Mount:
    """A file or folder of the host that a command may read, at the same path inside the sandbox."""

    path: str


@record
class Command:
    """What to run, where and how far. Paths in `argv` are relative to the tree, or lie under a mount or the tool chain."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    cwd: str = "."
    """Relative to the root of the tree."""
    env: tuple[tuple[str, str], ...] = ()
    """Added to the fixed environment of the sandbox."""
    mounts: tuple[Mount, ...] = ()
    writable: bool = False
    """Whether the command changes the tree itself, as builds do; programs under judgement see it read-only."""
    private: bool = False
    """Whether the command may write to the tree, in a layer that is dropped when it ends; not together with `writable`."""
    sealed: tuple[str, ...] = ()
    """Files and folders of the tree that a private command may not change nevertheless, where a back end can see to that: what was
    built, and is loaded while it runs. A link cannot be sealed; the folder that it is in can."""
    address_space: bool = True
    """Whether the memory limit may also bound the address space; not for the JVM and AddressSanitizer, which reserve much."""
    cpus: int = 0
    """How many CPUs it may use; 0: all."""
    random_addresses: bool = False
    """Whether the kernel chooses the addresses of program, libraries, heap and stack; otherwise they are the same in each run."""
    forks: bool = False
    """Whether the program can be started once and forked for each run: started so, it loads, and waits in the fork server."""
    turns: tuple[tuple[str, str], ...] = ()
    """More of the environment, which a fork server learns with each tree: it loads outside of any, and gets ready for one after the
    other. Empty: it is for one tree alone."""
    limits: Limits = Limits()

    def under(self, limits: Limits) -> "Command":
        """Return the command under other limits, with `{memory_mb}` in its arguments filled in."""
        argv = tuple(part.replace("{memory_mb}", str(limits.memory_mb)) for part in self.argv)
        if not self.address_space:
            limits = dataclasses.replace(limits, memory_mb=limits.memory_mb + RUNTIME_OVERHEAD_MB)
        return dataclasses.replace(self, argv=argv, limits=limits)


class Ending(enum.StrEnum):
    """How a command ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    CPU_LIMIT = "cpu limit"
    WALL_LIMIT = "wall limit"
    MEMORY_LIMIT = "memory limit"
    OUTPUT_LIMIT = "output limit"
    DISK_LIMIT = "disk limit"


@record
class Execution:
    """What a sandbox saw of one command."""

    ending: Ending
    exit_code: int | None
    """Set when `ending` is EXITED."""
    signal: int | None
    """Set when `ending` is SIGNALLED."""
    stdout: bytes
    stderr: bytes
    report: bytes
    """What was written to file descriptor 3, which the sandbox opens for structured reports."""
    cpu_s: float
    """User and system time of the whole process tree."""
    wall_s: float
    peak_mb: float
    """Largest resident memory of the whole process tree."""
    changed: tuple[str, ...] = ()
    """Files and folders of the tree that a private command wrote to, replaced, moved or removed, even if it put them back."""
    busy_s: float | None = None
    """The part of `wall_s` in which it ran or waited only for a CPU; None if the kernel does not say."""

    @property
    def succeeded(self) -> bool:
        """Whether the command ended by itself with exit code 0."""
        return self.ending is Ending.EXITED and self.exit_code == 0
