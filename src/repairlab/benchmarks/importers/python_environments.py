"""Which environment a Python project is tested in: interpreter and packages, locked and installed. For `python_projects`."""

import dataclasses
import datetime
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from repairlab.benchmarks.importers.importer import Settings
from repairlab.benchmarks.importers.python_requirements import PythonProject, decoded, foreign, read_lines
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.python.environments import Locked, Requested, canonical, lock, not_built, provide
from repairlab.languages.python.interpreters import choose, installed
from repairlab.languages.table import default_cache

_RELEASED = {
    "3.8": "2019-10-14",
    "3.9": "2020-10-05",
    "3.10": "2021-10-04",
    "3.11": "2022-10-24",
    "3.12": "2023-10-02",
    "3.13": "2024-10-07",
    "3.14": "2025-10-07",
}
_WITHOUT_SETUPTOOLS = (3, 12)
"""The first release of Python whose environments are empty at first."""
_FOLLOWED = datetime.timedelta(days=180)
"""So long after a release of Python packages had followed it."""


@record
class Needed:
    """What is known of a bug's environment."""

    python: str = ""
    """The release that its record names."""
    date: str = ""
    """Of the tree, or of the lists of packages; packages that were published later are not taken."""
    requirements: tuple[str, ...] = ()
    """What its record names."""
    optional: tuple[str, ...] = ()
    """What its record tries to install, whether that succeeds or not."""
    imported: frozenset[str] = frozenset()
    """Modules that the tree imports, but for its own build: what is listed beside them may be missing."""


def find_environment(project: PythonProject, name: str, needed: Needed, settings: Settings, *, own_pytest: bool) -> Locked | None:
    """Return the environment of a tree, installed; none where neither tree nor record name any package.

    A file NAME.txt in the folder of libraries stands in for what they name.
    """
    given = _given(settings.libraries, name)
    names = (project.name, name)
    required = (*foreign(given or needed.requirements or project.requirements, *names),)
    more = (
        ()
        if given
        else (*foreign((*needed.optional, *(project.requirements if needed.requirements else ()), *project.testing), *names),)
    )
    if not required and not more:
        return None
    python = settings.python or choose_release(project, needed)
    # Lists of packages do not name what environments had from the start.
    uses_setuptools = not needed.imported.isdisjoint(("setuptools", "pkg_resources"))
    if uses_setuptools and not given and _numbers(choose(python).release) < _WITHOUT_SETUPTOOLS:
        required = (*required, *(["setuptools"] if "setuptools" not in map(canonical, (*required, *more)) else []))
    wheels = settings.libraries if settings.libraries and any(settings.libraries.glob("*.whl")) else None
    named = {canonical(line) for line in required}
    found = _made(
        Requested(
            python=python,
            requirements=required,
            optional=tuple(line for line in more if canonical(line) not in named),
            dispensable=() if given else tuple(_unnamed(named, project, needed)),
            before="" if wheels else _cutoff(needed.date, choose(python).release),
            wheels=str(wheels or ""),
            relax=settings.relax_pins,
            brings_pytest=not own_pytest,
        )
    )
    if isinstance(found, str):
        raise UserError(found)
    return found


def _unnamed(listed: Iterable[str], project: PythonProject, needed: Needed) -> Iterator[str]:
    """Yield the listed packages that neither the project's own requirements nor the imports of its tree name."""
    required = {canonical(line) for line in project.requirements}
    imported = {name.lower() for name in needed.imported}
    yield from (name for name in sorted(listed) if name not in required and name.replace("-", "_") not in imported)


@functools.cache
def _made(requested: Requested) -> Locked | str:
    """Return an environment, or why there is none: bugs of a project share both."""
    try:
        found = lock(requested)
        provide(found.name, found.text, default_cache(), wheels=requested.wheels)
    except UserError as error:
        name = not_built(str(error))
        if name and name not in requested.unbuilt:
            # What else is asked for may do without, or with another version of what needs it.
            spared = {name} if not requested.relax and name in requested.dispensable else set()
            kept = [line for line in requested.requirements if canonical(line) not in spared]
            again = _made(dataclasses.replace(requested, requirements=tuple(kept), unbuilt=(*requested.unbuilt, name)))
            if not isinstance(again, str) and len(kept) < len(requested.requirements):
                return dataclasses.replace(again, notes=(*again.notes, f"left out: {name}, which nothing here names ({error})"))
            if requested.relax or not isinstance(again, str):
                return again
        if not requested.optional:
            return str(error)
        without = _made(dataclasses.replace(requested, optional=()))
        note = f"left out: {', '.join(requested.optional)} ({error})"
        return without if isinstance(without, str) else dataclasses.replace(without, notes=(*without.notes, note))
    return found


def choose_release(project: PythonProject, needed: Needed) -> str:
    """Return the release of Python to use: the recorded one or the next, else the last that the project names, or that it knew."""
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
