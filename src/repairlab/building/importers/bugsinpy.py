"""Import BugsInPy: bugs of Python projects, from its folders and from clones of the projects' histories.

A bug is the tree of the fixed commit with the files of `bug_patch.txt` as they were in the buggy one.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from repairlab.building.importers.importer import Import, ImportedBug, Settings, TreeFile, bugs_of, chosen, need_sources
from repairlab.building.importers.python_environments import Needed
from repairlab.building.importers.python_projects import ProjectBug, python_bug
from repairlab.building.importers.python_requirements import decoded, read_lines
from repairlab.building.importers.repository import Clones, Repository
from repairlab.core.diff import parse_patch
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.record import record

_RUNNERS: tuple[tuple[tuple[str, ...], Literal["pytest", "unittest"]], ...] = (
    (("pytest",), "pytest"),
    (("py.test",), "pytest"),
    (("tox",), "pytest"),
    (("python", "-m", "pytest"), "pytest"),
    (("python3", "-m", "pytest"), "pytest"),
    (("python", "-m", "unittest"), "unittest"),
    (("python3", "-m", "unittest"), "unittest"),
)

_PUBLISHED = "2020-12-31"
"""Its version lists were made earlier; packages they do not name are not taken from after this date."""


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Read the bugs of a checkout of BugsInPy."""
    (checkout,) = need_sources(list(sources), ("a checkout of BugsInPy",))
    folders = {f"{path.parts[-4]}-{path.parts[-2]}": path.parent for path in checkout.glob("projects/*/bugs/*/bug.info")}
    if not folders:
        raise UserError(f"{checkout} is no checkout of BugsInPy: it has no projects/*/bugs/*/bug.info")
    ids = chosen(sorted(folders, key=_in_order), settings)
    clones = Clones(settings)
    return Import(
        name="bugsinpy",
        version="1",
        licence="the sources keep their projects' licences",
        description="Bugs of Python projects with their tests, from BugsInPy",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, folders[name], clones, settings), strict=settings.clones is None),
    )


def _in_order(name: str) -> tuple[str, int]:
    project, _, number = name.rpartition("-")
    return project, int(number) if number.isdigit() else 0


def _bug(name: str, folder: Path, clones: Clones, settings: Settings) -> ImportedBug:
    info, project = _facts(folder / "bug.info"), _facts(folder.parents[1] / "project.info")
    tests = _tests(folder / "run_test.sh")
    url = _need(project, "github_url", folder.parents[1] / "project.info").rstrip("/")
    before, after = (_need(info, key, folder / "bug.info") for key in ("buggy_commit_id", "fixed_commit_id"))
    clone = clones.get(url.rpartition("/")[2].removesuffix(".git"), url, after)
    for revision in (before, after):
        if not clone.has(revision):
            raise UserError(f"{clone.folder} has no commit {revision}")
    fixed = {**_touched(folder / "setup.sh"), **clone.tree(after)}
    made_for = info.get("python_version", "an unknown version")
    try:
        return python_bug(
            ProjectBug(
                id=name,
                project=name.rpartition("-")[0],
                buggy=_buggy(fixed, clone, before, folder / "bug_patch.txt"),
                fixed=fixed,
                framework=tests.framework,
                trigger=tests.names,
                regression=(),
                title=f"{name.rpartition('-')[0]} does not do what its tests expect",
                description="",
                repository=url,
                commit=after,
                version=clone.version(after),
                needed=_needed(folder, info.get("python_version", ""), fixed),
                notes=(f"made for Python {made_for}",),
            ),
            settings,
        )
    except UserError as error:
        raise UserError(f"{error}; made for Python {made_for}") from None


def _needed(folder: Path, python: str, tree: dict[str, TreeFile]) -> Needed:
    """Return what a bug's version list and set-up script name."""
    files = {path.name: decoded(path.read_bytes()) for path in (folder / "requirements.txt", folder / "setup.sh") if path.is_file()}
    installs = re.findall(r"\bpip3?\s+install\s+(.*?)(?=python|pip3?\s+install|touch|$)", files.get("setup.sh", ""), re.MULTILINE)
    words = [word for line in installs for word in line.split()]
    named = [word for word in words if re.fullmatch(r"[A-Za-z][\w-]*(?:[=<>~]=?[\w.]+)?", word)]
    listed = {path: decoded(file.content) for path, file in tree.items() if path.endswith(".txt") and not file.link}
    of_tree = [line for path in words if path in listed for line in read_lines(listed, path)]
    return Needed(
        python=python,
        date=_PUBLISHED,
        requirements=tuple(read_lines(files, "requirements.txt")),
        optional=(*named, *of_tree),
    )


def _touched(path: Path) -> dict[str, TreeFile]:
    """Return the empty files that a set-up script makes, such as those of test packages."""
    script = decoded(path.read_bytes()) if path.is_file() else ""
    return {name: TreeFile(content=b"") for name in re.findall(r"\btouch\s+([\w./-]+\.py)", script)}


def _buggy(fixed: dict[str, TreeFile], clone: Repository, before: str, patch: Path) -> dict[str, TreeFile]:
    """Return the fixed tree with the patched files as they were before."""
    buggy = dict(fixed)
    for changed in parse_patch(read_text(patch)):
        for path in filter(None, (changed.new, changed.old)):
            old = clone.read(before, path)
            if old is None:
                buggy.pop(path, None)
            else:
                buggy[path] = TreeFile(content=old, executable=path in fixed and fixed[path].executable)
    return buggy


@record
class _Tests:
    framework: Literal["pytest", "unittest"]
    names: tuple[str, ...]


def _tests(path: Path) -> _Tests:
    """Return the tests that a run_test.sh runs."""
    lines = [shlex.split(line, comments=True) for line in read_text(path).splitlines()]
    found: dict[str, list[str]] = {}
    for words in filter(None, lines):
        framework, names = next(
            ((name, words[len(start) :]) for start, name in _RUNNERS if tuple(words[: len(start)]) == start), ("", [])
        )
        tests = [word for word in names if not word.startswith("-")]
        if not tests:
            raise UserError(f"{path}: {' '.join(words)!r} names no test of pytest or unittest")
        found.setdefault(framework, []).extend(tests)
    if len(found) != 1:
        raise UserError(f"{path} runs {' and '.join(found) or 'no tests'}; one framework is needed")
    if "pytest" in found:
        return _Tests(framework="pytest", names=tuple(dict.fromkeys(found["pytest"])))
    return _Tests(framework="unittest", names=tuple(dict.fromkeys(found["unittest"])))


def _facts(path: Path) -> dict[str, str]:
    """Return the value of `name="value"` in a file of such lines."""
    return {match[1]: match[2].strip() for match in re.finditer(r'^\s*(\w+)\s*=\s*"?([^"\n]*)"?', read_text(path), re.MULTILINE)}


def _need(facts: dict[str, str], name: str, path: Path) -> str:
    if not facts.get(name):
        raise UserError(f"{path}: the line {name}=… is missing; found are {', '.join(sorted(facts)) or 'none'}")
    return facts[name]
