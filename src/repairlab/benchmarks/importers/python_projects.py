"""Trees of Python projects as bugs: where their packages are, and which others they need. Called by `swebench` and `bugsinpy`.

Candidates run under a private interpreter with nothing but pytest. What else a project needs lies in a folder of packages, made
once with `pip install --target`; it becomes a part of the tree, hidden and restored like a test file.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Literal

from repairlab.benchmarks.importers.importer import ImportedBug, Settings, TreeFile
from repairlab.benchmarks.importers.small_programs import patch_of, target_of
from repairlab.core.errors import UserError
from repairlab.core.record import record

Tree = Mapping[str, TreeFile]

VENDORED = ".packages"
"""The folder of the tree that other packages go to."""
_ALWAYS_THERE = {"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", *sys.stdlib_module_names}
_ROOTS = ("", "src", "lib")
_LEFT_OUT = ("__pycache__", "bin", "pytest", "_pytest", "pluggy", "iniconfig")
_TELLING = ("CHANGES*", "CHANGELOG*", "HISTORY*", "NEWS*", "AUTHORS*", "changelog/**", "docs/**", "doc/**")


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
    """Return a tree after changes; files that are none are deleted."""
    kept = {path: file for path, file in tree.items() if path not in changes}
    new = {
        path: TreeFile(content=text.encode(), executable=path in tree and tree[path].executable)
        for path, text in changes.items()
        if text is not None
    }
    return {**kept, **new}


@record
class ProjectBug:
    """A bug as a source tells it: two trees that differ in sources alone, and the tests of both."""

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
    notes: tuple[str, ...] = ()


def python_bug(found: ProjectBug, settings: Settings) -> ImportedBug:
    """Return a bug with all that it needs in its tree; a UserError says what is missing."""
    buggy, fixed, project = found.buggy, found.fixed, found.project
    places = tuple(dict.fromkeys(_place(test, found.framework) for test in (*found.trigger, *found.regression)))
    packages = _packages(settings, project)
    _need_packages(buggy, _files_of(places, buggy), packages, project, settings)
    path = _path(buggy, fixed)
    roots = [root for root in _ROOTS if root and any(file.startswith(f"{root}/") for file in buggy)]
    search = [*roots, *([VENDORED] if packages else [])]
    hidden = dict.fromkeys(_test_globs(_files_of(places, buggy)))
    differing = {file for file in (*buggy, *fixed) if buggy.get(file) != fixed.get(file)}
    before, after = ({file: tree[file] for file in sorted(differing) if file in tree} for tree in (buggy, fixed))
    target = target_of("python", buggy[path].content.decode(), fixed[path].content.decode()) if len(differing) == 1 else None
    return ImportedBug(
        id=found.id,
        facts={
            "language": "python",
            "path": path,
            "target": target,
            "build": {"sources": [path]},
            "test": {
                "framework": found.framework,
                "trigger": found.trigger,
                "regression": found.regression,
                "files": [*hidden, "**/conftest.py", f"{VENDORED}/**", *_TELLING],
                "env": {"PYTHONPATH": ":".join(search)} if search else {},
            },
            "limits": {"cpu_s": 60.0, "wall_s": 180.0, "memory_mb": 1024},
            "origin": {"repository": found.repository, "commit": found.commit},
        },
        title=found.title,
        description=found.description,
        tree={**buggy, **{f"{VENDORED}/{file}": content for file, content in packages.items()}},
        patch=patch_of(before, after),
        discover=places,
        notes=found.notes,
    )


def _place(test: str, framework: str) -> str:
    """Return the file (pytest) or the module (unittest) of a test."""
    return test.partition("::")[0] if framework == "pytest" else ".".join(test.split(".")[:-2])


def _path(buggy: Tree, fixed: Tree) -> str:
    """Return the file to fix: of those that differ the one that differs most."""
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


def _packages(settings: Settings, project: str) -> dict[str, TreeFile]:
    """Return the files of a project's folder of packages, if there is one."""
    folder = settings.libraries / project if settings.libraries else None
    if folder is None or not folder.is_dir():
        return {}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    named = {path.relative_to(folder).as_posix(): path for path in paths if path.name != "RECORD"}
    kept = {name: path for name, path in named.items() if not set(_LEFT_OUT) & {Path(name).parts[0], Path(name).parent.name}}
    return {name: TreeFile(content=path.read_bytes()) for name, path in kept.items()}


def _need_packages(tree: Tree, tests: list[str], packages: Tree, project: str, settings: Settings) -> None:
    """Refuse a bug whose tests import what is neither there nor in the folder of packages."""
    given = {PurePosixPath(path).parts[0].removesuffix(".py") for path in packages}
    own = {*given, *_ALWAYS_THERE, *(PurePosixPath(path).parts[0].removesuffix(".py") for path in tree)}
    beside = {str(PurePosixPath(path).parent) for path in tests}
    absent = sorted(name for name in _imported(tree, tests, beside) if name not in own)
    if absent:
        where = settings.libraries / project if settings.libraries else Path("LIBS") / project
        option = "" if settings.libraries else ", and give LIBS as --libs"
        raise UserError(
            f"{project} needs the Python packages of {', '.join(absent)}; "
            f"install them with: pip install --target {where} …{option} (the names of packages may differ)"
        )


def _imported(tree: Tree, tests: Iterable[str], beside: Iterable[str]) -> set[str]:
    """Return the top-level modules that files need when they are loaded, and those that modules of the tree need in turn."""
    roots = [*_ROOTS, *beside]
    names: set[str] = set()
    conftests = [path for path in tree if PurePosixPath(path).name == "conftest.py"]
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
    """Yield the modules that a file imports when it is loaded, but for what a `try` or an `if` may leave out."""
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
