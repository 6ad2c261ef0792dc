"""Jars: JUnit's, found here or in Maven Central, and those of our own Java code, with archives of their classes.

An archive holds classes as a JVM has them in memory, which spares each start much of its work. It is made once per machine;
without it everything works, only slower.
"""

import contextlib
import functools
import hashlib
import re
import secrets
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from repairlab.core.errors import HarnessError
from repairlab.core.record import digest, record
from repairlab.languages import host
from repairlab.languages.language import Tools

# Strings are joined in the plain old way: the new one generates classes at run time, in each JVM again.
COMPILE_OPTIONS = ("-proc:none", "-nowarn", "-encoding", "UTF-8", "-XDstringConcat=inline")
"""Options of javac for our own code."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_REHEARSAL_TIMEOUT_S = 120


def jar(classes: Path, target: Path) -> None:
    """Pack a folder of classes."""
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted(classes.rglob("*.class")):
            packed.writestr(zipfile.ZipInfo(path.relative_to(classes).as_posix(), _EPOCH), path.read_bytes())


@record
class Rehearsal:
    """A run of trusted code that loads the classes for an archive."""

    java: str
    flags: tuple[str, ...]
    class_path: tuple[Path, ...]
    """Jars; a JVM only uses the archive if its own class path begins with them."""
    arguments: tuple[str, ...]
    """Main class and its arguments."""
    stdin: bytes = b""


@functools.lru_cache(maxsize=16)
def archive(rehearsal: Rehearsal, cache: str) -> Path | None:
    """Return the archive from a rehearsal on the host, made on first use; None if this JVM makes none."""
    stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in rehearsal.class_path]
    run = (rehearsal.flags, rehearsal.arguments, rehearsal.stdin.hex())
    folder = Path(cache).absolute() / f"java-archive-{digest(run, stamps, host.version(rehearsal.java))}"
    with host.made_once(folder) as scratch:
        if scratch is not None:
            path = ":".join(map(str, rehearsal.class_path))
            made = f"-XX:ArchiveClassesAtExit={scratch / 'classes.jsa'}"
            java = [rehearsal.java, *rehearsal.flags, made, "-cp", path, *rehearsal.arguments]
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    ["/bin/sh", "-c", 'exec "$@" 3>/dev/null', "sh", *java],  # descriptor 3 is where reports go
                    input=rehearsal.stdin,
                    env={"HOME": str(scratch), "TMPDIR": str(scratch), "LC_ALL": "C.UTF-8"},
                    capture_output=True,
                    cwd=scratch,
                    timeout=_REHEARSAL_TIMEOUT_S,
                    check=False,
                )
    found = folder / "classes.jsa"
    return found if found.is_file() else None


JUnit = Literal["junit4", "junit5"]

MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
SYSTEM_FOLDER = Path("/usr/share/java")
RUNNERS: dict[JUnit, str] = {"junit4": "JUnit4Runner", "junit5": "JUnit5Runner"}
"""Main classes of our runners."""
LISTERS: dict[JUnit, str] = {"junit4": "JUnit4Lister", "junit5": "JUnit5Lister"}
"""Main classes of those that name tests."""
_SHARED: dict[JUnit, tuple[str, ...]] = {"junit4": ("SuiteTests",), "junit5": ()}
"""What both of them need."""
_RUNNING: dict[JUnit, tuple[str, ...]] = {"junit4": ("Turns", "ClassRun"), "junit5": ("Turns", "ClassRun5")}
"""What runners need beside that."""
_SOURCES = Path(__file__).parent / "runners"
_TIMEOUT_S = 60


@record
class Artifact:
    """One jar as Maven Central names it, and other names that distributions give it."""

    group: str
    name: str
    version: str
    sha1: str
    also: tuple[str, ...] = ()
    holds: str = ""
    """A class that older jars of the same name lack."""
    optional: bool = False
    """Needed only by jars of some distributions, which leave out what Maven Central's jars contain."""

    @property
    def path(self) -> str:
        """Return the place in a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.file}"

    @property
    def file(self) -> str:
        """Return the file name."""
        return f"{self.name}-{self.version}.jar"


_JUPITER, _PLATFORM = "org.junit.jupiter", "org.junit.platform"

# The checksums of the files that Maven Central has served since their release.
ARTIFACTS: dict[JUnit, tuple[Artifact, ...]] = {
    "junit4": (
        Artifact(
            group="junit",
            name="junit",
            version="4.13.2",
            sha1="8ac9e16d933b6fb43bc7f576336b8f4d7eb5ba12",
            also=("junit4",),
            holds="org/junit/Test.class",
        ),
        Artifact(
            group="org.hamcrest",
            name="hamcrest-core",
            version="1.3",
            sha1="42a25dc3219429f0e5d060061f71acb49bf010a0",
            also=("hamcrest", "hamcrest-all"),
        ),
    ),
    "junit5": (
        Artifact(group=_JUPITER, name="junit-jupiter-api", version="5.10.2", sha1="fb55d6e2bce173f35fd28422e7975539621055ef"),
        Artifact(group=_JUPITER, name="junit-jupiter-params", version="5.10.2", sha1="359132c82a9d3fa87a325db6edd33b5fdc67a3d8"),
        Artifact(group=_JUPITER, name="junit-jupiter-engine", version="5.10.2", sha1="f1f8fe97bd58e85569205f071274d459c2c4f8cd"),
        Artifact(group=_PLATFORM, name="junit-platform-commons", version="1.10.2", sha1="3197154a1f0c88da46c47a9ca27611ac7ec5d797"),
        Artifact(group=_PLATFORM, name="junit-platform-engine", version="1.10.2", sha1="d53bb4e0ce7f211a498705783440614bfaf0df2e"),
        Artifact(
            group=_PLATFORM, name="junit-platform-launcher", version="1.10.2", sha1="8125dd29e847ca274dd1a7a9ca54859acc284cb3"
        ),
        Artifact(group="org.opentest4j", name="opentest4j", version="1.3.0", sha1="152ea56b3a72f655d4fd677fc0ef2596c3dd5e6e"),
        Artifact(group="org.apiguardian", name="apiguardian-api", version="1.1.2", sha1="a231e0d844d2721b0fa1b238006d15c6ded6842a"),
        Artifact(group="com.univocity", name="univocity-parsers", version="2.9.1", sha1="", optional=True),
    ),
}


@functools.lru_cache(maxsize=8)
def junit_jars(framework: JUnit, tools: Tools) -> tuple[Path, ...]:
    """Return the jars of a JUnit version: from the settings' folder, the cache, the system, or downloaded into the cache."""
    if tools.junit and not installed_junit(framework, tools):
        names = ", ".join(artifact.file for artifact in ARTIFACTS[framework] if not artifact.optional)
        raise HarnessError(
            f"the folder {tools.junit} of the settings lacks jars of {framework}. Needed: {names} (other versions do)"
        )
    return installed_junit(framework, tools) or download(framework, Path(tools.cache).absolute() / "junit")


def installed_junit(framework: JUnit, tools: Tools) -> tuple[Path, ...]:
    """Return the jars of a JUnit version on this machine, if any."""
    folders = [Path(tools.junit)] if tools.junit else [Path(tools.cache).absolute() / "junit", SYSTEM_FOLDER]
    return next((found for folder in folders if (found := find(framework, folder))), ())


def find(framework: JUnit, folder: Path) -> tuple[Path, ...]:
    """Return the jars of a folder; None if a required one is missing."""
    present = {path.name: path for path in sorted(folder.glob("*.jar"))}
    found: list[Path] = []
    for artifact in ARTIFACTS[framework]:
        names = "|".join(re.escape(name) for name in (artifact.name, *artifact.also))
        pattern = re.compile(rf"(?:{names})(?:-\d[\w.-]*)?\.jar")
        candidates = sorted((name for name in present if pattern.fullmatch(name)), key=lambda name: (len(name), name))
        if fit := next((present[name] for name in candidates if _has(present[name], artifact.holds)), None):
            found.append(fit.resolve())
        elif not artifact.optional:
            return ()
    return tuple(dict.fromkeys(found))


def _has(jar: Path, member: str) -> bool:
    if not member:
        return True
    try:
        with zipfile.ZipFile(jar) as opened:
            return member in opened.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def download(framework: JUnit, folder: Path, *, repository: str = MAVEN_CENTRAL) -> tuple[Path, ...]:
    """Fetch the jars of a JUnit version into a folder."""
    try:
        for artifact in ARTIFACTS[framework]:
            if not artifact.optional:
                fetch(artifact, folder, repository=repository)
    except OSError as error:
        raise HarnessError(
            f"{framework} is not installed and {repository} cannot be reached ({error}). "
            f"Install it with: apt install {framework}, or put its jars into {folder}"
        ) from error
    return find(framework, folder)


def fetch(artifact: Artifact, folder: Path, *, repository: str = MAVEN_CENTRAL) -> Path:
    """Fetch one jar, unless it is there, and check it against its known checksum."""
    target = folder / artifact.file
    if target.exists():
        return target
    url = f"{repository}/{artifact.path}"
    print(f"downloading {url}", file=sys.stderr)  # noqa: T201  # talk for the user while she waits
    with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
        content: bytes = answer.read()
    # Caches of build tools pin SHA-1 for these releases; nobody can make a second file with a given SHA-1.
    if hashlib.sha1(content, usedforsecurity=False).hexdigest() != artifact.sha1:
        raise HarnessError(f"{url} has a wrong checksum: a proxy may have altered it. Put {artifact.file} into {folder} yourself")
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f".{artifact.file}.{secrets.token_hex(4)}.part"
    aside.write_bytes(content)
    return aside.replace(target)


@functools.lru_cache(maxsize=8)
def junit_runner(framework: JUnit, class_path: tuple[Path, ...], javac: str, cache: str, *, lists: bool = False) -> Path:
    """Return the jar with our runner, or with our lister, compiled on first use; trusted code, compiled on the host."""
    main = (LISTERS if lists else RUNNERS)[framework]
    names = ("ReportChannel", *_SHARED[framework], *(() if lists else _RUNNING[framework]), main)
    sources = [_SOURCES / f"{name}.java" for name in names]
    stamps = [(str(path), path.stat().st_size) for path in class_path]
    name = f"{framework}-jar-{digest([path.read_text() for path in sources], COMPILE_OPTIONS, stamps, host.version(javac))}"
    folder = Path(cache).absolute() / name
    with host.made_once(folder) as scratch:
        if scratch is not None:
            _compile(sources, class_path, javac, scratch / "classes")
            jar(scratch / "classes", scratch / "runner.jar")
    return folder / "runner.jar"


def junit_rehearsal(framework: JUnit, java: str, flags: tuple[str, ...], class_path: tuple[Path, ...]) -> Rehearsal:
    """Return the run that loads what our runner needs of JUnit: the runner's own tests, which fail."""
    name = RUNNERS[framework]
    tests = [f"{name}$Rehearsed::failing{number}" for number in range(4)]
    request = "\n".join(["0" * 32, "all", *tests]).encode()
    return Rehearsal(java=java, flags=flags, class_path=class_path, arguments=(name,), stdin=request)


def _compile(sources: Sequence[Path], class_path: Sequence[Path], javac: str, folder: Path) -> None:
    arguments = ["-d", str(folder), *COMPILE_OPTIONS, "-cp", ":".join(map(str, class_path))]
    done = subprocess.run([javac, *arguments, *map(str, sources)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HarnessError(f"our JUnit runner does not compile against {class_path[0].parent}: {done.stderr.strip()[:500]}")
