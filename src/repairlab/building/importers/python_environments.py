"""Which environment a Python project is tested in: interpreter and packages, locked and installed."""

import dataclasses
import datetime
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from repairlab.building.importers.importer import Settings
from repairlab.building.importers.python_requirements import PythonProject, decoded, foreign, read_lines
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.language import default_cache
from repairlab.languages.python.environments import canonical, is_pinned, not_built, provide
from repairlab.languages.python.interpreters import choose, installed
from repairlab.languages.python.locking import Locked, Requested, lock

_RELEASED = {
    "3.8": "2019-10-14",
    "3.9": "2020-10-05",
    "3.10": "2021-10-04",
    "3.11": "2022-10-24",
    "3.12": "2023-10-02",
    "3.13": "2024-10-07",
    "3.14": "2025-10-07",
}
_SYSTEM = re.compile(r"sys_platform|platform_system|os_name|platform_machine")
_WITHOUT_SETUPTOOLS = (3, 12)
"""The first Python release whose environments start empty."""
_FOLLOWED = datetime.timedelta(days=180)
"""How long after a Python release packages had followed it."""


@record
class Needed:
    """What is known of a bug's environment."""

    python: str = ""
    """The release that its record names."""
    date: str = ""
    """Date of the tree or of its package lists; later packages are not used."""
    requirements: tuple[str, ...] = ()
    """What its record names."""
    optional: tuple[str, ...] = ()
    """What its record tries to install, whether or not that succeeds."""
    imported: frozenset[str] = frozenset()
    """Modules that the tree imports, except for its own build."""
    reached: frozenset[str] = frozenset()
    """Those of them that tests reach; of pins in lists of everything installed, the others may be missing."""
    plugins: frozenset[str] = frozenset()
    """pytest plugins that the tree mentions; lists of everything installed also have other projects' plugins."""


def find_environment(project: PythonProject, name: str, needed: Needed, settings: Settings, *, own_pytest: bool) -> Locked | None:
    """Return the installed environment of a tree; None if neither tree nor record name any package.

    A file NAME.txt in the folder of libraries stands in for what they name.
    """
    given = _given(settings.libraries, name)
    names = (project.name, name)
    listed = (*foreign(given or needed.requirements or project.requirements, *names),)
    of_tree = (*(project.requirements if needed.requirements else ()), *_for_tests(project.testing, needed))
    wished = (*_for_tests(needed.optional, needed), *(line for line in of_tree if _may_have_been_there(line, needed)))
    wished = (*wished, *((*project.building, "setuptools") if project.extensions else ()))
    more = () if given else (*foreign(wished, *names), *(line for line in listed if canonical(line) in needed.plugins))
    if not listed and not more:
        return None
    python = settings.python or choose_release(project, needed)
    release = choose(python).release
    listed, more = (tuple(line for line in lines if _holds(line, release)) for lines in (listed, more))
    beside = () if given else tuple(line for line in listed if is_pinned(line) and not _is_needed(line, project, needed, release))
    required = tuple(line for line in listed if line not in beside)
    # Lists of packages do not name what environments had from the start.
    uses_setuptools = not needed.imported.isdisjoint(("setuptools", "pkg_resources"))
    if uses_setuptools and not given and _numbers(release) < _WITHOUT_SETUPTOOLS:
        required = (*required, *(["setuptools"] if "setuptools" not in map(canonical, (*listed, *more)) else []))
    wheels = settings.libraries if settings.libraries and any(settings.libraries.glob("*.whl")) else None
    named = {canonical(line) for line in required}
    found = _made(
        Requested(
            python=python,
            requirements=required,
            optional=tuple(line for line in more if canonical(line) not in named),
            beside=beside,
            before="" if wheels else _cutoff(needed.date, release),
            wheels=str(wheels or ""),
            relax=settings.relax_pins,
            unbuilt=tuple(canonical(line) for line in (*listed, *more) if line in _unbuilt_pins(python, str(wheels or ""))),
            brings_pytest=not own_pytest,
        )
    )
    if isinstance(found, str):
        raise UserError(found)
    return found


def _is_needed(line: str, project: PythonProject, needed: Needed, release: str) -> bool:
    """Return whether the project requires a package here or its tests reach a module of that name."""
    required = {canonical(wanted) for wanted in project.requirements if _holds(wanted, release)}
    return canonical(line) in required or _is_reached(line, needed)


def _for_tests(lines: Iterable[str], needed: Needed) -> tuple[str, ...]:
    """Return what tests are said to need; beside a full list with pytest, only what they reach, and plugins."""
    if not any(is_pinned(line) and canonical(line) == "pytest" for line in needed.requirements):
        return tuple(lines)
    return tuple(line for line in lines if canonical(line).startswith("pytest-") or _is_reached(line, needed))


def _is_reached(line: str, needed: Needed) -> bool:
    """Return whether tests reach a module named like a package."""
    return any(is_called_like(module, canonical(line)) for module in needed.reached)


def _may_have_been_there(line: str, needed: Needed) -> bool:
    """Return whether a package of the tree was there when a record's list was made, which it is not if meant for other systems."""
    listed = {canonical(other) for other in needed.requirements}
    return not listed or canonical(line) in listed or not _SYSTEM.search(line.partition(";")[2])


def _holds(line: str, release: str) -> bool:
    """Return whether a requirement applies to this machine."""
    try:
        marker = Requirement(line).marker
    except InvalidRequirement:
        return True
    return marker is None or marker.evaluate({"python_version": release, "python_full_version": f"{release}.0"})


def is_called_like(module: str, package: str) -> bool:
    """Return whether a package may be the one that has a module, by their names.

    >>> [is_called_like(*pair) for pair in (("yaml", "pyyaml"), ("dateutil", "python-dateutil"), ("attr", "attrs"), ("six", "sip"))]
    [True, True, True, False]
    """
    one, other = (
        re.sub(r"^(?:python|py)(?=..)|(?<=..)(?:python|py|s|\d+)$", "", re.sub(r"[-_.]", "", name.lower()))
        for name in (module, package)
    )
    return one == other or (min(len(one), len(other)) > 3 and (one.startswith(other) or other.startswith(one)))


@functools.cache
def _unbuilt_pins(python: str, wheels: str) -> set[str]:  # noqa: ARG001  # those of others are not known
    """Return the pins replaced because they do not build, for callers to extend: bugs of a project share most of a list."""
    return set()


@functools.cache
def _made(requested: Requested) -> Locked | str:
    """Return an environment or why there is none; bugs of a project share both.

    What cannot be built has to come as a wheel, since other requirements may do without it or with another version. After that,
    optional packages are left out.
    """
    first, unbuildable = requested, ""
    notes: tuple[str, ...] = ()
    while True:
        try:
            found = lock(requested)
            provide(found.name, found.text, default_cache(), wheels=requested.wheels)
        except UserError as error:
            if unbuilt := tuple(name for name in not_built(str(error)) if name not in requested.unbuilt):
                unbuildable = str(error)
                requested = dataclasses.replace(requested, unbuilt=(*requested.unbuilt, *unbuilt))
                continue
            why = unbuildable or str(error)
            if not requested.optional:
                return why
            notes, unbuildable = (f"left out: {', '.join(requested.optional)} ({why})",), ""
            requested = dataclasses.replace(requested, optional=(), unbuilt=first.unbuilt)
            continue
        replaced = set(requested.unbuilt) - set(first.unbuilt)
        pins = (line for line in first.requirements if is_pinned(line) and canonical(line) in replaced)
        _unbuilt_pins(requested.python, requested.wheels).update(pins)
        return dataclasses.replace(found, notes=(*found.notes, *notes))


def choose_release(project: PythonProject, needed: Needed) -> str:
    """Return the Python release to use: the recorded one or the next, else the last that the project names or knew."""
    there = [known.release for known in installed()]
    if needed.python:
        wanted = _numbers(needed.python)[:2]
        return next((release for release in there if _numbers(release) >= wanted), there[-1])
    try:
        allowed = SpecifierSet(project.requires_python)
    except InvalidSpecifier:
        allowed = SpecifierSet()
    fit = [release for release in there if allowed.contains(f"{release}.99") or allowed.contains(release)]
    if not fit:
        raise UserError(f"it needs Python {project.requires_python}; installed are {', '.join(there)}")
    named = [release for release in fit if release in project.releases]
    known = [release for release in fit if not needed.date or _RELEASED.get(release, "9999") < needed.date]
    return (named or known or fit[:1])[-1]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def _cutoff(date: str, release: str) -> str:
    """Return the date up to which packages are taken: that of the tree, or when packages had followed the interpreter."""
    if not date:
        return ""
    followed = datetime.date.fromisoformat(_RELEASED.get(release, "2019-10-14")) + _FOLLOWED
    return max(date[:10], followed.isoformat())


def _given(folder: Path | None, name: str) -> tuple[str, ...]:
    path = folder / f"{name}.txt" if folder else None
    if path is None or not path.is_file():
        return ()
    texts: dict[str, str] = {other.name: decoded(other.read_bytes()) for other in path.parent.glob("*.txt")}
    lines: Iterable[str] = read_lines(texts, path.name)
    return tuple(lines)
