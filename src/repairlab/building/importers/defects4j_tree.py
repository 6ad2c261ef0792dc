"""The Java tree of a bug as it will be built: hoisted, patched, with the files that a build makes, copies or needs.

Test sources that cannot be compiled, or that have nothing to do with the relevant tests, can be left out: they are half of what
every check and every worker has to compile.
"""

import contextlib
import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from repairlab.building.importers.defects4j_projects import PROVIDED, ProjectLayout, brought_classes, imported_names, imports
from repairlab.building.importers.importer import TreeFile
from repairlab.core.diff import apply_edits, edits_of_patch, parse_patch
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.record import record

_RANGE = re.compile(r"-(\d+)-(\d+)(\.optional)?\.diff$")
"""First and last bug that a diff is for, and whether it may fail."""
_LATER_KEYWORDS = ("assert", "enum")
"""Names of old packages that the language forbids today."""
_NOT_OWN = re.compile(r"<(parent|dependencies|dependencyManagement|build|profiles|reporting|properties)>.*?</\1>", re.DOTALL)
_JARJAR = re.compile(r'<rule\s+pattern="([\w.]+)\.\*\*"\s+result="([\w.]+)\.@1"')
_TEMPLATE = ".java.in"
_SIGN = re.compile(r"@(\w+)@")


def hoisted(tree: Mapping[str, TreeFile], sources: str) -> Mapping[str, TreeFile]:
    """Return a tree whose project lies in the only folder with sources, as if that folder were the root."""
    if any(path.startswith(f"{sources}/") for path in tree):
        return tree
    roots = {path.partition("/")[0] for path in tree if path.partition("/")[2].startswith(f"{sources}/")}
    if len(roots) != 1:
        return tree
    root = f"{roots.pop()}/"
    return {path.removeprefix(root): file for path, file in tree.items() if path.startswith(root)}


def compilable(tree: Mapping[str, TreeFile], home: Path, number: int) -> dict[str, TreeFile]:
    """Return the tree with the changes by which Defects4J makes it compile today."""
    made = dict(tree)
    for patch in sorted((home / "compile-errors").glob("*.diff")):
        bugs = _RANGE.search(patch.name)
        if bugs is None or not int(bugs.group(1)) <= number <= int(bugs.group(2)):
            continue
        try:
            made = patched(made, patch)
        except UserError:
            if not bugs.group(3):
                raise
    for patch in sorted(home.glob("*.patch")):  # for several bugs, without naming them; others are for build files
        with contextlib.suppress(UserError):
            if all(path.endswith(".java") for path in _changed_by(patch)):
                made = patched(made, patch)
    return generated(_without_keyword_packages(_with_packages_of_jarjar(made)))


def patched(tree: Mapping[str, TreeFile], patch: Path) -> dict[str, TreeFile]:
    """Apply a diff byte by byte, since it may be in any encoding."""
    text, paths = read_text(patch, "iso-8859-1"), _changed_by(patch)
    files = {path: tree[path].content.decode("iso-8859-1") for path in paths if path in tree}
    try:
        changed = apply_edits(edits_of_patch(text, files), files)
    except UserError as error:
        raise UserError(f"{patch} does not apply to the revision of the fix: {error}") from None
    result = dict(tree)
    for path, new in changed.items():
        if new is None:
            del result[path]
        else:
            result[path] = TreeFile(content=new.encode("iso-8859-1"), executable=path in tree and tree[path].executable)
    return result


def _changed_by(patch: Path) -> set[str]:
    parsed = parse_patch(read_text(patch, "iso-8859-1"))
    return {path for file in parsed for path in (file.old, file.new) if path is not None}


def _with_packages_of_jarjar(tree: dict[str, TreeFile]) -> dict[str, TreeFile]:
    """Rename packages of libraries kept as sources, as the build file does once they are compiled."""
    for old, new in _JARJAR.findall(tree["build.xml"].content.decode("utf-8", "replace")) if "build.xml" in tree else ():
        before, after = (f"/{name.replace('.', '/')}/" for name in (old, new))
        # Other packages of such a library refer to the renamed one, too.
        roots = tuple({path.partition(before)[0] + "/" for path in tree if before in path and path.endswith(".java")})
        renamed = {}
        for path, file in tree.items():
            text = file.content.replace(f"{old}.".encode(), f"{new}.".encode()).replace(
                f"package {old};".encode(), f"package {new};".encode()
            )
            named = roots and path.startswith(roots) and path.endswith(".java")
            renamed[path.replace(before, after)] = TreeFile(content=text, executable=file.executable) if named else file
        tree = renamed
    return tree


def _without_keyword_packages(tree: dict[str, TreeFile]) -> dict[str, TreeFile]:
    """Rename packages whose name has become a keyword, as Defects4J does: `enum` to `oldenum`."""
    for keyword in _LATER_KEYWORDS:
        part = f"/{keyword}/"
        if not any(part in path and path.endswith(".java") for path in tree):
            continue
        renamed = {}
        for path, file in tree.items():
            if path.endswith(".java"):
                named = re.sub(
                    rb"((?:package|import)\s[\w.]*\.)%s\b" % keyword.encode(), rb"\1old%s" % keyword.encode(), file.content
                )
                renamed[path.replace(part, f"/old{keyword}/")] = TreeFile(content=named, executable=file.executable)
            else:
                renamed[path] = file
        tree = renamed
    return tree


def generated(tree: dict[str, TreeFile]) -> dict[str, TreeFile]:
    """Add the sources that the project's build would make from templates, filled with facts from its pom.xml."""
    facts = _own_facts(tree["pom.xml"].content.decode("utf-8", "replace")) if "pom.xml" in tree else {}
    for path in [path for path in tree if path.endswith(_TEMPLATE)]:
        parts = PurePosixPath(path).parent.as_posix().partition("/java/")[2].split("/")
        known = {**facts, "package": ".".join(parts)}
        text = tree[path].content.decode("utf-8", "replace")
        for sign, value in known.items():
            text = text.replace(f"@{sign}@", value)
        if not _SIGN.search(text):
            tree[path.removesuffix(_TEMPLATE) + ".java"] = TreeFile(content=text.encode())
    return tree


def _own_facts(pom: str) -> dict[str, str]:
    """Return what a pom.xml says of its own project, with what it inherits from its parent.

    >>> _own_facts("<project><parent><version>2.1</version></parent><version>2.2.0-SNAPSHOT</version></project>")
    {'projectversion': '2.2.0-SNAPSHOT'}
    """
    found = {}
    for name in ("version", "groupId", "artifactId"):
        said = [re.search(rf"<{name}>\s*([^<\s]+)\s*</{name}>", text) for text in (_NOT_OWN.sub("", pom), pom)]
        if first := next(filter(None, said), None):
            found[f"project{name.lower()}"] = first.group(1)
    return found


_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_NO_CODE = re.compile(r'/\*[\s\S]*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"')
_CLASS_NAME = re.compile(r"\b[A-Z]\w*")


@record
class Roots:
    """Folders beside the main ones."""

    sources: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def more_roots(tree: Mapping[str, TreeFile], layout: ProjectLayout) -> Roots:
    """Return the folders whose classes the sources or tests refer to, and those that these refer to in turn.

    What a jar of the tree has is not compiled.
    """
    folders = (f"{layout.sources}/", f"{layout.tests}/")
    java = {path: file for path, file in tree.items() if path.endswith(".java") and not file.link}
    own = {path.removeprefix(folder) for path in java for folder in folders if path.startswith(folder)}
    own |= {f"{name.replace('.', '/')}.java" for name in brought_classes(tree, layout)}
    others: dict[str, dict[str, TreeFile]] = {}
    for path, file in java.items():
        if not path.startswith(folders) and (root := _root(path, file)) is not None and path.removeprefix(f"{root}/") not in own:
            others.setdefault(root, {})[path.removeprefix(f"{root}/")] = file
    sources, tests = ([file for path, file in java.items() if path.startswith(folder)] for folder in folders)
    found = _closure((*sources, *tests), others)
    of_tests = tuple(root for root in found if "test" in root.lower())
    return Roots(sources=tuple(root for root in found if root not in of_tests), tests=of_tests)


def _closure(files: Iterable[TreeFile], others: Mapping[str, Mapping[str, TreeFile]]) -> tuple[str, ...]:
    """Return the folders of `others` whose classes the files refer to, and those that these refer to in turn."""
    named = named_files(files) if others else set()
    found: list[str] = []
    while more := [root for root, classes in others.items() if root not in found and not named.isdisjoint(classes)]:
        found += more
        named |= named_files(file for root in more for file in others[root].values())
    return tuple(found)


def _root(path: str, file: TreeFile) -> str | None:
    """Return the folder in which the package of a file begins."""
    parts, package = PurePosixPath(path).parent.parts, package_of(file)
    names = tuple(package.split(".")) if package else ()
    return "/".join(parts[: -len(names)]) or None if names and parts[-len(names) :] == names else None


def package_of(file: TreeFile) -> str:
    """Return the package of a source."""
    found = _PACKAGE.search(file.content)
    return found.group(1).decode() if found else ""


def named_files(files: Iterable[TreeFile]) -> set[str]:
    """Return the files of classes that sources import or use from their own package."""
    found: set[str] = set()
    for file in files:
        text = _NO_CODE.sub(" ", file.content.decode("iso-8859-1"))
        names, own = imports([text])
        found.update(f"{name.replace('.', '/')}.java" for name in names)
        found.update(f"{package.replace('.', '/')}/{word}.java" for package in own for word in set(_CLASS_NAME.findall(text)))
    return found


_JDK = (*PROVIDED, "javax.", "sun.", "com.sun.", "jdk.", "org.ietf.")


def unbuildable_tests(tree: Mapping[str, TreeFile], folder: str, given: Collection[str]) -> dict[str, str]:
    """Return the test sources of a folder that import what does not exist, and those that refer to them, each with the package.

    `given` is what jars have: classes (`a.b.C`) and packages (`a.b.*`).
    """
    java = {path: file for path, file in tree.items() if path.endswith(".java") and not file.link}
    tests = {path: file for path, file in java.items() if path.startswith(f"{folder}/")}
    known = {package_of(file) for file in java.values()} | {name.removesuffix(".*") for name in given if name.endswith(".*")}
    found = {path: missing for path, file in tests.items() if (missing := _missing(file, known))}
    named = {path: named_files([file]) for path, file in tests.items()} if found else {}
    while more := {
        path: found[f"{folder}/{user}"]
        for path, names in named.items()
        if path not in found
        for user in names
        if f"{folder}/{user}" in found
    }:
        found |= more
    return found


def _missing(file: TreeFile, known: Collection[str]) -> str:
    """Return the first package that a source imports and that does not exist, if any."""
    for name in imported_names(file.content.decode("iso-8859-1")):
        parts = name.split(".")
        packages = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
        if not f"{name}.".startswith(_JDK) and not any(package in known for package in packages):
            return ".".join(itertools.takewhile(lambda part: part[:1].islower(), parts))
    return ""


_DECLARED = re.compile(rb"^(?:[\w@]+[ \t]+)*(?:class|interface|enum)[ \t]+(\w+)", re.MULTILINE)
_ANY_WORD = re.compile(rb"\w+")
_SERVICES = "META-INF/services/"


def unneeded_tests(tree: Mapping[str, TreeFile], folder: str, classes: Iterable[str]) -> set[str]:
    """Return the test sources of a folder that neither these classes nor service files refer to, directly or indirectly.

    What tests in other folders refer to is needed, too. A word counts as a name wherever it stands, even in comments and strings:
    one file too many does no harm.
    """
    tests = {path: file for path, file in tree.items() if path.startswith(f"{folder}/") and path.endswith(".java")}
    declaring: dict[bytes, set[str]] = {}
    for path, file in tests.items():
        for name in (path.rpartition("/")[2].removesuffix(".java").encode(), *_DECLARED.findall(file.content)):
            declaring.setdefault(name, set()).add(path)
    words = {word.encode() for name in classes for word in re.split(r"[.$]", name)}
    elsewhere = (path for path in tree if path.endswith(".java") and "test" in path.lower() and path not in tests)
    words |= _words(tree[path] for path in (*elsewhere, *(path for path in tree if _SERVICES in path)))
    needed: set[str] = set()
    while more := _declared(words, declaring) - needed:
        needed |= more
        words = _words(tests[path] for path in more)
    return tests.keys() - needed


def _declared(words: Collection[bytes], declaring: Mapping[bytes, set[str]]) -> set[str]:
    return set().union(*(declaring[word] for word in words if word in declaring))


def _words(files: Iterable[TreeFile]) -> set[bytes]:
    return set().union(*(_ANY_WORD.findall(file.content) for file in files))


_ANT_PROPERTY = re.compile(r'<property\s+name="([^"]+)"\s+(?:value|location)="([^"]*)"')
_ANT_JAVAC = re.compile(r'<javac\b[^>]*\bdestdir="([^"]+)"')
_ANT_COPY = re.compile(r"<copy\b([^>]*)>")
_ANT_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_ANT_REFERENCE = re.compile(r"\$\{([^}]+)\}")
_ANT_DEPTH = 10
"""Properties of properties."""


def copied_resources(tree: Mapping[str, TreeFile]) -> dict[str, TreeFile]:
    """Return the files that build.xml copies one by one below a folder of classes, by their destination."""
    text = tree["build.xml"].content.decode("utf-8", "replace") if "build.xml" in tree else ""
    properties: dict[str, str] = {"basedir": "."}
    for name, value in _ANT_PROPERTY.findall(text):
        properties.setdefault(name, value)  # Ant uses the first definition
    folders = {_ant_place(folder, properties) for folder in _ANT_JAVAC.findall(text)}
    found = {}
    for attributes in map(dict, map(_ANT_ATTRIBUTE.findall, _ANT_COPY.findall(text))):
        source = _ant_place(attributes.get("file", ""), properties)
        target = _ant_place(attributes.get("tofile") or f"{attributes.get('todir', '')}/{PurePosixPath(source).name}", properties)
        for folder in folders:
            if source in tree and target.startswith(f"{folder}/"):
                found[target.removeprefix(f"{folder}/")] = tree[source]
    return found


def _ant_place(text: str, properties: Mapping[str, str]) -> str:
    """Return a path of the tree with properties filled in; unknown ones stay as they are."""
    for _ in range(_ANT_DEPTH):
        text = _ANT_REFERENCE.sub(lambda found: properties.get(found[1], found[0]), text)
    return PurePosixPath(text).as_posix()
