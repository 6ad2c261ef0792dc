"""What an importer is: it reads a published benchmark from disk and yields bugs in repairlab's form."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Protocol

from repairlab.core.errors import UserError, unknown
from repairlab.core.execution import Limits
from repairlab.core.record import record
from repairlab.languages.fix_extent import Extent


@record
class TreeFile:
    """One file of a buggy tree."""

    content: bytes
    executable: bool = False
    link: bool = False
    """Whether the content is the target of a symbolic link."""


Proof = Literal["none", "all cases", "good cases"]
"""The right program must be accepted here in all cases, or in those that are kept; the wrong one must not."""


@record
class Generator:
    """A program of the tree that generates files for the tests, run as the project's own build runs it."""

    program: str
    """As `test.program` in bug.toml: the main class, for Java."""
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    folder: str
    """Where it writes."""
    pattern: str = "*"
    """Names of the files kept from its output."""
    limits: Limits | None = None
    """Its limits; by default those of a test."""
    optional: bool = False
    """Whether the tests can do without it, as some projects do without their extension modules."""


@record
class ImportedBug:
    """One bug as it will lie in a benchmark folder (docs/reference/benchmark-format.md)."""

    id: str
    facts: Mapping[str, Any]
    """The content of bug.toml, tables as mappings; the schema's number is added."""
    title: str
    description: str
    tree: Mapping[str, TreeFile]
    """The buggy tree by relative path, tests included."""
    patch: str
    """Unified diff from the buggy to the fixed tree."""
    cases: Mapping[str, tuple[bytes, bytes]] = dataclasses.field(default_factory=dict)
    """Input and expected output by name."""
    checker: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    """Sources of a checker program by relative path."""
    discover: tuple[str, ...] = ()
    """Test classes or files whose tests are found by listing them; those that pass on the fixed tree become regression tests."""
    unsorted: bool = False
    """Whether the source does not say which tests show the bug: of those found, the ones that fail on the buggy tree do.
    `test.trigger` then only has to name something, for example what `discover` names."""
    generator: Generator | None = None
    """What to run once on the fixed tree; the files it writes become part of the buggy one."""
    older_release: int | None = None
    """A `build.release` to fall back on if the tree does not build with the facts' own."""
    other_env: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Variables to add for the tests if trigger tests pass on the buggy tree: the bug may show with them."""
    generous: bool = False
    """Whether the facts' time limits are upper bounds, to be lowered to what the tests need."""
    proof: Proof = "none"
    """What a stdin/stdout bug must show in a run before it is kept."""
    locks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Locks of environments by name, written beside the bugs."""
    notes: tuple[str, ...] = ()
    """What a user should know, such as tests that were left out."""


@record
class Dropped:
    """A bug of the source that could not be imported."""

    id: str
    reason: str


@record
class Import:
    """What a source holds."""

    name: str
    version: str
    licence: str
    description: str
    n_bugs: int
    """How many bugs or drops will come."""
    bugs: Iterator[ImportedBug | Dropped]


SortedTests = Literal["relevant", "all"]


@record
class Settings:
    """How to read a source."""

    include: tuple[str, ...] = ()
    """Shell patterns of bug ids; empty means all."""
    limit: int | None = None
    language: str | None = None
    """Language to import, if the source has several."""
    checker: str | None = None
    """How outputs are compared if the source leaves it open, as `test.checker` in bug.toml."""
    clones: Path | None = None
    """Folder with local clones of the projects, bare or not; missing ones are cloned into it."""
    libraries: Path | None = None
    """Folder with jars, or with wheels."""
    tests: SortedTests = "relevant"
    """Which test classes to search, if the source tells which concern a bug."""
    repeat: int = 1
    """How often tests found by running them are run on each tree."""
    python: str | None = None
    """Release or path of the Python interpreter; None means what records or trees ask for."""
    relax_pins: bool = True
    """Whether Python package versions that cannot be built here may be replaced by later ones with wheels."""
    via: str | None = None
    """Another tool to use, such as an installed `defects4j`."""
    extent: Extent = "files"
    """How far a fix may extend; other bugs are dropped."""
    issues: tuple[Path, ...] = ()
    """Tracker exports, for the texts of issues that bugs refer to."""
    comments: bool = False
    """Whether comments made before the fix belong to an issue's text."""


class Importer(Protocol):
    """The function `read` of each module in `table`."""

    def __call__(self, sources: Sequence[Path], settings: Settings) -> Import:
        """Look at the sources; bugs are read while they are iterated over."""
        ...


def need_sources(sources: tuple[Path, ...] | list[Path], names: tuple[str, ...], *, optional: int = 0) -> list[Path]:
    """Return the sources after checking their number and that each exists; `names` say what they should be."""
    if not len(names) - optional <= len(sources) <= len(names):
        raise UserError(f"{len(sources)} sources are given, but needed are: {', '.join(names)}")
    for path, name in zip(sources, names, strict=False):
        if not path.exists():
            raise UserError(f"{path} does not exist; it should be {name}")
    return list(sources)


def bugs_of(
    ids: Iterable[str], read: Callable[[str], ImportedBug | Dropped], *, strict: bool = False
) -> Iterator[ImportedBug | Dropped]:
    """Read bugs by their ids, one after another; one that cannot be read is dropped with the reason, or an error if `strict`."""
    for name in ids:
        try:
            yield read(name)
        except UserError as error:
            if strict:
                raise
            yield Dropped(id=name, reason=str(error))


def added_text(name: str) -> str:
    """Return a program or test that we add to imported bugs; names between @ are placeholders."""
    return files("repairlab.building.importers").joinpath("added", name).read_text(encoding="utf-8")


def chosen(ids: list[str], settings: Settings) -> list[str]:
    """Return the requested ids in order; a pattern that matches nothing is an error."""
    for pattern in settings.include:
        if not any(fnmatchcase(name, pattern) for name in ids):
            raise unknown("bug", pattern, ids)
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"--limit is {settings.limit}: at least 1 bug is needed")
    found = [name for name in ids if not settings.include or any(fnmatchcase(name, pattern) for pattern in settings.include)]
    return found[: settings.limit]
