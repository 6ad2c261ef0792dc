"""Blind tests: a pass counts if the candidate gives the same answers to tests that do not hold what they expect.

A twin of the bug's tree gets test files that only say what their assertions look at. These are proved before use: the reference fix
must say the same twice, and what the tests expect; the buggy program must say something else in each trigger test. A test that
fails this proof is `open`.
"""

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest, record
from repairlab.languages.blind import BlindCheck, BlindFile, Blinding, OpaqueBlinding
from repairlab.languages.language import default_cache, language
from repairlab.languages.reports import new_nonce
from repairlab.validation.apply import changed_files, lay_out_twin
from repairlab.validation.blind_checks import END, NO_END, Said, by_test, difference, is_telling
from repairlab.validation.blind_sources import NEEDS_DATA, NO_DATA, data_files, reason_for, told_elsewhere
from repairlab.validation.cache import engine_digest, keep_record, kept_record
from repairlab.validation.engines import Engines, TwinOf
from repairlab.validation.test_mutants import language_of_test, test_texts
from repairlab.validation.tree_tester import Judgement

NO_BLIND_FILE = "it is in no file that could be made blind"
_AGAIN = 3
"""How often the tests of a candidate run again before it is said to read them."""
_UNSTABLE = "the reference fix does not say the same each time"


@record
class BlindPlan:
    """The blind test files of a bug and their expected results."""

    nonce: str
    texts: dict[str, str]
    checks: dict[str, BlindCheck]
    tests: dict[str, str]
    """The blind tests, with their names in the blind files."""
    open: dict[str, str]
    """The other tests, with the reasons."""
    due: dict[str, dict[str, tuple[str, ...]]]
    """What the reference fix says."""
    data: tuple[str, ...] = ()
    """The data files of the tests; their contents are removed."""
    with_data: tuple[str, ...] = ()
    """Tests that run with these contents anyway: what they expect is in the tests themselves."""


@record
class BlindRun:
    """The result of one candidate's blind tests."""

    said: Said
    failed: dict[str, str]
    """Tests that did not pass, by their names in blind files, and why."""
    sure: bool
    """Whether all tests ran to their end."""


@record
class BlindFinding:
    """What blind tests showed about a candidate that passed all tests."""

    problem: str = ""
    """What the candidate did; empty if nothing."""
    unclear: tuple[str, ...] = ()
    """Tests that it answers with objects that define their own equality, which nothing outside can compare."""


class BlindTests:
    """The blind tests of one bug: proved when a candidate first passes its tests, and kept for later ones."""

    def __init__(self, engines: Engines, folder: Callable[[], Path]) -> None:
        """Take the engines of the bug, and what makes an empty folder for a tree."""
        self._above, self._bug, self._folder = engines, engines.bug, folder
        self._plan: BlindPlan | None = None
        self._twins: dict[str, tuple[Engines, ExitStack]] = {}

    def close(self) -> None:
        """Close the engines of the twins."""
        for name in list(self._twins):
            self._twins.pop(name)[1].close()

    def plan(self) -> BlindPlan:
        """Return which tests are blind; found once and kept on this machine."""
        if self._plan is None:
            self._plan = kept_record(_place(self._bug), BlindPlan) or self._proved()
        return self._plan

    def examine(self, candidate: Candidate) -> BlindFinding:
        """Name a test that a passing candidate fails once its expectations are withheld, and tests that cannot tell."""
        plan = self.plan()
        found, is_sure = self._found(plan, candidate) if plan.tests else (BlindFinding(), True)
        found = found if is_sure else self._found(plan, candidate)[0]
        return dataclasses.replace(found, problem=self._by_chance(candidate) or found.problem) if found.problem else found

    def _by_chance(self, candidate: Candidate) -> str:
        """Report a candidate that fails its own tests when they run again: it did not read them."""
        changed = changed_files(candidate, self._bug)
        for number in range(_AGAIN):
            again = self._above.judge(changed, "full")
            if again.verdict is not Verdict.PLAUSIBLE:
                return f"passes by luck: failed 1 of {number + 2} runs, by chance: {again.message}"
        return ""

    def _found(self, plan: BlindPlan, candidate: Candidate) -> tuple[BlindFinding, bool]:
        """Return what was found, and whether once is enough: a test that does not end may be the machine's fault."""
        run = self._run(plan, candidate)
        failed, unclear = "", list[str]()
        for test, name in plan.tests.items():
            told = f"tampering: {test} fails once its expected values are withheld"
            for own in plan.due:
                given = (run.said.get(own, {}), plan.due[own], plan.checks)
                differs = difference(*given) if is_named(name, own) else None
                if differs and difference(*given, but_objects=True) is None:
                    unclear.append(test)
                elif differs and differs != NO_END:
                    return BlindFinding(problem=f"{told}: {differs}"), True
                else:
                    failed = failed or (f"{told}: {differs}" if differs else "")
            failed = f"{told}: {run.failed[name]}" if name in run.failed and not failed else failed
        return BlindFinding(problem=failed, unclear=tuple(dict.fromkeys(unclear))), not failed

    def _run(self, plan: BlindPlan, candidate: Candidate) -> BlindRun:
        """Return what a candidate's blind tests say; HarnessError if that cannot be found out."""
        whole = {name for test, name in plan.tests.items() if test in plan.with_data or not plan.data}
        named = dict.fromkeys(plan.tests.values())
        runs = [self._run_one(plan, plan.texts, tuple(name for name in named if name in whole), candidate)] if whole else []
        if rest := tuple(name for name in named if name not in whole):
            runs.append(self._run_one(plan, {**plan.texts, **dict.fromkeys(plan.data, NO_DATA)}, rest, candidate))
        said = {name: own for run in runs for name, own in run.said.items()}
        return BlindRun(
            said=said, failed={test: why for run in runs for test, why in run.failed.items()}, sure=all(run.sure for run in runs)
        )

    def _run_one(self, plan: BlindPlan, texts: Mapping[str, str], names: tuple[str, ...], candidate: Candidate) -> BlindRun:
        key = digest(dict(texts), names)
        if key not in self._twins:
            if len(self._twins) > 1:  # one with the contents of data files, and one without
                self.close()
            with ExitStack() as stack:
                oracle = dataclasses.replace(self._bug.oracle, trigger=names, regression=())
                twin = lay_out_twin(dataclasses.replace(self._bug, oracle=oracle), texts, self._folder())
                engines = Engines(twin, self._above.sandbox, warm=self._above.shares, twin=TwinOf(engines=self._above, texts=texts))
                self._twins[key] = (stack.enter_context(engines), stack.pop_all())
        twins, changed = self._twins[key][0], changed_files(candidate, self._bug)
        try:
            judgement = twins.judge(changed, "full")
        except HarnessError:
            judgement = twins.judge_fresh(changed, "full")
        return self._heard(plan, judgement, names)

    def _heard(self, plan: BlindPlan, judgement: Judgement, names: Sequence[str]) -> BlindRun:
        passed = {test.id for test in judgement.log.tests if test.passed}
        why = {test.id: f"{test.verdict} {test.message}".strip() for test in judgement.log.tests}
        failed = {name: why.get(name, f"{judgement.verdict} {judgement.message}") for name in names if name not in passed}
        blinding = _blinding(self._bug)
        outputs = (b"\n".join((seen.report, seen.stdout, seen.stderr)) for seen in judgement.log.outputs)
        said = [item for output in outputs for item in blinding.said(plan.nonce, output.decode("utf-8", "replace"))]
        return BlindRun(said=by_test(said), failed=failed, sure=judgement.verdict is not Verdict.UNCOMPILABLE)

    def _proved(self) -> BlindPlan:
        """Make blind test files and find out which tests are reliable."""
        plan = draft(self._bug)
        if plan.tests and isinstance(_blinding(self._bug), OpaqueBlinding):
            opaque = _opaque_texts(plan, self._run(plan, self._bug.fix).said)
            plan = draft(self._bug, opaque) if opaque else plan
        for _ in range(2 if plan.tests else 0):
            run = self._run(plan, self._bug.fix)
            if not plan.due:
                plan = dataclasses.replace(plan, due={name: dict(own) for name, own in run.said.items()})
            plan = _without(plan, {test: _unproved(plan, run, name) for test, name in plan.tests.items()})
        if data := data_files(self._bug):
            plan = self._without_data(dataclasses.replace(plan, data=tuple(data)))
        if any(test in plan.tests for test in self._bug.oracle.trigger):
            run = self._run(plan, self._bug.unpatched)
            same = {name for name in plan.tests.values() if name not in run.failed and not _differs(plan, run, name)}
            trigger = {test: plan.tests[test] for test in self._bug.oracle.trigger if test in plan.tests}
            why = "the buggy program says the same as the reference fix"
            plan = _without(plan, {test: why for test, name in trigger.items() if name in same})
        keep_record(_place(self._bug), plan)
        return plan

    def _without_data(self, plan: BlindPlan) -> BlindPlan:
        """Remove the contents of data files, and leave tests open that expect something of them."""
        run = self._run(plan, self._bug.fix)
        needing = {test: name for test, name in plan.tests.items() if name in run.failed or not _says_as_often(plan, run, name)}
        inputs = tuple(test for test, name in needing.items() if _expects_by_itself(plan, name))
        unclear = {test: test for test in self._bug.oracle.trigger if test in plan.open}
        as_it_is = dataclasses.replace(plan, texts={}, tests=unclear, checks={}, due={})
        in_reach = {*needing, *self._run(as_it_is, self._bug.fix).failed} - {*inputs}
        return _without(dataclasses.replace(plan, with_data=inputs), dict.fromkeys(in_reach, NEEDS_DATA))


def _opaque_texts(plan: BlindPlan, said: Said) -> frozenset[str]:
    """Return the assertions on something that cannot be taken apart."""
    found = {number for own in said.values() for number, values in own.items() if number in plan.checks for value in values
             if not is_telling(plan.checks[number], value)}  # fmt: skip
    return frozenset(plan.checks[number].text for number in found)


def _unproved(plan: BlindPlan, run: BlindRun, name: str) -> str:
    """Return why a test is unreliable; empty if it is reliable."""
    if name in run.failed:
        return f"the reference fix fails without what is expected: {run.failed[name]}"
    own = [said for said in plan.due if is_named(name, said)]
    if not own:
        return NO_BLIND_FILE
    for said in own:
        numbers = plan.due[said].keys() - {END}
        if not numbers:
            return "it asserts nothing that can be said"
        for number, values in plan.due[said].items():
            check = plan.checks.get(number)
            if number != END and not (check and all(is_telling(check, value) for value in values)):
                return f"what it looks at cannot be taken apart: {check.text if check else number}"
    return _UNSTABLE if _differs(plan, run, name) else ""


def _differs(plan: BlindPlan, run: BlindRun, name: str) -> bool:
    own = [said for said in plan.due if is_named(name, said)]
    return any(difference(run.said.get(said, {}), plan.due[said], plan.checks) for said in own)


def _says_as_often(plan: BlindPlan, run: BlindRun, name: str) -> bool:
    own = [said for said in plan.due if is_named(name, said)]
    counts = [
        {number: len(values) for number, values in source.items()}
        for said in own
        for source in (run.said.get(said, {}), plan.due[said])
    ]
    return counts[::2] == counts[1::2] and not _differs(plan, run, name)


def _expects_by_itself(plan: BlindPlan, name: str) -> bool:
    """Return whether a test itself tells what it expects: plain values, and no comparison with anything else."""
    own = [plan.checks[number] for said in plan.due if is_named(name, said) for number in plan.due[said] if number != END]
    return all(check.expected and not check.expected.startswith('["b"') and not check.of_two for check in own)


def _without(plan: BlindPlan, reasons: Mapping[str, str]) -> BlindPlan:
    """Return a plan in which tests with a reason are open."""
    found = {test: why for test, why in reasons.items() if why}
    tests = {test: name for test, name in plan.tests.items() if test not in found}
    return dataclasses.replace(plan, tests=tests, open={**plan.open, **found})


def draft(bug: Bug, opaque: Collection[str] = ()) -> BlindPlan:
    """Return untried blind test files; on a second try it is known what cannot be taken apart."""
    tests = tuple(dict.fromkeys((*bug.oracle.trigger, *bug.oracle.regression)))
    nonce, files, checks = new_nonce(), dict[str, BlindFile](), dict[str, BlindCheck]()
    for path, text in test_texts(bug):
        kind = language_of_test(bug, path)
        made = language(kind) if kind else None
        if not isinstance(made, Blinding):
            continue
        given = (text, bug.oracle.test.framework, nonce, len(checks))
        file = made.blind_opaque(*given, opaque) if opaque and isinstance(made, OpaqueBlinding) else made.blind(*given)
        checks.update({str(check.number): check for check in file.checks})
        files[path] = file
    names = {
        test: next((_renamed(test, file.names) for file in files.values() if _renamed(test, file.names)), test) for test in tests
    }
    reasons = {
        test: next((why for file in files.values() for own, why in file.open.items() if is_part_of(test, own)), "")
        for test in tests
    }
    elsewhere = told_elsewhere(dict(test_texts(bug)), files)
    reasons = {test: reasons[test] or reason_for(test, elsewhere, files) for test in tests}
    for path, file in files.items():
        others = [text for other, text in test_texts(bug) if other != path]
        for name, why in file.shared.items():
            if any(re.search(rf"\b{re.escape(name)}\b", text) for text in others):
                reasons = {test: reasons[test] or why for test in tests}
    plan = BlindPlan(
        nonce=nonce, texts={path: file.text for path, file in files.items()}, checks=checks, tests=names, open={}, due={}
    )
    return _without(plan, reasons if files else dict.fromkeys(tests, "tests of this language cannot be blind"))


def _renamed(test: str, names: Mapping[str, str]) -> str:
    """Return a test's name in a blind file, if it differs there."""
    return next((test.removesuffix(old) + new for old, new in names.items() if test.endswith(f":{old}")), "")


def is_named(test: str, name: str) -> bool:
    """Return whether a test is named after a function, or one of its rows is.

    >>> [is_named(test, "test_a") for test in ("a.py::test_a", "a.py::A::test_a[1-2]", "m.A.test_a", "test_a.py::test_b")]
    [True, True, True, False]
    """
    return re.search(rf"(?:^|\W){re.escape(name)}$", re.sub(r"\[.*\]$", "", test, flags=re.DOTALL)) is not None


def is_part_of(test: str, name: str) -> bool:
    """Return whether a test is named after a function, or is a subtest of one that is.

    >>> [is_part_of(test, "TestA") for test in ("p::TestA", "p::TestA/one/two", "p::TestB/TestA", "TestA/x.go::TestB")]
    [True, True, False, False]
    """
    return is_named(re.sub(r"(::[^/]*)/.*", r"\1", test, flags=re.DOTALL), name)


def _blinding(bug: Bug) -> Blinding:
    made = language(bug.problem.language)
    if not isinstance(made, Blinding):
        raise HarnessError(f"tests of {bug.problem.language} cannot be blind")
    return made


def _place(bug: Bug) -> Path:
    """Return where the plan of a bug is kept; plans of another engine version are not used."""
    return default_cache() / "blind-tests" / f"{digest(bug.digest, engine_digest())}.json"
