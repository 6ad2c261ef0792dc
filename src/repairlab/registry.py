"""Parts by name: our own, and those that other packages provide through entry points; loaded on demand.

Every kind of part has a table (`Parts`) in its own package; `KINDS` says where. `repairlab doctor --parts` lists them all.
"""

import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record

KINDS: Mapping[str, str] = {
    "languages": "repairlab.languages.facts:LANGUAGES",
    "sandboxes": "repairlab.sandbox.table:SANDBOXES",
    "importers": "repairlab.building.importers.table:IMPORTERS",
    "formats": "repairlab.formats.table:FORMATS",
    "repairers": "repairlab.repairers.table:REPAIRERS",
    "strategies": "repairlab.repairers.llm.prompts.table:STRATEGIES",
    "metrics": "repairlab.metrics.table:METRICS",
    "representations": "repairlab.learning.representations.table:REPRESENTATIONS",
    "tables": "repairlab.study.papers.table:TABLES",
}
"""Kind → where its table is. Other packages join through the entry-point group `repairlab.KIND`."""

BUILT_IN = "built in"
T = TypeVar("T")


class PartError(UserError):
    """A part does not load, or is not what its kind requires; the message names it and its origin."""


@record
class Part:
    """One part of a kind."""

    kind: str
    name: str
    path: str
    """Module and name within it, as in `package.module:name`."""
    source: str
    """`built in`, or the distribution that provides it and its version."""


@record
class PartFinding:
    """The result of loading a part."""

    part: Part
    about: str
    """Its description in one line; empty if it has none."""
    problem: str
    """Why it cannot be used; empty if it can."""


class Parts(Mapping[str, T], Generic[T]):
    """The parts of one kind: a mapping from names to what they load. Ours come first and in the order of our table."""

    def __init__(
        self, kind: str, noun: str, own: Mapping[str, str], *, about: Mapping[str, str] | None = None, check: Callable[[Any], str]
    ) -> None:
        """Take the import paths of our own parts, what some of them are, and what says why a loaded value is no such part."""
        self.kind, self.noun = kind, noun
        self._own, self._about, self._check = own, about or {}, check
        self._loaded: dict[Part, T] = {}

    @property
    def group(self) -> str:
        """Return the entry-point group through which other packages join."""
        return f"repairlab.{self.kind}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def __len__(self) -> int:
        return len(self._parts())

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._parts()

    def __getitem__(self, name: str) -> T:
        """Load a part; UserError if the name is unknown, PartError if it cannot be used."""
        part = self._own_part(name) if name in self._own else self._parts().get(name)
        if part is None:
            raise unknown(self.noun, name, self)
        return self._load(part)

    def of_others(self) -> tuple[Part, ...]:
        """Return the parts that other packages provide."""
        return tuple(part for part in self._parts().values() if part.source != BUILT_IN)

    def working(self) -> Iterator[tuple[str, T]]:
        """Load all parts, skipping unusable ones: `repairlab doctor --parts` says why."""
        for name, part in self._parts().items():
            try:
                yield name, self._load(part)
            except PartError:
                continue

    def about(self, name: str) -> str:
        """Return a part's description in one line; empty for a broken one."""
        if name in self._about:
            return self._about[name]
        try:
            return _first_line(self[name])
        except PartError:
            return ""

    def findings(self) -> Iterator[PartFinding]:
        """Load every part and report the result; then those that are never used because another has their name."""
        for name, part in self._parts().items():
            try:
                self._load(part)
            except PartError as error:
                yield PartFinding(part=part, about=self._about.get(name, ""), problem=str(error))
            else:
                yield PartFinding(part=part, about=self.about(name), problem="")
        used = self._parts()
        for point in _points(self.group, tuple(sys.path)):
            part = self._foreign(point)
            if used[part.name] != part:
                source = used[part.name].source
                winner = source if source == BUILT_IN else f"of {source}"
                yield PartFinding(part=part, about="", problem=f"never used: a {self.noun} that is {winner} has the same name")

    def _parts(self) -> dict[str, Part]:
        parts = {name: self._own_part(name) for name in self._own}
        for point in _points(self.group, tuple(sys.path)):
            parts.setdefault(point.name, self._foreign(point))
        return parts

    def _own_part(self, name: str) -> Part:
        return Part(kind=self.kind, name=name, path=self._own[name], source=BUILT_IN)

    def _foreign(self, point: EntryPoint) -> Part:
        source = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
        return Part(kind=self.kind, name=point.name, path=point.value.strip(), source=source)

    def _load(self, part: Part) -> T:
        if part not in self._loaded:
            try:
                value = load(part.path)
                problem = self._check(value)
            except Exception as error:
                if part.source == BUILT_IN:
                    raise
                problem = f"{type(error).__name__}: {error}"  # whatever other packages' code does must not harm the rest
            if problem:
                raise PartError(f"the {self.noun} {part.name} of {part.source} ({part.path}) cannot be used: {problem}")
            self._loaded[part] = value
        return self._loaded[part]


def parts_of(kind: str) -> Parts[Any]:
    """Return the table of a kind."""
    if kind not in KINDS:
        raise unknown("kind of part", kind, KINDS)
    table: Parts[Any] = load(KINDS[kind])
    return table


def load(path: str) -> Any:
    """Return what an import path names: a module, or what is found in it.

    >>> load("repairlab.core.record:digest").__name__
    'digest'
    """
    module, _, names = path.partition(":")
    value: Any = importlib.import_module(module.strip())
    for name in filter(None, names.strip().split(".")):
        value = getattr(value, name)
    return value


def lacking(*members: str, callable_too: bool = False) -> Callable[[object], str]:
    """Return what says which of these members a value does not have, or that it cannot be called; empty: nothing is wrong.

    >>> lacking("name", "propose")("text"), lacking("upper")("text")
    ("it has no 'name' and no 'propose'", '')
    """

    def check(value: object) -> str:
        missing = [name for name in members if not hasattr(value, name)]
        if missing:
            return f"it has no {' and no '.join(map(repr, missing))}"
        return "" if callable(value) or not callable_too else "it is no class or function"

    return check


@functools.lru_cache(maxsize=32)
def _points(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group by name; `path` is what was searched, so that a longer one is searched anew."""
    of_group = _all_points(path).select(group=group)
    found = {(point.name, point.value, point.dist.name if point.dist else ""): point for point in of_group}
    return tuple(found[key] for key in sorted(found))


@functools.lru_cache(maxsize=4)
def _all_points(path: tuple[str, ...]) -> Any:
    """Return the entry points of all groups: finding one group takes as long as finding all."""
    del path
    return entry_points()


def _first_line(value: object) -> str:
    return (getattr(value, "about", "") or getattr(value, "__doc__", "") or "").strip().partition("\n")[0].removesuffix(".")
