"""Checking and testing Python trees: commands for a private copy of an interpreter, with pytest alone or a project's packages."""

import ast
import copy
import dataclasses
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.recipe import Build, Test, matching
from repairlab.core.record import record
from repairlab.languages import host, reports
from repairlab.languages.language import Batch, Function, Listing, Report, Toolchain, Tools
from repairlab.languages.python import environments
from repairlab.languages.python.interpreters import Interpreter, ask, choose, has_zygote, home_of, libraries

_OLDEST = (3, 11)
"""What the pytest that comes with repairlab needs; a project's own may be older."""
_NO_SERVER = (("REPAIRLAB_FORK_SERVER", "0"),)
"""A launcher that starts a fork server puts the number of a socket in its place, and the zygote takes it away. It is always there,
so that objects lie at the same addresses in a new process and in a fork, and sets of objects have the same order in both."""

_SETTINGS = ("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
"""Files that pytest reads before it looks for tests."""

_LISTING = re.compile(r"\bsys\b[^\n]*\bmodules\b")
"""What a file says that can see which modules are loaded."""

_MOST_FILES = 100
"""How many test files a fork server gets ready: more may be too much for a variable."""


_PROGRAM = "main.py"
OWN_PYTEST = "tree"
"""As `test.program`: the tree is pytest itself, which then runs its own tests."""


@record
class _Place:
    """Where an interpreter lies that a sandbox can show, and what it can do."""

    python: Path
    home: Path
    runners: Path
    environment: Path | None = None
    plugins: tuple[str, ...] = ()
    """Of pytest, to be loaded."""


class PythonToolchain:
    """The Toolchain of Python."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._places: dict[str, _Place] = {}
        """By environment; shared with all copies of this tool chain."""
        self._known: Collection[str] = ()
        self._forks = True
        self._inspected: tuple[str, ...] = ()
        self._test_files: tuple[str, ...] = ()
        self._loads = False

    def knowing(self, files: Collection[str], *, forks: bool, inspected: Sequence[str] = ()) -> "PythonToolchain":
        """Return a tool chain that need not look whether these files compile, and may or may not run forks.

        Its test processes look at those `inspected` before they load any.
        """
        other = copy.copy(self)
        other._known, other._forks, other._inspected = files, forks, tuple(inspected)  # of this class
        return other

    def loading(self) -> "PythonToolchain":
        """Return a tool chain whose test processes are forks of one that has loaded their files, where that is as good."""
        other = copy.copy(self)
        other._loads = True  # of this class
        return other

    def inspects(self, test: Test) -> bool:
        """Return whether the first process tells whether all files compile that have to; one of a program reads just that."""
        return bool(self._inspected) if test.framework != "stdio" else self._inspected == (test.program or _PROGRAM,)

    def has_begun(self, execution: Execution) -> bool:
        """Return whether a program was compiled: one that was not says why, without a traceback, and ends with code 1."""
        traced = execution.stderr.startswith(b"Traceback (most recent call last):\n")
        return execution.ending is Ending.EXITED and (execution.exit_code != 1 or bool(execution.stdout) or traced)

    def shared(self, build: Build, *, tree: Path, changing: str, tests: Sequence[str] = (), twin: bool = False) -> "_SharedTree":
        """Return how candidates share a look at the files that none of them changes; in a twin nothing is left to look at."""
        del tree
        other = copy.copy(self)
        other._test_files = _files_of(tests)[:_MOST_FILES]  # of this class
        return _SharedTree(other, build, changing, twin=twin)

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that compiles every source file to bytecode in memory."""
        paths = [path for path in _sources(build, test, files) if path not in self._known]
        if not paths:
            return ()
        stdin = "\0".join(paths).encode("utf-8", "surrogateescape")
        return (self._command(build, "python_build.py", stdin=stdin),)

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the script; its folder is where it imports from, as always."""
        return self._command(build, test.program or _PROGRAM, env=test.env, ours=False)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch that runs all tests in one process."""
        if not tests:
            return ()
        nonce, wanted = reports.new_nonce(), tuple(dict.fromkeys(tests))
        request = {"nonce": nonce, "tests": wanted, "stop": stop, "build": self._inspected}
        command = self._command(
            build,
            "python_pytest.py" if test.framework == "pytest" else "python_unittest.py",
            stdin=json.dumps(request).encode(),
            env=self._environment(build, test),
            private=True,
        )
        command = dataclasses.replace(command, turns=self._ready(wanted))
        return (Batch(command=command, tests=wanted, nonce=nonce),)

    def stands_alone(self, function: Function, path: str, source: str) -> bool:
        """Return whether a function can be called without an object of its own."""
        del path, source
        return "." not in function.qualified and "self" not in function.parameters[:1]

    def calls(self, build: Build, function: Function, path: str, source: str, arguments: Sequence[tuple[object, ...]]) -> Command:
        """Return the command that calls a function of a file."""
        del source  # it is imported
        request = {"path": path, "name": function.name, "calls": [repr(values) for values in arguments]}
        return dataclasses.replace(self._command(build, "python_calls.py", stdin=json.dumps(request).encode()), forks=False)

    def example_calls(self, function: Function, texts: Sequence[str]) -> list[tuple[object, ...]]:
        """Return arguments that a function is known to take."""
        return example_calls(function, texts)

    def listing(self, build: Build, test: Test, places: Sequence[str]) -> Batch:
        """Return the command that names the tests of files (pytest) or modules (unittest)."""
        nonce = reports.new_nonce()
        request = {"nonce": nonce, "tests": list(places), "framework": test.framework}
        command = self._command(
            build,
            "python_listing.py",
            stdin=json.dumps(request).encode(),
            env=self._environment(build, test),
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

    def provide(self, build: Build, lock: Path) -> None:
        """Install the environment of a project on this machine, from its lock."""
        try:
            text = lock.read_text(encoding="utf-8")
        except OSError:
            raise UserError(f"the lock of the environment {build.environment} is missing: {lock}") from None
        environments.provide(build.environment, text, Path(self._tools.cache))

    def _command(
        self,
        build: Build,
        script: str,
        *,
        stdin: bytes = b"",
        env: tuple[tuple[str, str], ...] = (),
        private: bool = False,
        ours: bool = True,
    ) -> Command:
        """Return the command that runs a script: one of our runners, or one of the tree."""
        place = self._place(build.environment)
        # Some variables have files of the tree loaded before a fork server could stop and wait.
        forks = (
            self._forks
            and has_zygote(place.home)
            and (ours or place.environment is None)
            and not any(name.startswith(("PYTHON", "LD_")) for name, _ in env)
        )
        return Command(
            argv=(str(place.python), "-s", str(place.runners / script) if ours else script),
            stdin=stdin,
            env=(*libraries(place.home), *(_NO_SERVER if forks else ()), *env),
            mounts=host.mounts(*((place.home, place.runners, place.environment) if place.environment else (place.home,))),
            private=private,
            forks=forks,
        )

    def _environment(self, build: Build, test: Test) -> tuple[tuple[str, str], ...]:
        """Return the environment of a runner."""
        # With PYTHONPATH set, a `sitecustomize.py` of the tree would run before the runner has hidden its channel.
        names = {"PYTHONPATH": "REPAIRLAB_PATH"}
        plugins = ",".join(self._place(build.environment).plugins)
        return (
            ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),
            *((("REPAIRLAB_PLUGINS", plugins),) if plugins else ()),
            *((("REPAIRLAB_OWN_PYTEST", "1"),) if test.program == OWN_PYTEST else ()),
            *((names.get(name, name), value) for name, value in test.env),
        )

    def _ready(self, tests: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return what tells a fork server which test files to get ready."""
        files = _files_of(tests) if self._loads else self._test_files
        return (("REPAIRLAB_TEST_FILES", ":".join(files)), *((("REPAIRLAB_LOADED", "1"),) if self._loads else ()))

    @property
    def _interpreter(self) -> Interpreter:
        found = ask(self._tools.python or sys.executable)
        if found.version < _OLDEST:
            version, oldest = (".".join(map(str, numbers)) for numbers in (found.version, _OLDEST))
            raise UserError(f"{self._tools.python} is Python {version}; candidates need {oldest} or newer. Set another one.")
        return found

    def _place(self, environment: str) -> _Place:
        """Return our own interpreter, or that of an environment."""
        if environment not in self._places:
            self._places[environment] = self._find_place(environment)
        return self._places[environment]

    def _find_place(self, environment: str) -> _Place:
        cache = Path(self._tools.cache)
        if not environment:
            home = home_of(self._interpreter, cache)
            return _Place(python=home / "bin" / f"python{self._interpreter.release}", home=home, runners=home / "runners")
        folder = environments.place(environment, cache)
        if not folder.is_dir():
            raise HarnessError(
                f"the environment {environment} is not installed on this machine. Install it with: repairlab check BENCHMARK"
            )
        home = home_of(choose(environments.release_of(environment)), cache, bare=True)
        return _Place(
            python=folder / "bin/python",
            home=home,
            runners=self._place("").runners,
            environment=folder,
            plugins=environments.plugins(folder),
        )


class _SharedTree:
    """A tree of which every file but the one that candidates change was compiled: each compiles by itself, whatever others say."""

    def __init__(self, toolchain: PythonToolchain, build: Build, changing: str, *, twin: bool) -> None:
        self._toolchain, self._build, self._changing, self._twin = toolchain, build, changing, twin
        self._files: frozenset[str] = frozenset()
        self._test: Test | None = None

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that compiles the source files which candidates leave alone, if there are any."""
        self._files, self._test = frozenset(files), test
        known = self._toolchain.knowing({self._changing}, forks=True)
        return () if self._twin else known.build(self._build, test, files)

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
        if self._twin or not prepared or self._test is None:
            return self._toolchain.knowing(self._files | changed.keys() if self._twin else (), forks=forks)
        # Not every way of reading a file sees a NUL in it.
        odd = any("\0" in text for text in changed.values() if text)
        new = changed.keys() | ({self._changing} & self._files)
        inspected = [] if odd else _sources(self._build, self._test, new - gone)
        return self._toolchain.knowing(self._files - new, forks=forks, inspected=inspected)


def _files_of(tests: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(test.split("::")[0] for test in tests if "::" in test))


def _sources(build: Build, test: Test, files: Collection[str]) -> list[str]:
    """Return which files have to compile: all that are no tests."""
    tests = set(matching(files, test.files))
    return sorted(path for path in matching(files, build.sources or ("**/*.py",)) if path.endswith(".py") and path not in tests)


_OF_TYPE: dict[str, tuple[object, ...]] = {
    "int": (0, 1, 7),
    "float": (0.0, 1.5),
    "str": ("", "a b", "1.2"),
    "bool": (True, False),
    "bytes": (b"", b"ab"),
    "None": (None,),
}
_AROUND = {"list": list, "set": set, "frozenset": frozenset, "Sequence": list, "Iterable": list, "Collection": list}


def example_calls(function: Function, texts: Sequence[str]) -> list[tuple[object, ...]]:
    """Return argument tuples: literal calls first, then one for the stated types."""
    found = [arguments for text in texts for arguments in _literal_calls(function.name, text)]
    stated = [_values(parameter) for parameter in function.parameters if not parameter.startswith(("*", "/"))]
    if stated and all(stated):
        n = max(map(len, stated))
        found += [tuple(values[place % len(values)] for values in stated) for place in range(n)]
    return list({repr(arguments): arguments for arguments in found}.values())


def _literal_calls(name: str, text: str) -> Iterator[tuple[object, ...]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if (isinstance(called, ast.Name) and called.id == name) or (isinstance(called, ast.Attribute) and called.attr == name):
            assert isinstance(node, ast.Call)  # it has a function
            try:
                yield tuple(ast.literal_eval(argument) for argument in node.args) if not node.keywords else _no_literal()
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue


def _no_literal() -> tuple[object, ...]:
    raise ValueError


def _values(parameter: str) -> tuple[object, ...]:
    """Return values of the type that a parameter states; none when it states none that is known here."""
    _, colon, annotation = parameter.partition("=")[0].partition(":")
    return _of_annotation(annotation.strip()) if colon else ()


def _of_annotation(text: str) -> tuple[object, ...]:
    if text in _OF_TYPE:
        return _OF_TYPE[text]
    if "|" in text and "[" not in text:
        parts = [_of_annotation(part.strip()) for part in text.split("|")]
        return tuple(value for part in parts for value in part) if all(parts) else ()
    head, bracket, rest = text.partition("[")
    make, inner = _AROUND.get(head.strip()), _of_annotation(rest.removesuffix("]").strip()) if bracket else ()
    return (make(()), make(inner)) if make and inner else ()
