"""Bears and Bugs.jar: bugs of Java projects, each on its own branch of a git repository.

Trees are built by javac with the jars of --libs, as mined fixes are. Records of how a bug was reproduced may reveal the fix and are
left out of its tree.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.protection import is_test_path
from repairlab.building.importers.defects4j_tree import generated
from repairlab.building.importers.importer import Import, ImportedBug, Settings, TreeFile, bugs_of, chosen, need_sources
from repairlab.building.importers.python_projects import changed, texts
from repairlab.building.importers.repository import Repository, is_git_folder, licence_of
from repairlab.building.importers.small_programs import target_of
from repairlab.building.importers.tree_recipes import Fix, bug_of_fix
from repairlab.core.diff import apply_edits, edits_of_patch
from repairlab.core.errors import UserError
from repairlab.core.record import record

_BEARS_IDS = "scripts/data/bug_id_and_branch.json"
_BEARS_RECORDS = re.compile(r"(?:bears\.json|classpath\.info|repairnator\.[^/]*|\.travis.*)")
_JAR_BRANCH = re.compile(r"bugs-dot-jar_(?P<issue>.+)_(?P<commit>[0-9a-f]{6,40})")
_JAR_RECORDS = ".bugs-dot-jar/"
_FAILED = re.compile(r"^\s*(?:Failed tests:|Tests in error:)?\s*[\w$]+\((?P<name>[\w.$]+)\)", re.MULTILINE)
"""A line of Surefire's summary: `testName(package.Class): message`."""


@record
class _Found:
    """What a branch says of its bug."""

    before: Mapping[str, TreeFile]
    after: Mapping[str, TreeFile]
    tests: frozenset[str]
    """Classes with tests that fail on the buggy tree."""
    commit: str
    date: str
    repository: str | None
    issue: str | None = None


def bears(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a clone of Bears with its branches."""
    (folder,) = need_sources(list(sources), ("a clone of bears-benchmark with all its branches",))
    repository = Repository(folder)
    try:
        listed = json.loads(repository.read("HEAD", _BEARS_IDS) or b"")
        branches = {str(item["bugId"]): str(item["bugBranch"]) for item in listed}
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{folder} is no clone of bears-benchmark: its newest revision has no list {_BEARS_IDS}") from None
    reads = {name: (lambda branch=branch: _bears(repository, branch)) for name, branch in branches.items()}
    return _import("bears", "Bugs of Java projects from the builds of Travis CI, after Bears", reads, settings)


def bugs_jar(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout of Bugs.jar, or at the clone of one of its projects."""
    (folder,) = need_sources(
        list(sources), ("a checkout of bugs-dot-jar with its submodules, or the clone of one of its projects",)
    )
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and ((path / ".git").exists() or is_git_folder(path))]
    clones = [Repository(path) for path in inner] or [Repository(folder)]
    reads: dict[str, Callable[[], _Found]] = {}
    for repository in clones:
        for branch in repository.branches():
            if found := _JAR_BRANCH.fullmatch(branch.rpartition("/")[2]):
                name = f"{found['issue']}-{found['commit'][:8]}"
                reads.setdefault(name, lambda at=(repository, branch, found): _bug_jar(*at))  # type: ignore[misc]
    if not reads:
        raise UserError(f"no clone in {folder} has a branch bugs-dot-jar_ISSUE_COMMIT; fetch its branches")
    return _import("bugs-jar", "Bugs of eight Apache projects, after Bugs.jar", reads, settings)


def _import(name: str, about: str, reads: Mapping[str, Callable[[], _Found]], settings: Settings) -> Import:
    ids = chosen(list(reads), settings)
    return Import(
        name=name,
        version="1.0.0",
        licence="the sources keep their projects' licences",
        description=about,
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda bug_id: _bug(bug_id, reads[bug_id](), settings)),
    )


def _bug(bug_id: str, found: _Found, settings: Settings) -> ImportedBug:
    """Return the bug: the tree of the fix, with the sources it changes as they were before."""
    before, after = (generated(dict(tree)) for tree in (found.before, found.after))
    differing = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    sources = tuple(path for path in differing if path.endswith(".java") and not is_test_path(path))
    if not sources or any(path not in before or path not in after for path in sources):
        raise UserError(f"the fix creates, deletes or changes no source in Java: it changes {', '.join(differing) or 'nothing'}")
    failing = tuple(name.replace(".", "/").partition("$")[0] + ".java" for name in sorted(found.tests))
    tests = [path for path in after if path.endswith(failing)] if failing else []
    tests = tests or [path for path in differing if path in after and is_test_path(path)]
    buggy = {**after, **{path: before[path] for path in sources}}
    old, new = (tree[sources[0]].content.decode("utf-8", "replace") for tree in (buggy, after))
    return bug_of_fix(
        Fix(
            id=bug_id,
            project=bug_id.partition("-")[0],
            language="java",
            sources=sources,
            tests=tuple(tests),
            target=target_of("java", old, new) if len(sources) == 1 else None,
            location=None,
            buggy=buggy,
            fixed=after,
            title=f"{bug_id} does not do what its tests expect",  # the fix's commit message would say what to do
            description="",
            issue=found.issue,
            repository=found.repository,
            commit=found.commit,
            date=found.date,
            version="",
            licence=licence_of(after),
        ),
        settings,
    )


def _bears(repository: Repository, branch: str) -> _Found:
    revision = repository.revision_of(branch)
    facts: dict[str, Any] = json.loads(repository.read(revision, "bears.json") or b"{}")
    by_kind = {subject.split(" from ")[0].split(" This ")[0].strip(): commit for commit, subject in repository.subjects(revision)}
    before = by_kind.get("Changes in the tests") or by_kind.get("Bug commit")
    after = by_kind.get("Human patch")
    if before is None or after is None or "tests" not in facts:
        raise UserError(f"the branch {branch} has no commit of the bug, no human patch or no bears.json")
    buggy, fixed = (
        {path: file for path, file in repository.tree(at).items() if not _BEARS_RECORDS.fullmatch(path)} for at in (before, after)
    )
    fixer = facts.get("commits", {}).get("fixerBuild", {})
    return _Found(
        before=buggy,
        after=fixed,
        tests=frozenset(str(item["testClass"]) for item in facts["tests"].get("failingClasses", ())),
        commit=str(fixer.get("sha") or after),
        date=repository.date(after),
        repository=facts.get("repository", {}).get("url"),
    )


def _bug_jar(repository: Repository, branch: str, name: re.Match[str]) -> _Found:
    whole = repository.tree(repository.revision_of(branch))
    patch, results = (whole.get(_JAR_RECORDS + file) for file in ("developer-patch.diff", "test-results.txt"))
    if patch is None:
        raise UserError(f"the branch {branch} has no {_JAR_RECORDS}developer-patch.diff")
    before = {path: file for path, file in whole.items() if not path.startswith(_JAR_RECORDS)}
    files = texts(before)
    after = changed(before, apply_edits(edits_of_patch(patch.content.decode("utf-8", "replace"), files), files))
    failed = _FAILED.findall(results.content.decode("utf-8", "replace")) if results else []
    return _Found(
        before=before,
        after=after,
        tests=frozenset(failed),
        commit=name["commit"],
        date=repository.date(repository.revision_of(branch)),
        repository=next(iter(repository.remotes()), None),
        issue=name["issue"],
    )
