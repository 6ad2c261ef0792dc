"""Checking and testing JavaScript trees with Node: node:test, mocha, programs on standard input."""

import copy
import functools
import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.recipe import Build, Test, matching
from repairlab.core.record import digest
from repairlab.languages import host, reports
from repairlab.languages.javascript.facts import FACTS
from repairlab.languages.language import Batch, Report, Toolchain, Tools

_RUNNERS = Path(__file__).parent / "runners"
_OLDEST = 18
_SEPARATOR = " > "
_MEMORY = "--max-old-space-size={memory_mb}"
# Where the system's OpenSSL settings are out of reach, as in a Landlock sandbox, Node does not start at all.
_ENV = (("NO_COLOR", "1"), ("NODE_NO_WARNINGS", "1"), ("OPENSSL_CONF", "/dev/null"))


class JavaScriptToolchain:
    """The Toolchain of JavaScript."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._known: Collection[str] = ()

    def knowing(self, files: Collection[str]) -> "JavaScriptToolchain":
        """Return a tool chain that need not check whether these files are JavaScript."""
        other = copy.copy(self)
        other._known = files  # of this class
        return other

    def shared(self, build: Build, *, tree: Path, changing: str, tests: Sequence[str] = (), twin: bool = False) -> "_SharedTree":
        """Return how candidates share the check of files that none of them changes."""
        del tree, changing, tests, twin
        return _SharedTree(self, build)

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that parses every source file."""
        hidden = set(matching(files, test.files))
        sources = matching(files, build.sources or tuple(f"**/*{ending}" for ending in FACTS.extensions))
        paths = [
            path
            for path in sources
            if path.endswith(FACTS.extensions) and path not in hidden and path not in self._known and "node_modules/" not in path
        ]
        if not paths:
            return ()
        stdin = "\0".join(sorted(paths)).encode("utf-8", "surrogateescape")
        return (self._command("--experimental-vm-modules", str(self._home / "check.cjs"), stdin=stdin),)

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the script."""
        del build
        return self._command(test.program or FACTS.file, env=test.env)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch per file of tests; a test is called `file::suite > name`."""
        del build
        by_file: dict[str, list[str]] = {}
        for name in dict.fromkeys(tests):
            file, mark, _ = name.partition("::")
            if not mark:
                raise UserError(f"test {name!r} names no file; write FILE::NAME, or FILE::SUITE{_SEPARATOR}NAME")
            by_file.setdefault(file, []).append(name)
        return tuple(self._batch(test, file, tuple(names), stop=stop) for file, names in by_file.items())

    def _batch(self, test: Test, file: str, tests: tuple[str, ...], *, stop: bool) -> Batch:
        nonce = reports.new_nonce()
        request = json.dumps({"nonce": nonce, "tests": tests, "stop": stop, "file": file}).encode()
        if test.framework == "mocha":
            arguments: tuple[str, ...] = (str(self._home / "mocha.cjs"),)
        else:
            reporter = str(self._home / "node_test.cjs")
            patterns = dict.fromkeys(pattern for name in tests for pattern in _patterns(name))
            arguments = (
                f"--require={reporter}",
                f"--test-reporter={reporter}",
                "--test-reporter-destination=stdout",
                *(f"--test-name-pattern={pattern}" for pattern in patterns),
                file if file.startswith("/") else f"./{file}",
            )
        return Batch(command=self._command(*arguments, stdin=request, env=test.env, private=True), tests=tests, nonce=nonce)

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read what the runner reported."""
        del test
        return reports.read_events(batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether Node's heap was full."""
        died = not execution.succeeded and execution.ending in (Ending.EXITED, Ending.SIGNALLED)
        return died and b"FATAL ERROR: " in execution.stderr and b"out of memory" in execution.stderr

    def versions(self) -> dict[str, str]:
        """Return the version of Node."""
        found = host.version(host.require("node", "nodejs"))
        if int(re.sub(r"^v(\d+).*", r"\1", found)) < _OLDEST:
            raise HarnessError(f"node is {found}; repairlab needs {_OLDEST} or newer")
        return {"node": found}

    def _command(
        self, *arguments: str, stdin: bytes = b"", env: tuple[tuple[str, str], ...] = (), private: bool = False
    ) -> Command:
        return Command(
            argv=(host.require("node", "nodejs"), _MEMORY, *arguments),
            stdin=stdin,
            env=(*_ENV, *env),
            mounts=host.mounts(self._home),
            private=private,
            address_space=False,
        )

    @functools.cached_property
    def _home(self) -> Path:
        """The runners, in a folder that shows candidates nothing else of ours."""
        texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(_RUNNERS.glob("*.cjs"))}
        home = Path(self._tools.cache).absolute() / f"javascript-{digest(texts)}"
        with host.made_once(home) as scratch:
            if scratch is not None:
                for name, text in texts.items():
                    (scratch / name).write_text(text, encoding="utf-8")
        return home


def _patterns(test: str) -> list[str]:
    """Return the option that selects a test; Node matches its name alone or, since 22, after those of its suites.

    A name may itself contain the separator, so any number of last parts may be the name. A suite's name would select all of it.
    """
    parts = [re.sub(r"[.*+?^${}()|\[\]\\/]", r"\\\g<0>", part) for part in test.partition("::")[2].split(_SEPARATOR)]
    return [
        f"^(?:{''.join(f'{outer} ' for outer in parts[:start])})?{_SEPARATOR.join(parts[start:])}$" for start in range(len(parts))
    ]


class _SharedTree:
    """A tree of which every file was checked once: whether a file is sound does not depend on the others."""

    def __init__(self, toolchain: JavaScriptToolchain, build: Build) -> None:
        self._toolchain, self._build = toolchain, build
        self._files: frozenset[str] = frozenset()

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that checks every source file."""
        self._files = frozenset(files)
        return self._toolchain.build(self._build, test, files)

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain:
        """Return the check of just the changed files, if all others are sound."""
        return self._toolchain.knowing(self._files - changed.keys() if prepared else ())
