"""The back end that runs commands in containers of podman or docker, one per slot.

The tool chain comes from the image that REPAIRLAB_IMAGE names, or, without one, from this machine: an image with nothing in it but
the places where the machine's own tool chain is mounted. The launcher is the container's first process and connects back to us.
"""

import contextlib
import hashlib
import io
import itertools
import os
import resource
import shutil
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command
from repairlab.core.installation import PACKAGE
from repairlab.sandbox.cgroups import ControlGroups
from repairlab.sandbox.launcher import compile_launcher
from repairlab.sandbox.launching import (
    FIRST_USER,
    LIBRARIES,
    N_USERS,
    SCRATCH,
    SPARE_PROCESSES,
    LaunchingSandbox,
    inside,
    settings,
    socket_folder,
    unprivileged_id,
)
from repairlab.sandbox.supervise import Launch, Launcher, SandboxLayout, launched

ENGINES = ("podman", "docker")
CAPABILITIES = ("SETUID", "SETGID", "SETPCAP", "KILL", "CHOWN", "FOWNER", "DAC_OVERRIDE", "SYS_PTRACE")
"""What the launcher needs to change the user, hand over the tree, watch and kill; the command has none of it."""
PROCESSES = 4096
"""Back-stop for all commands of a container together."""
_SOCKET = "/run/repairlab"
_LAUNCHER = "/run/launcher"

_numbers = itertools.count()


class ContainerSandbox(LaunchingSandbox):
    """Runs commands in containers; construct it with `open`, which finds the engine and the image."""

    def __init__(self, engine: str, image: str, cache: Path, *, own_tools: bool) -> None:
        self.name = Path(engine).name
        self._engine = engine
        self._image = image
        self._own_tools = own_tools
        self._launcher = compile_launcher(cache)

    @classmethod
    def open(cls, engine: str, cache: Path) -> "ContainerSandbox":
        """Return the back end of an engine, or raise HarnessError with the reason why it cannot work here."""
        program = shutil.which(engine)
        if program is None:
            raise HarnessError(
                f"{engine} is not installed. Install it: apt install {'docker.io' if engine == 'docker' else engine}"
            )
        image = os.environ.get("REPAIRLAB_IMAGE", "")
        if not image:
            return cls(program, _import_empty_image(program), cache, own_tools=False)
        if not _has_image(program, image):
            raise HarnessError(f"{engine} has no image {image!r}, which REPAIRLAB_IMAGE names. Get it: {engine} pull {image}")
        return cls(program, image, cache, own_tools=True)

    def _user(self) -> contextlib.AbstractContextManager[int]:
        return unprivileged_id()

    @contextlib.contextmanager
    def _launched(self, command: Command, tree: Path, *, uid: int, keep: bool = False) -> Iterator[Launcher]:
        """Start a container for commands like this one."""
        top = tree.stat() if tree.is_dir() else None
        if top is None:
            raise HarnessError(f"no tree to run in: {tree}")
        if not command.writable and (top.st_mode & 0o005) != 0o005:
            tree.chmod(stat.S_IMODE(top.st_mode) | 0o055)
        tree_inside = inside(command)
        layout = SandboxLayout(
            tree=tree_inside,
            scratch=SCRATCH,
            namespace=True,
            counted=True,
            spare=SPARE_PROCESSES if keep else 0,
            uid=uid,
            # In an ordinary user's container, that user is root.
            owner=(top.st_uid, top.st_gid) if os.geteuid() == 0 else (0, 0),
            keep=keep,
        )
        with tempfile.TemporaryDirectory(prefix="repairlab-socket-", dir=socket_folder()) as folder:
            mounts = [
                *_bind(Path(folder), _SOCKET),
                *_bind(self._launcher, _LAUNCHER),
                *_bind(tree.resolve(), tree_inside, writable=command.writable),
                *(option for mount in command.mounts for option in _bind(Path(mount.path), mount.path)),
                *([] if self._own_tools else _tool_chain()),
            ]
            argv = (
                *(self._engine, "run", "--rm", "--name", f"repairlab-{os.getpid()}-{next(_numbers)}"),
                *self._options(command),
                *mounts,
                *("--entrypoint", _LAUNCHER, self._image, f"{_SOCKET}/control"),
            )
            launch = Launch(layout=layout, argv=argv, socket_path=Path(folder, "control"), env=tuple(os.environ.items()))
            with launched(launch) as launcher:
                yield launcher

    def _options(self, command: Command) -> Iterator[str]:
        """Yield the options that separate a container from the host."""
        yield from ("--network", "none", "--hostname", "sandbox", "--user", "0:0", "--workdir", "/", "--log-driver", "none")
        yield from ("--security-opt", "no-new-privileges", "--security-opt", "label=disable", "--cap-drop", "all")
        for name in CAPABILITIES:
            yield from ("--cap-add", name)
        processes = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        most = min(PROCESSES, processes) if processes != resource.RLIM_INFINITY else PROCESSES
        yield from ("--pids-limit", str(PROCESSES), "--ulimit", f"nproc={most}:{most}", "--ulimit", "nofile=1024:1024")
        yield "--read-only"
        if self.name == "podman":
            yield "--read-only-tmpfs=false"
        size = f"{max(command.limits.disk_mb, 1)}m"
        for folder in SCRATCH:
            yield from ("--tmpfs", f"{folder}:rw,exec,nosuid,nodev,size={size},mode=1777")


def _bind(source: Path, target: str, *, writable: bool = False) -> tuple[str, str]:
    """Return the option that shows a path of the host in a container; quoted, since paths may hold commas."""
    fields = ["type=bind", f"source={source}", f"target={target}", *([] if writable else ["readonly"])]
    return "--mount", ",".join('"' + field.replace('"', '""') + '"' for field in fields)


def _tool_chain() -> Iterator[str]:
    """Yield the options that show the machine's own tool chain, without repairlab."""
    yield from _bind(Path("/usr"), "/usr")
    for name in LIBRARIES:
        path = Path("/", name)
        if path.is_dir() and not path.is_symlink():
            yield from _bind(path, str(path))
    for path in settings():
        if path.exists():
            yield from _bind(path, str(path))
    if PACKAGE.is_relative_to("/usr"):
        yield from ("--tmpfs", f"{PACKAGE}:ro,size=1m")


def open_podman(cache: Path, *, groups: ControlGroups | None = None) -> ContainerSandbox:
    """Return the back end of Podman, or raise HarnessError; containers bring their control groups."""
    del groups
    return ContainerSandbox.open("podman", cache)


def open_docker(cache: Path, *, groups: ControlGroups | None = None) -> ContainerSandbox:
    """Return the back end of Docker, or raise HarnessError."""
    del groups
    return ContainerSandbox.open("docker", cache)


def _import_empty_image(engine: str) -> str:
    """Return the image that only has mount points, making it if the engine does not have it yet."""
    content = _empty_image()
    name = f"localhost/repairlab-empty:{hashlib.sha256(content).hexdigest()[:16]}"
    if not _has_image(engine, name):
        done = subprocess.run([engine, "import", "-", name], input=content, capture_output=True, check=False)
        if done.returncode != 0:
            # An engine that crashes says a lot after its first line.
            words = done.stderr.decode(errors="replace").strip().splitlines() or ["it says nothing"]
            raise HarnessError(f"{Path(engine).name} cannot import an image: {words[0][:300]}")
    return name


def _empty_image() -> bytes:
    """Return the archive of a root file system: empty folders, links, and the accounts of the users that commands get."""
    users = "".join(f"user:x:{uid}:{uid}::/home/user:/bin/sh\n" for uid in range(FIRST_USER, FIRST_USER + N_USERS))
    texts = {
        "etc/passwd": f"root:x:0:0::/:/bin/sh\n{users}",
        "etc/group": "root:x:0:\n" + "".join(f"user:x:{gid}:\n" for gid in range(FIRST_USER, FIRST_USER + N_USERS)),
        "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for folder in ("usr", "etc", "etc/ssl", "proc", "sys", "dev", "run", "tmp", "home", "home/user", "work", "tree"):
            archive.addfile(_entry(folder, tarfile.DIRTYPE))
        for name in LIBRARIES:
            path = Path("/", name)
            if path.is_symlink():
                archive.addfile(_entry(name, tarfile.SYMTYPE, target=os.readlink(path)))  # noqa: PTH115  # as it is, relative or not
            elif path.is_dir():
                archive.addfile(_entry(name, tarfile.DIRTYPE))
        for name, text in texts.items():
            archive.addfile(_entry(name, tarfile.REGTYPE, size=len(text)), io.BytesIO(text.encode()))
    return made.getvalue()


def _entry(name: str, kind: bytes, *, target: str = "", size: int = 0) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.size = kind, target, size
    entry.mode = 0o644 if kind == tarfile.REGTYPE else 0o755
    return entry


def _has_image(engine: str, name: str) -> bool:
    done = subprocess.run([engine, "image", "inspect", name], capture_output=True, check=False)
    return done.returncode == 0
