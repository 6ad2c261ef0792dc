"""Checking and testing Python trees: commands for a private copy of the interpreter, with nothing but pytest installed.

The copy keeps the host's site-packages out of reach of candidates: an installed repairlab would show them expected outputs.
"""

import copy
import dataclasses
import functools
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Execution
from repairlab.core.glob import matching
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest, record
from repairlab.languages import host, reports
from repairlab.languages.language import Batch, Listing, Report, Toolchain, Tools

_PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
"""Import names of pytest and all it needs; pure Python, so any interpreter can use the copies."""

_LEFT_OUT = ("site-packages", "dist-packages", "test", "tests", "idlelib", "ensurepip", "turtledemo", "config-*", "*customize.py")
_RUNNERS = Path(__file__).parent / "runners"
_ZYGOTE = Path(__file__).parent / "zygote"
_OLDEST = (3, 11)
_NO_SERVER = (("REPAIRLAB_FORK_SERVER", "0"),)
"""A launcher that starts a fork server puts the number of a socket in its place, and the zygote takes it away. It is always there,
so that objects lie at the same addresses in a new process and in a fork, and sets of objects have the same order in both."""

_SETTINGS = ("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
"""Files that pytest reads before it looks for tests."""

_LISTING = re.compile(r"\bsys\b[^\n]*\bmodules\b")
"""What a file says that can see which modules are loaded."""

_MOST_FILES = 100
"""How many test files a fork server gets ready: more may be too much for a variable."""

_QUESTION = """
import json, sys, sysconfig
print(json.dumps([getattr(sys, "_base_executable", None) or sys.executable, sys.base_prefix, list(sys.version_info[:3]),
    sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}), sys.version]))
"""


@record
class _Interpreter:
    executable: Path
    prefix: Path
    library: Path
    version: tuple[int, ...]
    full_version: str


@functools.lru_cache(maxsize=8)
def _interpreter(python: str) -> _Interpreter:
    """Ask an interpreter (perhaps a shim or a virtual environment's) where the real one is."""
    try:
        # Without -I a `json.py` in the current folder would answer instead.
        done = subprocess.run([python, "-I", "-c", _QUESTION], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise HarnessError(f"the Python interpreter {python!r} does not run: {error}") from error
    executable, prefix, version, library, full = json.loads(done.stdout)
    if tuple(version) < _OLDEST:
        raise UserError(f"{python} is Python {'.'.join(map(str, version))}; candidates need 3.11 or newer. Set another one.")
    return _Interpreter(
        executable=Path(executable).resolve(),
        prefix=Path(prefix),
        library=Path(library),
        version=tuple(version),
        full_version=" ".join(full.split()),
    )


class PythonToolchain:
    """The Toolchain of Python."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._known: Collection[str] = ()
        self._forks = True
        self._test_files: tuple[str, ...] = ()

    def knowing(self, files: Collection[str], *, forks: bool) -> "PythonToolchain":
        """Return a tool chain that need not look whether these files compile, and may or may not run forks."""
        assert self._home  # found out once for all copies
        other = copy.copy(self)
        other._known, other._forks = files, forks  # of this class
        return other

    def shared(self, build: Build, *, tree: Path, changing: str, tests: Sequence[str] = (), twin: bool = False) -> "_SharedTree":
        """Return how candidates share a look at the files that none of them changes; in a twin nothing is left to look at."""
        del tree, changing
        other = copy.copy(self)
        other._test_files = tuple(dict.fromkeys(test.split("::")[0] for test in tests if "::" in test))[
            :_MOST_FILES
        ]  # of this class
        return _SharedTree(other, build, twin=twin)

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that compiles every source file to bytecode in memory."""
        tests = set(matching(files, test.files))
        sources = matching(files, build.sources or ("**/*.py",))
        paths = [path for path in sources if path.endswith(".py") and path not in tests and path not in self._known]
        if not paths:
            return ()
        stdin = "\0".join(sorted(paths)).encode("utf-8", "surrogateescape")
        return (self._command("-s", str(self._home / "runners/python_build.py"), stdin=stdin),)

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the script; its folder is where it imports from, as always."""
        del build
        return self._command("-s", test.program or "main.py", env=test.env)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch that runs all tests in one process."""
        del build
        if not tests:
            return ()
        nonce, wanted = reports.new_nonce(), tuple(dict.fromkeys(tests))
        request = {"nonce": nonce, "tests": wanted, "stop": stop}
        command = self._command(
            "-s",
            str(self._home / "runners" / ("python_pytest.py" if test.framework == "pytest" else "python_unittest.py")),
            stdin=json.dumps(request).encode(),
            env=(*_environment(test), ("REPAIRLAB_TEST_FILES", ":".join(self._test_files))),
            private=True,
        )
        return (Batch(command=command, tests=wanted, nonce=nonce),)

    def listing(self, build: Build, test: Test, places: Sequence[str]) -> Batch:
        """Return the command that names the tests of files (pytest) or modules (unittest)."""
        del build
        nonce = reports.new_nonce()
        request = {"nonce": nonce, "tests": list(places), "framework": test.framework}
        command = self._command(
            "-s",
            str(self._home / "runners/python_listing.py"),
            stdin=json.dumps(request).encode(),
            env=_environment(test),
            private=True,
        )
        return Batch(command=dataclasses.replace(command, forks=False), tests=tuple(places), nonce=nonce)

    def listed(self, batch: Batch, execution: Execution) -> Listing:
        """Read what the lister found."""
        return reports.read_listing(batch, execution)

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read what the runner reported."""
        del test
        return reports.read_events(batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether the program ended with an uncaught MemoryError."""
        lines = execution.stderr.decode("utf-8", "replace").strip().splitlines()
        return not execution.succeeded and bool(lines) and lines[-1].startswith(("MemoryError", "Fatal Python error: _PyObject_GC"))

    def versions(self) -> dict[str, str]:
        """Return the versions of the interpreter and of pytest."""
        return {"python": self._interpreter.full_version, "pytest": metadata.version("pytest")}

    def _command(
        self, *arguments: str, stdin: bytes = b"", env: tuple[tuple[str, str], ...] = (), private: bool = False
    ) -> Command:
        libraries = (("LD_LIBRARY_PATH", str(self._home / "shared")),) if (self._home / "shared").is_dir() else ()
        python = self._home / "bin" / f"python{self._interpreter.version[0]}.{self._interpreter.version[1]}"
        # Some variables have files of the tree loaded before a fork server could stop and wait.
        forks = self._forks and self._has_zygote and not any(name.startswith(("PYTHON", "LD_")) for name, _ in env)
        return Command(
            argv=(str(python), *arguments),
            stdin=stdin,
            env=(*libraries, *(_NO_SERVER if forks else ()), *env),
            mounts=host.mounts(self._home),
            private=private,
            forks=forks,
        )

    @property
    def _interpreter(self) -> _Interpreter:
        return _interpreter(self._tools.python or sys.executable)

    @functools.cached_property
    def _has_zygote(self) -> bool:
        return any(self._home.glob("lib*/python*/_zygote.so"))

    @functools.cached_property
    def _home(self) -> Path:
        interpreter, compiler = self._interpreter, _c_compiler()
        packages = [_package(name) for name in _PACKAGES]
        stamps = [(str(path), path.stat().st_mtime_ns) for path in (interpreter.executable, *packages)]
        ours = {path.name: path.read_text() for path in (*sorted(_ZYGOTE.glob("*.[ch]")), *sorted(_RUNNERS.glob("*.py")))}
        name = f"python-{'.'.join(map(str, interpreter.version))}-{digest(interpreter.full_version, stamps, ours, compiler)}"
        home = Path(self._tools.cache).absolute() / name
        with host.made_once(home) as scratch:
            if scratch is not None:
                _make_home(scratch, interpreter, packages, compiler)
        return home


def _environment(test: Test) -> tuple[tuple[str, str], ...]:
    """Return the environment of a runner."""
    # With PYTHONPATH set, a `sitecustomize.py` of the tree would run before the runner has hidden its channel.
    names = {"PYTHONPATH": "REPAIRLAB_PATH"}
    return (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"), *((names.get(name, name), value) for name, value in test.env))


class _SharedTree:
    """A tree of which every file was compiled once: each compiles by itself, whatever the others say."""

    def __init__(self, toolchain: PythonToolchain, build: Build, *, twin: bool) -> None:
        self._toolchain, self._build, self._twin = toolchain, build, twin
        self._files: frozenset[str] = frozenset()

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that compiles every source file."""
        self._files = frozenset(files)
        return () if self._twin else self._toolchain.build(self._build, test, files)

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain:
        """Return what compiles just the changed files, if all others do."""
        gone = {path for path, text in changed.items() if text is None}
        own = {part for path in changed.keys() - self._files for part in path.removesuffix(".py").split("/")}
        # A fork server has read settings, looked for packages, and loaded modules of the library: files could stand in for these.
        forks = (
            own.isdisjoint(sys.stdlib_module_names)
            and not any(Path(path).name == "__init__.py" for path in gone | (changed.keys() - self._files))
            and not any(Path(path).name in _SETTINGS for path in changed)
            and not any(_LISTING.search(text) for text in changed.values() if text)
        )
        known = self._files | changed.keys() if self._twin else self._files - changed.keys() if prepared else ()
        return self._toolchain.knowing(known, forks=forks)


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise HarnessError(f"the Python package {name} is missing beside repairlab. Install it with: pip install pytest")
    origin = Path(found.origin)
    return origin.parent if origin.name == "__init__.py" else origin


def _make_home(home: Path, interpreter: _Interpreter, packages: Sequence[Path], compiler: str) -> None:
    """Copy an interpreter with its standard library, pytest and our runners into an empty folder."""
    major, minor = interpreter.version[:2]
    (home / "bin").mkdir()
    python = home / "bin" / f"python{major}.{minor}"
    shutil.copy2(interpreter.executable, python)
    library = home / interpreter.library.relative_to(interpreter.prefix)
    ignored = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(interpreter.library, library, ignore=ignored, ignore_dangling_symlinks=True)
    (home / "packages").mkdir()
    for package in packages:
        copy = shutil.copytree if package.is_dir() else shutil.copy2
        copy(package, home / "packages" / package.name)
    shutil.copytree(_RUNNERS, home / "runners", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "runners/sitecustomize.py").rename(library / "sitecustomize.py")
    _copy_shared_libraries(home, [python, *library.glob("lib-dynload/*.so")])
    _compile_zygote(home, python, library / "_zygote.so", compiler)
    # The sandbox shows this folder read-only, so bytecode that is not there now would be compiled at every start.
    _run_copy(home, python, "-m", "compileall", "-q", str(home))
    done = _run_copy(home, python, "-c", f"import sys; sys.path.append({str(home / 'packages')!r}); import pytest, ctypes, zlib")
    if done.returncode != 0:
        raise HarnessError(f"a copy of {interpreter.executable} does not run: {done.stderr.strip()[-500:]}")


def _c_compiler() -> str:
    """Return a C compiler of this machine, or nothing."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")


def _compile_zygote(home: Path, python: Path, library: Path, compiler: str) -> None:
    """Compile what makes fork servers of interpreters; where that is not possible, every run starts an interpreter."""
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
    """Copy the shared libraries that binaries need and that a sandbox does not show (pyenv's libpython, conda's OpenSSL)."""
    listed = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    targets = {line.split("=>")[1].split("(")[0].strip() for line in listed.splitlines() if "=> /" in line}
    hidden = [Path(mount.path) for mount in host.mounts(*sorted(targets))]
    if hidden:
        (home / "shared").mkdir()
    for path in hidden:
        shutil.copy2(path, home / "shared" / path.name)
