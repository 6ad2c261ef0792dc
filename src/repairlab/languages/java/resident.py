"""The JVM that compiles one candidate after another, and the one that runs all cases of one: their requests and answers."""

import contextlib
import dataclasses
import functools
import hashlib
import itertools
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution, Limits
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest, record
from repairlab.languages import host
from repairlab.languages.java import wire
from repairlab.languages.java.jars import COMPILE_OPTIONS, Rehearsal, jar
from repairlab.languages.language import Answer, Batch, Report, Together, Toolchain

CLASSES = "build/classes"
COMPILE_SERVER = "repairlab.resident.CompileServer"
CASE_RUNNER = "repairlab.resident.CaseRunner"
COMPILE_FLAGS = (
    "-Xmn64m",
    "-XX:CompileThresholdScaling=3",
    "--add-exports=jdk.compiler/com.sun.tools.javac.platform=ALL-UNNAMED",
)
_COMPILE = "compile"
_FEW_SOURCES = 3
_REHEARSED = "Rehearsed"
_SOURCES = (
    *("CompileServer", "MemoryCompiler", "PlatformFiles", "Declarations", "ClassShape", "ConstantPool", "LastingState"),
    *("CaseRunner", "Channel", "CpuWatch", "Rehearsal"),
)
_RUNNERS = Path(__file__).parent / "runners"


@record
class Servers:
    """Our own Java code, compiled and packed."""

    jar: Path
    rehearsed: Path
    """Folder with the classes of a program that uses what programs use."""


@functools.lru_cache(maxsize=2)
def servers(javac: str, cache: str) -> Servers:
    """Return our servers, compiled on first use; they are trusted code and are compiled on the host."""
    sources = [_RUNNERS / f"{name}.java" for name in (*_SOURCES, _REHEARSED)]
    name = f"java-servers-{digest([path.read_text() for path in sources], COMPILE_OPTIONS, host.version(javac))}"
    folder = Path(cache).absolute() / name
    with host.made_once(folder) as scratch:
        if scratch is not None:
            _compile(javac, sources[:-1], scratch / "classes")
            _compile(javac, sources[-1:], scratch / "rehearsed")
            jar(scratch / "classes", scratch / "servers.jar")
    return Servers(jar=folder / "servers.jar", rehearsed=folder / "rehearsed")


def _compile(javac: str, sources: Sequence[Path], folder: Path) -> None:
    argv = [javac, "-d", str(folder), *COMPILE_OPTIONS, *map(str, sources)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr.strip())
        raise HarnessError(f"our Java servers do not compile with {javac}: {why[:500]}. They need a JDK with all of its modules")


def compiling_rehearsal(java: str, flags: tuple[str, ...], servers: Servers) -> Rehearsal:
    """Return the run that loads what our compile server needs."""
    arguments = ("repairlab.resident.Rehearsal", str(_RUNNERS), _REHEARSED, "-proc:none", "-g", "--release", "11")
    return Rehearsal(java=java, flags=(*flags, *COMPILE_FLAGS), class_path=(servers.jar,), arguments=arguments)


def cases_rehearsal(java: str, flags: tuple[str, ...], servers: Servers) -> Rehearsal:
    """Return the run that loads what our case runner needs, and what programs do."""
    classes = {path.stem: path.read_bytes() for path in sorted(servers.rehearsed.glob("*.class"))}
    request = wire.cases("", Limits(), classes, [b"3\n1 2 3\n"] * 2, patience_s=60)
    return Rehearsal(java=java, flags=flags, class_path=(servers.jar,), arguments=(CASE_RUNNER, _REHEARSED, ""), stdin=request)


@record
class Shelf:
    """Where classes of buggy trees are stored, and what decides them besides sources and options."""

    folder: Path
    tools: tuple[str, ...]
    """Names and sizes of the compiler's files, and of jars outside the tree."""
    jars: tuple[str, ...]
    """Those on the class path that lie in the tree."""


class JavaResident:
    """The WarmTools of Java."""

    def __init__(
        self,
        *,
        cold: Toolchain,
        compiler: Command,
        cases: Command | None,
        options: Sequence[str],
        sources: Sequence[str],
        shelf: "Shelf",
    ) -> None:
        """Take the commands of two JVMs, javac's options with `{tree}` for the tree's folder, and the paths of all sources.

        Only stdin/stdout programs have cases.
        """
        self._shelf = shelf
        self.compiler = compiler
        self.compiled: Toolchain = _Compiled(cold)
        self._cases = cases
        self._options = options
        self._sources = sources
        # For a small program, compiling everything is faster than finding out what must be compiled.
        self._ahead = cases is None or len(sources) > _FEW_SOURCES

    def opening(self, tree: str, known: bytes = b"") -> Command:
        """Return the request to compile the buggy tree, or to prepare for its candidates."""
        options = [option.replace("{tree}", tree) for option in self._options]
        body = wire.text(tree) + bytes([self._ahead, self._cases is not None]) + wire.many(map(wire.text, options))
        return Command(argv=("open",), stdin=body + wire.many(map(wire.text, self._sources)) + wire.blob(known))

    def kept(self, tree: Path) -> Path | None:
        """Return the cache file for the classes of a tree: its name covers everything that decides them."""
        if not (self._ahead and self._sources):
            return None
        decides = repr((self._shelf.tools, self._options, self._sources, self._cases is not None))
        hashed = hashlib.sha256(decides.encode())
        for path in (*self._sources, *self._shelf.jars):
            hashed.update(hashlib.sha256((tree / path).read_bytes()).digest())
        return self._shelf.folder / hashed.hexdigest()

    def compiling(self, tree: str, changed: Mapping[str, str | None]) -> Command | None:
        """Return the request to compile a candidate that only changes existing Java sources."""
        if not changed.keys() <= set(self._sources):
            return None
        try:
            return Command(argv=(_COMPILE,), stdin=wire.text(tree) + wire.changed_sources(changed))
        except UnicodeEncodeError:
            return None

    def closing(self, tree: str) -> Command:
        """Return the request to forget a tree."""
        return Command(argv=("close",), stdin=wire.text(tree))

    def products(self, compiled: Execution, base: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the class files from a compilation, by path."""
        found = self._read(compiled, base).classes if compiled.succeeded else {}
        return {_path(name): content for name, content in found.items()}

    def together(
        self, compiled: Execution, base: Mapping[str, bytes], inputs: Sequence[bytes], request: Together
    ) -> Command | None:
        """Return the command that runs a program on many inputs in one JVM; None if a run could affect the next."""
        read = self._read(compiled, base)
        if self._cases is None or read.lasting:
            return None
        body = wire.cases(request.nonce, request.limits, read.classes, inputs, patience_s=request.patience_s)
        return dataclasses.replace(self._cases, stdin=body)

    def answers(self, together: Execution, nonce: str) -> list[Execution]:
        """Read what that JVM wrote, up to the first input for which it means nothing; its CPU time is divided by wall time."""
        reader, replies = wire.Reader(together.stdout), []
        with contextlib.suppress(ValueError):  # it may have ended at any point
            while not reader.is_done:
                replies.append(wire.reply(reader.blob(), nonce))
        share = together.cpu_s / max(sum(reply.execution.wall_s for reply in replies), 1e-9)
        return [
            dataclasses.replace(reply.execution, cpu_s=reply.execution.wall_s * share, peak_mb=together.peak_mb)
            for reply in itertools.takewhile(lambda reply: not reply.odd, replies)
        ]

    def _read(self, compiled: Execution, base: Mapping[str, bytes]) -> wire.Compiled:
        return wire.read_compiled(compiled.report, {_name(path): content for path, content in base.items()})

    def request(self, command: Command, nonce: str) -> bytes:
        """Return the bytes of a request."""
        return wire.request(command, nonce)

    def answer(self, command: Command, nonce: str, reply: bytes) -> Answer:
        """Read a reply."""
        del command
        read = wire.reply(reply, nonce)
        return Answer(execution=read.execution, odd=read.odd)


def _path(name: str) -> str:
    return f"{CLASSES}/{name.replace('.', '/')}.class"


def _name(path: str) -> str:
    return ".".join(PurePosixPath(path).relative_to(CLASSES).with_suffix("").parts)


class _Compiled:
    """The tool chain of trees whose classes come from the compiler: building is a request, everything else is as usual."""

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
