"""Environments of Python packages, installed by uv on each machine from their locks, outside a sandbox."""

import configparser
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import digest
from repairlab.languages import host
from repairlab.languages.python.interpreters import Interpreter, choose, home_of

FOLDER = "environments"
"""Of a benchmark: a lock for each environment, NAME.txt."""


def provide(name: str, text: str, cache: Path, *, wheels: str = "") -> Path:
    """Return the folder of an environment in the cache, installing it from its lock if missing."""
    facts = dict(re.findall(r"^# ([a-z ]+) = (.*)$", text, re.MULTILINE))
    if name != f"python{facts.get('python')}-{digest(text)}":
        raise UserError(f"the lock of the environment {name} was changed: its text has the digest {digest(text)}; import again")
    interpreter = choose(facts["python"])
    folder = place(name, cache)
    with host.made_once(folder) as scratch:
        if scratch is not None:
            _install(scratch, text, interpreter, (*sources(wheels, facts.get("before", ""), pins_of(text)),))
            _write_plugins(scratch, set(facts.get("plugins of", "").split()))
            _use_copy(scratch, home_of(interpreter, cache, bare=True), interpreter)
    return folder


def place(name: str, cache: Path) -> Path:
    """Return where the cache has an environment, or will have it."""
    home = home_of(choose(release_of(name)), cache, bare=True)
    return cache.absolute() / f"environment-{name}-{digest(home.name)}"


def release_of(name: str) -> str:
    """Return the release of Python of an environment.

    >>> release_of("python3.8-0123456789abcdef")
    '3.8'
    """
    return name.partition("-")[0].removeprefix("python")


def pins_of(lock_text: str) -> list[str]:
    """Return the packages of a lock with their versions."""
    return re.findall(r"^[A-Za-z0-9]\S*==\S+", lock_text, re.MULTILINE)


def plugins(environment: Path) -> tuple[str, ...]:
    """Return the plugins of pytest that the project names."""
    names: list[str] = json.loads((environment / "plugins.json").read_text())
    return tuple(names)


def _install(folder: Path, text: str, interpreter: Interpreter, sources: Sequence[str]) -> None:
    folder.rmdir()  # uv makes it
    run_uv("venv", "--python", str(interpreter.executable), "--relocatable", "--no-project", str(folder))
    folder.chmod(0o755)
    # What builds a package is no newer than the environment's version: otherwise the package may not fit, or not build.
    no_newer = (pin.replace("==", "<=") for pin in pins_of(text))
    with lines_file(text.splitlines()) as requirements, lines_file(no_newer) as constraints:
        try:
            run_uv(
                *("pip", "install", "--python", str(folder / "bin/python"), "--no-deps", "--require-hashes", "--compile-bytecode"),
                *("-r", str(requirements), "--build-constraints", str(constraints), *sources),
            )
        except UvError as error:
            raise UserError(f"its packages cannot be installed for Python {interpreter.release}: {error.reason}") from None
    for path in folder.glob("lib/python*/site-packages/_virtualenv.*"):  # for tools that build packages, which nobody does here
        path.unlink()


def _use_copy(folder: Path, home: Path, interpreter: Interpreter) -> None:
    """Make the environment run the copy of the interpreter that a sandbox shows."""
    for path in folder.glob("bin/python*"):
        path.unlink()
    names = ("python", "python3", f"python{interpreter.release}")
    for name in names:
        (folder / "bin" / name).symlink_to(home / "bin" / f"python{interpreter.release}")
    (folder / "pyvenv.cfg").write_text(f"home = {home / 'bin'}\ninclude-system-site-packages = false\n")


def _write_plugins(folder: Path, named: set[str]) -> None:
    """Record the plugins of those packages that the project names, and of no others."""
    found = set()
    for path in sorted(folder.glob("lib/python*/site-packages/*.dist-info/entry_points.txt")):
        package = canonical(path.parent.name.removesuffix(".dist-info").rpartition("-")[0])
        points = configparser.ConfigParser(interpolation=None, delimiters=("=",))
        points.optionxform = str  # type: ignore[assignment, method-assign]  # as the documentation says
        with contextlib.suppress(configparser.Error):
            points.read_string(path.read_text(encoding="utf-8"))
        if package in named and points.has_section("pytest11"):
            found |= set(points["pytest11"])
    (folder / "plugins.json").write_text(json.dumps(sorted(found)))


_PATIENCE_S = 900.0
_BUILD_S = 300.0
"""Time for packages to build: most take seconds, and those that take longer have a wheel of another version."""
_NO_DATE = "9000-01-01"
_NOT_BUILT = re.compile(r"(?:Failed to (?:download and )?build|Failed to build) `([\w.-]+?)(?:==[^`]+)?`")
_PROGRESS = r"(?:Using|Resolved|Updat|Building|Built|Prepared|Download|warning:)|\[std"
_NAME = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")


def canonical(name: str) -> str:
    """Return the name of a package in its usual form.

    >>> canonical("Flask_SQLAlchemy[x] >= 2")
    'flask-sqlalchemy'
    """
    found = _NAME.match(name)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found else ""


def is_pinned(line: str) -> bool:
    """Return whether a requirement names one version, whatever it says of the machines that it is for.

    >>> is_pinned("attrs==19.3.0"), is_pinned('colorama>=1; sys_platform == "win32"')
    (True, False)
    """
    return "==" in line.partition(";")[0]


def sources(wheels: str, before: str, pins: Iterable[str]) -> Iterator[str]:
    """Yield the options that say where packages come from; pinned ones may have been published again."""
    if wheels:
        yield from ("--no-index", "--find-links", str(Path(wheels).absolute()))
    elif before:
        yield from ("--exclude-newer", before)
        for pin in pins:
            yield from ("--exclude-newer-package", f"{canonical(pin)}={_NO_DATE}")


class UvError(Exception):
    """Uv has failed, and says why."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output

    @property
    def reason(self) -> str:
        """Return the words that matter, in one line."""
        lines = [re.sub(r"^[\s×╰─▶├│]+", "", line) for line in self.output.splitlines()]
        lines = [line for line in lines if line and not re.match(_PROGRESS, line)]
        errors = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception)\b|error:", line)]
        causes = [line for line in lines if re.match(r"\S+: (?:fatal )?error: ", line)]
        told = [*lines[:2], *(line for line in (causes[:1] or errors[-1:]) if line not in lines[:2])]
        return " ".join(" ".join(told).split())[:600]


def run_uv(*arguments: str, given: str = "", build_s: float = _BUILD_S) -> str:
    """Run uv and return its output; packages that take longer than this to build count as unbuildable."""
    command = [_program(), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")}
    environment |= {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "NO_COLOR": "1", "UV_NO_CONFIG_WARNING": "1"}
    environment["COLUMNS"] = "1000"  # it would wrap its lines, of which a reason is one
    pipe = subprocess.PIPE
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(tempfile.TemporaryDirectory(prefix="repairlab-"))  # no project whose settings uv would read
        try:
            process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=here, start_new_session=True
            )
        except OSError as error:
            raise HarnessError(f"uv does not run: {error}") from error
        stack.enter_context(process)
        stack.callback(_kill, process)  # with the compilers that it started, which would go on without it
        stdout, stderr = (part.decode(errors="replace") for part in _wait(process, given.encode(), build_s))
    if process.returncode:
        raise UvError(stderr)
    return stdout


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], given: bytes, build_s: float) -> tuple[bytes, bytes]:
    """Return uv's output, unless building packages, or everything, takes too long."""
    try:
        return process.communicate(given, timeout=build_s)
    except subprocess.TimeoutExpired as error:
        if names := being_built((error.stderr or b"").decode(errors="replace")):
            lines = (f"error: Failed to build `{name}`: it took longer than {build_s:.0f} s" for name in names)
            raise UvError("\n".join(lines)) from None
    try:
        return process.communicate(timeout=_PATIENCE_S - build_s)
    except subprocess.TimeoutExpired:
        raise UvError(f"error: this took longer than {_PATIENCE_S:.0f} s") from None


def being_built(progress: str) -> list[str]:
    r"""Return the packages that uv has begun to build and has not built, by what it says of its progress.

    >>> being_built("   Building numpy==1.19.0rc2\n   Building wrapt==1.12.1\n      Built wrapt==1.12.1\n")
    ['numpy==1.19.0rc2']
    """
    begun, built = (re.findall(rf"^\s*{word} (\S+)", progress, re.MULTILINE) for word in ("Building", "Built"))
    return [name for name in dict.fromkeys(begun) if name not in built]


def _program() -> str:
    """Return the program uv, on the path or beside our own interpreter."""
    beside = Path(sys.executable).parent / "uv"
    found = shutil.which("uv") or (str(beside) if beside.is_file() else None)
    if found is None:
        raise UserError("environments of Python projects are made by uv, which is not installed. Install it with: pip install uv")
    return found


def not_built(message: str) -> tuple[str, ...]:
    """Return the packages that a message says could not be built."""
    return tuple(dict.fromkeys(map(canonical, _NOT_BUILT.findall(message))))


@contextlib.contextmanager
def lines_file(lines: Iterable[str]) -> Iterator[Path]:
    """Give a file for pip with these lines."""
    with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
        path = Path(folder, "requirements.txt")
        path.write_text("".join(f"{line}\n" for line in lines))
        yield path
