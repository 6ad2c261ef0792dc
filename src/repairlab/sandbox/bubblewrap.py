"""The usual back end: every command runs in new namespaces and sees nothing of the host but the tool chain.

Root keeps the rights it needs to read the tree and hand it over, and gives the command an unprivileged user. An ordinary user gets
a user namespace. Trying them shows which of the two works.
"""

import contextlib
import itertools
import os
import platform
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Limits
from repairlab.core.installation import PACKAGE
from repairlab.sandbox.cgroups import ControlGroups
from repairlab.sandbox.descriptors import memory_file
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
    unprivileged_id,
)
from repairlab.sandbox.supervise import Launch, Launcher, SandboxLayout, launched
from repairlab.sandbox.trees import base_of

INSIDE_UID = 1000
CAPABILITIES = ("SETUID", "SETGID", "SETPCAP", "KILL", "CHOWN", "FOWNER", "DAC_OVERRIDE", "SYS_RESOURCE", "SYS_PTRACE")
"""What the launcher needs to change the user, hand over the tree, watch and kill; the command has none of it."""
MOUNTING = ("SYS_ADMIN", "CHOWN", "FOWNER", "DAC_OVERRIDE")
"""What it needs to mount new private folders and layers over the tree for each command."""
FIXED = ("/dev/pts", "/dev", "/proc", "/")
"""File systems that are new in each namespace, so that the command's user may own them; anything left there would stay."""
BASE = "/trees"
"""Where a folder of trees is, which the launcher hides."""
LAYER_PROBE = """\
set -e
rm -r folder; mkdir folder; test -z "$(ls -A folder)"; rmdir folder
echo new > file; chmod 600 file; echo new > added; mv file moved; ln moved linked
test "$(cat moved)" = new"""
"""Succeeds on a tree with a file and a folder that holds another if a layer can do all that a file system can."""


class BubblewrapSandbox(LaunchingSandbox):
    """Runs commands under bubblewrap; construct it with `open`, which finds the form that works here."""

    def __init__(self, cache: Path, *, user_namespace: bool, layers: bool = True, groups: ControlGroups | None = None) -> None:
        self.name = "bubblewrap" + ("+cgroup" if groups else "")
        self._groups = groups
        self._bwrap = find_bwrap()
        self._launcher = compile_launcher(cache)
        self._user_namespace = user_namespace
        self._sizes = "--size" in _help(self._bwrap)
        self._layers = layers
        self._system = [*_namespaces(user_namespace, layers=layers), *_file_system()]
        self._counts = not user_namespace or _kernel_version() >= (5, 14)

    @classmethod
    def open(cls, cache: Path, *, groups: ControlGroups | None = None) -> "BubblewrapSandbox":
        """Return a sandbox that works on this machine, or raise HarnessError with the reasons why none does."""
        reasons = []
        for user_namespace, layers in itertools.product((False, True) if os.geteuid() == 0 else (True,), (True, False)):
            sandbox = cls(cache, user_namespace=user_namespace, layers=layers, groups=groups)
            try:
                sandbox.probe()
            except HarnessError as error:
                reasons.append(str(error))
            else:
                return sandbox
        raise HarnessError("\n".join(dict.fromkeys(reasons)))

    @property
    def form(self) -> str:
        """How rights are taken from commands, in words."""
        who = "user namespace" if self._user_namespace else f"unprivileged users {FIRST_USER} to {FIRST_USER + N_USERS - 1}"
        return f"{who}, {'layers over the tree' if self._layers else 'no layers: the tree is put back'}"

    @property
    def settings(self) -> dict[str, bool]:
        """The arguments that make this form."""
        return {"user_namespace": self._user_namespace, "layers": self._layers}

    def probe(self) -> None:
        """Run one harmless command that changes its tree in private; raises HarnessError when that does not work."""
        command = Command(argv=("sh", "-c", LAYER_PROBE), private=True, limits=Limits(cpu_s=10, wall_s=30))
        with tempfile.TemporaryDirectory(prefix="repairlab-probe-") as folder:
            tree = Path(folder)
            (tree / "folder").mkdir()
            for file in (tree / "file", tree / "folder" / "file"):
                file.write_text("old")
            done = self.run(command, tree)
            left = sorted((path.name, path.read_text() if path.is_file() else "") for path in tree.rglob("*"))
        if not done.succeeded:
            raise HarnessError(f"the sandbox starts but runs nothing: {done.stderr.decode(errors='replace')}")
        if left != [("file", "old"), ("file", "old"), ("folder", "")]:
            raise HarnessError("what a private command changes stays in the tree")

    def _user(self) -> contextlib.AbstractContextManager[int]:
        """Hold a user id for commands; 0 where a user namespace gives them one."""
        return contextlib.nullcontext(0) if self._user_namespace else unprivileged_id()

    @contextlib.contextmanager
    def _launched(self, command: Command, tree: Path, *, uid: int, keep: bool = False) -> Iterator[Launcher]:
        """Start a launcher for commands like this one."""
        top = tree.stat() if tree.is_dir() else None
        if top is None:
            raise HarnessError(f"no tree to run in: {tree}")
        if uid and not (command.writable or command.private) and (top.st_mode & 0o005) != 0o005:
            tree.chmod(stat.S_IMODE(top.st_mode) | 0o055)  # folders from `mkdtemp` are closed to the command's user
        tree_inside, base = inside(command), base_of(tree) if keep and self._layers else None
        layout = SandboxLayout(
            tree=tree_inside,
            scratch=SCRATCH,
            fixtures=tuple(mount.path for mount in command.mounts if any(Path(mount.path).is_relative_to(top) for top in SCRATCH)),
            layers=self._layers,
            namespace=True,
            counted=self._counts,
            spare=(SPARE_PROCESSES if keep else 0) + (0 if uid else 1),  # the launcher counts where it is the same user
            uid=uid,
            owner=(top.st_uid, top.st_gid),
            keep=keep,
            base=BASE if base else "",
        )
        with _accounts(uid or INSIDE_UID) as files, open(self._launcher, "rb") as program:  # noqa: PTH123
            size = ["--size", str(command.limits.disk_mb << 20)] if self._sizes and command.limits.disk_mb else []
            argv = (
                *(self._bwrap, *self._system),
                *(option for folder in SCRATCH for option in (*size, "--tmpfs", folder)),
                *(option for name, number in files.items() for option in ("--file", str(number), f"/etc/{name}")),
                # A tree below private layers is handed over to the user of the commands first.
                *("--bind" if command.writable or (command.private and uid) else "--ro-bind", *_place(tree, tree_inside, base)),
                *_mounts(command),
                *(option for folder in FIXED for option in ("--remount-ro", folder)),
                *("--", f"/proc/self/fd/{program.fileno()}"),
            )
            launch = Launch(layout=layout, argv=argv, files=(program.fileno(), *files.values()), groups=self._groups)
            with launched(launch) as launcher:
                yield launcher


def _place(tree: Path, inside: str, base: Path | None) -> Iterator[str]:
    """Yield which of the host's trees is shown and where: a command's tree, or a folder of them."""
    yield from (str((base or tree).resolve()), BASE if base else inside)
    if base:
        yield from ("--dir", inside)


def find_bwrap() -> str:
    """Return the path of the bubblewrap program."""
    found = shutil.which("bwrap")
    if found is None:
        raise HarnessError("bubblewrap is not installed. Install it: apt install bubblewrap")
    return found


def _namespaces(user_namespace: bool, *, layers: bool) -> list[str]:
    """Return the options that separate processes, network and rights from the host."""
    user = ["--unshare-user", "--uid", str(INSIDE_UID), "--gid", str(INSIDE_UID)] if user_namespace else []
    kept = dict.fromkeys([*(() if user_namespace else CAPABILITIES), *(MOUNTING if layers else ())])
    rights = [*user, "--cap-drop", "ALL", *(option for name in kept for option in ("--cap-add", f"CAP_{name}"))]
    spaces = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    return [*rights, *spaces, "--as-pid-1", "--die-with-parent", "--new-session", "--chdir", "/"]


def _file_system() -> list[str]:
    """Return the options for the parts of the file system that are the same for all commands."""
    options = ["--ro-bind", "/usr", "/usr", "--dir", "/etc", "--dir", "/etc/ssl"]
    for name in LIBRARIES:
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", os.readlink(path), str(path)]  # noqa: PTH115  # as it is, relative or not
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for path in settings():
        options += ["--ro-bind-try", str(path), str(path)]
    if PACKAGE.is_relative_to("/usr"):
        options += ["--tmpfs", str(PACKAGE)]
    return [*options, "--proc", "/proc", "--dev", "/dev"]


def _mounts(command: Command) -> Iterator[str]:
    """Yield the options for the host files that the command asks for."""
    made: set[Path] = set()
    for mount in command.mounts:
        path = Path(mount.path)
        if path.is_relative_to("/usr") and not path.is_relative_to(PACKAGE):
            continue  # there already
        for folder in reversed(path.parents):
            if folder not in made and not folder.is_relative_to("/usr"):
                made.add(folder)
                yield from ("--dir", str(folder))  # bubblewrap by itself would close it to all but root
        yield from ("--ro-bind", mount.path, mount.path)


@contextlib.contextmanager
def _accounts(uid: int) -> Iterator[dict[str, int]]:
    """Open the account files of a machine with one user."""
    texts = {
        "passwd": f"user:x:{uid}:{uid}::/home/user:/bin/sh\n",
        "group": f"user:x:{uid}:\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    }
    with contextlib.ExitStack() as stack:
        yield {name: stack.enter_context(memory_file(text.encode())) for name, text in texts.items()}


def _help(bwrap: str) -> str:
    """Return bubblewrap's list of options."""
    return subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False).stdout


def _kernel_version() -> tuple[int, int]:
    """Return the version of the kernel; since 5.14 a user namespace counts its own processes."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return (int(found[1]), int(found[2])) if found else (0, 0)
