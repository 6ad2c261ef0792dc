"""Audit a benchmark for duplicates, leaked fixes and weak tests, from its texts and earlier records. Nothing is run."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.benchmarks.health import HealthCard
from repairlab.building.coverage import FixCoverage
from repairlab.building.leak import TELLING
from repairlab.building.text_rules import RULES, AuditedBug, Finding, Level
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.learning.pairs.contamination import texts_of
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from repairlab.runs.store import Store
from repairlab.study.assessment.evidence import evidence_of
from repairlab.study.assessment.labels import read_labels
from repairlab.study.assessment.store import FILE, open_assessment

_SLOW_SHARE = 0.5
"""Share of the time limit that the reference fix should stay below, for slower machines."""

_UNKNOWN = re.compile(r"\bunknown\b", re.IGNORECASE)


@record
class Audited:
    """One rule and what it found in a benchmark."""

    rule: str
    about: str
    findings: tuple[Finding, ...]
    skipped: str = ""
    """Why the rule was not tried."""

    @property
    def level(self) -> str:
        """Return the worst of its findings, or pass."""
        if self.skipped:
            return "not tried"
        return max((finding.level for finding in self.findings), key=["warn", "fail"].index, default="pass")


def audit(
    benchmark: Benchmark, *, card: HealthCard | None, pairs: Sequence[Path], coverage: Sequence[FixCoverage] | None = None
) -> Iterator[Audited]:
    """Try every rule on a benchmark; measure what its trigger tests cover first."""
    bugs = tuple(benchmark)
    texts = [AuditedBug(bug) for bug in bugs]
    for rule, (about, look) in RULES.items():
        yield Audited(rule=rule, about=about, findings=tuple(look(texts)))
    yield _unlicensed(bugs, benchmark.licence)
    yield _health(bugs, card)
    yield _trained(texts, pairs)
    yield _covered(coverage)


def _covered(coverage: Sequence[FixCoverage] | None) -> Audited:
    """A place of the fix that no trigger test runs could hold anything."""
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


def _unlicensed(bugs: Sequence[Bug], licence: str) -> Audited:
    """A bug from a repository carries that repository's licence; any other has the licence of its benchmark."""
    findings = []
    for bug in bugs:
        place = bug.origin.repository or bug.origin.commit or bug.origin.issue
        stated = bug.origin.licence or ("" if place else licence)
        if not stated or _UNKNOWN.search(stated):
            evidence = f"no licence is stated for {place}" if place else f"the benchmark's is {licence!r}"
            findings.append(Finding(rule="licence unknown", level="warn", bug_id=bug.id, evidence=evidence))
    return Audited(rule="licence unknown", about="the licence of every bug is known", findings=tuple(findings))


def _health(bugs: Sequence[Bug], card: HealthCard | None) -> Audited:
    """Take over what a check found: flaky tests, failing trees, tests near their limits."""
    about = "checked bugs are healthy, steady and far from their limits"
    if card is None:
        return Audited(rule="health", about=about, findings=(), skipped="there is no health card")
    known = {health.bug_id: health for health in card.bugs}
    findings = []
    for bug in bugs:
        health = known.get(bug.id)
        told: list[tuple[Level, str]] = []
        if health is None:
            told.append(("warn", "not checked"))
        else:
            if health.digest and health.digest != bug.digest:
                told.append(("warn", "changed since it was checked"))
            told += [("fail", problem) for problem in health.problems]
            told += [("warn", f"flaky: {test}") for test in health.flaky]
            if health.limit_share > _SLOW_SHARE:
                told.append(("warn", f"its slowest test takes {100 * health.limit_share:.0f} % of the time limit"))
        findings += [Finding(rule="health", level=level, bug_id=bug.id, evidence=text) for level, text in told]
    return Audited(rule="health", about=about, findings=tuple(findings))


def _trained(texts: Sequence[AuditedBug], folders: Sequence[Path]) -> Audited:
    """Look for code of the bugs in the sets of pairs that models are trained on."""
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


_WEAK, _WEAK_ABOUT = "tests too weak", "no plausible candidate of the runs is wrong"


def audit_runs(folders: list[Path], benchmark: str) -> Audited:
    """Report bugs whose plausible candidates were called overfitting (fail) or differ from the fix somewhere (warn)."""
    if not folders:
        return Audited(rule=_WEAK, about=_WEAK_ABOUT, findings=(), skipped="no assessed run was given with --run")
    return Audited(rule=_WEAK, about=_WEAK_ABOUT, findings=tuple(item for folder in folders for item in _of_run(folder, benchmark)))


def _of_run(folder: Path, benchmark: str) -> Iterator[Finding]:
    manifest = Store(folder).manifest()
    if manifest.benchmark_name != benchmark:
        raise UserError(f"{folder} is a run on {manifest.benchmark_name}, not on {benchmark}")
    labels = read_labels(folder)
    if labels is None or not (folder / FILE).is_file():
        raise UserError(f"{folder} was not assessed; do so with: repairlab assess {folder}")
    with open_assessment(folder) as store:
        bugs = {task.id: task.bug_id for task in store.tasks()}
        known = evidence_of(store)
    plausible = Counter(bugs.values())
    wrong = Counter(bugs[label.task] for label in labels.labels if label.label == "overfitting")
    called_correct = {label.task for label in labels.labels if label.label == "correct"}
    doubtful = Counter(bugs[task] for task, found in known.items() if found.speaks_against and task not in called_correct)
    for bug, n in plausible.items():
        if wrong[bug]:
            evidence = f"{wrong[bug]} of {n} plausible candidates in {folder} are overfitting"
            yield Finding(rule=_WEAK, level="fail", bug_id=bug, evidence=evidence)
        elif doubtful[bug]:
            evidence = f"{doubtful[bug]} of {n} plausible candidates in {folder} differ from the fix, or fail held-out tests"
            yield Finding(rule=_WEAK, level="warn", bug_id=bug, evidence=evidence)
