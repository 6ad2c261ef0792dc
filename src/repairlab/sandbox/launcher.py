"""The small C programs of the sandbox, compiled once per machine: the launcher that watches every command, and the self-test's."""

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path

from repairlab.core.errors import HarnessError


def compile_launcher(cache: Path) -> Path:
    """Return the compiled launcher, compiling it into the cache folder when it is not there yet."""
    return _compiled("launcher", cache)


def compile_breakout(cache: Path) -> Path:
    """Return the compiled program that tries to break out of a sandbox."""
    return _compiled("breakout", cache)


def _compiled(name: str, cache: Path) -> Path:
    source = resources.files("repairlab.sandbox").joinpath(f"{name}.c").read_bytes()
    digest = hashlib.sha256(source + platform.machine().encode()).hexdigest()[:16]
    program = cache.resolve() / f"{name}-{digest}"
    if not os.access(program, os.X_OK):
        program.parent.mkdir(parents=True, exist_ok=True)
        _compile(source, program)
    return program


def _compile(source: bytes, program: Path) -> None:
    """Compile aside and rename, so that a reader never meets half a program."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise HarnessError("no C compiler found, and the sandbox needs one. Install one: apt install gcc libc6-dev")
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        made = Path(folder) / "program"
        # A static program starts faster, and in any container; not every machine has the static C library.
        for flags in (["-static"], []):
            argv = [compiler, "-x", "c", "-O2", *flags, "-o", str(made), "-"]
            done = subprocess.run(argv, input=source, capture_output=True, check=False)
            if done.returncode == 0:
                made.chmod(0o755)
                made.rename(program)
                return
    text = done.stderr.decode(errors="replace").strip()
    raise HarnessError(f"{compiler} cannot compile {program.name} (is the C library installed? apt install gcc libc6-dev):\n{text}")
