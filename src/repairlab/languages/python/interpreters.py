"""The Python interpreters of this machine, and which one a project gets."""

import functools
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import record

OLDEST = (3, 8)
"""What the runners of tests are written for."""
_KEPT_ELSEWHERE = (
    ("PYENV_ROOT", ".pyenv", "versions/*/bin/python3"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", "*/bin/python3"),
    ("CONDA_ROOT", "miniconda3", "envs/*/bin/python3"),
)
"""Where tools keep interpreters that are not on the path: a variable, a folder of the home where that is not set, and a pattern."""

_ANSWER = """[getattr(sys, "_base_executable", None) or sys.executable, sys.base_prefix, list(sys.version_info[:3]),
    sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}), sys.version]"""


@record
class Interpreter:
    """An interpreter as it says of itself."""

    executable: Path
    prefix: Path
    library: Path
    version: tuple[int, ...]
    full_version: str

    @property
    def release(self) -> str:
        """Return the version without its last number: 3.8."""
        return ".".join(map(str, self.version[:2]))


@functools.lru_cache(maxsize=64)
def ask(python: str) -> Interpreter:
    """Ask an interpreter (perhaps a shim or a virtual environment's) where the real one is."""
    try:
        executable, prefix, version, library, full = _answer(python)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise HarnessError(f"the Python interpreter {python!r} does not run: {error}") from error
    if tuple(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise UserError(f"{python} is Python {'.'.join(map(str, version))}; candidates need {oldest} or newer. Set another one.")
    return Interpreter(
        executable=Path(executable).resolve(),
        prefix=Path(prefix),
        library=Path(library),
        version=tuple(version),
        full_version=" ".join(full.split()),
    )


def _answer(python: str) -> Any:
    """Return what an interpreter says of itself; the one that runs this need not be started for it."""
    if python == sys.executable and "PYTHONHOME" not in os.environ:
        return eval(_ANSWER, {"sys": sys, "sysconfig": sysconfig})  # our own text
    # Without -I a `json.py` in the current folder would answer instead.
    question = f"import json, sys, sysconfig; print(json.dumps({_ANSWER}))"
    return json.loads(subprocess.run([python, "-I", "-c", question], capture_output=True, text=True, check=True).stdout)


@functools.cache
def installed() -> tuple[Interpreter, ...]:
    """Return the interpreters of this machine that can be used, one of each release, the oldest first."""
    found: dict[str, Interpreter] = {}
    for path in (sys.executable, *_places()):
        try:
            known = ask(str(path))
        except (HarnessError, UserError):  # a shim of a release that is not chosen, or one that is too old
            continue
        found.setdefault(known.release, known)
    return tuple(sorted(found.values(), key=lambda known: known.version))


def _places() -> Iterator[Path]:
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        yield from (path for path in sorted(Path(folder or ".").glob("python3*")) if re.fullmatch(r"python3(\.\d+)?", path.name))
    for variable, folder, pattern in _KEPT_ELSEWHERE:
        yield from sorted(Path(os.environ.get(variable) or Path.home() / folder).glob(pattern), reverse=True)


def choose(wanted: str) -> Interpreter:
    """Return the interpreter of a release (3.8, 3.8.3) or at a path; a UserError says what there is instead."""
    if not re.fullmatch(r"\d+(\.\d+)*", wanted):
        return ask(wanted)
    release = ".".join(wanted.split(".")[:2])
    for known in installed():
        if known.release == release:
            return known
    raise UserError(
        f"Python {release} is not installed here; there are {', '.join(known.release for known in installed())}. "
        f"Install it, for example with: uv python install {release}; or choose another one with --python"
    )
