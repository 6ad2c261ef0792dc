"""From two Java trees, buggy and fixed, to a bug in our form: patch, target, recipe."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from repairlab.building.importers.defects4j_projects import Project, ProjectLayout, is_wanted
from repairlab.building.importers.defects4j_tree import copied_resources, more_roots
from repairlab.building.importers.importer import Generator, ImportedBug, TreeFile
from repairlab.core.diff import changed_lines, unified_diff
from repairlab.core.errors import UserError
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.languages.language import Function, language

_LIMITS = {"cpu_s": 60.0, "wall_s": 240.0, "memory_mb": 1024, "processes": 1024, "disk_mb": 512}
"""Suites of some projects leave a thread behind for each test (Closure)."""
_OLDER_RELEASE = 7
"""Some code of before Java 8 is no Java 8: what it infers of generic types has changed."""
_OPENED = (
    *("java.io", "java.lang", "java.lang.annotation", "java.lang.invoke", "java.lang.module", "java.lang.ref", "java.lang.reflect"),
    *("java.math", "java.net", "java.net.spi", "java.nio", "java.nio.channels", "java.nio.charset", "java.nio.file"),
    *("java.nio.file.attribute", "java.security", "java.security.cert", "java.text", "java.text.spi", "java.time"),
    *("java.time.chrono", "java.time.format", "java.time.temporal", "java.time.zone", "java.util", "java.util.concurrent"),
    *("java.util.concurrent.atomic", "java.util.concurrent.locks", "java.util.function", "java.util.jar", "java.util.regex"),
    *("java.util.spi", "java.util.stream", "java.util.zip", "sun.net.www", "sun.nio.ch", "sun.nio.cs", "sun.util"),
    "sun.util.calendar",
)
"""Packages of the JDK that code of before Java 9 looks into by reflection, which was free then."""
_ENVIRONMENT = {
    "TZ": "America/Los_Angeles",
    "LANG": "en_US.UTF-8",
    "JDK_JAVA_OPTIONS": " ".join(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
}
_MAVEN_OUTPUT = re.compile(rb'"(target/(?:test-)?classes/[^"\\\n]+)"')
_COPIED = "lib/copied"
"""Folder on the class path for what the build copies to the classes."""
_MADE = "lib/generated"
"""Folder on the class path for what a class of the project makes."""
_TELLTALE = (
    # What projects write about their fixes, in the revision of the fix
    *("src/changes/**", "src/site/**", "xdocs/**", "release-notes/**", "doc/**", "docs/**"),
    *("RELEASE-NOTES*", "RELEASE_NOTES*", "CHANGES*", "ChangeLog*", "NEWS*", "STATUS*", "**/changes.xml", "**/release-notes.*"),
    # Settings of version control, and what a checkout of Defects4J leaves
    *(".git*", ".svn/**", "**/*.bak", ".defects4j.config", "defects4j.build.properties"),
)


@record
class Issue:
    """What a bug report says, and the function that it is about."""

    title: str
    description: str = ""
    url: str | None = None
    path: str | None = None
    first: int = 0
    last: int = 0
    """Lines of the function in the buggy file; 0 when it is to be found from the fix."""
    source: str = ""
    """Its text, by which it is found where lines have moved."""


@record
class Trees:
    """A bug's trees with what belongs to them."""

    layout: ProjectLayout
    fixed: Mapping[str, TreeFile]
    buggy: Mapping[str, TreeFile]
    jars: Mapping[str, bytes]
    """Contents of the jars on the class path, by file name."""
    trigger: tuple[str, ...]
    relevant: tuple[str, ...]
    """Test classes that load what the fix changes."""
    left_out: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Test classes that cannot be compiled here, with the package that is missing."""


@record
class Subject:
    """All that is known of one bug of Defects4J."""

    id: str
    project: Project
    revision: str
    issue: Issue
    trees: Trees
    error: str
    """Message of the first trigger test on the buggy tree."""


def imported(subject: Subject) -> ImportedBug:
    """Return the bug in our form; UserError says why it has none."""
    trees = subject.trees
    buggy, fixed, transcoded = _in_utf8(_without_telltales(trees.buggy), _without_telltales(trees.fixed))
    changed = sorted(path for path in buggy.keys() | fixed.keys() if buggy.get(path) != fixed.get(path))
    tests = _test_files(trees.layout)
    sources = [path for path in changed if path.endswith(".java") and path not in matching(changed, tests)]
    if not (first := next((path for path in sources if path in buggy), None)):
        raise UserError(f"the patch changes no source file that the buggy tree has (it changes {', '.join(changed) or 'nothing'})")
    path, target = _target(subject, buggy, fixed, sources, first)
    generator = _generator(subject.project, trees)
    hamcrest = uses_hamcrest(trees.fixed, trees.layout)
    brought = [path for path in buggy if path.endswith(".jar") and is_wanted(path, trees.layout, hamcrest=hamcrest)]
    copied = {f"{_COPIED}/{name}": file for name, file in copied_resources(trees.fixed).items()}
    folders = [*([_MADE] if generator else []), *([_COPIED] if copied else [])]
    libraries = {f"lib/{name}": TreeFile(content=content) for name, content in trees.jars.items()}
    notes = [f"sources in ISO-8859-1 are now UTF-8: {', '.join(transcoded)}"] if transcoded else []
    if trees.left_out:
        told = ", ".join(f"{name} ({package})" for name, package in sorted(trees.left_out.items()))
        notes.append(f"test classes left out, for nothing here has a package that they import: {told}")
    return ImportedBug(
        id=subject.id,
        facts=_facts(subject, buggy, path, target, [*sorted(libraries), *brought, *folders]),
        title=subject.issue.title,
        description=subject.issue.description,
        tree={**buggy, **libraries, **copied, **_maven_outputs(buggy, trees.layout)},
        patch="".join(_diff(path, buggy.get(path), fixed.get(path)) for path in changed),
        discover=trees.relevant,
        generous=True,
        older_release=_OLDER_RELEASE if subject.project.release > _OLDER_RELEASE else None,
        generator=generator,
        notes=tuple(notes),
    )


def _facts(subject: Subject, tree: Mapping[str, TreeFile], path: str, target: str | None, jars: Sequence[str]) -> dict[str, Any]:
    layout = subject.trees.layout
    jupiter = any(b"org.junit.jupiter" in file.content for name, file in tree.items() if name.startswith(f"{layout.tests}/"))
    roots = more_roots(tree, layout)
    resources = [folder for folder in (*layout.resources, *roots.sources, *roots.tests) if _has_resources(tree, folder)]
    return {
        "language": "java",
        "path": path,
        "target": target,
        "error": subject.error or None,
        "build": {
            "tool": "javac",
            "sources": [f"{folder}/**/*.java" for folder in (layout.sources, *roots.sources)],
            "tests": [f"{folder}/**/*.java" for folder in (layout.tests, *roots.tests)],
            "release": subject.project.release,
            "class_path": [*jars, *resources],
        },
        "test": {
            "framework": "junit5" if jupiter else "junit4",
            "files": [*_test_files(layout), *(f"{folder}/**" for folder in roots.tests)],
            "trigger": list(subject.trees.trigger),
            "env": _ENVIRONMENT,
        },
        "limits": _LIMITS,
        "origin": {
            "repository": subject.project.url,
            "commit": subject.revision,
            "issue": subject.issue.url,
            "licence": subject.project.licence,
        },
    }


def _maven_outputs(tree: Mapping[str, TreeFile], layout: ProjectLayout) -> dict[str, TreeFile]:
    """Return the resources that tests look for where Maven would have copied them to."""
    texts = (file.content for path, file in tree.items() if path.startswith(f"{layout.tests}/") and path.endswith(".java"))
    named = {match.decode("ascii", "replace") for text in texts for match in _MAVEN_OUTPUT.findall(text)}
    places = ((name, f"{folder}/{name.split('/', 2)[2]}") for name in sorted(named) for folder in layout.resources)
    return {name: tree[place] for name, place in places if place in tree}


def uses_hamcrest(tree: Mapping[str, TreeFile], layout: ProjectLayout) -> bool:
    """Return whether the sources, not only the tests, use hamcrest: then its version matters."""
    return any(b"import org.hamcrest." in file.content for path, file in tree.items() if path.startswith(f"{layout.sources}/"))


def _generator(project: Project, trees: Trees) -> Generator | None:
    """Return how the files are made that a class of the project makes: of those that the build names, else of all."""
    known = project.generator
    folder = f"{trees.layout.sources}/{known.source}/" if known else ""
    given = [path.removeprefix(folder) for path in trees.fixed if folder and path.startswith(folder)]
    if known is None or not given:
        return None
    builds = "\n".join(
        file.content.decode("utf-8", "replace") for path, file in trees.fixed.items() if path in ("pom.xml", "build.xml")
    )
    named = [name for name in dict.fromkeys(re.findall(r"[\"'>]([\w.-]+)[\"'<]", builds)) if name in given]
    made = f"{_MADE}/{known.folder}"
    return Generator(
        program=known.program,
        arguments=("-src", folder.removesuffix("/"), "-dst", made, *(named or given)),
        env={**_ENVIRONMENT, "JDK_JAVA_OPTIONS": known.properties},
        folder=made,
    )


def _test_files(layout: ProjectLayout) -> tuple[str, ...]:
    folders = dict.fromkeys((layout.tests, *(folder for folder in layout.resources if "test" in folder.split("/"))))
    return (*(f"{folder}/**" for folder in folders), "**/*.jar", "target/**")


def _has_resources(tree: Mapping[str, TreeFile], folder: str) -> bool:
    ignored = (".java", "package.html", "package-info.java", "overview.html", ".jj")
    return any(path.startswith(f"{folder}/") and not path.endswith(ignored) for path in tree)


def _without_telltales(tree: Mapping[str, TreeFile]) -> dict[str, TreeFile]:
    left_out = set(matching(tree, _TELLTALE))
    return {path: file for path, file in tree.items() if path not in left_out and ".git" not in path.split("/")}


def _in_utf8(
    buggy: dict[str, TreeFile], fixed: dict[str, TreeFile]
) -> tuple[dict[str, TreeFile], dict[str, TreeFile], tuple[str, ...]]:
    """Return both trees with Java sources in UTF-8, and the paths of those that were not; other files stay as they are."""
    found = []
    for path in sorted(path for path in buggy.keys() | fixed.keys() if path.endswith(".java")):
        both = [tree for tree in (buggy, fixed) if path in tree and not tree[path].link]
        if all(_is_utf8(tree[path].content) for tree in both):
            continue
        found.append(path)
        for tree in both:
            content = tree[path].content.decode("iso-8859-1").encode()
            tree[path] = TreeFile(content=content, executable=tree[path].executable)
    return buggy, fixed, tuple(found)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _diff(path: str, old: TreeFile | None, new: TreeFile | None) -> str:
    try:
        return unified_diff(path, old.content.decode() if old else None, new.content.decode() if new else None)
    except UnicodeDecodeError:
        raise UserError(f"the fix changes {path}, which is not UTF-8 text") from None


def _target(
    subject: Subject, buggy: Mapping[str, TreeFile], fixed: Mapping[str, TreeFile], changed: Sequence[str], first: str
) -> tuple[str, str | None]:
    """Return the file to fix and the function in it, if it is one: what the issue is about, else what the fix changes."""
    path = subject.issue.path or first
    if path not in buggy:
        raise UserError(f"the file {path} is not in the buggy tree")
    source = buggy[path].content.decode()
    functions = language("java").syntax.functions(source)
    if subject.issue.path:
        found = _function_at(functions, source, subject.issue)
    elif len(changed) == 1 and path in fixed:
        found = _enclosing(functions, path, source, fixed[path].content.decode())
    else:
        found = None
    return path, _name(found, functions) if found else None


def _enclosing(functions: Sequence[Function], path: str, old: str, new: str) -> Function | None:
    """Return the smallest function that all changes lie in."""
    changes = changed_lines(path, old, new)
    around = [
        function
        for function in functions
        for first, last in [_lines(function, old)]
        # An insertion comes before its line, so one at a function's first line is not in it.
        if all(first + (change.last < change.first) <= change.first and change.last <= last for change in changes)
    ]
    return min(around, key=lambda function: function.span.end - function.span.start, default=None)


def _function_at(functions: Sequence[Function], source: str, issue: Issue) -> Function | None:
    """Return the function with the issue's text, the nearest to its lines; else the one that covers most of its lines."""
    bare = re.sub(r"\s+", "", issue.source)
    same = [function for function in functions if re.sub(r"\s+", "", function.span.of(source)) == bare]
    if same:
        return min(same, key=lambda function: abs(_lines(function, source)[0] - issue.first))

    def shared(function: Function) -> int:
        first, last = _lines(function, source)
        return min(issue.last, last) - max(issue.first, first) + 1

    best = max(functions, key=lambda function: (shared(function), function.span.start - function.span.end), default=None)
    return best if best is not None and shared(best) > 0 else None


def _lines(function: Function, source: str) -> tuple[int, int]:
    """Return the first and last line of a function."""
    first = source.count("\n", 0, function.span.start) + 1
    return first, first + function.span.of(source).count("\n")


def _name(function: Function, functions: Sequence[Function]) -> str | None:
    """Return the name that stands for this function alone, with its parameters where others have the same."""
    for name in (function.qualified, function.signature):
        if sum(name in (other.qualified, other.signature) for other in functions) == 1:
            return name
    return None
