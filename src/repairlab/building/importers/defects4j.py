"""Import Defects4J 3: bugs of 17 Java projects, from a checkout of it and clones of the projects.

The buggy tree is the fixed revision with Defects4J's `src.patch`, which runs from fixed to buggy; so it has the tests of the fix.
An installed `defects4j` command may stand in for clones.
"""

import dataclasses
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from repairlab.building.importers.defects4j_bug import Issue, Subject, Trees, imported, uses_hamcrest
from repairlab.building.importers.defects4j_projects import (
    PROJECTS,
    ProjectLayout,
    brought_classes,
    hamcrest_jars,
    is_junit,
    jar_classes,
    library_folders,
    needed_jars,
    usual_layout,
)
from repairlab.building.importers.defects4j_tree import compilable, hoisted, patched, unbuildable_tests, unneeded_tests
from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, TreeFile, chosen, need_sources
from repairlab.building.importers.libro import Reports
from repairlab.building.importers.repository import Clones
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv, read_text

DESCRIPTION = "Bugs of open-source Java projects with their tests, after Defects4J"
_COLUMNS = ("bug.id", "revision.id.buggy", "revision.id.fixed", "report.id", "report.url")
_TESTS = re.compile(r"^--- (\S+::\S+)[ \t]*\n(.*)", re.MULTILINE)

_BUILD_FILES = ("pom.xml", "build.xml", "build.gradle")
_TEST_FILE = re.compile(r"/(?:Test\w*|\w*(?:Test|Tests|TestCase))\.java$")


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout of Defects4J; a second source, if there is one, has the reports of its bugs."""
    wanted = ("a checkout of Defects4J", "a checkout of coinse/libro with reports of its bugs")
    folder, *more = need_sources(list(sources), wanted[: max(1, len(sources))])
    reports = Reports(more[0]) if more else {}
    checkout = Checkout(folder, settings)
    ids = chosen(list(checkout.rows), settings)
    return Import(
        name="defects4j",
        version=checkout.version,
        licence="MIT; each bug has the licence of its project",
        description=DESCRIPTION,
        n_bugs=len(ids),
        bugs=(checkout.bug(bug_id, reports.get(bug_id)) for bug_id in ids),
    )


class Checkout:
    """A checkout of Defects4J: its lists and patches, with the clones, jars or tool that the settings name."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        """Take the folder that holds `framework/projects`."""
        self._projects = folder / "framework" / "projects"
        self._folder, self._settings = folder, settings
        if not self._projects.is_dir():
            raise UserError(f"{folder} is no checkout of Defects4J: it has no folder framework/projects")
        if settings.via is None and settings.clones is None:
            raise UserError("bugs of Defects4J need clones of their projects: add --clones DIR, where missing ones are cloned to")
        self._tool = Tool(settings.via) if settings.via else None
        self._clones = Clones(settings)

    @property
    def version(self) -> str:
        """Return the version of Defects4J that its read-me names."""
        readme = self._folder / "README.md"
        found = re.search(r"version (\d+(?:\.\d+)+)", read_text(readme)) if readme.is_file() else None
        return found.group(1) if found else "3"

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, str]]:
        """Return the rows of all active-bugs.csv by bug id such as `Csv-1`."""
        found = {}
        for project in PROJECTS:
            path = self._projects / project / "active-bugs.csv"
            for where, row in read_csv(path, _COLUMNS) if path.is_file() else ():
                if not row["bug.id"].isdecimal():
                    raise UserError(f"{where}: bug.id is {row['bug.id']!r}, not a number")
                found[f"{project}-{row['bug.id']}"] = row
        if not found:
            raise UserError(f"no project below {self._projects} has an active-bugs.csv with bugs")
        return found

    def bug(self, bug_id: str, issue: Issue | None = None) -> ImportedBug | Dropped:
        """Read one bug, with what its report says where that is known."""
        neutral = self._neutral_issue(bug_id)
        try:
            return imported(self._subject(bug_id, dataclasses.replace(issue, url=issue.url or neutral.url) if issue else neutral))
        except UserError as error:
            return Dropped(id=bug_id, reason=str(error))

    def _neutral_issue(self, bug_id: str) -> Issue:
        """Say no more than that there is a report: what the commit says would give the fix away."""
        project, _, _ = bug_id.partition("-")
        row = self.rows[bug_id]
        report = row["report.id"] if row["report.id"] not in ("", "UNKNOWN") else ""
        url = row["report.url"] if row["report.url"] not in ("", "UNKNOWN") else None
        title = f"{PROJECTS[project].clone} does not do what its tests expect" + (f" ({report})" if report else "")
        return Issue(title=title, url=url)

    def _subject(self, bug_id: str, issue: Issue) -> Subject:
        project, _, number = bug_id.partition("-")
        row, home = self.rows[bug_id], self._projects / project
        failing = dict(_TESTS.findall(read_text(home / "trigger_tests" / number, "iso-8859-1")))
        tool, revision = self._tool, row["revision.id.fixed"]
        return Subject(
            id=bug_id,
            project=PROJECTS[project],
            revision=revision,
            issue=issue,
            trees=self._narrowed(tool.checkout(project, number))
            if tool
            else self._trees(project, number, revision, tuple(failing)),
            error=next(iter(failing.values()), "").strip(),
        )

    def _trees(self, project: str, number: str, revision: str, trigger: tuple[str, ...]) -> Trees:
        home, known = self._projects / project, PROJECTS[project]
        clone = self._clones.get(known.clone, known.url, revision)
        if not clone.has(revision):
            raise UserError(f"the clone {clone.folder} lacks the commit {revision}")
        tree = clone.tree(revision)
        layout = self._layout(home, revision, tree)
        whole = compilable(hoisted(tree, layout.sources), home, int(number))
        named, listed = _classes(trigger), read_text(home / "relevant_tests" / number).split()
        trees = Trees(
            layout=layout,
            fixed=whole,
            buggy=patched(whole, home / "patches" / f"{number}.src.patch"),
            jars={},
            trigger=trigger,
            relevant=_test_classes(whole, layout.tests) if self._settings.tests == "all" else (*listed,) or named,
        )
        trees = self._narrowed(trees)
        fixed, buggy = trees.fixed, trees.buggy
        jars = {jar.name: jar.read_bytes() for jar in self._jars(home, revision, layout, (fixed, buggy))}
        given = brought_classes(fixed, layout).union(*map(jar_classes, jars.values()))
        unbuildable = unbuildable_tests(fixed, layout.tests, given)
        if any(_source(name, layout.tests) in unbuildable for name in named):
            unbuildable = {}  # the compiler will say what is missing
        left_out = {_class(path, layout.tests): package for path, package in unbuildable.items()}
        return dataclasses.replace(
            trees,
            fixed={path: file for path, file in fixed.items() if path not in unbuildable},
            buggy={path: file for path, file in buggy.items() if path not in unbuildable},
            jars=jars,
            relevant=tuple(name for name in trees.relevant if name not in left_out),
            left_out=left_out,
        )

    def _narrowed(self, trees: Trees) -> Trees:
        """Leave out tests that do not matter."""
        if self._settings.tests == "all":
            return trees
        classes = (*trees.relevant, *_classes(trees.trigger))
        unneeded = unneeded_tests(trees.fixed, trees.layout.tests, classes)
        fixed, buggy = ({path: file for path, file in tree.items() if path not in unneeded} for tree in (trees.fixed, trees.buggy))
        return dataclasses.replace(trees, fixed=fixed, buggy=buggy)

    def _layout(self, home: Path, revision: str, tree: Mapping[str, TreeFile]) -> ProjectLayout:
        listed = home / "dir-layout.csv"
        for line in read_text(listed).splitlines() if listed.is_file() else ():
            name, _, folders = line.partition(",")
            if name == revision and "," in folders:
                source, _, tests = folders.partition(",")
                return ProjectLayout(sources=source.strip(), tests=tests.strip())
        if (layout := usual_layout(tree)) is None:
            raise UserError(f"{listed} has no line for {revision}, and the tree has none of the usual folders of sources and tests")
        return layout

    def _jars(self, home: Path, revision: str, layout: ProjectLayout, trees: Sequence[Mapping[str, TreeFile]]) -> tuple[Path, ...]:
        build_files = sorted(path for path in (home / "build_files" / revision).rglob("*") if path.is_file())
        hints = [path.read_text("utf-8", "replace") for path in build_files]
        hints += [trees[0][name].content.decode("utf-8", "replace") for name in _BUILD_FILES if name in trees[0]]
        folders = (f"{layout.sources}/", f"{layout.tests}/")
        files = [file for tree in trees for path, file in tree.items() if path.endswith(".java") and path.startswith(folders)]
        texts = dict.fromkeys(file.content.decode("iso-8859-1") for file in files)
        known = library_folders(home, self._settings.libraries)
        needed = needed_jars(texts, known, "\n".join(hints), brought_classes(trees[0], layout))
        if uses_hamcrest(trees[0], layout) and not any("hamcrest" in path and path.endswith(".jar") for path in trees[0]):
            needed += hamcrest_jars(home, "\n".join(hints))
        return needed


def _test_classes(tree: Mapping[str, TreeFile], folder: str) -> tuple[str, ...]:
    """Return the classes that are tests by their names, but for abstract ones."""
    found = [path for path in sorted(tree) if path.startswith(f"{folder}/") and _TEST_FILE.search(path)]
    concrete = [path for path in found if not re.search(rb"\babstract\s+class\b", tree[path].content)]
    return tuple(_class(path, folder) for path in concrete)


def _classes(tests: Sequence[str]) -> tuple[str, ...]:
    """Return the classes of tests, each once."""
    return tuple(dict.fromkeys(name.split("::")[0] for name in tests))


def _class(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/").removesuffix(".java").replace("/", ".")


def _source(name: str, folder: str) -> str:
    return f"{folder}/{name.partition('$')[0].replace('.', '/')}.java"


class Tool:
    """The command."""

    def __init__(self, command: str) -> None:
        """Take its name or path."""
        found = shutil.which(command)
        if found is None:
            raise UserError(f"the command {command!r} of --via is not installed (not found in PATH)")
        self._command = found

    def checkout(self, project: str, number: str) -> Trees:
        """Return what the command says of a bug."""
        with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
            buggy, fixed = Path(folder, "buggy"), Path(folder, "fixed")
            self._run("checkout", "-p", project, "-v", f"{number}b", "-w", str(buggy))
            self._run("checkout", "-p", project, "-v", f"{number}f", "-w", str(fixed))
            path = [buggy / entry for entry in self._export(buggy, "cp.test").split(":")]
            jars = [jar for jar in path if jar.suffix == ".jar" and not is_junit(jar.name) and jar.is_file()]
            return Trees(
                layout=ProjectLayout(sources=self._export(buggy, "dir.src.classes"), tests=self._export(buggy, "dir.src.tests")),
                fixed=_tree_of_folder(fixed),
                buggy=_tree_of_folder(buggy),
                jars={jar.name: jar.read_bytes() for jar in jars},
                trigger=tuple(self._export(buggy, "tests.trigger").split()),
                relevant=tuple(self._export(buggy, "tests.relevant").split()),
            )

    def _export(self, work: Path, name: str) -> str:
        return self._run("export", "-p", name, "-w", str(work)).strip()

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([self._command, *arguments], capture_output=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
            raise UserError(f"{self._command} {' '.join(arguments[:5])} failed: {said[-1] if said else 'it said nothing'}")
        return done.stdout.decode("utf-8", "replace")


def _tree_of_folder(folder: Path) -> dict[str, TreeFile]:
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            files[name] = TreeFile(content=os.fsencode(path.readlink()), link=True)
        elif path.is_file() and ".git" not in path.relative_to(folder).parts:
            files[name] = TreeFile(content=path.read_bytes(), executable=os.access(path, os.X_OK))
    return files
