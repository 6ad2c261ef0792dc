"""The tree of a Defects4J bug as Defects4J would check it out: hoisted, patched, with packages and sources that a build makes."""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from repairlab.building.importers.importer import TreeFile
from repairlab.core.diff import apply_edits, edits_of_patch, parse_patch
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text

_RANGE = re.compile(r"-(\d+)-(\d+)(\.optional)?\.diff$")
"""First and last bug that a diff is for, and whether it may fail."""
_LATER_KEYWORDS = ("assert", "enum")
"""Names that old packages have and that the language forbids today."""
_NOT_OWN = re.compile(r"<(parent|dependencies|dependencyManagement|build|profiles|reporting|properties)>.*?</\1>", re.DOTALL)
_JARJAR = re.compile(r'<rule\s+pattern="([\w.]+)\.\*\*"\s+result="([\w.]+)\.@1"')
_TEMPLATE = ".java.in"
_SIGN = re.compile(r"@(\w+)@")


def hoisted(tree: Mapping[str, TreeFile], sources: str) -> Mapping[str, TreeFile]:
    """Return a tree whose project lies in its one folder that has the sources, as if that were the root."""
    if any(path.startswith(f"{sources}/") for path in tree):
        return tree
    roots = {path.partition("/")[0] for path in tree if path.partition("/")[2].startswith(f"{sources}/")}
    if len(roots) != 1:
        return tree
    root = f"{roots.pop()}/"
    return {path.removeprefix(root): file for path, file in tree.items() if path.startswith(root)}


def compilable(tree: Mapping[str, TreeFile], home: Path, number: int) -> dict[str, TreeFile]:
    """Return the tree with what Defects4J changes so that it can be compiled today."""
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
    for patch in sorted(home.glob("*.patch")):  # for several bugs, without saying for which; others are of build files
        with contextlib.suppress(UserError):
            if all(path.endswith(".java") for path in _changed_by(patch)):
                made = patched(made, patch)
    return _generated(_without_keyword_packages(_with_packages_of_jarjar(made)))


def patched(tree: Mapping[str, TreeFile], patch: Path) -> dict[str, TreeFile]:
    """Apply a diff byte by byte, for it may be in any encoding."""
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
    """Rename packages of libraries kept as sources as the build file has them renamed once they are compiled."""
    for old, new in _JARJAR.findall(tree["build.xml"].content.decode("utf-8", "replace")) if "build.xml" in tree else ():
        before, after = (f"/{name.replace('.', '/')}/" for name in (old, new))
        # Other packages of such a library name the renamed one, too.
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
    """Rename packages whose name has become a keyword as Defects4J does: `enum` to `oldenum`."""
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


def _generated(tree: dict[str, TreeFile]) -> dict[str, TreeFile]:
    """Add the sources that the project's own build would make from templates, whose signs stand for facts of its pom.xml."""
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
    """Return what a pom.xml says of its own project, which inherits what it does not say from its parent.

    >>> _own_facts("<project><parent><version>2.1</version></parent><version>2.2.0-SNAPSHOT</version></project>")
    {'projectversion': '2.2.0-SNAPSHOT'}
    """
    found = {}
    for name in ("version", "groupId", "artifactId"):
        said = [re.search(rf"<{name}>\s*([^<\s]+)\s*</{name}>", text) for text in (_NOT_OWN.sub("", pom), pom)]
        if first := next(filter(None, said), None):
            found[f"project{name.lower()}"] = first.group(1)
    return found
