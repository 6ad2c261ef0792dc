"""Commands as ordinary processes of the host, under limits: without isolation, or fenced by Landlock and a filter of system calls.

Without a fence a command sees the whole machine with the rights of its user, network included, and as an ordinary user it can
write to a "read-only" tree. Landlock serves machines without namespaces, as most containers are: a command's own process gives up,
before the program starts, all files but those named here, all sockets, and signals to others.
"""

import contextlib
import ctypes
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command
from repairlab.core.installation import PACKAGE
from repairlab.core.record import record
from repairlab.sandbox.cgroups import ControlGroups
from repairlab.sandbox.launcher import compile_launcher
from repairlab.sandbox.launching import LIBRARIES, SPARE_PROCESSES, LaunchingSandbox, settings, unprivileged_id
from repairlab.sandbox.supervise import Launch, Launcher, SandboxLayout, launched


@record
class Fence:
    """What separates a command from the rest of the host."""

    name: str
    allow: Callable[[Command, Path], tuple[str, ...]]
    """What of the host a command over a tree may use besides its private folders, in the terms of `SandboxLayout.allow`."""


class ProcessSandbox(LaunchingSandbox):
    """Runs commands as ordinary processes under limits; without a fence a command can read or harm anything it can reach."""

    def __init__(
        self, cache: Path, *, allow_unsafe: bool = False, fence: Fence | None = None, groups: ControlGroups | None = None
    ) -> None:
        if not allow_unsafe and not fence:
            raise UserError(
                "the process sandbox does not isolate: untrusted code could read and delete your files and use the network. "
                "Install bubblewrap (apt install bubblewrap), or accept the risk with --allow-unsafe."
            )
        self.name = (fence.name if fence else "process") + ("+cgroup" if groups else "")
        self._fence = fence
        self._groups = groups
        self._launcher = compile_launcher(cache)

    @property
    def isolates(self) -> bool:
        """Whether a fence separates commands from the rest of the host."""
        return self._fence is not None

    def _user(self) -> contextlib.AbstractContextManager[int]:
        """Hold a user id for root's commands; 0 where there is no choice."""
        return unprivileged_id() if os.geteuid() == 0 else contextlib.nullcontext(0)

    @contextlib.contextmanager
    def _launched(self, command: Command, tree: Path, *, uid: int, keep: bool = False) -> Iterator[Launcher]:
        """Make the command's private folders and start a launcher for commands like this one."""
        tree = tree.resolve()
        if not tree.is_dir():
            raise HarnessError(f"no tree to run in: {tree}")
        mounts = [Path(mount.path).resolve() for mount in command.mounts]
        for mount in mounts:
            if not mount.exists():
                raise HarnessError(f"no such file or folder to mount: {mount}")
        top = tree.stat()
        with _private_folders() as (home, temporary):
            if uid:
                _open_for_others(tree, *mounts, home)
            layout = SandboxLayout(
                tree=str(tree),
                scratch=(str(home), str(temporary)),
                namespace=False,
                counted=bool(uid),
                spare=SPARE_PROCESSES if keep else 0,
                uid=uid,
                owner=(top.st_uid, top.st_gid),
                keep=keep,
                env=(("HOME", str(home)), ("TMPDIR", str(temporary))),
                options=_java_options(temporary) if self._fence else (),
                allow=(*self._fence.allow(command, tree), f"w:{home}", f"w:{temporary}") if self._fence else (),
            )
            with launched(Launch(layout=layout, argv=(str(self._launcher),), groups=self._groups)) as launcher:
                yield launcher


def _java_options(temporary: Path) -> tuple[tuple[str, str, str], ...]:
    """Return the options that tell Java where to put temporary files: it ignores TMPDIR, and reports options from variables."""
    return (("java", f"-Djava.io.tmpdir={temporary}", "JDK_JAVA_OPTIONS"),)


@contextlib.contextmanager
def _private_folders() -> Iterator[tuple[Path, Path]]:
    """Make a home and a temporary folder."""
    scratch = Path(tempfile.mkdtemp(prefix="repairlab-sandbox-")).resolve()
    try:
        for folder in (scratch, scratch / "home", scratch / "tmp"):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        yield scratch / "home", scratch / "tmp"
    finally:
        # The launcher has emptied it, whatever the modes and depths of the folders in it; unless it never started.
        shutil.rmtree(scratch, ignore_errors=True)


def _open_for_others(tree: Path, *others: Path) -> None:
    """Let an unprivileged user pass through our folders on the way to paths; HarnessError if they belong to somebody else."""
    top = tree.stat()
    if top.st_mode & 0o005 != 0o005:
        tree.chmod(stat.S_IMODE(top.st_mode) | 0o055)
    temporary = Path(tempfile.gettempdir()).resolve()
    for path in (tree, *others):
        for folder in path.parents:
            found = folder.stat()
            if found.st_mode & stat.S_IXOTH:
                continue
            if temporary not in folder.parents or found.st_uid != os.geteuid():
                raise HarnessError(
                    f"the unprivileged user of sandboxed commands cannot reach {path}, because {folder} is closed to others. "
                    "Choose folders that everybody can enter: TMPDIR for temporary files, REPAIRLAB_CACHE for the cache "
                    "(REPAIRLAB_CACHE=/var/cache/repairlab)."
                )
            folder.chmod(stat.S_IMODE(found.st_mode) | 0o011)  # a temporary folder of ours: to pass through, not to list


TOOLS = ("/usr", "/proc", *(f"/{name}" for name in LIBRARIES))
"""Read and executed by everybody. /proc shows that other processes exist, and their command lines, but nothing inside them."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
NEEDED = {True: (3, "6.2"), False: (6, "6.12")}
"""The version of Landlock, and the kernel that has it, for root and for others: only root gives commands a user of their own."""
_CREATE_RULESET = 444


def open_landlock(cache: Path, *, groups: ControlGroups | None = None) -> ProcessSandbox:
    """Return the back end, or raise HarnessError with the reason why it cannot work here."""
    version, root = landlock_version(), os.geteuid() == 0
    wanted, kernel = NEEDED[root]
    if version < wanted:
        has = f"version {version} of Landlock" if version else "no Landlock"
        who = "root" if root else "an ordinary user"
        raise HarnessError(f"this kernel has {has}, and {who} needs version {wanted} (Linux {kernel})")
    hidden = (PACKAGE, cache.resolve())
    rules = tuple(_tool_chain(hidden))

    def allow(command: Command, tree: Path) -> tuple[str, ...]:
        return (*rules, *_mounts(command, hidden), f"{'w' if command.writable else 'r'}:{tree}")

    return ProcessSandbox(cache, fence=Fence(name="landlock", allow=allow), groups=groups)


def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none or has it switched off."""
    version: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return max(version, 0)


def _tool_chain(hidden: Iterable[Path]) -> Iterator[str]:
    """Yield the rules that are the same for all commands."""
    for path in dict.fromkeys(path.resolve() for path in (*map(Path, TOOLS), *settings()) if path.exists()):
        yield from _readable(path, hidden)
    for device in DEVICES:
        if Path(device).exists():
            yield f"d:{device}"


def _mounts(command: Command, hidden: Iterable[Path]) -> Iterator[str]:
    """Yield the rules for the host files that the command asks for."""
    for mount in command.mounts:
        yield from _readable(Path(mount.path).resolve(), hidden)


def _readable(path: Path, hidden: Iterable[Path]) -> Iterator[str]:
    """Yield rules that open a path but not the hidden folders below it, whose names alone can be seen."""
    # Landlock cannot close part of what it has opened, so everything beside the way to a hidden folder is opened instead.
    if not any(folder != path and folder.is_relative_to(path) for folder in hidden):
        yield f"r:{path}"
        return
    yield f"l:{path}"
    for entry in sorted(path.iterdir()):
        if entry not in hidden and not entry.is_symlink():
            yield from _readable(entry, hidden)
