"""The small C programs of the sandbox, compiled once per machine: launcher, gate, self-test, and what changes surroundings."""

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from repairlab.core.errors import HarnessError


def compile_launcher(cache: Path) -> Path:
    """Return the compiled launcher, compiling it into the cache folder if it is missing."""
    return _compiled("launcher", cache)


def compile_breakout(cache: Path) -> Path:
    """Return the compiled program that tries to break out of a sandbox."""
    return _compiled("breakout", cache)


def compile_gate(cache: Path) -> Path:
    """Return the compiled program that hands sockets of a sandbox's network to the host."""
    return _compiled("gate", cache)


def compile_luck(cache: Path) -> Path:
    """Return the compiled library that changes a program's time, order of folders and content of its unused stack."""
    return _compiled("luck", cache, forms=(["-shared", "-fPIC"],))


def _compiled(name: str, cache: Path, forms: tuple[list[str], ...] = (["-static"], [])) -> Path:
    """Compile in the first form that works: a static program starts faster, but not every machine has the static C library."""
    flags = tuple(os.environ.get("REPAIRLAB_LAUNCHER_FLAGS", "").split()) if name != "luck" else ()  # for tests under sanitizers
    sources = _sources(name)
    told = [f"{file}\0{text}\0" for file, text in sources.items()]
    digest = hashlib.sha256("".join([*told, platform.machine(), *flags]).encode()).hexdigest()[:16]
    program = cache.resolve() / f"{name}-{digest}"
    if not os.access(program, os.X_OK):
        try:
            program.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = f"cannot keep programs of the sandbox in {program.parent}: {error.strerror}"
            raise HarnessError(f"{reason}. Let REPAIRLAB_CACHE name a folder that can be written") from error
        with _alone_in(program.parent):
            if not os.access(program, os.X_OK):
                _compile(sources, program, flags, forms)
    return program


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let one process compile at a time: a replaced program cannot be mounted by a process that has just found it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sources(name: str) -> dict[str, str]:
    """Return the files of a program: one, or a folder of them."""
    folder = resources.files("repairlab.sandbox")
    parts = folder.joinpath(name)
    files = sorted(parts.iterdir(), key=lambda file: file.name) if parts.is_dir() else [folder.joinpath(f"{name}.c")]
    return {file.name: file.read_text(encoding="utf-8") for file in files if file.name.endswith((".c", ".h"))}


def _compile(sources: dict[str, str], program: Path, extra: tuple[str, ...], forms: tuple[list[str], ...]) -> None:
    """Compile to a temporary file and rename it, so that no reader sees half a program."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise HarnessError("no C compiler found, and the sandbox needs one. Install one: apt install gcc libc6-dev")
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        made = Path(folder) / "program"
        for name, text in sources.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        files = [str(Path(folder, name)) for name in sources if name.endswith(".c")]
        for form in forms:
            argv = [compiler, "-O2", *form, *extra, "-o", str(made), *files]
            done = subprocess.run(argv, capture_output=True, check=False)
            if done.returncode == 0:
                made.chmod(0o755)
                made.rename(program)
                return
    text = done.stderr.decode(errors="replace").strip()
    raise HarnessError(f"{compiler} cannot compile {program.name} (is the C library installed? apt install gcc libc6-dev):\n{text}")
