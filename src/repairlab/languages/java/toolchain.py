"""Building and testing Java trees with javac and JUnit.

`{memory_mb}` in an argument stands for the memory limit in megabytes, which validation fills in.
"""

import dataclasses
import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.recipe import Build, Test, matching
from repairlab.core.record import record
from repairlab.languages import host, reports
from repairlab.languages.java import calls, resident
from repairlab.languages.java.jars import (
    ARTIFACTS,
    LISTERS,
    RUNNERS,
    JUnit,
    Rehearsal,
    archive,
    installed_junit,
    junit_jars,
    junit_rehearsal,
    junit_runner,
)
from repairlab.languages.java.resident import CLASSES, JavaResident, Shelf
from repairlab.languages.language import Batch, Function, Listing, Report, Tools

_OUT_OF_MEMORY_EXIT = 3
"""Exit code of a JVM with ExitOnOutOfMemoryError."""

# Only this collector takes the JDK's own objects from an archive, saving a quarter of a start. One thread each is enough.
_COLLECTOR = ("-XX:+UseG1GC", "-XX:ParallelGCThreads=1", "-XX:ConcGCThreads=1")
# Archives stay at the address they were made for: moving them takes longer than mapping them.
# Most of these JVMs are so short-lived that compiling code that runs a few hundred times does not pay.
_COMPILING = ("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=4")
_STARTING = (*_COLLECTOR, *_COMPILING, "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")
# The heap may take three quarters of the memory limit: the rest is for the JVM itself, which counts too.
_JVM = (
    "-XX:MaxRAM={memory_mb}m",
    "-XX:MaxRAMPercentage=75",
    "-XX:MinRAMPercentage=75",
    *_STARTING,
    "-XX:-UsePerfData",
)
_RUN = (
    *_JVM,
    "-Xshare:auto",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-Dfile.encoding=UTF-8",
)
_STACK = "-Xss64m"
# The compile server makes a stream of descriptor 3, for which the JDK has no public way; it runs nothing of a candidate's.
_OPENED = "--add-opens=java.base/java.io=ALL-UNNAMED"
_REHEARSED = (*_STARTING, "-Xmx512m")


@record
class _Jdk:
    home: Path
    settings: tuple[Path, ...]
    """Folders outside the JDK that it links to, such as /etc/java-17-openjdk of Debian."""


@record
class _Archive:
    """The option that tells a JVM of an archive of classes; empty if there is none."""

    flags: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


@record
class _Runner:
    """Our JUnit runner and JUnit itself, which come first on the class path."""

    jars: tuple[Path, ...]
    archive: _Archive


@functools.lru_cache(maxsize=1)
def _jdk() -> _Jdk:
    """Ask `java` (perhaps a shim) for its home."""
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
        sources = _sources(files, build)
        if not sources:
            raise UserError(f"no Java file matches build.sources = {list(build.sources)} or build.tests = {list(build.tests)}")
        jars = self._junit_jars(test)
        arguments = [*(f"-J{flag}" for flag in _JVM), "-d", CLASSES, *_javac_options(build, jars)]
        # Old classes go first: one whose source is gone must not live on. The list of sources may exceed a command line.
        script = f'rm -rf {CLASSES} && mkdir -p {CLASSES} && cat > build/sources.txt && exec "$@" @build/sources.txt'
        argv = ("/bin/sh", "-c", script, "sh", self._javac, *arguments)
        return (self._command(argv, jars, stdin="".join(map(_quoted, sources)).encode()),)

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the main class."""
        path = ":".join([CLASSES, *build.class_path])
        argv = (self._java, *_RUN, *_place_and_time(test.env), _STACK, "-cp", path, _main_class(test))
        return self._command(argv, (), env=test.env, writable=False)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch that runs all tests in one JVM."""
        if not tests:
            return ()
        framework = _junit_of(test)
        if framework is None:
            raise UserError(f"Java has no test framework {test.framework!r}. Possible: junit4, junit5, stdio")
        nonce, wanted = reports.new_nonce(), tuple(dict.fromkeys(tests))
        runner = self._runner(framework, self._junit_jars(test))
        # JUnit comes first, so that a class of the tree cannot replace one of JUnit's.
        path = _run_path(runner.jars, build)
        argv = (
            self._java,
            *_RUN,
            *_place_and_time(test.env),
            *runner.archive.flags,
            "-cp",
            path,
            RUNNERS[framework],
        )
        request = "\n".join([nonce, "stop" if stop else "all", *wanted]).encode()
        command = self._command(
            argv, (*runner.jars, *runner.archive.files), stdin=request, env=test.env, writable=False, private=True
        )
        # Classes are loaded on demand, by which time a candidate has run.
        command = dataclasses.replace(command, sealed=_loaded_from(build))
        return (Batch(command=command, tests=wanted, nonce=nonce),)

    def listing(self, build: Build, test: Test, places: Sequence[str]) -> Batch:
        """Return the command that names the tests of classes."""
        framework = _junit_of(test)
        if framework is None:
            raise UserError(f"Java has no test framework {test.framework!r} whose tests can be listed. Possible: junit4, junit5")
        jars = self._junit_jars(test)
        first = (junit_runner(framework, jars, self._javac, self._tools.cache, lists=True), *jars)
        path = _run_path(first, build)
        argv = (self._java, *_RUN, *_place_and_time(test.env), "-cp", path, LISTERS[framework])
        nonce = reports.new_nonce()
        request = "\n".join([nonce, "all", *places]).encode()
        command = self._command(argv, first, stdin=request, env=test.env, writable=False, private=True)
        return Batch(command=command, tests=tuple(places), nonce=nonce)

    def listed(self, batch: Batch, execution: Execution) -> Listing:
        """Read what the lister found."""
        return reports.read_listing(batch, execution)

    def stands_alone(self, function: Function, path: str, source: str) -> bool:
        """Return whether a function can be called without an object."""
        return calls.stands_alone(function, path, source)

    def example_calls(self, function: Function, texts: Sequence[str]) -> list[tuple[object, ...]]:
        """Return known arguments of a function."""
        return calls.example_calls(function, texts)

    def calls(self, build: Build, function: Function, path: str, source: str, arguments: Sequence[tuple[object, ...]]) -> Command:
        """Return the command that calls a function of a file."""
        del path  # only the package matters
        made = calls.calling_program(function, source, arguments)
        script = 'made="${TMPDIR:-/tmp}/RepairlabCalls.java"; cat > "$made" && exec "$@" "$made"'
        java = (self._java, *_RUN, *_place_and_time(()), _STACK, "-cp", ":".join([CLASSES, *build.class_path]))
        return self._command(("/bin/sh", "-c", script, "sh", *java), (), stdin=made.encode(), writable=False)

    def check_resident(self) -> None:
        """Raise HarnessError if our servers do not compile here; the archive for a faster start is left to the first run."""
        resident.servers(self._javac, self._tools.cache)

    def warm(self, build: Build, test: Test, files: Sequence[str]) -> JavaResident:
        """Return the JVM that compiles one candidate after another, and the one that runs all cases of one."""
        framework, jars = _junit_of(test), self._junit_jars(test)
        servers = resident.servers(self._javac, self._tools.cache)
        compiling = self._archive(resident.compiling_rehearsal(self._java, _REHEARSED, servers))
        compiler = (self._java, *_RUN, *_place_and_time(()), _OPENED, *resident.COMPILE_FLAGS, *compiling.flags)
        running = self._archive(resident.cases_rehearsal(self._java, _REHEARSED, servers)) if framework is None else _Archive()
        seen = ":".join([CLASSES, *build.class_path])
        runner = (self._java, *_RUN, *_place_and_time(test.env), _STACK, *running.flags)
        cases = (*runner, "-cp", str(servers.jar), resident.CASE_RUNNER, _main_class(test), seen)
        return JavaResident(
            cold=self,
            compiler=self._command(
                (*compiler, "-cp", str(servers.jar), resident.COMPILE_SERVER),
                (servers.jar, *compiling.files, *self._all_junit_jars()),
                writable=False,
            ),
            cases=None if framework else self._command(cases, (servers.jar, *running.files), env=test.env, writable=False),
            options=_javac_options(build, jars, tree="{tree}/"),
            sources=_sources(files, build) if _can_share(build, files) else [],
            shelf=Shelf(
                folder=Path(self._tools.cache).absolute() / "java-classes",
                tools=(str(servers.jar), *(f"{jar} {jar.stat().st_size}" for jar in jars)),
                jars=tuple(path for path in build.class_path if path.endswith(".jar")),
            ),
        )

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read what the runner reported."""
        del test
        return reports.read_events(batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether the JVM ran out of memory."""
        if execution.ending is not Ending.EXITED or execution.exit_code == 0:
            return False
        said = execution.stderr + (execution.stdout if execution.exit_code == _OUT_OF_MEMORY_EXIT else b"")
        fatal = rb"Terminating due to java\.lang\.OutOfMemoryError|^Exception in thread \S+ java\.lang\.OutOfMemoryError"
        return re.search(fatal + rb"|insufficient memory for the Java Runtime", said, re.MULTILINE) is not None

    def versions(self) -> dict[str, str]:
        """Return the versions of the JDK and of the JUnit jars already present."""
        found = {"java": host.version(self._java), "javac": host.version(self._javac)}
        for framework in ARTIFACTS:
            if jars := installed_junit(framework, self._tools):
                found[framework] = f"{jars[0].name} ({jars[0].stat().st_size} bytes)"
        return found

    @property
    def _java(self) -> str:
        return str(_jdk().home / "bin/java")

    @property
    def _javac(self) -> str:
        return str(_jdk().home / "bin/javac")

    def _junit_jars(self, test: Test) -> tuple[Path, ...]:
        framework = _junit_of(test)
        return junit_jars(framework, self._tools) if framework else ()

    def _runner(self, framework: JUnit, jars: tuple[Path, ...]) -> _Runner:
        ours = (junit_runner(framework, jars, self._javac, self._tools.cache), *jars)
        return _Runner(jars=ours, archive=self._archive(junit_rehearsal(framework, self._java, _REHEARSED, ours)))

    def _archive(self, rehearsal: Rehearsal) -> _Archive:
        found = archive(rehearsal, self._tools.cache)
        return _Archive() if found is None else _Archive(flags=(f"-XX:SharedArchiveFile={found}",), files=(found,))

    def _all_junit_jars(self) -> tuple[Path, ...]:
        """Return the jars of every available JUnit version, for a compiler that serves bugs of several."""
        found = (installed_junit(framework, self._tools) for framework in ARTIFACTS)
        return tuple(dict.fromkeys(jar for jars in found for jar in jars))

    def _command(
        self,
        argv: tuple[str, ...],
        needed: Sequence[Path],
        *,
        stdin: bytes = b"",
        env: tuple[tuple[str, str], ...] = (),
        writable: bool = True,
        private: bool = False,
    ) -> Command:
        mounts = host.mounts(_jdk().home, *_jdk().settings, *needed)
        return Command(argv=argv, stdin=stdin, env=env, mounts=mounts, writable=writable, private=private, address_space=False)


def _loaded_from(build: Build) -> tuple[str, ...]:
    """Return the folders at the root that hold classes and jars, and jars that lie deeper.

    >>> _loaded_from(Build(class_path=("lib/a.jar", "lib/b.jar", "src/test/c.jar", "src/test/resources")))
    ('build', 'lib', 'src/test/c.jar')
    """
    jars = [PurePosixPath(path) for path in build.class_path if path.endswith(".jar")]
    places = [path.parts[0] if len(path.parts) == 2 else str(path) for path in jars]
    return tuple(dict.fromkeys((PurePosixPath(CLASSES).parts[0], *places)))


def _junit_of(test: Test) -> JUnit | None:
    if test.framework == "junit4":
        return "junit4"
    return "junit5" if test.framework == "junit5" else None


def _main_class(test: Test) -> str:
    return test.program or "Main"


def _place_and_time(env: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the time zone and language of a JVM: TZ and LANG of the tests' environment where given, else UTC and English.

    >>> _place_and_time((("TZ", "America/Los_Angeles"), ("LANG", "en_US.UTF-8")))
    ('-Duser.timezone=America/Los_Angeles', '-Duser.language=en', '-Duser.country=US')
    """
    given = dict(env)
    language, _, country = given.get("LANG", "en").partition(".")[0].partition("_")
    where = (f"-Duser.country={country}",) if country else ()
    return (f"-Duser.timezone={given.get('TZ', 'UTC')}", f"-Duser.language={language}", *where)


def _sources(files: Sequence[str], build: Build) -> list[str]:
    """Return the files of a tree that are compiled."""
    wanted = (*(build.sources or ("**/*.java",)), *build.tests)
    return sorted(path for path in matching(files, wanted) if path.endswith(".java"))


def _can_share(build: Build, files: Sequence[str]) -> bool:
    """Return whether a compiler of many trees can serve this one: no option names a file, and no old classes are in the way."""
    return not any("/" in flag or "@" in flag for flag in build.flags) and not any(path.startswith(CLASSES) for path in files)


def _javac_options(build: Build, jars: Sequence[Path], *, tree: str = "") -> tuple[str, ...]:
    """Return javac's options for a tree in a folder, which then ends in a slash."""
    own = [tree + part for part in build.class_path]
    path = ":".join([*filter(_is_hamcrest, own), *map(str, jars), *(part for part in own if not _is_hamcrest(part))])
    release = ("--release", str(build.release)) if build.release else ()
    fixed = ("-encoding", "UTF-8", "-proc:none", "-nowarn", "-g", "-implicit:none", "-Xmaxerrs", "100", "-Xmaxwarns", "100")
    # Strings are joined as the language says and older compilers did: the newer way generates classes in each JVM again.
    joining = ("-XDstringConcat=inline",)
    return (*fixed, *joining, "-cp", path or tree + CLASSES, *release, *build.flags)


def _run_path(jars: Sequence[Path], build: Build) -> str:
    """Return the class path of tests: the tree's own hamcrest, our jars, its classes, its other jars.

    Sources that implement interfaces of hamcrest fit one version of it; and JUnit's manifest may name another.
    """
    hamcrest = [part for part in build.class_path if _is_hamcrest(part)]
    others = [part for part in build.class_path if not _is_hamcrest(part)]
    return ":".join([*hamcrest, *map(str, jars), CLASSES, *others])


def _is_hamcrest(path: str) -> bool:
    return path.endswith(".jar") and "hamcrest" in path.rpartition("/")[2]


def _quoted(path: str) -> str:
    """Return a line of javac's argument file."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"\n'
