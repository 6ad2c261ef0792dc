"""Find the tools of this machine, and name missing ones."""

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Mount

SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where sandboxed commands find programs; a tool elsewhere on this machine does not help."""

_ALWAYS_VISIBLE = ("/usr/", "/bin/", "/lib/", "/lib64/", "/sbin/")


def require(tool: str, package: str = "") -> str:
    """Return a tool's name if sandboxed commands can find it; else the package that has it, if its name differs."""
    if not is_installed(tool):
        raise HarnessError(f"{tool} is not installed in {SANDBOX_PATH}. Install it with: apt install {package or tool}")
    return tool


@functools.lru_cache(maxsize=64)
def is_installed(tool: str) -> bool:
    """Return whether sandboxed commands can find a tool."""
    return shutil.which(tool, path=SANDBOX_PATH) is not None


@functools.lru_cache(maxsize=64)
def version(tool: str, *arguments: str) -> str:
    """Return the first line of a trusted tool's version output."""
    done = subprocess.run([tool, *(arguments or ("--version",))], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HarnessError(f"{tool} does not run: {(done.stderr or done.stdout).strip()[:300]}")
    return (done.stdout or done.stderr).splitlines()[0].strip()


def mounts(*paths: Path | str) -> tuple[Mount, ...]:
    """Return mounts for those paths that a sandbox does not show anyway."""
    wanted = dict.fromkeys(str(path) for path in paths)
    return tuple(Mount(path=path) for path in wanted if not path.startswith(_ALWAYS_VISIBLE))


@contextlib.contextmanager
def made_once(folder: Path) -> Iterator[Path | None]:
    """Give a scratch folder that becomes `folder` at the end, or none when it exists already.

    Written aside and renamed, so that a reader never sees half of it and of several writers the first one wins.
    """
    if folder.is_dir():
        yield None
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        scratch.chmod(0o755)
        yield scratch
        with contextlib.suppress(FileExistsError):
            _rename(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _rename(scratch: Path, folder: Path) -> None:
    try:
        os.rename(scratch, folder)  # noqa: PTH104  # Path.rename says the same, but hides that the target must be empty
    except OSError:
        if not folder.is_dir():
            raise
