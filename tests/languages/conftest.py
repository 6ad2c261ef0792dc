"""Runs the adapters' commands over small trees, as a sandbox would but without isolation: all code here is our own."""

import dataclasses
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build, Test
from repairlab.languages.blind import BlindCheck, BlindFile
from repairlab.languages.language import Lister, Report, Toolchain, Tools
from repairlab.validation.apply import changed_files
from tests import builders

MEMORY_MB = 1024
NONCE = "c0ffee"
"""Marks what blind tests say."""


def execute(command: Command, tree: Path, timeout_s: float) -> Execution:
    argv = [part.replace("{memory_mb}", str(MEMORY_MB)) for part in command.argv]
    # Unlike a pipe, a socket cannot be opened again by its name in /proc; nor can the pipe of a sandbox that changes the user.
    reader, channel = socket.socketpair()
    writer = channel.fileno()
    home = tree.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict(command.env),
    }
    # Descriptor 3 must be the report's; a shell moves it there, since `pass_fds` keeps numbers.
    assert writer != 3
    process = subprocess.Popen(
        ["/bin/bash", "-c", f'exec 3>&{writer} {writer}>&- "$@"', "bash", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tree / command.cwd,
        env=environment,
        pass_fds=[writer],
        start_new_session=True,
    )
    channel.close()
    ending = Ending.EXITED
    started = time.monotonic()
    try:
        stdout, stderr = process.communicate(command.stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        ending = Ending.WALL_LIMIT
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
    with reader, reader.makefile("rb") as stream:
        report = stream.read()
    code = process.returncode
    if ending is Ending.EXITED and code < 0:
        ending = Ending.SIGNALLED
    return Execution(
        ending=ending,
        exit_code=code if ending is Ending.EXITED else None,
        signal=-code if ending is Ending.SIGNALLED else None,
        stdout=stdout,
        stderr=stderr,
        report=report,
        cpu_s=0.0,
        wall_s=time.monotonic() - started,
        peak_mb=0.0,
    )


class Project:
    """A tree on disk with its recipe."""

    def __init__(self, root: Path, toolchain: Toolchain, build: Build, test: Test) -> None:
        self.root, self.toolchain, self.recipe, self.test_recipe = root / "tree", toolchain, build, test
        self.root.mkdir()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def build(self) -> Execution | None:
        """Return the first failed build command, or none when all succeed."""
        files = sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file())
        for command in self.toolchain.build(self.recipe, self.test_recipe, files):
            done = execute(command, self.root, 300)
            if not done.succeeded:
                return done
        return None

    def listed(self, places: Sequence[str]) -> tuple[str, ...]:
        """Return the tests of classes or files."""
        assert isinstance(self.toolchain, Lister)
        batch = self.toolchain.listing(self.recipe, self.test_recipe, places)
        return self.toolchain.listed(batch, execute(batch.command, self.root, 60)).tests

    def must_build(self) -> None:
        failed = self.build()
        assert failed is None, (failed.stdout + failed.stderr).decode()

    def program(self, stdin: bytes = b"", *, timeout_s: float = 60) -> Execution:
        return execute(
            dataclasses.replace(self.toolchain.program(self.recipe, self.test_recipe), stdin=stdin), self.root, timeout_s
        )

    def reports(self, tests: Sequence[str], *, stop: bool = False, timeout_s: float = 60) -> list[Report]:
        found = []
        for batch in self.toolchain.batches(self.recipe, self.test_recipe, tests, stop=stop):
            assert all(mount.path.startswith("/") for mount in batch.command.mounts)
            execution = execute(batch.command, self.root, timeout_s)
            found.append(self.toolchain.report(self.test_recipe, batch, execution))
        return found

    def report(self, tests: Sequence[str], *, stop: bool = False, timeout_s: float = 60) -> Report:
        (report,) = self.reports(tests, stop=stop, timeout_s=timeout_s)
        return report

    def verdicts(self, tests: Sequence[str], *, stop: bool = False) -> dict[str, TestVerdict]:
        return {result.id: result.verdict for report in self.reports(tests, stop=stop) for result in report.results}


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return Tools(cache=str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def project(tmp_path: Path) -> Callable[[Toolchain, Build, Test], Project]:
    return lambda toolchain, build, test: Project(tmp_path, toolchain, build, test)


@dataclasses.dataclass(frozen=True)
class Blinded:
    """A bug whose test files are blind."""

    bug: Bug
    language: Any
    """A language that is a Blinding, too."""
    files: Mapping[str, BlindFile]

    @property
    def checks(self) -> dict[str, BlindCheck]:
        """The checks of all files by their numbers."""
        return {str(check.number): check for file in self.files.values() for check in file.checks}

    def said(self, root: Path, edits: Sequence[Edit] = ()) -> dict[str, list[tuple[str, str]]]:
        """Return what each test of the bug says where the program was edited so."""
        oracle, toolchain = self.bug.oracle, self.language.toolchain
        root.mkdir()
        project = Project(root, toolchain, self.bug.oracle.build, oracle.test)
        texts = changed_files(builders.candidate(self.bug, *edits), self.bug) if edits else {}
        source = Path(self.bug.tree.source)
        project.write({str(path.relative_to(source)): path.read_bytes() for path in source.rglob("*") if path.is_file()})
        project.write({path: text for path, text in texts.items() if text is not None})
        project.write({path: file.text for path, file in self.files.items()})
        project.must_build()
        found = dict[str, list[tuple[str, str]]]()
        for test in (*oracle.trigger, *oracle.regression):
            (batch,) = toolchain.batches(oracle.build, oracle.test, (test,), stop=False)
            done = execute(batch.command, project.root, 60)
            lines = list[tuple[str, str]]()
            for number, value in self.language.said(NONCE, (done.stdout + done.stderr).decode("utf-8", "replace")):
                lines.append((number, value))
                if number == "end":
                    if test.endswith(value):
                        found[test] = lines
                    lines = []
        return found


def blinded(bug: Bug, language: Any, pattern: str) -> Blinded:
    """Make the test files of a bug blind that match a pattern."""
    files, first, source = dict[str, BlindFile](), 0, Path(bug.tree.source)
    for path in sorted(source.rglob(pattern)):
        file = language.blind(path.read_text(encoding="utf-8"), bug.oracle.test.framework, NONCE, first)
        files[str(path.relative_to(source))] = file
        first += len(file.checks)
    return Blinded(bug=bug, language=language, files=files)
