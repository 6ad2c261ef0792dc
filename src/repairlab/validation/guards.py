"""Whether a pass may be believed: the checks between a candidate that passes its tests and the verdict PLAUSIBLE."""

import dataclasses
from collections.abc import Callable, Mapping, Set
from contextlib import AbstractContextManager, suppress
from pathlib import Path, PurePath

from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.sandbox.sandbox import ChangingRunner, Sealing
from repairlab.validation.apply import changed_files
from repairlab.validation.blind_sources import IN_REACH
from repairlab.validation.blind_tests import BlindFinding, BlindTests
from repairlab.validation.counter_tests import CounterTests, Examination, Validating
from repairlab.validation.engines import Engines, outcome_of
from repairlab.validation.luck import Luck
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.worktree import temporary_folder

MOST_SEALED = 50
"""How many files and folders are sealed one by one."""
OWN_EQUALITY = "it answers with objects that define when they are equal, and nothing outside can compare them"


class PassGuard:
    """Examines passes of candidates of one bug."""

    def __init__(
        self,
        engines: Engines,
        open_twin: Callable[[Bug, Mapping[str, str]], AbstractContextManager[Validating]],
        *,
        blind: bool = True,
    ) -> None:
        """Take the engines of the bug, what opens a validator for a twin with these test files, and whether to use blind tests."""
        self._is_blind = blind
        self.engines, self._bug, self._open_twin = engines, engines.bug, open_twin
        self._counter_tests: dict[tuple[str, ...], CounterTests] = {}
        self._blind_tests: BlindTests | None = None
        self._allowed: Set[str] | None = None
        self.luck = Luck(engines)
        self._accepted: dict[str, bool] = {}
        """Whether the checker program accepts the output of the reference fix, by case; filled on demand."""

    def examine(
        self, candidate: Candidate, changed: Mapping[str, str | None], policy: Policy, confirm: int, seen: Set[str]
    ) -> Examination:
        """Examine a candidate whose tests pass, with its changes and what its tests were seen to change."""
        oracle = self._bug.oracle
        is_reference = candidate.edits == oracle.reference
        with STOPWATCH.phase("confirm"):
            # The output of cases is compared outside the sandbox: there is nothing to forge or to read.
            found = Examination(strength="blind")
            if oracle.trigger or oracle.regression:
                problem = "" if is_reference else self._dependence(changed, policy, confirm, seen)
                found = Examination(problem=problem) if problem else self._withheld(candidate, is_reference=is_reference)
            if found.problem or is_reference:
                return found
            return dataclasses.replace(found, problem=self.luck.problem(changed))

    def _withheld(self, candidate: Candidate, *, is_reference: bool) -> Examination:
        """Examine a candidate by blind tests, and by counter-tests where tests are not blind."""
        note, oracle, in_reach = "", self._bug.oracle, ""
        unclear: tuple[str, ...] = ()
        if self._is_blind:
            plan = self.blind_tests.plan()
            blind = BlindFinding() if is_reference else self.blind_tests.examine(candidate)
            unclear = blind.unclear
            n_blind = len(plan.tests) - len(unclear)
            note = f"{n_blind} of {count(len({*oracle.trigger, *oracle.regression}), 'test')} blind"
            if blind.problem or not (plan.open or unclear):
                return Examination(problem=blind.problem, note=note, strength="blind")
            in_reach = next((why for why in map(plan.open.get, oracle.trigger) if why and why.startswith(IN_REACH)), "")
            in_reach = OWN_EQUALITY if unclear else in_reach
        if is_reference:
            found = Examination(note="the reference fix, by which counter-tests are chosen", strength=self.counter_tests().strength)
        else:
            found = self.counter_tests(unclear).examine(candidate)
        strength = "unchecked" if in_reach else found.strength
        return dataclasses.replace(found, strength=strength, note="; ".join(filter(None, (note, in_reach, found.note))))

    def require_checker(self, failures: Mapping[str, str]) -> None:
        """Raise a HarnessError if the checker program failed in a case for which it also rejects the reference output."""
        if new := failures.keys() - self._accepted.keys():
            unknown = tuple(case for case in self._bug.oracle.cases if case.id in new)
            bug = dataclasses.replace(self._bug, oracle=dataclasses.replace(self._bug.oracle, cases=unknown))
            seen = self.engines.judge_fresh(changed_files(bug.fix, bug), "full", bug=bug).log.tests
            self._accepted |= {case.id: any(test.id == case.id and test.passed for test in seen) for case in unknown}
        for case, failure in failures.items():
            if not self._accepted[case]:
                raise HarnessError(failure)

    def _dependence(self, changed: Mapping[str, str | None], policy: Policy, confirm: int, seen: Set[str]) -> str:
        """Report what existed before the tests and must have been changed for the pass; empty if nothing.

        What the reference fix also changes is left alone. The rest is sealed, and the tests run again, twice if they fail.
        """
        theirs = {path for path in seen if path not in changed}
        if not theirs:
            return ""
        theirs = {path for path in theirs if not _is_within(path, self._changed_by_reference())}
        sealed = sealable(theirs, Path(self._bug.tree.source))
        if not sealed:
            return ""
        if not (isinstance(self.engines.sandbox, Sealing) and self.engines.sandbox.seals):
            return f"tampering: the tests pass after {min(theirs)} was changed, which the reference fix leaves alone"

        def seal(command: Command) -> Command:
            return dataclasses.replace(command, sealed=(*command.sealed, *sealed)) if command.private else command

        runner = ChangingRunner(seal, self.engines.sandbox)
        for _ in range(2):
            again = self.engines.judge_fresh(changed, policy, confirm=confirm, runner=runner)
            if again.verdict is Verdict.PLAUSIBLE:
                return ""
        return f"tampering: the tests pass only if {min(theirs)} can be changed"

    def _changed_by_reference(self) -> Set[str]:
        """Return what the tests change in the tree when they run with the reference fix."""
        if self._allowed is None:
            self._allowed = self.engines.judge(changed_files(self._bug.fix, self._bug), "full").log.changed
        return self._allowed

    def counter_tests(self, unclear: tuple[str, ...] = ()) -> CounterTests:
        """Return the counter-tests of tests that are not blind, or unclear though blind; made when first needed."""
        if unclear not in self._counter_tests:
            stack, oracle = self.engines.stack, self._bug.oracle
            blind = self.blind_tests.plan().tests.keys() - {*unclear} if self._is_blind else set[str]()
            trigger, regression = (
                tuple(test for test in tests if test not in blind) for tests in (oracle.trigger, oracle.regression)
            )
            bug = dataclasses.replace(self._bug, oracle=dataclasses.replace(oracle, trigger=trigger, regression=regression))
            made = CounterTests(bug, lambda: stack.enter_context(temporary_folder()), self._open_twin, self._try_tests)
            stack.callback(made.close)
            self._counter_tests[unclear] = made
        return self._counter_tests[unclear]

    @property
    def blind_tests(self) -> BlindTests:
        """The blind tests of the bug, made when first needed."""
        if self._blind_tests is None:
            stack = self.engines.stack
            self._blind_tests = BlindTests(self.engines, lambda: stack.enter_context(temporary_folder()))
            stack.callback(self._blind_tests.close)
        return self._blind_tests

    def _try_tests(self, bug: Bug, texts: Mapping[str, str], candidate: Candidate) -> Outcome | None:
        """Return the results of other test files where candidates of this bug run; None if that is impossible.

        Only for the reference fix: what is warm here knows the real tests, and a candidate could compare.
        """
        for engine in (self.engines.resident, self.engines.incremental):
            with suppress(HarnessError, UserError):
                changed = {**changed_files(candidate, self._bug), **texts}
                if engine and (found := engine.judge(changed, "full", bug=bug)):
                    return outcome_of(found, candidate, self._bug, "full")
        return None


def _is_within(path: str, places: Set[str]) -> bool:
    return any(str(part) in places for part in (PurePath(path), *PurePath(path).parents))


def sealable(paths: Set[str], tree: Path) -> list[str]:
    """Return what to seal so that nothing at some paths can change: for a link the folder around it, for very many, everything."""
    places = {str(PurePath(path).parent) if (tree / path).is_symlink() else path for path in paths}
    return ["."] if len(places) > MOST_SEALED else sorted(places)
