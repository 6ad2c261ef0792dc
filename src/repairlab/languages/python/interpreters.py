"""The Python interpreters of this machine, which one a project gets, and private copies of them for a sandbox.

A copy keeps the host's site-packages out of reach of candidates: an installed repairlab would show them expected outputs.
"""

import functools
import importlib.machinery
import importlib.metadata
import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import digest, record
from repairlab.languages import host

OLDEST = (3, 8)
"""The releases that test runners are written for."""
_KEPT_ELSEWHERE = (
    ("PYENV_ROOT", ".pyenv", "versions/*/bin/python3"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", "*/bin/python3"),
    ("CONDA_ROOT", "miniconda3", "envs/*/bin/python3"),
)
"""Where tools keep interpreters off the path: a variable, a folder of the home if that is unset, and a pattern."""

_ANSWER = """[getattr(sys, "_base_executable", None) or sys.executable, sys.base_prefix, list(sys.version_info[:3]),
    sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}), sys.version]"""


@record
class Interpreter:
    """An interpreter, by its own account."""

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
    """Return what an interpreter says of itself; our own need not be started for it."""
    if python == sys.executable and "PYTHONHOME" not in os.environ:
        return eval(_ANSWER, {"sys": sys, "sysconfig": sysconfig})  # our own text
    # Without -I a `json.py` in the current folder would answer instead.
    question = f"import json, sys, sysconfig; print(json.dumps({_ANSWER}))"
    return json.loads(subprocess.run([python, "-I", "-c", question], capture_output=True, text=True, check=True).stdout)


@functools.cache
def installed() -> tuple[Interpreter, ...]:
    """Return the usable interpreters of this machine, one per release, oldest first."""
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
    """Return the interpreter of a release (3.8, 3.8.3) or at a path; a UserError says what is available."""
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


_PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
"""Import names of pytest and its dependencies; pure Python, so any interpreter can use the copies."""
_PACKAGES_OF_OLD = ("attr",)
"""What pytest also needed before version 7.3, which Debian has."""

_LEFT_OUT = ("site-packages", "dist-packages", "test", "tests", "idlelib", "ensurepip", "turtledemo", "config-*", "*customize.py")
_RUNNERS = Path(__file__).parent / "runners"
_ZYGOTE = Path(__file__).parent / "zygote"
_SERVING = "sitecustomize.py"


def home_of(interpreter: Interpreter, cache: Path, *, bare: bool = False) -> Path:
    """Return the folder of the copy, made when it is not there.

    A bare one, for environments, has the headers that extension modules are built with. It is without pytest, which an environment
    brings, and without runners, so that environments outlive changes of those; nor does it serve programs: it would take our
    runners for such, and fork them before they have loaded anything.
    """
    compiler = _c_compiler()
    packages = [] if bare else [_package(name) for name in _needed()]
    stamps = [(str(path), path.stat().st_mtime_ns) for path in (interpreter.executable, *packages)]
    runners = [] if bare else sorted(_RUNNERS.glob("*.py"))
    ours = {path.name: path.read_text() for path in (*sorted(_ZYGOTE.glob("*.[ch]")), *runners)}
    version = ".".join(map(str, interpreter.version))
    headers = interpreter.prefix / "include" / f"python{interpreter.release}"
    with_headers = (str(headers),) if bare and headers.is_dir() else ()
    home = cache.absolute() / f"python-{version}-{digest(interpreter.full_version, stamps, ours, compiler, *with_headers)}"
    with host.made_once(home) as scratch:
        if scratch is not None:
            _make(scratch, interpreter, packages, compiler)
            if with_headers:
                shutil.copytree(headers, scratch / "include" / headers.name, ignore_dangling_symlinks=True)
    return home


@functools.cache
def has_zygote(home: Path) -> bool:
    """Return whether interpreters of a copy can be fork servers."""
    return any(home.glob("lib*/python*/_zygote.so"))


def libraries(home: Path) -> tuple[tuple[str, str], ...]:
    """Return the variable that names the shared libraries of a copy, if it has any."""
    return (("LD_LIBRARY_PATH", str(home / "shared")),) if (home / "shared").is_dir() else ()


def _needed() -> tuple[str, ...]:
    """Return the import names of pytest, as it is installed, and of what it needs."""
    try:
        needs = importlib.metadata.requires("pytest") or ()
    except importlib.metadata.PackageNotFoundError:
        needs = ()
    is_old = any(need.startswith("attrs") and "extra ==" not in need for need in needs)
    return (*_PACKAGES, *_PACKAGES_OF_OLD) if is_old else _PACKAGES


def _package(name: str) -> Path:
    """Return the file or folder of a package beside the installed pytest: the caller's folder may hold files of that name."""
    try:
        installed_in = str(importlib.metadata.distribution("pytest").locate_file(""))
    except importlib.metadata.PackageNotFoundError:
        installed_in = ""
    folders = [folder for folder in (installed_in, *site.getsitepackages(), site.getusersitepackages()) if folder]
    found = importlib.machinery.PathFinder.find_spec(name, folders)
    if found is None or found.origin is None:
        raise HarnessError(f"the Python package {name} is missing beside repairlab. Install it with: pip install pytest")
    origin = Path(found.origin)
    return origin.parent if origin.name == "__init__.py" else origin


def _make(home: Path, interpreter: Interpreter, packages: Sequence[Path], compiler: str) -> None:
    """Copy an interpreter with its standard library, pytest and our runners into an empty folder."""
    (home / "bin").mkdir()
    python = home / "bin" / f"python{interpreter.release}"
    shutil.copy2(interpreter.executable, python)
    library = home / interpreter.library.relative_to(interpreter.prefix)
    ignored = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(interpreter.library, library, ignore=ignored, ignore_dangling_symlinks=True)
    (home / "packages").mkdir()
    for package in packages:
        copy = shutil.copytree if package.is_dir() else shutil.copy2
        copy(package, home / "packages" / package.name)
    if packages:
        shutil.copytree(_RUNNERS, home / "runners", ignore=shutil.ignore_patterns("__pycache__", _SERVING))
        shutil.copy2(_RUNNERS / _SERVING, library / _SERVING)
    _copy_shared_libraries(home, [python, *library.glob("lib-dynload/*.so")])
    _compile_zygote(home, python, library / "_zygote.so", compiler)
    # The sandbox shows this folder read-only, so missing bytecode would be compiled at every start.
    _run_copy(home, python, "-m", "compileall", "-q", str(home))
    wanted = "pytest, ctypes, zlib" if packages else "ctypes, zlib"
    done = _run_copy(home, python, "-c", f"import sys; sys.path.append({str(home / 'packages')!r}); import {wanted}")
    if done.returncode != 0:
        raise HarnessError(f"a copy of {interpreter.executable} does not run: {done.stderr.strip()[-500:]}")


def _c_compiler() -> str:
    """Return a C compiler of this machine, or nothing."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")


def _compile_zygote(home: Path, python: Path, library: Path, compiler: str) -> None:
    """Compile what makes fork servers of interpreters; if that fails, every run starts an interpreter."""
    if not compiler:
        return
    sources = map(str, sorted(_ZYGOTE.glob("*.c")))
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(library), *sources], capture_output=True, check=False)
    done = _run_copy(home, python, "-c", "import _zygote")
    if "ImportError: the fork server is no module" not in done.stderr:
        library.unlink(missing_ok=True)


def _run_copy(home: Path, python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"LD_LIBRARY_PATH": str(home / "shared"), "PATH": host.SANDBOX_PATH, "LC_ALL": "C.UTF-8"}
    return subprocess.run([str(python), "-I", *arguments], env=environment, capture_output=True, text=True, check=False)


def _copy_shared_libraries(home: Path, binaries: Sequence[Path]) -> None:
    """Copy the shared libraries that binaries need and a sandbox does not show (pyenv's libpython, conda's OpenSSL)."""
    listed = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    targets = {line.split("=>")[1].split("(")[0].strip() for line in listed.splitlines() if "=> /" in line}
    hidden = [Path(mount.path) for mount in host.mounts(*sorted(targets))]
    if hidden:
        (home / "shared").mkdir()
    for path in hidden:
        shutil.copy2(path, home / "shared" / path.name)
