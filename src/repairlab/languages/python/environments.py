"""Environments of Python packages: requirements are locked once, and installed on each machine from the lock; outside of a sandbox.

Importers lock them and `provide` installs them, both with uv; the tool chain shows them, read-only, to what runs in a sandbox.
"""

import configparser
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import digest, record
from repairlab.languages import host
from repairlab.languages.python.home import home_of
from repairlab.languages.python.interpreters import Interpreter, choose

FOLDER = "environments"
"""Of a benchmark: a lock for each environment, NAME.txt."""
_TITLE = "# A locked environment of Python packages (docs/benchmark-format.md); its name is a digest of this text."
_OLDEST_PYTEST = "pytest>=5"
_WITH_PYTEST = (
    "atomicwrites",
    "attrs",
    "importlib-metadata",
    "more-itertools",
    "packaging",
    "pathlib2",
    "pluggy",
    "py",
    "six",
    "wcwidth",
)
"""What pytest needs, in versions that go with its own; another version may do without, and names what it needs itself."""
_PATIENCE_S = 900.0
_NO_DATE = "9000-01-01"
_MOST_RELAXED = 12
"""So many packages may be replaced by later versions before we give up."""
_NOT_BUILT = re.compile(r"(?:Failed to (?:download and )?build|Failed to build) `([\w.-]+?)(?:==[^`]+)?`")
_PROGRESS = r"(?:Using|Resolved|Updat|Building|Built|Prepared|Download|warning:)|\[std"
_NAME = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")


@record
class Requested:
    """What a project wants of its environment."""

    python: str
    """Release or path of the interpreter."""
    requirements: tuple[str, ...]
    """As in a file for pip; those with `==` hold against whatever other packages say."""
    optional: tuple[str, ...] = ()
    """Those to be taken if they can be had."""
    dispensable: tuple[str, ...] = ()
    """Names of those that are left out where they cannot be built."""
    before: str = ""
    """A date: no package that was published later is taken, which also goes for what builds packages."""
    wheels: str = ""
    """Folder to take packages from; nothing means the index that uv is set up for."""
    relax: bool = False
    """Whether a version that cannot be built here may be replaced by the next one that has a wheel."""
    unbuilt: tuple[str, ...] = ()
    """Packages of which it is known that they cannot be built: they need a wheel, or else what is optional does without them."""
    brings_pytest: bool = True
    """Whether pytest is one of the packages; not so for a project that is pytest."""


@record
class Locked:
    """An environment, ready to be written beside a benchmark."""

    name: str
    text: str
    notes: tuple[str, ...] = ()
    """Which versions are not those asked for."""


def canonical(name: str) -> str:
    """Return the name of a package in its usual form.

    >>> canonical("Flask_SQLAlchemy[x] >= 2")
    'flask-sqlalchemy'
    """
    found = _NAME.match(name)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found else ""


def lock(requested: Requested) -> Locked:
    """Resolve requirements to versions and hashes; a UserError says why that cannot be done."""
    interpreter = choose(requested.python)
    asked = {canonical(line): line for line in requested.requirements}
    asked = {name: line for name, line in asked.items() if name}
    notes: list[str] = []
    optional = {name: line for line in requested.optional if (name := canonical(line)) and name not in asked}
    if requested.brings_pytest:
        asked.setdefault("pytest", optional.pop("pytest", _OLDEST_PYTEST))
    if _is_older_pytest(asked.get("pytest", "")):
        notes.append(f"{asked['pytest']} is older than our reporter needs: {_OLDEST_PYTEST},<6 instead, and what goes with it")
        asked["pytest"] = f"{_OLDEST_PYTEST},<6"
        for name in sorted(asked.keys() | optional.keys()):
            if name in _WITH_PYTEST:
                asked.pop(name, None)
                optional[name] = name
            elif name.startswith("pytest-"):
                (asked if name in asked else optional)[name] = name
    for name in requested.unbuilt if requested.relax else ():
        _relax(asked, name, requested, interpreter, notes)
    resolved = _resolve(asked, requested, interpreter, notes)
    pending = [optional] if optional else []
    while pending:
        trial = asked | pending.pop(0)
        try:
            resolved = _resolve(trial, requested, interpreter, notes)
        except UserError as error:
            pending = [*_apart({name: line for name, line in trial.items() if name not in asked}, str(error)), *pending]
        else:
            asked = trial
    left = [line for name, line in optional.items() if name not in asked]
    notes += [f"left out, cannot be had for Python {interpreter.release}: {', '.join(left)}"] if left else []
    head = [_TITLE, f"# python = {interpreter.release}"]
    head += [f"# before = {requested.before}"] if requested.before and not requested.wheels else []
    head.append(f"# plugins of = {' '.join(sorted(asked))}")
    text = "\n".join([*head, resolved.strip()]) + "\n"
    return Locked(name=f"python{interpreter.release}-{digest(text)}", text=text, notes=tuple(notes))


def _apart(group: dict[str, str], message: str) -> list[dict[str, str]]:
    """Return what to try of packages that cannot be had together: those that the message does not name, then the others alone.

    >>> _apart({"numpy": "numpy", "keras": "keras>2", "nose": "nose"}, "you require keras>2")
    [{'numpy': 'numpy', 'nose': 'nose'}, {'keras': 'keras>2'}]
    """
    if len(group) == 1:
        return []
    named = group.keys() & set(map(canonical, re.findall(r"[\w.-]+", message))) or group.keys()
    together = {name: line for name, line in group.items() if name not in named}
    return [*([together] if together else []), *({name: group[name]} for name in sorted(named))]


def _is_older_pytest(line: str) -> bool:
    found = re.search(r"(?:==|<=?|~=)\s*(\d+)", line)
    return found is not None and int(found[1]) < (6 if "<" in found[0] and "=" not in found[0] else 5)


def _resolve(asked: dict[str, str], requested: Requested, interpreter: Interpreter, notes: list[str]) -> str:
    wheels_only, dateless = list(requested.unbuilt), list[str]()
    while True:
        try:
            return _compile(asked, requested, interpreter, wheels_only, dateless)
        except _UvError as error:
            name, anew = not_built(error.output), _published_anew(error.output)
            if anew and anew not in dateless:
                dateless.append(anew)
                note = f"{anew}: the index has no release from before {requested.before}, so a later one is taken"
                notes += [note] if note not in notes else []
            elif requested.relax and name in asked and name not in wheels_only and len(wheels_only) < _MOST_RELAXED:
                _relax(asked, name, requested, interpreter, notes)
                wheels_only.append(name)
            else:
                raise UserError(f"its packages cannot be had for Python {interpreter.release}: {error.reason}") from None


def _published_anew(message: str) -> str:
    """Return a package of which the index has nothing so old: somebody asks for it, so it was withdrawn and published again."""
    found = re.search(r"there are no versions of ([\w.-]+) (?:and|or|,)", message)
    return canonical(found[1]) if found and f"`{found[1]}` was filtered by `exclude-newer`" in message else ""


def _relax(asked: dict[str, str], name: str, requested: Requested, interpreter: Interpreter, notes: list[str]) -> None:
    """Have the next version that has a wheel stand in for one that cannot be built, if there is any."""
    line = asked.get(name, "")
    if "==" not in line:
        return
    with contextlib.suppress(_UvError):
        printed = _uv(
            *("pip", "compile", "-", "--python", str(interpreter.executable), "--no-header", "--no-annotate", "--no-deps"),
            *("--resolution", "lowest-direct", "--only-binary", name, *_sources(requested.wheels, requested.before, [name])),
            given=line.replace("==", ">="),
        )
        asked[name] = printed.strip() or line
        notes.append(f"{line} cannot be built here: {asked[name]}, the next version that has a wheel, instead")


def not_built(message: str) -> str:
    """Return the package that a message says could not be built, or nothing."""
    found = _NOT_BUILT.search(message)
    return canonical(found[1]) if found else ""


def _compile(
    asked: dict[str, str], requested: Requested, interpreter: Interpreter, wheels_only: Sequence[str], dateless: Sequence[str]
) -> str:
    pins = [line for line in asked.values() if "==" in line]
    with _file(pins) as overriding:
        return _uv(
            *("pip", "compile", "-", "--python", str(interpreter.executable), "--no-header", "--no-annotate", "--generate-hashes"),
            *("--override", str(overriding)),
            *(part for name in wheels_only for part in ("--only-binary", name)),
            *_sources(requested.wheels, requested.before, (*pins, *dateless, *(wheels_only if requested.relax else ()))),
            given="\n".join(asked.values()),
        )


def provide(name: str, text: str, cache: Path, *, wheels: str = "") -> Path:
    """Return the folder of an environment in the cache, installed from its lock when it is not there."""
    facts = dict(re.findall(r"^# ([a-z ]+) = (.*)$", text, re.MULTILINE))
    if name != f"python{facts.get('python')}-{digest(text)}":
        raise UserError(f"the lock of the environment {name} was changed: its text has the digest {digest(text)}; import again")
    interpreter = choose(facts["python"])
    folder = place(name, cache)
    with host.made_once(folder) as scratch:
        if scratch is not None:
            pins = re.findall(r"^[A-Za-z0-9]\S*==\S+", text, re.MULTILINE)
            _install(scratch, text, interpreter, (*_sources(wheels, facts.get("before", ""), pins),))
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


def plugins(environment: Path) -> tuple[str, ...]:
    """Return the plugins of pytest that the project names."""
    names: list[str] = json.loads((environment / "plugins.json").read_text())
    return tuple(names)


def _install(folder: Path, text: str, interpreter: Interpreter, sources: Sequence[str]) -> None:
    folder.rmdir()  # uv makes it
    _uv("venv", "--python", str(interpreter.executable), "--relocatable", "--no-project", str(folder))
    folder.chmod(0o755)
    with _file(text.splitlines()) as requirements:
        try:
            _uv(
                *("pip", "install", "--python", str(folder / "bin/python"), "--no-deps", "--require-hashes", "--compile-bytecode"),
                *("-r", str(requirements), *sources),
            )
        except _UvError as error:
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


def _sources(wheels: str, before: str, pins: Iterable[str]) -> Iterator[str]:
    """Yield the options that say where packages come from; those that are pinned may have been published anew."""
    if wheels:
        yield from ("--no-index", "--find-links", str(Path(wheels).absolute()))
    elif before:
        yield from ("--exclude-newer", before)
        for pin in pins:
            yield from ("--exclude-newer-package", f"{canonical(pin)}={_NO_DATE}")


class _UvError(Exception):
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


def _uv(*arguments: str, given: str = "") -> str:
    """Run uv and return what it prints."""
    command = [_program(), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")}
    environment |= {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "NO_COLOR": "1", "UV_NO_CONFIG_WARNING": "1"}
    environment["COLUMNS"] = "1000"  # it would wrap its lines, of which a reason is one
    with tempfile.TemporaryDirectory(prefix="repairlab-") as here:  # not in a project whose settings uv would read
        try:
            done = subprocess.run(
                command, input=given, env=environment, cwd=here, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
            )
        except subprocess.TimeoutExpired:
            raise _UvError(f"error: this took longer than {_PATIENCE_S:.0f} s") from None
        except OSError as error:
            raise HarnessError(f"uv does not run: {error}") from error
    if done.returncode:
        raise _UvError(done.stderr)
    return done.stdout


def _program() -> str:
    """Return the program uv, on the path or beside our own interpreter."""
    beside = Path(sys.executable).parent / "uv"
    found = shutil.which("uv") or (str(beside) if beside.is_file() else None)
    if found is None:
        raise UserError("environments of Python projects are made by uv, which is not installed. Install it with: pip install uv")
    return found


@contextlib.contextmanager
def _file(lines: Iterable[str]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
        path = Path(folder, "requirements.txt")
        path.write_text("".join(f"{line}\n" for line in lines))
        yield path
