"""The back end with limits but without isolation, for machines where bubblewrap cannot work; `open_sandbox` makes it.

The command sees the whole machine with the rights of its user, network included, and as an ordinary user or as root it can write
to a "read-only" tree. Started by root it gets an unprivileged user where that user can reach the tree, the mounts and the program;
where it cannot (say, a tree under /root), it stays root, but without any capability.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Execution
from repairlab.sandbox.launcher import compile_launcher
from repairlab.sandbox.resident import Resident, resident
from repairlab.sandbox.slots import unprivileged_id
from repairlab.sandbox.supervise import Launch, Place, supervise


class ProcessSandbox:
    """Runs commands as ordinary processes under limits; anything a command can reach, it can read or harm."""

    name = "process"

    def __init__(self, cache: Path, *, allow_unsafe: bool = False) -> None:
        if not allow_unsafe:
            raise UserError(
                "the process sandbox does not isolate: untrusted code could read and delete your files and use the network. "
                "Install bubblewrap (apt install bubblewrap), or accept the risk with --allow-unsafe."
            )
        self._launcher = compile_launcher(cache)

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command over a tree, with a home and a temporary folder of its own."""
        with self._launch(command, tree.resolve()) as launch:
            return supervise(command, launch)

    @contextlib.contextmanager
    def reside(self, command: Command, tree: Path) -> Iterator[Resident]:
        """Start a command that stays and answers requests, until the block ends."""
        with self._launch(command, tree.resolve()) as launch, resident(command, launch) as process:
            yield process

    @contextlib.contextmanager
    def _launch(self, command: Command, tree: Path) -> Iterator[Launch]:
        """Choose the user and make the command's private folders."""
        if not tree.is_dir():
            raise HarnessError(f"no tree to run in: {tree}")
        scratch = Path(tempfile.mkdtemp(prefix="repairlab-sandbox-"))
        try:
            for folder in (scratch, scratch / "home", scratch / "tmp"):
                folder.mkdir(exist_ok=True)
                folder.chmod(0o755)
            if os.geteuid() == 0 and _reachable_by_others(command, tree):
                with unprivileged_id() as uid:
                    yield self._launch_as(command, tree, scratch, uid=uid)
            else:
                yield self._launch_as(command, tree, scratch)
        finally:
            # The launcher has deleted it, whatever the modes and depths of the folders in it; unless it never started.
            shutil.rmtree(scratch, ignore_errors=True)

    def _launch_as(self, command: Command, tree: Path, scratch: Path, *, uid: int = 0) -> Launch:
        """Return how a command starts as a user."""
        top = tree.stat()
        place = Place(
            tree=str(tree),
            scratch=(str(scratch),),
            namespace=False,
            nproc=command.limits.processes if uid else 0,
            uid=uid,
            owner=(top.st_uid, top.st_gid),
            env=(("HOME", str(scratch / "home")), ("TMPDIR", str(scratch / "tmp"))),
        )
        return Launch(place=place, argv=(str(self._launcher),))


def _reachable_by_others(command: Command, tree: Path) -> bool:
    """Return whether a user without rights can enter the tree, the mounts and the folder of the program."""
    paths = [tree, *(Path(mount.path).resolve() for mount in command.mounts)]
    if command.argv and Path(command.argv[0]).is_absolute():
        paths.append(Path(command.argv[0]).resolve())
    return all(_open_to_others(path) for path in paths)


def _open_to_others(path: Path) -> bool:
    """Return whether everybody can read a path and enter all folders above it."""
    try:
        return bool(path.stat().st_mode & stat.S_IROTH) and all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
    except OSError:
        return False
