"""How a fix in the history of any project becomes a bug: its tree, or a hook beside the clone, says how it is built and tested.

A language whose projects are understood has a function here that takes a `Fix`; a UserError of it says what is missing.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from repairlab.building.importers.defects4c_recipes import LONG_BUILD, Recipe, Record, Tree, hidden_files, recipe_of
from repairlab.building.importers.defects4j_tree import unneeded_tests
from repairlab.building.importers.importer import ImportedBug, Settings, TreeFile
from repairlab.building.importers.python_environments import Needed
from repairlab.building.importers.python_projects import ProjectBug, python_bug
from repairlab.building.importers.small_programs import patch_of
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.checking import checked, read_toml

_PYTEST_FILE = re.compile(rb"^\s*(?:async\s+)?def test|^class \w*Test", re.MULTILINE)
_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_JUNIT = re.compile(rb"@(?:\w+\.)*Test\b|\bextends\s+(?:\w+\.)*(?:TestCase|\w*Test(?:Base)?)\b")
_SHOWING_JUNIT_5 = b"org.junit.jupiter"
_JAVA_RELEASE = 8
_GO_NEEDS = re.compile(rb"^\s*require\b", re.MULTILINE)
_TELLING = ("CHANGES*", "RELEASE-NOTES*", "ChangeLog*", "CHANGELOG*", "NEWS*", "src/changes/**")
"""Files that may reveal the fix; hidden from repairers, as tests are."""
_NATIVE_LIMITS = {"cpu_s": 20.0, "wall_s": 60.0, "memory_mb": 1024, "processes": 256}
_JAVA_LIMITS = {"cpu_s": 60.0, "wall_s": 240.0, "memory_mb": 1024, "processes": 256}


@record
class Fix:
    """A fix in a history, with the trees before and after it; both have the later tests."""

    id: str
    project: str
    language: str
    sources: tuple[str, ...]
    """Sources that differ."""
    tests: tuple[str, ...]
    """Test files that came with the fix."""
    target: str | None
    """The function that differs, if it is just one."""
    location: str | None
    """How far the fix extends, as `labels.location`."""
    buggy: Mapping[str, TreeFile]
    fixed: Mapping[str, TreeFile]
    title: str
    description: str
    issue: str | None
    repository: str | None
    commit: str
    date: str
    version: str
    licence: str | None
    cve: str | None = None


def bug_of_fix(fix: Fix, settings: Settings) -> ImportedBug:
    """Return the bug that a fix mends; its trigger tests are found by running those that came with it."""
    if fix.language not in _RECIPES:
        raise UserError(f"how projects in {fix.language} are built and tested is not known; known are {', '.join(_RECIPES)}")
    made = _RECIPES[fix.language](fix, settings)
    origin = {"repository": fix.repository, "commit": fix.commit, "issue": fix.issue, "licence": fix.licence, "cve": fix.cve}
    facts = {**made.facts, "target": fix.target or made.facts.get("target"), "labels": {"location": fix.location}, "origin": origin}
    return dataclasses.replace(made, facts=facts, unsorted=True, generous=True)


def _python(fix: Fix, settings: Settings) -> ImportedBug:
    tests = [path for path in fix.tests if path.endswith(".py") and _PYTEST_FILE.search(fix.fixed[path].content)]
    if not tests:
        raise UserError("no test file that pytest reads came with the fix")
    if settings.tests == "all":
        name = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
        tests = [*tests, *(path for path in fix.fixed if name.search(path) and path not in tests)]
    found = ProjectBug(
        id=fix.id,
        project=fix.project,
        buggy=fix.buggy,
        fixed=fix.fixed,
        framework="pytest",
        trigger=tuple(tests),
        regression=(),
        title=fix.title,
        description=fix.description,
        repository=fix.repository or "",
        commit=fix.commit,
        version=fix.version,
        needed=Needed(date=fix.date[:10]),
    )
    return python_bug(found, settings)


def _native(fix: Fix, settings: Settings) -> ImportedBug:
    about = Record(
        project=fix.project, build="", test="", flags=(), env=(), sources=fix.sources, tests=fix.tests, named=(), category=""
    )
    hook = Hooks(settings.clones).get(fix.project)
    made = hook_recipe(hook, about, fix.fixed) if hook else recipe_of(about)(about, fix.fixed)
    return _assembled(
        fix,
        build={key: value for key, value in made.build.items() if value},
        test={key: value for key, value in made.test.items() if value or key in ("trigger", "regression")},
        limits=_NATIVE_LIMITS,
        added=made.added,
        discover=made.discover,
        notes=made.notes,
    )


def _java(fix: Fix, settings: Settings) -> ImportedBug:
    """Return the bug of a tree in Maven's or Ant's layout, built by javac with the jars of a folder."""
    roots = [_root(path, fix.fixed[path].content) for path in fix.sources]
    tests = [path for path in fix.tests if path.endswith(".java") and _JUNIT.search(fix.fixed[path].content)]
    if not tests:
        raise UserError("no test class of JUnit came with the fix")
    test_roots = dict.fromkeys(_root(path, fix.fixed[path].content) for path in tests)
    if set(test_roots) & set(roots):
        raise UserError(f"sources and tests lie in the same folder {roots[0]}, so that tests cannot be hidden")
    jars = {f"lib/{jar.name}": jar.read_bytes() for jar in sorted(settings.libraries.glob("*.jar"))} if settings.libraries else {}
    jupiter = any(_SHOWING_JUNIT_5 in file.content for path, file in fix.fixed.items() if path.startswith(tuple(test_roots)))
    beside = dict.fromkeys(str(PurePosixPath(root).parent / "resources") for root in (*roots, *test_roots))
    resources = [folder for folder in beside if any(path.startswith(f"{folder}/") for path in fix.fixed)]
    classes = [_class_name(path, fix.fixed[path].content) for path in tests]
    # Tests unrelated to those of the fix may need jars that are missing.
    unneeded = {path for root in test_roots for path in unneeded_tests(fix.fixed, root, classes)}
    buggy, fixed = ({path: file for path, file in tree.items() if path not in unneeded} for tree in (fix.buggy, fix.fixed))
    return _assembled(
        dataclasses.replace(fix, buggy=buggy, fixed=fixed),
        build={
            "tool": "javac",
            "sources": [f"{root}/**/*.java" for root in dict.fromkeys(roots)],
            "tests": [f"{root}/**/*.java" for root in test_roots],
            "release": _JAVA_RELEASE,
            "class_path": [*jars, *resources, *dict.fromkeys((*roots, *test_roots))],
        },
        test={
            "framework": "junit5" if jupiter else "junit4",
            "files": [
                *(f"{root}/**" for root in test_roots),
                *(f"{folder}/**" for folder in resources if "test" in folder),
                "lib/**",
                *_TELLING,
            ],
            "trigger": classes,
            "regression": [],
        },
        limits=_JAVA_LIMITS,
        added={path: TreeFile(content=content) for path, content in jars.items()},
        discover=tuple(classes),
    )


def _go(fix: Fix, settings: Settings) -> ImportedBug:  # noqa: ARG001  # what all of them take
    """Return the bug of a module without dependencies, or with vendored ones; packages whose tests came with it are tested."""
    module = fix.fixed.get("go.mod")
    if module is None:
        raise UserError("no go.mod at the root of the tree")
    if _GO_NEEDS.search(module.content) and "vendor/modules.txt" not in fix.fixed:
        raise UserError("its go.mod names modules of others, which the tree does not bring (vendor)")
    folders = list(dict.fromkeys(str(PurePosixPath(path).parent) for path in fix.tests if path.endswith("_test.go")))
    if not folders:
        raise UserError("no file of tests that go reads came with the fix")
    inside = ["" if folder == "." else f"{folder}/" for folder in folders]
    return _assembled(
        fix,
        build={"tool": "go"},
        test={
            "framework": "go-test",
            "files": [*(f"{folder}{name}" for folder in inside for name in ("*_test.go", "testdata/**")), *_TELLING],
            "trigger": folders,
            "regression": [],
        },
        limits=_NATIVE_LIMITS,
        added={},
        discover=tuple(folders),
    )


def _root(path: str, content: bytes) -> str:
    """Return the folder that a class's packages lie in."""
    found = _PACKAGE.search(content)
    folders = len(found[1].split(b".")) if found else 0
    return "/".join(PurePosixPath(path).parts[: -1 - folders])


def _class_name(path: str, content: bytes) -> str:
    found = _PACKAGE.search(content)
    return ".".join([*([found[1].decode()] if found else []), PurePosixPath(path).stem])


def _assembled(
    fix: Fix,
    *,
    build: Mapping[str, Any],
    test: Mapping[str, Any],
    limits: Mapping[str, Any],
    added: Mapping[str, TreeFile],
    discover: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> ImportedBug:
    before, after = ({path: tree[path] for path in fix.sources if path in tree} for tree in (fix.buggy, fix.fixed))
    return ImportedBug(
        id=fix.id,
        facts={"language": fix.language, "path": fix.sources[0], "build": build, "test": test, "limits": limits},
        title=fix.title,
        description=fix.description,
        tree={**fix.buggy, **added},
        patch=patch_of(before, after),
        discover=discover,
        notes=notes,
    )


_RECIPES: Mapping[str, Callable[[Fix, Settings], ImportedBug]] = {
    "python": _python,
    "c": _native,
    "cpp": _native,
    "java": _java,
    "go": _go,
}


_HOOK_FOLDER = ".repairlab"
"""Where a hook's scripts lie in a tree, hidden and restored as tests are."""
_HOOK_MAKEFILE = f".PHONY: all\nall:\n\t@+sh {_HOOK_FOLDER}/build.sh\n"
_HOOK_TEST = """#!/bin/sh
if [ "$1" = --list ]; then
    {list}
    exit
fi
{test}
"""


@record
class Hook:
    """What a user says of one project."""

    build: str | dict[str, Any]
    """A shell script that runs at the root of the tree, or a table as `[build]` in bug.toml."""
    test: str
    """For `lines` a shell script, at the root of the tree, whose arguments are names of tests; else `test.program` of bug.toml."""
    parse: Literal["lines", "ctest", "automake", "gtest", "catch2"] = "lines"
    """How its output is read: the frameworks of bug.toml whose tests can be listed."""
    list: str = ""
    """For `lines`: a shell script that prints the names of all tests, one per line."""
    files: tuple[str, ...] = ()
    """Patterns of tests, hidden from repairers; by default the usual names."""
    sanitize: bool = False
    env: dict[str, str] = dataclasses.field(default_factory=dict)


class Hooks:
    """The hooks beside the clones."""

    def __init__(self, folder: Path | None) -> None:
        """Take the folder of the clones."""
        self._folder = folder

    def get(self, project: str) -> Hook | None:
        """Return the hook of a project (OWNER___NAME): OWNER___NAME.toml or NAME.toml, if there is one."""
        for name in (project, project.partition("___")[2]):
            path = (self._folder or Path()) / f"{name}.toml"
            if self._folder is not None and path.is_file():
                return read_hook(path)
        return None


def read_hook(path: Path) -> Hook:
    """Read a hook; an error in it is a UserError that names the key."""
    data, text = read_toml(path)
    hook = checked(Hook, data, str(path), toml=text)
    if hook.parse == "lines" and not hook.list.strip():
        raise UserError(f"{path}: list is missing: with parse = 'lines' it must print the names of all tests")
    return hook


def hook_recipe(hook: Hook, bug: Record, tree: Tree) -> Recipe:
    """Return the recipe that a hook describes; which tests show the bug is found by running them."""
    scripts: dict[str, str] = {}
    build, program = hook.build, hook.test
    if isinstance(build, str):
        scripts |= {"build.sh": f"set -e\n{build.strip()}\n", "hook.mk": _HOOK_MAKEFILE}
        build = {"tool": "make", "flags": ["-f", f"{_HOOK_FOLDER}/hook.mk"], "sanitize": hook.sanitize}
    if hook.parse == "lines":
        scripts["test.sh"] = _HOOK_TEST.format(list=hook.list.strip(), test=hook.test.strip())
        program = f"{_HOOK_FOLDER}/test.sh"
    return Recipe(
        build={"limits": LONG_BUILD, **build},
        test={
            "framework": hook.parse,
            "program": program,
            "files": (*(hook.files or hidden_files(bug, tree)), f"{_HOOK_FOLDER}/**"),
            "trigger": ("*",),
            "regression": (),
            "env": {**dict(bug.env), **hook.env},
        },
        added={f"{_HOOK_FOLDER}/{name}": TreeFile(content=text.encode(), executable=True) for name, text in scripts.items()},
        discover=("*",),
        unsorted=True,
    )
