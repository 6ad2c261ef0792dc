"""The projects of Defects4J: what their clones are called, where to get them, where sources lie."""

from collections.abc import Collection

from repairlab.core.record import record


@record
class Project:
    """One subject project."""

    clone: str
    url: str | None
    """None where no public clone has the revisions that Defects4J names."""
    licence: str = "Apache-2.0"
    release: int = 8
    """Language level; 8 is enough for all, and too much for some: it finds other overloaded methods than 7."""
    generator: "Generated | None" = None


@record
class Generated:
    """Files that a class of the project makes of others, all within packages of its sources."""

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
        """Return where files may lie that tests look for on the class path."""
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
    """Return the layout of a tree that none of Defects4J's lists knows."""
    for layout in _LAYOUTS:
        folders = (layout.sources, layout.tests)
        if all(any(path.startswith(f"{folder}/") and path.endswith(".java") for path in paths) for folder in folders):
            return layout
    return None
