"""The projects of Defects4J: where their clones come from, where their sources lie, and which jars a tree needs.

Jars are chosen by what sources import, in the versions that build files name.
"""

import io
import re
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from repairlab.building.importers.importer import TreeFile
from repairlab.core.errors import UserError
from repairlab.core.record import record


@record
class Project:
    """One subject project."""

    clone: str
    url: str | None
    """None if no public clone has the revisions that Defects4J names."""
    licence: str = "Apache-2.0"
    release: int = 8
    """Language level. All projects compile as 8, but some need 7, which resolves overloads differently."""
    generator: "Generated | None" = None


@record
class Generated:
    """Files that a class of the project generates from others, all within packages of its sources."""

    program: str
    source: str
    folder: str
    properties: str = ""
    """JVM options."""


def _apache(name: str) -> Project:
    return Project(clone=name, url=f"https://github.com/apache/{name}")


PROJECTS = {
    "Chart": Project(clone="jfreechart", url=None, licence="LGPL-2.1-or-later"),
    "Cli": _apache("commons-cli"),
    "Closure": Project(clone="closure-compiler", url="https://github.com/google/closure-compiler"),
    "Codec": _apache("commons-codec"),
    "Collections": _apache("commons-collections"),
    "Compress": _apache("commons-compress"),
    "Csv": _apache("commons-csv"),
    "Gson": Project(clone="gson", url="https://github.com/google/gson"),
    "JacksonCore": Project(clone="jackson-core", url="https://github.com/FasterXML/jackson-core"),
    "JacksonDatabind": Project(clone="jackson-databind", url="https://github.com/FasterXML/jackson-databind"),
    "JacksonXml": Project(clone="jackson-dataformat-xml", url="https://github.com/FasterXML/jackson-dataformat-xml"),
    "Jsoup": Project(clone="jsoup", url="https://github.com/jhy/jsoup", licence="MIT"),
    "JxPath": _apache("commons-jxpath"),
    "Lang": _apache("commons-lang"),
    "Math": _apache("commons-math"),
    "Mockito": Project(clone="mockito", url="https://github.com/mockito/mockito", licence="MIT", release=7),
    "Time": Project(
        clone="joda-time",
        url="https://github.com/JodaOrg/joda-time",
        generator=Generated(
            program="org.joda.time.tz.ZoneInfoCompiler",
            source="org/joda/time/tz/src",
            folder="org/joda/time/tz/data",
            properties="-Dorg.joda.time.DateTimeZone.Provider=org.joda.time.tz.UTCProvider",
        ),
    ),
}
"""By Defects4J's project id."""


@record
class ProjectLayout:
    """The folders of sources and tests."""

    sources: str
    tests: str

    @property
    def resources(self) -> tuple[str, ...]:
        """Return the folders in which tests may look for files on the class path."""
        beside = [
            folder.removesuffix("java") + "resources"
            for folder in (self.sources, self.tests)
            if folder.endswith(("main/java", "test/java"))
        ]
        return (*beside, self.sources, self.tests)


_LAYOUTS = (
    ProjectLayout(sources="src/main/java", tests="src/test/java"),
    ProjectLayout(sources="gson/src/main/java", tests="gson/src/test/java"),
    ProjectLayout(sources="src/java", tests="src/test"),
    ProjectLayout(sources="source", tests="tests"),
    ProjectLayout(sources="src", tests="test"),
)


def usual_layout(paths: Collection[str]) -> ProjectLayout | None:
    """Return the layout of a tree that Defects4J does not list."""
    for layout in _LAYOUTS:
        folders = (layout.sources, layout.tests)
        if all(any(path.startswith(f"{folder}/") and path.endswith(".java") for path in paths) for folder in folders):
            return layout
    return None


SYSTEM_FOLDER = Path("/usr/share/java")
_IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*;", re.MULTILINE)
_NAMED = re.compile(r"\b(?:[a-z]\w*\.)+[A-Z]\w*")
"""A class with its package, used without an import or loaded by name, such as a database driver."""
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_DECLARED = re.compile(r"\b(?:class|interface|enum)\s+([A-Z]\w*)")
_VERSION_SHARE = 0.1
"""Share of a jar's classes that two versions of a library have in common at least."""
_NAME_IN_CLASS = re.compile(rb"[A-Za-z_][\w$]*(?:/[A-Za-z_][\w$]*)+")
_DEPENDENCY = re.compile(r"<artifactId>\s*([\w.-]+)\s*</artifactId>\s*<version>\s*([\w.-]+)\s*</version>")
_JAR = re.compile(r"[\w.-]+\.jar\b")
_COORDINATES = re.compile(r"[\"'][\w.-]+:([\w.-]+):([\w.-]+)[\"':@]")
_VERSION = re.compile(r"-(\d[\w.]*(?:-[\w.]+)?)$")
# The JDK's own, JUnit's (which the tool chain adds), and packages of which the JDK has newer versions than old jars.
PROVIDED = ("java.", "javax.xml.", "org.w3c.", "org.xml.", "org.junit.", "junit.", "org.hamcrest.")
_REMOVED = ("javax.xml.bind.", "javax.xml.soap.", "javax.xml.ws.")
"""What the JDK had until Java 11."""

_XML_PARSERS = (
    *("META-INF/services/javax.xml.parsers.", "META-INF/services/javax.xml.transform.", "META-INF/services/org.xml.sax."),
    *("javax/xml/parsers/", "javax/xml/transform/", "org/w3c/dom/", "org/xml/sax/"),
)
"""Entries of jars that would replace the JDK's newer XML parser."""


def needed_jars(texts: Iterable[str], folders: Sequence[Path], hints: str, given: Collection[str] = ()) -> tuple[Path, ...]:
    """Return the jars of these folders, the first coming first, that define what Java sources import.

    `hints` is text of build files: of several versions of a jar, one that it names is taken, else the newest; and those that it
    names and that offer services, for nobody imports these. Classes that are `given` are not looked for.
    """
    texts = list(texts)
    names, own = imports(texts)
    wanted = _named_jars(hints)
    chosen: dict[str, Path] = {}
    looked_for = (name for name in names if name.startswith(_REMOVED) or not name.startswith(PROVIDED))
    open_names = {name for name in looked_for if _package(name) not in own and name not in given}
    for folder in folders:
        index = _index(folder)
        offered = {name: index[name] for name in open_names if name in index}
        if folder == SYSTEM_FOLDER:
            known = declared(texts).union(given, *map(_classes, chosen.values()))
            fit = {jar for jars in offered.values() for jar in jars if not _is_version_of(jar, known)}
            offered = {name: tuple(jar for jar in jars if jar in fit) for name, jars in offered.items()}
        found = {name: jar for name, jars in offered.items() if (jar := _best(jars, wanted))}
        # A distribution's jars offer and optionally use much more than is needed here.
        offering = _service_jars(folder) if folder != SYSTEM_FOLDER else ()
        queue = [*(jar for jar in offering if jar.name in wanted), *found.values()]
        while queue:
            jar = queue.pop()
            if _artifact(jar) in chosen:
                continue
            chosen[_artifact(jar)] = jar
            if folder != SYSTEM_FOLDER:
                queue += [best for name in _references(jar) if (best := _best(index.get(name, ()), wanted)) and best != jar]
        open_names -= found.keys()
    return tuple(sorted(chosen.values(), key=lambda jar: jar.name))


def imports(texts: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return what sources import (`a.b.C`, `a.b.*`) and their own packages."""
    names: set[str] = set()
    own: set[str] = set()
    for text in texts:
        own.update(_PACKAGE.findall(text)[:1])
        names.update(_NAMED.findall(text))
        for name, star in _IMPORT.findall(text):
            parts = name.split(".")
            # A static or nested import names more than a class; every prefix is tried, since the index holds only classes.
            names.update(".".join(parts[:length]) for length in range(2, len(parts) + 1))
            if star:
                names.add(f"{name}.*")
    return names, own


def declared(texts: Iterable[str]) -> set[str]:
    """Return the classes (`a.b.C`) that sources may define.

    >>> sorted(declared(["package a.b; /** A class like no other. */ public final class C<T> { enum D { E } }"]))
    ['a.b.C', 'a.b.D']
    """
    found: set[str] = set()
    for text in texts:
        package = _PACKAGE.search(text)
        found.update(f"{package[1]}.{name}" for name in _DECLARED.findall(text) if package)
    return found


def imported_names(text: str) -> list[str]:
    """Return what a source imports, in order: classes, their members, packages."""
    return [name for name, _ in _IMPORT.findall(text)]


def jar_classes(content: bytes) -> list[str]:
    """Return the classes (`a.b.C`) and packages (`a.b.*`) of a jar."""
    return _class_names(_entries(io.BytesIO(content)))


def brought_classes(tree: Mapping[str, TreeFile], layout: ProjectLayout) -> set[str]:
    """Return the classes (`a.b.C`, `a.b.*`) in the tree's jars that belong on the class path."""
    found: set[str] = set()
    for path, file in tree.items():
        if path.endswith(".jar") and is_wanted(path, layout, hamcrest=True):
            found.update(jar_classes(file.content))
    return found


def _class_names(entries: Iterable[str]) -> list[str]:
    classes = [name.removesuffix(".class").replace("/", ".") for name in entries if name.endswith(".class")]
    return [*classes, *{f"{_package(name)}.*" for name in classes}]


def _package(name: str) -> str:
    return name.rpartition(".")[0]


@lru_cache(maxsize=64)
def _index(folder: Path) -> Mapping[str, tuple[Path, ...]]:
    """Return which jars below a folder define a class (`a.b.C`) or anything in a package (`a.b.*`)."""
    found: dict[str, list[Path]] = {}
    jars = dict.fromkeys(path.resolve() for path in sorted(folder.rglob("*.jar")) if path.is_file())
    for jar in jars:
        entries = [] if is_junit(jar.name) else _entries(jar)
        if any(name.startswith(_XML_PARSERS) and not name.endswith("/") for name in entries):
            continue
        for name in _class_names(entries):
            found.setdefault(name, []).append(jar)
    return {name: tuple(jars) for name, jars in found.items()}


def _is_version_of(jar: Path, known: set[str]) -> bool:
    """Return whether a jar is another version of known classes: of the project itself or of one of its libraries.

    A few shared classes do not count, since some libraries bundle those of others.
    """
    n_shared = len(_classes(jar) & known)
    return n_shared > 0 and n_shared >= _VERSION_SHARE * len(_classes(jar))


@lru_cache(maxsize=256)
def _classes(jar: Path) -> frozenset[str]:
    """Return the classes of a jar, without packages."""
    return frozenset(name for name in _class_names(_entries(jar)) if not name.endswith((".*", "-info")))


@lru_cache(maxsize=64)
def _service_jars(folder: Path) -> tuple[Path, ...]:
    """Return the jars below a folder whose classes are found by what they implement, such as XML stream parsers."""
    jars = dict.fromkeys(jar for jars in _index(folder).values() for jar in jars)
    return tuple(jar for jar in jars if any(re.match("META-INF/services/.", name) for name in _entries(jar)))


def _entries(jar: Path | io.BytesIO) -> list[str]:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return []


@lru_cache(maxsize=256)
def _references(jar: Path) -> Collection[str]:
    """Return the classes that a jar's classes refer to."""
    found: set[bytes] = set()
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.endswith(".class"):
                found.update(_NAME_IN_CLASS.findall(archive.read(name)))
    # In a descriptor, an L precedes the name.
    return {
        name.decode().replace("/", ".")
        for text in found
        for name in (text, text[1:])
        if not name.startswith((b"java/", b"javax/", b"sun/", b"org/w3c/", b"org/xml/", b"org/junit/", b"org/hamcrest/"))
    }


def _best(jars: Sequence[Path], wanted: Collection[str]) -> Path | None:
    return max(jars, key=lambda jar: (jar.name in wanted, _version(jar), jar.name), default=None)


def _artifact(jar: Path) -> str:
    return _VERSION.sub("", jar.stem)


def _version(jar: Path) -> tuple[int, ...]:
    found = _VERSION.search(jar.stem)
    return tuple(int(part) for part in re.findall(r"\d+", found.group(1))) if found else ()


def library_folders(own: Path, libraries: Path | None) -> tuple[Path, ...]:
    """Return the folders searched for jars, in order: the user's, the benchmark's, the distribution's."""
    if libraries is not None and not libraries.is_dir():
        raise UserError(f"--libs {libraries} is no folder")
    given = (libraries,) if libraries is not None else ()
    return tuple(folder for folder in (*given, own, SYSTEM_FOLDER) if folder.is_dir())


def is_wanted(path: str, layout: ProjectLayout, *, hamcrest: bool) -> bool:
    """Return whether one of the tree's jars belongs on the class path: it holds classes, not sources, and is not another JUnit.

    Jars among sources, tests and their resources are read by tests; files inside them must not be found on the class path.
    """
    name = path.rpartition("/")[2]
    if name.endswith("-sources.jar") or path.startswith(tuple(f"{folder}/" for folder in layout.resources)):
        return False
    return hamcrest if "hamcrest" in name else not is_junit(name)


def hamcrest_jars(folder: Path, hints: str) -> tuple[Path, ...]:
    """Return the hamcrest that build files name, else the newest below a folder, if any."""
    best = _best(sorted(folder.rglob("hamcrest*.jar")), _named_jars(hints))
    return () if best is None else (best,)


def _named_jars(hints: str) -> set[str]:
    """Return the jars that build files name, as Ant, Maven and Gradle write them."""
    artifacts = (*_DEPENDENCY.findall(hints), *_COORDINATES.findall(hints))
    return {*_JAR.findall(hints), *(f"{artifact}-{version}.jar" for artifact, version in artifacts)}


def is_junit(name: str) -> bool:
    """Return whether a jar is JUnit or belongs to it: the tool chain adds its own version of these."""
    return name.startswith(("junit", "hamcrest")) and not name.startswith("junit-addons")
