"""Rules of the audit on the texts of bugs: issue, tree, fix and tests, which are compared and never run.

A rule takes all bugs and yields findings; SWE-bench Verified's reasons to drop one are the model.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from repairlab.building.leak import NAME, TELLING, folded, telling_lines, texts_of_tests, unpacked
from repairlab.core.bug import Bug
from repairlab.core.diff import added_lines
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.languages.language import language
from repairlab.validation.apply import changed_files, protected

Level = Literal["warn", "fail"]
_NEAR = 0.9
"""Two bugs are near duplicates if they share at least this part of their words."""
_SHORTEST_COMMIT = 7
"""Fewest characters of a commit hash that count as naming the commit."""
_COPIED = 0.9
"""A file that has at least this share of the lines of a fixed file is a copy of it."""
_UNSEEN = frozenset(("__pycache__", ".git"))
"""Folders that are not copied with a tree; of the second a rule tells by itself."""
_HISTORY = (".git", ".hg", ".svn", ".bzr", "CVS")
"""Where version control keeps what was and what will be."""

_USED = r"(?:\.|->|::|\bnew ){name}\b|\b(?=[A-Z]){name}\b"
"""A name of something else than a variable: a member, or with a capital as classes and constants have."""
_QUOTED = re.compile(rf"[\"']([^\"'\\]{{{TELLING},}})[\"']")


@record
class Finding:
    """Something that a rule found."""

    rule: str
    level: Level
    bug_id: str
    evidence: str


class AuditedBug:
    """A bug under audit; its texts are read once."""

    def __init__(self, bug: Bug) -> None:
        self.bug = bug

    @cached_property
    def fixed(self) -> Mapping[str, str | None]:
        """Return the files that the reference fix changes, as it leaves them."""
        return changed_files(self.bug.fix, self.bug)

    @cached_property
    def added(self) -> list[str]:
        """Return the lines that the fix adds, blanks folded."""
        return [folded(line) for path, new in self.fixed.items() for line in added_lines(self.files.get(path, ""), new or "")]

    @cached_property
    def removed(self) -> list[str]:
        """Return the lines that the fix takes out, blanks folded."""
        return [folded(line) for path, new in self.fixed.items() for line in added_lines(new or "", self.files.get(path, ""))]

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Return the text files of the buggy tree."""
        root = Path(self.bug.tree.source)
        found = {}
        for path in sorted(root.rglob("*")):
            if path.is_file() and not path.is_symlink():
                try:
                    found[path.relative_to(root).as_posix()] = path.read_bytes().decode()
                except UnicodeDecodeError:
                    continue
        return found

    @cached_property
    def tests(self) -> Mapping[str, str]:
        """Return those of its files that are tests."""
        return {path: self.files[path] for path in matching(self.files, self.bug.oracle.test.files)}

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield all files of the tree that a repairer may see, but those to fix, as text; what is compressed, unpacked."""
        root = Path(self.bug.tree.source)
        paths = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file()]
        hidden = {*matching(paths, self.bug.oracle.test.files), *self.fixed}
        for path in paths:
            if path not in hidden and not _UNSEEN.intersection(Path(path).parts[:-1]):
                yield path, unpacked((root / path).read_bytes())

    @cached_property
    def telling(self) -> list[str]:
        """Return added lines that tell the fix."""
        return telling_lines(self.added)

    @cached_property
    def _mark(self) -> str:
        return max(NAME.findall(" ".join(self.added)), key=len, default="")

    @cached_property
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the functions and parameters of the fixed files, and the names that only the fix has."""
        old = {name for path in self.fixed for name in NAME.findall(self.files.get(path, ""))}
        return frozenset(name for name in _defined(self) if NAME.fullmatch(name)), frozenset(
            NAME.findall(" ".join(self.added))
        ) - old

    def built(self, path: str, text: str) -> Level | None:
        """Return how bad it is if a file is compiled from the fixed files: it has names of the fix, or may have them."""
        if "\0" not in text:
            return None
        defined, new = self.names
        names = set(NAME.findall(text))
        if new & names and defined & names:
            return "fail"
        stem = re.split(r"[.$]", Path(path).name)[0].removeprefix("lib")
        return "warn" if defined & names and stem in {Path(path).stem.removeprefix("lib") for path in self.fixed} else None

    def has_fix(self, text: str) -> bool:
        """Return whether a text is a patch with the fix, or a copy of a file as the fix leaves it."""
        if self._mark not in text:
            return False
        lines = text.splitlines()
        signed = {line[0] + folded(line[1:]) for line in lines if line.startswith(("+", "-"))}
        for plus, minus in ("+-", "-+"):  # a patch that takes the fix back tells it, too
            wanted = {plus + line for line in self.added if line} | {minus + line for line in self.removed if line}
            if wanted and wanted <= signed:
                return True
        plain = {folded(line) for line in lines}
        for path, new in self.fixed.items():
            old, wanted = (
                {folded(line) for line in source.splitlines()} - {""} for source in (self.files.get(path, ""), new or "")
            )
            is_apart = wanted - old <= plain and not plain & (old - wanted)
            if wanted != old and is_apart and len(wanted & plain) >= _COPIED * len(wanted):
                return True
        return False


def _duplicates(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """Two bugs with the same code to fix and the same fix are one."""
    seen: dict[object, str] = {}
    words: dict[str, frozenset[str]] = {}
    for item in texts:
        syntax = language(item.bug.problem.language).syntax
        key = (syntax.normal_form(item.bug.problem.target.text), tuple(item.added))
        own = frozenset(NAME.findall(item.bug.problem.target.text + " ".join(item.added)))
        near = next((name for name, others in words.items() if own and len(own & others) >= _NEAR * len(own | others)), None)
        if key in seen:
            yield Finding(rule="duplicates", level="fail", bug_id=item.bug.id, evidence=f"the same code and fix as {seen[key]}")
        elif near:
            yield Finding(rule="duplicates", level="warn", bug_id=item.bug.id, evidence=f"nearly the same words as {near}")
        seen.setdefault(key, item.bug.id)
        words[item.bug.id] = own


def _told_by_issue(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """An issue that holds a line of the fix, the whole of it, or its commit tells it."""
    rule: Final = "issue tells the fix"
    for item in texts:
        text = f"{item.bug.problem.title}\n{item.bug.problem.description}"
        flat, commit = folded(text), (item.bug.origin.commit or "")[:_SHORTEST_COMMIT]
        told = [line for line in item.telling if line in flat]
        if told:
            yield Finding(rule=rule, level="fail", bug_id=item.bug.id, evidence=f"a line of the fix: {told[0]}")
        elif item.has_fix(text):
            yield Finding(rule=rule, level="fail", bug_id=item.bug.id, evidence="it holds the fix as a patch, or the fixed code")
        elif commit and commit in text:
            yield Finding(rule=rule, level="fail", bug_id=item.bug.id, evidence=f"it names the commit of the fix: {commit}")


def _told_by_tree(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """A file that repairers see and that holds the fix or most of it tells it, and so does a comment."""
    rule: Final = "tree tells the fix"
    for item in texts:
        found: list[tuple[Level, str]] = []
        for path, text in item.shown():
            if item.has_fix(text):
                found.append(("fail", f"{path} holds the fix; delete it or hide it with test.files"))
            elif len(item.telling) > 1 and all(line in folded(text) for line in item.telling):
                found.append(("warn", f"{path} holds every line that it adds"))
            elif level := item.built(path, text):
                found.append((level, f"{path} may be compiled from the fixed code; delete it"))
        syntax = language(item.bug.problem.language).syntax
        for path in item.fixed.keys() & item.files.keys():
            said, run = (folded(text) for text in (item.files[path], syntax.strip_comments(item.files[path])))
            if told := [line for line in item.telling if line in said and line not in run]:
                found.append(("fail", f"a comment in {path} holds a line of the fix: {told[0]}"))
        for level, evidence in sorted(found)[:1]:
            yield Finding(rule=rule, level=level, bug_id=item.bug.id, evidence=evidence)


def _historied(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """The history of a tree goes on to its fix."""
    for item in texts:
        root = Path(item.bug.tree.source)
        if found := sorted(path.relative_to(root).as_posix() for name in _HISTORY for path in root.rglob(name)):
            evidence = f"{found[0]} may hold the fix; delete it"
            yield Finding(rule="history in the tree", level="fail", bug_id=item.bug.id, evidence=evidence)


def _shown_tests(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """A repairer that sees a trigger test, or what a case expects, can write code for that alone."""
    for item in texts:
        oracle = item.bug.oracle
        tests = map(folded, texts_of_tests(oracle.trigger, item.tests) if oracle.trigger else ())
        kinds = (("a trigger test", tests), ("an expected output", (folded(case.expected) for case in oracle.cases)))
        wanted = [(kind, text) for kind, found in kinds for text in found if len(text) >= TELLING]
        flat = ((path, folded(text)) for path, text in (item.shown() if wanted else ()))
        found = ((path, kind) for path, text in flat for kind, test in wanted if test in text)
        for path, kind in islice(found, 1):
            yield Finding(rule="tests shown", level="fail", bug_id=item.bug.id, evidence=f"{path} holds {kind}")


def _loose(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """What the fix changes candidates may change, too, even what decides how tests run; its changes of tests are left out."""
    for item in texts:
        paths = {edit.path for edit in item.bug.oracle.reference}
        free = dataclasses.replace(item.bug, oracle=dataclasses.replace(item.bug.oracle, reference=()))
        told = [(path, "candidates may change this, which decides how tests run") for path in protected(sorted(paths), free)]
        told += [
            (path, "this belongs to the tests, so the change is ignored")
            for path in matching(sorted(paths), free.oracle.test.files)
        ]
        for path, evidence in told[:1]:
            yield Finding(rule="fix changes tests", level="warn", bug_id=item.bug.id, evidence=f"{path}: {evidence}")


def _narrow(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """A test that names what only the fix defines asks for that fix, not for a fix."""
    for item in texts:
        new = set(NAME.findall(" ".join(item.added)))
        sources = {path: text for path, text in item.files.items() if path not in item.tests}
        known = {name for text in sources.values() for name in NAME.findall(text)}
        said = set(NAME.findall(f"{item.bug.problem.title} {item.bug.problem.description}"))
        defined = _defined(item) & new
        asked = sorted(
            name for name in defined - known - said if any(re.search(rf"\b{name}\b", text) for text in item.tests.values())
        )
        if asked:
            names = ", ".join(asked[:5])
            yield Finding(
                rule="tests too narrow",
                level="fail",
                bug_id=item.bug.id,
                evidence=f"tests name {names}, which only the fix defines",
            )


def _wide(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """A trigger test that uses a member or a class, or quotes a text, which only the fix has, tests more than the issue says."""
    for item in texts:
        trigger = texts_of_tests(item.bug.oracle.trigger, item.tests)
        seen = "\n".join((item.bug.problem.title, item.bug.problem.description, *_without(item.files.values(), trigger)))
        new = (set(NAME.findall(" ".join(item.added))) & _names(item)) - set(NAME.findall(seen)) - _defined(item)
        names = sorted(name for name in new if any(re.search(_USED.format(name=name), text) for text in trigger))
        texts_of_fix = (text for line in item.added for text in _QUOTED.findall(line))
        quoted = dict.fromkeys(said for said in texts_of_fix if said not in seen and any(said in text for text in trigger))
        if names or quoted:
            told = ", ".join([*names[:5], *(f"“{text}”" for text in list(quoted)[:2])])
            evidence = f"trigger tests use {told}, which only the fix has and the issue does not name"
            yield Finding(rule="tests too wide", level="warn", bug_id=item.bug.id, evidence=evidence)


def _without(files: Iterable[str], parts: Sequence[str]) -> Iterator[str]:
    for text in files:
        for part in parts:
            text = text.replace(part, "")  # noqa: PLW2901
        yield text


def _names(item: AuditedBug) -> set[str]:
    """Return the names in the code of the fixed files: comments and texts are none."""
    syntax = language(item.bug.problem.language).syntax
    return {token.text for text in item.fixed.values() if text for token in syntax.tokens(text) if token.kind == "name"}


def _defined(item: AuditedBug) -> set[str]:
    """Return the functions and the names in the heads of functions that the fixed files have."""
    syntax = language(item.bug.problem.language).syntax
    functions = [function for text in item.fixed.values() if text for function in syntax.functions(text)]
    return {name for function in functions for name in (function.name, *NAME.findall(" ".join(function.parameters)))}


def _unissued(texts: Sequence[AuditedBug]) -> Iterator[Finding]:
    """Without a description only the hidden tests say what is wrong."""
    for item in texts:
        if not item.bug.problem.description.strip():
            yield Finding(
                rule="no description", level="warn", bug_id=item.bug.id, evidence=f"only a title: {item.bug.problem.title}"
            )


RULES: Mapping[str, tuple[str, Callable[[Sequence[AuditedBug]], Iterator[Finding]]]] = {
    "duplicates": ("no two bugs are the same", _duplicates),
    "issue tells the fix": ("no issue holds a line of the fix", _told_by_issue),
    "tree tells the fix": ("no file or comment that repairers see holds the fix", _told_by_tree),
    "history in the tree": ("no tree holds its version control", _historied),
    "tests shown": ("repairers see no trigger test and no expected output", _shown_tests),
    "fix changes tests": ("no fix changes tests, or how they are run", _loose),
    "tests too narrow": ("tests name nothing that only the fix defines", _narrow),
    "tests too wide": ("trigger tests use nothing that only the fix has and the issue does not name", _wide),
    "no description": ("every bug has a description", _unissued),
}
