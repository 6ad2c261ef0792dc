"""Building and testing Java trees with javac and JUnit; validation runs the commands and hands back their reports.

`{memory_mb}` in an argument stands for the memory limit in megabytes, which validation fills in.
"""

import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.glob import matching
from repairlab.core.recipe import Build, Test
from repairlab.core.record import record
from repairlab.languages.language import Batch, Report, Tools
from repairlab.languages.toolchain import host, junit, reports
from repairlab.languages.toolchain.java_resident import SERVER_CLASS, SERVER_FLAGS, JavaResident, compile_server

_CLASSES = "build/classes"
_RUNNERS: dict[junit.JUnit, str] = {"junit4": "JUnit4Runner", "junit5": "JUnit5Runner"}
_OUT_OF_MEMORY_EXIT = 3
"""Exit code of a JVM with ExitOnOutOfMemoryError."""

# The heap may take three quarters of the memory limit: the rest is for the JVM itself, which counts too.
_JVM = (
    "-XX:MaxRAM={memory_mb}m",
    "-XX:MaxRAMPercentage=75",
    "-XX:MinRAMPercentage=75",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
)
_RUN = (
    *_JVM,
    "-Xshare:auto",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-Duser.timezone=UTC",
    "-Duser.language=en",
    "-Dfile.encoding=UTF-8",
)


@record
class _Jdk:
    home: Path
    settings: tuple[Path, ...]
    """Folders outside the JDK that it links to, such as /etc/java-17-openjdk of Debian."""


@functools.lru_cache(maxsize=1)
def _jdk() -> _Jdk:
    """Ask `java` (perhaps a shim) where its home is."""
    if shutil.which("java") is None or shutil.which("javac") is None:
        raise HarnessError("no JDK is installed: java or javac is missing. Install it with: apt install default-jdk-headless")
    asked = subprocess.run(["java", "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=False)
    found = re.search(r"^\s*java\.home = (.+)$", asked.stderr, re.MULTILINE)
    if found is None:
        raise HarnessError(f"java does not say where its home is: {asked.stderr.strip()[:300]}")
    home = Path(found.group(1).strip()).resolve()
    if not (home / "bin/javac").exists():
        raise HarnessError(f"{home} has no javac: it is a JRE only. Install a JDK with: apt install default-jdk-headless")
    linked = [path.resolve() for path in (home / "lib/jvm.cfg", home / "conf/security/java.security") if path.is_symlink()]
    roots = {Path(*path.parts[:3]) for path in linked if path.parts[1] == "etc"}
    return _Jdk(home=home, settings=tuple(sorted(roots)))


class JavaToolchain:
    """The Toolchain of Java."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the one call of javac that compiles sources and tests together."""
        if build.tool != "javac":
            raise UserError(f"Java cannot be built with build.tool = {build.tool!r}. Possible: javac")
        sources = [path for path in sorted(files) if _is_source(path, build)]
        if not sources:
            raise UserError(f"no Java file matches build.sources = {list(build.sources)} or build.tests = {list(build.tests)}")
        jars = self._junit_jars(test)
        arguments = [*(f"-J{flag}" for flag in _JVM), "-d", _CLASSES, *_javac_options(build, jars)]
        # Old classes go first: one whose source is gone must not live on. The list of sources may be longer than a command line.
        script = f'rm -rf {_CLASSES} && mkdir -p {_CLASSES} && cat > build/sources.txt && exec "$@" @build/sources.txt'
        argv = ("/bin/sh", "-c", script, "sh", str(_jdk().home / "bin/javac"), *arguments)
        return (self._command(argv, jars, stdin="".join(map(_quoted, sources)).encode()),)

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the main class."""
        path = ":".join([_CLASSES, *build.class_path])
        argv = (self._java, *_RUN, "-Xss64m", "-cp", path, test.program or "Main")
        return self._command(argv, (), env=test.env, writable=False)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch that runs all tests in one JVM."""
        if not tests:
            return ()
        framework = _junit_of(test)
        if framework is None:
            raise UserError(f"Java has no test framework {test.framework!r}. Possible: junit4, junit5, stdio")
        nonce, wanted = reports.new_nonce(), tuple(dict.fromkeys(tests))
        jars = self._junit_jars(test)
        runner = junit.runner(framework, jars, str(_jdk().home / "bin/javac"), self._tools.cache)
        # JUnit comes first, so that a class of the tree cannot stand in for one of JUnit's.
        path = ":".join([str(runner), *map(str, jars), _CLASSES, *build.class_path])
        # The runner makes a stream of descriptor 3, for which the JDK has no public way.
        opened = "--add-opens=java.base/java.io=ALL-UNNAMED"
        argv = (self._java, *_RUN, opened, "-cp", path, _RUNNERS[framework])
        request = "\n".join([nonce, "stop" if stop else "all", *wanted]).encode()
        command = self._command(argv, (runner, *jars), stdin=request, env=test.env)
        return (Batch(command=command, tests=wanted, nonce=nonce),)

    def warm(self, build: Build, test: Test, files: Sequence[str]) -> JavaResident:
        """Return the JVM that does the same for one candidate after the other."""
        framework, jars = _junit_of(test), self._junit_jars(test)
        javac = str(_jdk().home / "bin/javac")
        server = compile_server(javac, self._tools.cache)
        runner = junit.runner(framework, jars, javac, self._tools.cache) if framework else None
        ours = (server, *((runner,) if runner else ()), *jars)
        main_class = _RUNNERS[framework] if framework else test.program or "Main"
        opened = "--add-opens=java.base/java.io=ALL-UNNAMED"
        argv = (
            *(self._java, *_RUN, *SERVER_FLAGS, opened, "-cp", ":".join(map(str, ours)), SERVER_CLASS),
            *(main_class, ":".join(build.class_path), *_javac_options(build, jars)),
        )
        return JavaResident(
            cold=self,
            command=self._command(argv, ours, env=test.env, writable=framework is not None),
            sources=[path for path in sorted(files) if _is_source(path, build)],
        )

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read what the runner reported."""
        del test
        return reports.read_events(batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether the JVM ended for want of memory."""
        if execution.ending is not Ending.EXITED or execution.exit_code == 0:
            return False
        said = execution.stderr + (execution.stdout if execution.exit_code == _OUT_OF_MEMORY_EXIT else b"")
        fatal = rb"Terminating due to java\.lang\.OutOfMemoryError|^Exception in thread \S+ java\.lang\.OutOfMemoryError"
        return re.search(fatal + rb"|insufficient memory for the Java Runtime", said, re.MULTILINE) is not None

    def versions(self) -> dict[str, str]:
        """Return the versions of the JDK and of the JUnit jars that are there already."""
        found = {"java": host.version(self._java), "javac": host.version(str(_jdk().home / "bin/javac"))}
        folders = [self._tools.junit] if self._tools.junit else [f"{self._tools.cache}/junit", str(junit.SYSTEM_FOLDER)]
        for framework in junit.ARTIFACTS:
            jars = next((jars for folder in folders if (jars := junit.find(framework, Path(folder)))), ())
            if jars:
                found[framework] = f"{jars[0].name} ({jars[0].stat().st_size} bytes)"
        return found

    @property
    def _java(self) -> str:
        return str(_jdk().home / "bin/java")

    def _junit_jars(self, test: Test) -> tuple[Path, ...]:
        framework = _junit_of(test)
        return junit.jars(framework, self._tools) if framework else ()

    def _command(
        self,
        argv: tuple[str, ...],
        needed: Sequence[Path],
        *,
        stdin: bytes = b"",
        env: tuple[tuple[str, str], ...] = (),
        writable: bool = True,
    ) -> Command:
        mounts = host.mounts(_jdk().home, *_jdk().settings, *needed)
        return Command(argv=argv, stdin=stdin, env=env, mounts=mounts, writable=writable, address_space=False)


def _junit_of(test: Test) -> junit.JUnit | None:
    if test.framework == "junit4":
        return "junit4"
    return "junit5" if test.framework == "junit5" else None


def _is_source(path: str, build: Build) -> bool:
    """Return whether a file of the tree is compiled."""
    return path.endswith(".java") and bool(matching([path], (*(build.sources or ("**/*.java",)), *build.tests)))


def _javac_options(build: Build, jars: Sequence[Path]) -> tuple[str, ...]:
    path = ":".join([*map(str, jars), *build.class_path])
    release = ("--release", str(build.release)) if build.release else ()
    return ("-encoding", "UTF-8", "-proc:none", "-nowarn", "-g", "-implicit:none", "-cp", path or _CLASSES, *release, *build.flags)


def _quoted(path: str) -> str:
    """Return a line of javac's argument file."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"\n'
