"""Trees of Python projects as bugs: where their packages are and which others they need.

What a project needs besides its tree is its environment (`python_environments`). What an installation would leave behind of the
project itself, its version and entry points, becomes part of the tree, hidden and restored like a test file.
"""

import ast
import dataclasses
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Literal

from repairlab.building.importers.importer import Generator, ImportedBug, Settings, TreeFile
from repairlab.building.importers.python_environments import Needed, find_environment
from repairlab.building.importers.python_requirements import PythonProject, metadata_files, read_project
from repairlab.building.importers.small_programs import patch_of, target_of
from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.record import record
from repairlab.languages.python.environments import canonical
from repairlab.languages.python.toolchain import OWN_PYTEST

Tree = Mapping[str, TreeFile]

INSTALLED = ".installed"
"""The folder of the tree for what installing the project would leave behind."""
_ALWAYS_THERE = {"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", *sys.stdlib_module_names}
_ROOTS = ("", "src", "lib")
_SAYING = re.compile(r"(?:^(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini)|\.(?:txt|in|pip))$")
"""Files that name requirements."""
_VERSION_FILES = ("__init__.py", "__about__.py", "__version__.py", "_version.py", "version.py")
_DEPTH = 3
_TELLING = ("CHANGES*", "CHANGELOG*", "HISTORY*", "NEWS*", "AUTHORS*", "changelog/**", "docs/**", "doc/**")
_IMPORT = re.compile(rb"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_PLUGIN = re.compile(rb"\bpytest[-_][A-Za-z]\w*(?:-\w+)*")
_BUILD = Generator(
    program="setup.py",
    arguments=("build_ext", "--inplace"),
    env={},
    folder=".",
    pattern="*.so",
    limits=Limits(cpu_s=3600.0, wall_s=3600.0, memory_mb=4096, disk_mb=2048),  # pandas needs more than ten minutes
    optional=True,
)
"""How a project's own extension modules are built, once for both trees."""
_COMPILED = (".c", ".cc", ".cpp", ".h", ".hpp", ".pxd", ".pxi", ".pyx", ".pyx.in", ".pxi.in")
_ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
"""A locale in which files are UTF-8 only if a program says so: some encoding bugs show only there."""


def texts(tree: Tree) -> dict[str, str]:
    """Return the UTF-8 files of a tree."""
    found = {}
    for path, file in tree.items():
        try:
            found[path] = file.content.decode() if not file.link else None
        except UnicodeDecodeError:
            continue
    return {path: text for path, text in found.items() if text is not None}


def changed(tree: Tree, changes: Mapping[str, str | None]) -> dict[str, TreeFile]:
    """Return a tree after changes; files without content are deleted."""
    kept = {path: file for path, file in tree.items() if path not in changes}
    new = {
        path: TreeFile(content=text.encode(), executable=path in tree and tree[path].executable)
        for path, text in changes.items()
        if text is not None
    }
    return {**kept, **new}


@record
class ProjectBug:
    """A bug as its source describes it: two trees that differ only in sources, and the tests of both."""

    id: str
    project: str
    buggy: Tree
    fixed: Tree
    framework: Literal["pytest", "unittest"]
    trigger: tuple[str, ...]
    regression: tuple[str, ...]
    title: str
    description: str
    repository: str
    commit: str
    version: str
    """What the history says of the version, for projects that ask it."""
    needed: Needed
    notes: tuple[str, ...] = ()


def python_bug(found: ProjectBug, settings: Settings) -> ImportedBug:
    """Return a bug with everything it needs in its tree; a UserError says what is missing."""
    said = texts({path: file for path, file in found.buggy.items() if path.count("/") < 2 and _SAYING.search(path)})
    project = read_project(said)
    left = _left_by_installation(project, found)
    buggy, fixed = ({**left, **tree} for tree in (found.buggy, found.fixed))
    places = tuple(dict.fromkeys(_place(test, found.framework, buggy) for test in (*found.trigger, *found.regression)))
    own_pytest = any(path in buggy for path in ("src/_pytest/__init__.py", "_pytest/__init__.py"))
    tests = _files_of(places, buggy)
    needed = dataclasses.replace(
        found.needed, imported=_top_imports(buggy), reached=_reached(buggy, tests), plugins=_plugins(buggy)
    )
    environment = find_environment(project, found.project, needed, settings, own_pytest=own_pytest)
    if environment is None:
        _need_packages(buggy, tests, found.project)
    path = _path(buggy, fixed)
    roots = [root for root in _ROOTS if root and any(file.startswith(f"{root}/") for file in buggy)]
    search = [*roots, *([INSTALLED] if any(file.startswith(f"{INSTALLED}/") for file in left) else [])]
    hidden = dict.fromkeys(_test_globs(tests))
    differing = {file for file in (*buggy, *fixed) if buggy.get(file) != fixed.get(file)}
    compiled = sorted(file for file in differing if project.extensions and file.endswith(_COMPILED))
    if compiled:
        raise UserError(f"the fix changes sources of extension modules, which are built once for both trees: {', '.join(compiled)}")
    before, after = ({file: tree[file] for file in sorted(differing) if file in tree} for tree in (buggy, fixed))
    target = target_of("python", buggy[path].content.decode(), fixed[path].content.decode()) if len(differing) == 1 else None
    return ImportedBug(
        id=found.id,
        facts={
            "language": "python",
            "path": path,
            "target": target,
            "build": {"sources": [path], "environment": environment.name if environment else None},
            "test": {
                "framework": found.framework,
                "program": OWN_PYTEST if own_pytest else None,
                "trigger": found.trigger,
                "regression": found.regression,
                "files": [*hidden, "**/conftest.py", f"{INSTALLED}/**", *(["**/*.so"] if project.extensions else []), *_TELLING],
                "env": {"PYTHONPATH": ":".join(search)} if search else {},
            },
            "limits": {"cpu_s": 60.0, "wall_s": 180.0, "memory_mb": 1024},
            "origin": {"repository": found.repository, "commit": found.commit},
        },
        title=found.title,
        description=found.description,
        tree=buggy,
        patch=patch_of(before, after),
        discover=places,
        generator=_build(project, found) if project.extensions else None,
        other_env=_ASCII,
        generous=True,
        locks={environment.name: environment.text} if environment else {},
        notes=(*found.notes, *(environment.notes if environment else ())),
    )


def _build(project: PythonProject, found: ProjectBug) -> Generator:
    """Return how the project's own extension modules are built, without a history that would give the version."""
    return dataclasses.replace(_BUILD, env={"SETUPTOOLS_SCM_PRETEND_VERSION": _version(project, found)})


def _top_imports(tree: Tree) -> frozenset[str]:
    """Return the modules that anything but the build imports, anywhere."""
    files = (file.content for path, file in tree.items() if path.endswith(".py") and path != "setup.py")
    return frozenset(name.decode() for content in files for name in _IMPORT.findall(content))


def _plugins(tree: Tree) -> frozenset[str]:
    """Return the names in any file that look like a pytest plugin."""
    return frozenset(canonical(name.decode()) for file in tree.values() for name in _PLUGIN.findall(file.content))


def _reached(tree: Tree, tests: list[str]) -> frozenset[str]:
    """Return the third-party modules that tests import, directly or through modules of the tree."""
    beside = {str(PurePosixPath(path).parent) for path in tests}
    anywhere = (name.decode() for path in tests for name in _IMPORT.findall(tree[path].content))
    return frozenset(name for name in (*anywhere, *_imported(tree, tests, beside)) if name not in sys.stdlib_module_names)


def _left_by_installation(project: PythonProject, found: ProjectBug) -> dict[str, TreeFile]:
    """Return the files that installing the project would write: metadata, and the version where a file holds it."""
    if not project.name:
        return {}
    version = _version(project, found)
    files = {f"{INSTALLED}/{path}": content for path, content in metadata_files(project, version).items()}
    if project.version_file:
        numbers = ", ".join(re.findall(r"\d+", version)[:3])
        files[project.version_file] = f'__version__ = version = "{version}"\nversion_tuple = ({numbers},)\n'.encode()
    return {path: TreeFile(content=content) for path, content in files.items()}


def _version(project: PythonProject, found: ProjectBug) -> str:
    return project.version or _literal_version(found.buggy) or found.version or "0"


def _literal_version(tree: Tree) -> str:
    """Return what a package of the tree says of its version."""
    for path, file in sorted(tree.items(), key=lambda entry: entry[0].count("/")):
        parts = PurePosixPath(path).parts
        if len(parts) <= _DEPTH and parts[-1] in _VERSION_FILES and parts[0] not in ("test", "tests", "docs", "doc"):
            match = re.search(rb"""^(?:__)?version(?:__)?\s*=\s*["'](\d[^"'\s]*)["']""", file.content, re.MULTILINE | re.IGNORECASE)
            if match:
                return match[1].decode()
    return ""


def _place(test: str, framework: str, tree: Tree) -> str:
    """Return the file (pytest) or the module (unittest) of a test, a class or a module."""
    if framework == "pytest":
        return test.partition("::")[0]
    parts = test.split(".")
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    modules = (name for name in names if f"{name.replace('.', '/')}.py" in tree or f"{name.replace('.', '/')}/__init__.py" in tree)
    return next(modules, ".".join(parts[:-2]))


def _path(buggy: Tree, fixed: Tree) -> str:
    """Return the file to fix: the one that differs most."""
    differing = [path for path in buggy if path.endswith(".py") and path in fixed and buggy[path] != fixed[path]]
    if not differing:
        raise UserError("the fix changes no Python file that was there before")
    return max(differing, key=lambda path: len(patch_of({path: buggy[path]}, {path: fixed[path]})))


def _files_of(places: Iterable[str], tree: Tree) -> list[str]:
    """Return the files of test files or modules."""
    found = []
    for place in places:
        parts = place.split(".")
        modules = ("/".join(parts[:n]) + ".py" for n in range(len(parts), 0, -1))
        found += [place] if place in tree else [module for module in modules if module in tree][:1]
    return found


def _test_globs(files: Iterable[str]) -> Iterator[str]:
    for path in files:
        parts = PurePosixPath(path).parts
        depth = next((n for n, part in enumerate(parts[:-1], start=1) if part in ("tests", "test", "testing")), None)
        yield "/".join((*parts[:depth], "**")) if depth else path


def _need_packages(tree: Tree, tests: list[str], project: str) -> None:
    """Refuse a bug whose tests import something missing for which no requirement is named."""
    own = {*_ALWAYS_THERE, *(PurePosixPath(path).parts[0].removesuffix(".py") for path in tree)}
    beside = {str(PurePosixPath(path).parent) for path in tests}
    absent = sorted(name for name in _imported(tree, tests, beside) if name not in own)
    if absent:
        raise UserError(
            f"{project} needs the Python packages of {', '.join(absent)}, and neither record nor tree says which these are; "
            f"write their names to a file LIBS/{project}.txt and give LIBS as --libs"
        )


def _imported(tree: Tree, tests: Iterable[str], beside: Iterable[str]) -> set[str]:
    """Return the top-level modules that files need when loaded, and those that modules of the tree need in turn."""
    roots = [*_ROOTS, *beside]
    names: set[str] = set()
    above = {str(parent / "conftest.py") for path in tests for parent in PurePosixPath(path).parents}
    conftests = [path for path in tree if path in above]
    pending, seen = [*tests, *conftests], set[str]()
    while pending:
        path = pending.pop()
        if path in seen or path not in tree:
            continue
        seen.add(path)
        for module in _imports(tree[path].content, path):
            files = list(_module_files(tree, roots, module))
            pending += files
            if not files:
                names.add(module.split(".")[0])
    return {name for name in names if not any(_module_files(tree, roots, name))}


def _module_files(tree: Tree, roots: Iterable[str], module: str) -> Iterator[str]:
    """Yield the files of the tree that importing a module loads."""
    parts = module.split(".")
    for root in roots:
        folder = PurePosixPath(root)
        for depth in range(1, len(parts) + 1):
            stem = str(folder.joinpath(*parts[:depth]))
            yield from (path for path in (f"{stem}.py", f"{stem}/__init__.py") if path in tree)
            if depth == len(parts) == 1 and any(path.startswith(f"{stem}/") for path in tree):
                yield f"{stem}/"


def _imports(content: bytes, path: str) -> Iterator[str]:
    """Yield the modules that a file imports when loaded, except those that a `try` or `if` makes optional."""
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError):
        return
    package = PurePosixPath(path).parent.parts
    package = package[1:] if package[:1] in (("src",), ("lib",)) else package
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*before, *((node.module,) if node.module else ())))
            if module:
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
