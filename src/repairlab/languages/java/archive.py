"""Jars of our own Java code, and archives of classes as a JVM holds them in memory, which spare each start much of its work.

The Java adapter and `junit` call it. An archive is made once per machine; without it everything works, only slower.
"""

import contextlib
import functools
import subprocess
import zipfile
from pathlib import Path

from repairlab.core.record import digest, record
from repairlab.languages import host

# Texts are joined in the plain old way: the new one makes classes at run time, in each JVM again.
COMPILE_OPTIONS = ("-proc:none", "-nowarn", "-encoding", "UTF-8", "-XDstringConcat=inline")
"""Options of javac for code of our own."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_TIMEOUT_S = 120


def jar(classes: Path, target: Path) -> None:
    """Pack a folder of classes."""
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted(classes.rglob("*.class")):
            packed.writestr(zipfile.ZipInfo(path.relative_to(classes).as_posix(), _EPOCH), path.read_bytes())


@record
class Rehearsal:
    """A run of trusted code that loads the classes wanted in an archive."""

    java: str
    flags: tuple[str, ...]
    class_path: tuple[Path, ...]
    """Jars; a JVM takes the archive only when its own class path begins with them."""
    arguments: tuple[str, ...]
    """Main class and its arguments."""
    stdin: bytes = b""


@functools.lru_cache(maxsize=16)
def archive(rehearsal: Rehearsal, cache: str) -> Path | None:
    """Return the archive that comes of a rehearsal on the host, making it at first need; none when this JVM makes none."""
    stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in rehearsal.class_path]
    run = (rehearsal.flags, rehearsal.arguments, rehearsal.stdin.hex())
    folder = Path(cache).absolute() / f"java-archive-{digest(run, stamps, host.version(rehearsal.java))}"
    with host.made_once(folder) as scratch:
        if scratch is not None:
            path = ":".join(map(str, rehearsal.class_path))
            made = f"-XX:ArchiveClassesAtExit={scratch / 'classes.jsa'}"
            java = [rehearsal.java, *rehearsal.flags, made, "-cp", path, *rehearsal.arguments]
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    ["/bin/sh", "-c", 'exec "$@" 3>/dev/null', "sh", *java],  # descriptor 3 is where reports go
                    input=rehearsal.stdin,
                    env={"HOME": str(scratch), "TMPDIR": str(scratch), "LC_ALL": "C.UTF-8"},
                    capture_output=True,
                    cwd=scratch,
                    timeout=_TIMEOUT_S,
                    check=False,
                )
    found = folder / "classes.jsa"
    return found if found.is_file() else None
