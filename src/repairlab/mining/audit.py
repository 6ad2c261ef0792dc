"""Look for what makes a benchmark mislead: duplicates, told fixes, tests that ask for more than the issue says. It reads alone.

Called by the verb `audit`. A rule takes all bugs and yields findings; SWE-bench Verified's reasons to drop one are the model.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from repairlab.benchmarks.health import HealthCard
from repairlab.benchmarks.pair_sets.contamination import texts_of
from repairlab.benchmarks.pairs import read_head, read_pairs
from repairlab.core.bug import Bug
from repairlab.core.diff import added_lines
from repairlab.core.glob import matching
from repairlab.core.record import record
from repairlab.languages.table import language
from repairlab.mining.coverage import FixCoverage
from repairlab.mining.telling import NAME, TELLING, folded, telling_lines
from repairlab.mining.trigger_tests import texts_of_tests
from repairlab.validation.apply import changed_files

Level = Literal["warn", "fail"]
_NEAR = 0.9
"""Share of common words from which two bugs are nearly the same."""
_SLOW_SHARE = 0.5
"""Of the time limit, which the reference fix should stay below on a slower machine, too."""

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


@record
class Audited:
    """One rule, and what it found in a benchmark."""

    rule: str
    about: str
    findings: tuple[Finding, ...]
    skipped: str = ""
    """Why it was not tried."""

    @property
    def level(self) -> str:
        """Return the worst of its findings, or pass."""
        if self.skipped:
            return "not tried"
        return max((finding.level for finding in self.findings), key=["warn", "fail"].index, default="pass")


class _Texts:
    """The texts of one bug, read once."""

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

    @property
    def telling(self) -> list[str]:
        """Return added lines that tell the fix."""
        return telling_lines(self.added)


def audit(
    bugs: Sequence[Bug], *, card: HealthCard | None, pairs: Sequence[Path], coverage: Sequence[FixCoverage] | None = None
) -> Iterator[Audited]:
    """Try every rule on a benchmark; what the trigger tests cover must be measured before."""
    texts = [_Texts(bug) for bug in bugs]
    for rule, (about, look) in _RULES.items():
        yield Audited(rule=rule, about=about, findings=tuple(look(texts)))
    yield _health(bugs, card)
    yield _trained(texts, pairs)
    yield _covered(coverage)


def _covered(coverage: Sequence[FixCoverage] | None) -> Audited:
    """A place of the fix at which no trigger test comes by may be anything."""
    rule, about = "fix not covered", "trigger tests run every place that the fix changes"
    if coverage is None:
        return Audited(rule=rule, about=about, findings=(), skipped="it runs the tests; ask for it with --coverage")
    findings = []
    for item in coverage:
        missed = [f"{place.path}:{place.line}" for place in item.places if not place.covered]
        if item.skipped:
            findings.append(Finding(rule=rule, level="warn", bug_id=item.bug_id, evidence=f"not measured: {item.skipped}"))
        elif missed:
            level: Level = "fail" if len(missed) == len(item.places) else "warn"
            evidence = f"{len(missed)} of {len(item.places)} places are run by no trigger test: {', '.join(missed[:5])}"
            findings.append(Finding(rule=rule, level=level, bug_id=item.bug_id, evidence=evidence))
    return Audited(rule=rule, about=about, findings=tuple(findings))


def _duplicates(texts: Sequence[_Texts]) -> Iterator[Finding]:
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


def _told_by_issue(texts: Sequence[_Texts]) -> Iterator[Finding]:
    """An issue that holds a line of the fix tells it."""
    for item in texts:
        flat = folded(f"{item.bug.problem.title}\n{item.bug.problem.description}")
        told = [line for line in item.telling if line in flat]
        if told:
            yield Finding(rule="issue tells the fix", level="fail", bug_id=item.bug.id, evidence=f"a line of the fix: {told[0]}")


def _told_by_tree(texts: Sequence[_Texts]) -> Iterator[Finding]:
    """A file that repairers see and that holds most of the fix tells it."""
    for item in texts:
        telling = item.telling
        if len(telling) < 2:
            continue
        for path, text in item.files.items():
            if path in item.tests or path in item.fixed:
                continue
            flat = folded(text)
            if all(line in flat for line in telling):
                yield Finding(
                    rule="tree tells the fix", level="warn", bug_id=item.bug.id, evidence=f"{path} holds every line that it adds"
                )
                break


def _narrow(texts: Sequence[_Texts]) -> Iterator[Finding]:
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


def _wide(texts: Sequence[_Texts]) -> Iterator[Finding]:
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


def _names(item: _Texts) -> set[str]:
    """Return the names in the code of the fixed files: comments and texts are none."""
    syntax = language(item.bug.problem.language).syntax
    return {token.text for text in item.fixed.values() if text for token in syntax.tokens(text) if token.kind == "name"}


def _defined(item: _Texts) -> set[str]:
    """Return the functions and the names in the heads of functions that the fixed files have."""
    syntax = language(item.bug.problem.language).syntax
    functions = [function for text in item.fixed.values() if text for function in syntax.functions(text)]
    return {name for function in functions for name in (function.name, *NAME.findall(" ".join(function.parameters)))}


def _unissued(texts: Sequence[_Texts]) -> Iterator[Finding]:
    """Without a description nobody can know what is wrong but by the tests, which are hidden."""
    for item in texts:
        if not item.bug.problem.description.strip():
            yield Finding(
                rule="no description", level="warn", bug_id=item.bug.id, evidence=f"only a title: {item.bug.problem.title}"
            )


def _unlicensed(texts: Sequence[_Texts]) -> Iterator[Finding]:
    """A bug of somebody's repository has somebody's licence."""
    for item in texts:
        if item.bug.origin.repository and not item.bug.origin.licence:
            yield Finding(rule="licence unknown", level="warn", bug_id=item.bug.id, evidence=f"from {item.bug.origin.repository}")


_RULES: Mapping[str, tuple[str, Callable[[Sequence[_Texts]], Iterator[Finding]]]] = {
    "duplicates": ("no two bugs are the same", _duplicates),
    "issue tells the fix": ("no issue holds a line of the fix", _told_by_issue),
    "tree tells the fix": ("no file that repairers see holds the fix", _told_by_tree),
    "tests too narrow": ("tests name nothing that only the fix defines", _narrow),
    "tests too wide": ("trigger tests use nothing that only the fix has and the issue does not name", _wide),
    "no description": ("every bug has a description", _unissued),
    "licence unknown": ("every bug from a repository has its licence", _unlicensed),
}


def _health(bugs: Sequence[Bug], card: HealthCard | None) -> Audited:
    """Take what a check found: flaky tests, failing trees, tests near their limits."""
    about = "checked bugs are healthy, steady and far from their limits"
    if card is None:
        return Audited(
            rule="health", about=about, findings=(), skipped="there is no health card; make one with: repairlab check BENCH"
        )
    known = {health.bug_id: health for health in card.bugs}
    findings = []
    for bug in bugs:
        health = known.get(bug.id)
        told: list[tuple[Level, str]] = []
        if health is None:
            told.append(("warn", "not checked"))
        else:
            told += [("fail", problem) for problem in health.problems]
            told += [("warn", f"flaky: {test}") for test in health.flaky]
            if health.limit_share > _SLOW_SHARE:
                told.append(("warn", f"its slowest test takes {100 * health.limit_share:.0f} % of the time limit"))
        findings += [Finding(rule="health", level=level, bug_id=bug.id, evidence=text) for level, text in told]
    return Audited(rule="health", about=about, findings=tuple(findings))


def _trained(texts: Sequence[_Texts], folders: Sequence[Path]) -> Audited:
    """Look for code of the bugs in sets of pairs that models are trained on."""
    about = "no code to fix or fixed code is in a set of pairs"
    if not folders:
        return Audited(rule="in training pairs", about=about, findings=(), skipped="no set of pairs was given with --pairs")
    wanted: dict[str, set[str]] = defaultdict(set)
    for item in texts:
        for _, code in texts_of(item.bug):
            if len(code) >= TELLING:
                wanted["".join(code.split())].add(item.bug.id)
    findings = []
    for folder in folders:
        facts, splits = read_head(folder)
        for split in splits:
            for pair in read_pairs(folder, split):
                for code in (pair.buggy, pair.fixed):
                    for bug_id in sorted(wanted.get("".join(code.split()), ())):
                        evidence = f"pair {pair.id} of {facts.name}, {split}, has the same code"
                        findings.append(Finding(rule="in training pairs", level="fail", bug_id=bug_id, evidence=evidence))
    return Audited(rule="in training pairs", about=about, findings=tuple(findings))
