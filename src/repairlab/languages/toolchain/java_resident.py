"""The JVM that compiles in memory and runs one candidate after the other: its requests and replies; the Java adapter makes it.

Request: nonce, verb, CPU limit, output limit, body. Reply: nonce, exit code, why it is odd, why the JVM is tainted, standard
output, standard error, report, CPU time, wall time. Texts and bytes are a length and the content; times are nanoseconds.
"""

import dataclasses
import functools
import re
import struct
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest
from repairlab.languages.language import Answer, Batch, Report, Toolchain
from repairlab.languages.toolchain import host

SERVER_CLASS = "repairlab.resident.ResidentServer"
# The old generation shows what a run keeps, and a small young one hides little. Unloaded candidates leave classes behind at times.
SERVER_FLAGS = (
    "-Xmn16m",
    "-XX:MaxMetaspaceSize=192m",
    "--add-exports=jdk.compiler/com.sun.tools.javac.platform=ALL-UNNAMED",
)

_SOURCES = (
    "ResidentServer",
    "MemoryCompiler",
    "PlatformFiles",
    "Declarations",
    "ClassShape",
    "CandidateLoader",
    "GuardedRun",
    "Surroundings",
)
_SHARED_JVM_ERRORS = re.compile(
    rb"\"message\":\"[^\"]*(?:NoClassDefFoundError|ClassNotFoundException|NoSuch(?:Method|Field)Error|ExceptionInInitializerError"
    rb"|(?:IncompatibleClassChange|Linkage|Verify|StackOverflow|OutOfMemory|Internal|IllegalAccess)Error"
    rb"|(?i:timed?[ -]?out))"
)
"""Failures that may come from sharing a JVM, or from the load of the machine, rather than from the candidate."""


@functools.lru_cache(maxsize=2)
def compile_server(javac: str, cache: str) -> Path:
    """Return the folder with the compiled server, compiling it at first need; it is trusted code and runs on the host."""
    sources = [Path(__file__).parent / "runners" / f"{name}.java" for name in _SOURCES]
    name = f"java-resident-{digest([path.read_text() for path in sources], host.version(javac))}"
    folder = Path(cache).absolute() / name
    with host.made_once(folder) as scratch:
        if scratch is not None:
            argv = [javac, "-d", str(scratch), "-proc:none", "-nowarn", "-encoding", "UTF-8", *map(str, sources)]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise HarnessError(f"our Java server does not compile with {javac}: {done.stderr.strip()[:500]}")
    return folder


class JavaResident:
    """The WarmTools of Java."""

    extra_memory_mb = 256
    """For javac and the classes of the buggy tree."""

    def __init__(self, *, cold: Toolchain, command: Command, sources: Sequence[str]) -> None:
        self.command = command
        self._cold = cold
        self._sources = sources

    def opening(self) -> Command:
        """Return the request to compile the buggy tree."""
        return Command(argv=("open",), stdin=struct.pack(">I", len(self._sources)) + b"".join(map(_text, self._sources)))

    def toolchain(self, changed: Mapping[str, str | None]) -> Toolchain | None:
        """Return a tool chain for a candidate that changes nothing but Java sources which are there already."""
        if not changed.keys() <= set(self._sources):
            return None
        try:
            return _Requests(self._cold, struct.pack(">I", len(changed)) + b"".join(_file(*item) for item in changed.items()))
        except UnicodeEncodeError:
            return None

    def request(self, command: Command, nonce: str) -> bytes:
        """Return the request for a command of the tool chain above."""
        limits = struct.pack(">qI", int(command.limits.cpu_s * 1e9), int(command.limits.output_mb * 1024 * 1024))
        return _text(nonce) + _text(command.argv[0]) + limits + _blob(command.stdin)

    def answer(self, command: Command, nonce: str, reply: bytes) -> Answer:
        """Read a reply."""
        reader = _Reader(reply)
        if reader.blob() != nonce.encode():
            raise ValueError("the reply has another nonce than the request")
        exit_code, odd, tainted = reader.number(">i"), reader.text(), reader.text()
        stdout, stderr, report = reader.blob(), reader.blob(), reader.blob()
        execution = Execution(
            ending=Ending.EXITED,
            exit_code=exit_code,
            signal=None,
            stdout=stdout,
            stderr=stderr,
            report=report,
            cpu_s=reader.number(">q") / 1e9,
            wall_s=reader.number(">q") / 1e9,
            peak_mb=0.0,
        )
        suspect = _SHARED_JVM_ERRORS.search(report) if command.argv[0] == "tests" else None
        return Answer(
            execution=execution, odd=odd or tainted or (suspect.group().decode() if suspect else ""), tainted=bool(tainted)
        )


class _Requests:
    """The tool chain of one candidate: builds, programs and batches are requests, all else is as in a JVM of its own."""

    def __init__(self, cold: Toolchain, changed: bytes) -> None:
        self._cold = cold
        self._changed = changed

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        del build, test, files  # the server knows them from its start
        return (Command(argv=("compile",), stdin=self._changed),)

    def program(self, build: Build, test: Test) -> Command:
        del build, test
        return Command(argv=("case",))

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        cold = self._cold.batches(build, test, tests, stop=stop)
        return tuple(dataclasses.replace(batch, command=Command(argv=("tests",), stdin=batch.command.stdin)) for batch in cold)

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        return self._cold.report(test, batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        return self._cold.out_of_memory(execution)

    def versions(self) -> dict[str, str]:
        return self._cold.versions()


class _Reader:
    """Takes a reply apart; ValueError when it ends too early."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def number(self, form: str) -> int:
        size = struct.calcsize(form)
        (value,) = struct.unpack(form, self._take(size))
        return int(value)

    def blob(self) -> bytes:
        return self._take(self.number(">I"))

    def text(self) -> str:
        return self.blob().decode("utf-8", "replace")

    def _take(self, size: int) -> bytes:
        taken = self._content[self._at : self._at + size]
        if len(taken) < size:
            raise ValueError("the reply is too short")
        self._at += size
        return taken


def _blob(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _text(text: str) -> bytes:
    return _blob(text.encode())


def _file(path: str, text: str | None) -> bytes:
    return _text(path) + (b"\0" if text is None else b"\1" + _text(text))
