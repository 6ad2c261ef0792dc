"""The JVMs that compile and run one candidate after the other: what to ask them and what they answer. The Java adapter makes it."""

import dataclasses
import functools
import re
import struct
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest
from repairlab.languages.language import Answer, Batch, Report, Toolchain
from repairlab.languages.toolchain import host, java_wire
from repairlab.languages.toolchain.java_archive import COMPILE_OPTIONS, Rehearsal, jar

CLASSES = "build/classes"
COMPILE_SERVER = "repairlab.resident.CompileServer"
RUN_SERVER = "repairlab.resident.RunServer"
CASE_RUNNER = "repairlab.resident.CaseRunner"
COMPILE_FLAGS = (
    "-Xmn64m",
    "--add-exports=jdk.compiler/com.sun.tools.javac.platform=ALL-UNNAMED",
)
# The old generation shows what a run keeps, and a small young one hides little. Unloaded candidates leave classes behind at times.
RUN_FLAGS = ("-Xmn16m", "-XX:MaxMetaspaceSize=192m")

_COMPILE = "compile"
_FEW_SOURCES = 3
_SOURCES = (
    *("CompileServer", "MemoryCompiler", "PlatformFiles", "Declarations"),
    *("RunServer", "CaseRunner", "Program", "CandidateLoader", "GuardedRun", "Surroundings", "HeapWatch"),
    *("Channel", "CpuWatch", "ClassSet", "ClassShape", "Rehearsal"),
)
_RUNNERS = Path(__file__).parent / "runners"
_SHARED_JVM_ERRORS = re.compile(
    rb"\"message\":\"[^\"]*(?:NoClassDefFoundError|ClassNotFoundException|NoSuch(?:Method|Field)Error|ExceptionInInitializerError"
    rb"|(?:IncompatibleClassChange|Linkage|Verify|StackOverflow|OutOfMemory|Internal|IllegalAccess)Error"
    rb"|(?i:timed?[ -]?out))"
)
"""Failures that may come from sharing a JVM, or from the load of the machine, rather than from the candidate."""


@functools.lru_cache(maxsize=2)
def compile_server(javac: str, cache: str) -> Path:
    """Return the jar with our servers, compiling them at first need; they are trusted code and are compiled on the host."""
    sources = [_RUNNERS / f"{name}.java" for name in _SOURCES]
    name = f"java-servers-{digest([path.read_text() for path in sources], COMPILE_OPTIONS, host.version(javac))}"
    folder = Path(cache).absolute() / name
    with host.made_once(folder) as scratch:
        if scratch is not None:
            argv = [javac, "-d", str(scratch / "classes"), *COMPILE_OPTIONS, *map(str, sources)]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise HarnessError(f"our Java servers do not compile with {javac}: {done.stderr.strip()[:500]}")
            jar(scratch / "classes", scratch / "servers.jar")
    return folder / "servers.jar"


def rehearsal(java: str, flags: tuple[str, ...], servers: Path) -> Rehearsal:
    """Return the run that loads what our servers need."""
    arguments = ("repairlab.resident.Rehearsal", str(_RUNNERS), "Rehearsed", "-proc:none", "-g", "--release", "11")
    return Rehearsal(java=java, flags=(*flags, *COMPILE_FLAGS), class_path=(servers,), arguments=arguments)


class JavaResident:
    """The WarmTools of Java."""

    extra_memory_mb = 128
    """For the classes of the buggy tree, and what unloaded candidates leave behind."""

    def __init__(
        self, *, cold: Toolchain, compiler: Command, runner: Command, alone: Command, options: Sequence[str], sources: Sequence[str]
    ) -> None:
        """Take the commands of three JVMs, javac's options with `{tree}` for the tree's folder, and the paths of all sources."""
        self.compiler = compiler
        self.runner = runner
        self.compiled: Toolchain = _Compiled(cold)
        self.requests: Toolchain = _Requests(cold)
        self._alone = alone
        self._options = options
        self._sources = sources
        # Of a small program all is compiled anew for each candidate, sooner than it is found out what must be.
        self._ahead = runner.writable or len(sources) > _FEW_SOURCES

    def opening(self, tree: str) -> Command:
        """Return the request to compile the buggy tree, or to get ready for its candidates."""
        options = [option.replace("{tree}", tree) for option in self._options]
        body = java_wire.text(tree) + bytes([self._ahead]) + java_wire.many(map(java_wire.text, options))
        return Command(argv=("open",), stdin=body + java_wire.many(map(java_wire.text, self._sources)))

    def compiling(self, tree: str, changed: Mapping[str, str | None]) -> Command | None:
        """Return the request to compile a candidate that changes nothing but Java sources which are there already."""
        if not changed.keys() <= set(self._sources):
            return None
        try:
            return Command(argv=(_COMPILE,), stdin=java_wire.text(tree) + java_wire.changed_sources(changed))
        except UnicodeEncodeError:
            return None

    def closing(self, tree: str) -> Command:
        """Return the request to forget a tree."""
        return Command(argv=("close",), stdin=java_wire.text(tree))

    def products(self, compiled: Execution, base: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the class files that came of a compilation, by their paths."""
        known = {_name(path): content for path, content in base.items()}
        found = java_wire.read_class_files(compiled.report, known) if compiled.succeeded else {}
        return {_path(name): content for name, content in found.items()}

    def loading(self, compiled: Execution) -> Command:
        """Return the runner's request to take the class files of a compilation."""
        return Command(argv=("load",), stdin=compiled.report)

    def alone(self, products: Mapping[str, bytes], inputs: Sequence[bytes], nonce: str, output_mb: float) -> Command:
        """Return the command that runs a program on many inputs in one JVM."""
        head = java_wire.text(nonce) + struct.pack(">I", int(output_mb * 1024 * 1024))
        classes = java_wire.class_files({_name(path): content for path, content in products.items()})
        return dataclasses.replace(self._alone, stdin=head + classes + java_wire.many(map(java_wire.blob, inputs)))

    def answers(self, alone: Execution, nonce: str) -> list[Answer]:
        """Read what that JVM reported, an answer for each input as far as it came; its CPU time is shared out by wall time."""
        reader, replies = java_wire.Reader(alone.report), []
        while not reader.is_done:
            replies.append(java_wire.reply(reader.blob(), nonce))
        share = alone.cpu_s / max(sum(reply.execution.wall_s for reply in replies), 1e-9)
        return [
            Answer(
                execution=dataclasses.replace(reply.execution, cpu_s=reply.execution.wall_s * share, peak_mb=alone.peak_mb),
                odd=reply.odd or reply.tainted,
            )
            for reply in replies
        ]

    def request(self, command: Command, nonce: str) -> bytes:
        """Return the bytes of a request."""
        return java_wire.request(command, nonce)

    def answer(self, command: Command, nonce: str, reply: bytes) -> Answer:
        """Read a reply."""
        read = java_wire.reply(reply, nonce)
        suspect = _SHARED_JVM_ERRORS.search(read.execution.report) if command.argv[0] == "tests" else None
        odd = read.odd or read.tainted or (suspect.group().decode() if suspect else "")
        return Answer(execution=read.execution, odd=odd, tainted=bool(read.tainted))


def _path(name: str) -> str:
    return f"{CLASSES}/{name.replace('.', '/')}.class"


def _name(path: str) -> str:
    return ".".join(PurePosixPath(path).relative_to(CLASSES).with_suffix("").parts)


class _Compiled:
    """The tool chain of trees whose classes come from the compiler: building is a request, all else is as ever."""

    def __init__(self, cold: Toolchain) -> None:
        self._cold = cold

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        del build, test, files  # the compiler knows them
        return (Command(argv=(_COMPILE,)),)

    def program(self, build: Build, test: Test) -> Command:
        return self._cold.program(build, test)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        return self._cold.batches(build, test, tests, stop=stop)

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        return self._cold.report(test, batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        return self._cold.out_of_memory(execution)

    def versions(self) -> dict[str, str]:
        return self._cold.versions()


class _Requests(_Compiled):
    """The same for a JVM that stays: what runs is a request, too."""

    def program(self, build: Build, test: Test) -> Command:
        del build, test
        return Command(argv=("case",))

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        cold = self._cold.batches(build, test, tests, stop=stop)
        return tuple(dataclasses.replace(batch, command=Command(argv=("tests",), stdin=batch.command.stdin)) for batch in cold)
