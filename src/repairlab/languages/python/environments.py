"""Environments of Python packages, installed on each machine from their locks, outside of a sandbox.

Importers make the locks (`locking`), `provide` installs them, both with uv; the tool chain shows them, read-only, in a sandbox.
"""

import configparser
import contextlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import digest
from repairlab.languages import host
from repairlab.languages.python.home import home_of
from repairlab.languages.python.interpreters import Interpreter, choose
from repairlab.languages.python.uv import UvError, canonical, lines_file, run_uv, sources

FOLDER = "environments"
"""Of a benchmark: a lock for each environment, NAME.txt."""


def provide(name: str, text: str, cache: Path, *, wheels: str = "") -> Path:
    """Return the folder of an environment in the cache, installed from its lock when it is not there."""
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
    # What builds a package is no newer than what the environment has of it: the package would not fit, or not be built.
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
    """Have the environment run the copy of the interpreter that a sandbox shows."""
    for path in folder.glob("bin/python*"):
        path.unlink()
    names = ("python", "python3", f"python{interpreter.release}")
    for name in names:
        (folder / "bin" / name).symlink_to(home / "bin" / f"python{interpreter.release}")
    (folder / "pyvenv.cfg").write_text(f"home = {home / 'bin'}\ninclude-system-site-packages = false\n")


def _write_plugins(folder: Path, named: set[str]) -> None:
    """Note the plugins of those packages that the project names, and of no others."""
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
