"""The launcher program that watches every untrusted command: compiled once per machine; both back ends start it."""

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
    source = resources.files("repairlab.sandbox").joinpath("launcher.c").read_bytes()
    name = hashlib.sha256(source + platform.machine().encode()).hexdigest()[:16]
    program = cache.resolve() / f"launcher-{name}"
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
        made = Path(folder) / "launcher"
        # A static program starts faster; not every machine has the static C library.
        for flags in (["-static"], []):
            argv = [compiler, "-x", "c", "-O2", *flags, "-o", str(made), "-"]
            done = subprocess.run(argv, input=source, capture_output=True, check=False)
            if done.returncode == 0:
                made.chmod(0o755)
                made.rename(program)
                return
    text = done.stderr.decode(errors="replace").strip()
    raise HarnessError(f"{compiler} cannot compile the launcher (is the C library installed? apt install gcc libc6-dev):\n{text}")
