"""Is a benchmark fit for use here? Unpatched bugs must fail, reference fixes must pass, every time. Called by the verb `check`."""

from collections.abc import Callable, Sequence

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.runs.pool import Machine, run_pool
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validate import validate


@record
class Health:
    """What checking one bug showed."""

    bug_id: str
    problems: tuple[str, ...]
    """Why the bug is not fit for use; none means healthy."""
    flaky: tuple[str, ...]
    """Tests that gave different verdicts in different repeats."""
    buggy_verdict: Verdict
    repeats: int
    cpu_s: float
    """Mean CPU time of validating the reference fix."""

    @property
    def healthy(self) -> bool:
        """Whether the bug can be used as it is."""
        return not self.problems and not self.flaky


@record
class _Check:
    bug: Bug
    repeats: int


def check_bugs(bugs: Sequence[Bug], machine: Machine, receive: Callable[[Health], None], *, repeats: int = 1) -> None:
    """Check bugs in parallel; each result is handed over as soon as it is known."""
    run_pool(_check, [_Check(bug=bug, repeats=repeats) for bug in bugs], machine, receive)


def _check(check: _Check, sandbox: Sandbox, tell: Callable[[Health], None]) -> None:
    tell(check_bug(check.bug, sandbox, repeats=check.repeats))


def check_bug(bug: Bug, sandbox: Sandbox, *, repeats: int = 1) -> Health:
    """Validate the unpatched tree and the reference fix, `repeats` times each, running every test."""
    unpatched = Candidate(bug_id=bug.id, edits=(), rank=1, origin=Origin(repairer="copy"))
    reference = Candidate(bug_id=bug.id, edits=bug.oracle.reference, rank=1, origin=Origin(repairer="reference"))
    before = [validate(unpatched, bug, sandbox, policy="full") for _ in range(repeats)]
    after = [validate(reference, bug, sandbox, policy="full") for _ in range(repeats)]
    problems = [*_problems_before(bug, before[0]), *_problems_after(after[0])]
    return Health(
        bug_id=bug.id,
        problems=tuple(problems),
        flaky=tuple(dict.fromkeys([*_flips(before), *_flips(after)])),
        buggy_verdict=before[0].verdict,
        repeats=repeats,
        cpu_s=round(sum(outcome.cpu_s for outcome in after) / repeats, 3),
    )


def _problems_before(bug: Bug, outcome: Outcome) -> list[str]:
    if outcome.verdict is Verdict.UNDECIDED:
        return [f"the buggy tree could not be validated: {outcome.message}"]
    if outcome.verdict is Verdict.PLAUSIBLE:
        return ["the buggy tree passes every test"]
    problems = []
    wanted = bug.problem.submission_verdict
    if wanted is not None and outcome.verdict is not wanted:
        problems.append(f"the buggy program is {outcome.verdict}, not {wanted} as its record says ({outcome.message})")
    if outcome.verdict is Verdict.UNCOMPILABLE:
        return problems
    verdicts = {test.id: test.verdict for test in outcome.tests}
    problems += [
        f"trigger test {name} passes on the buggy tree" for name in bug.oracle.trigger if verdicts.get(name) is Verdict.PLAUSIBLE
    ]
    problems += [
        f"regression test {name} fails on the buggy tree"
        for name in bug.oracle.regression
        if verdicts.get(name) is not Verdict.PLAUSIBLE
    ]
    return problems


def _problems_after(outcome: Outcome) -> list[str]:
    if outcome.verdict is Verdict.PLAUSIBLE:
        return []
    failed = [test.id for test in outcome.tests if test.verdict is not Verdict.PLAUSIBLE]
    count = f"fails {len(failed)} of {outcome.n_tests} tests" if failed else f"is {outcome.verdict}"
    return [f"the reference fix {count} ({outcome.message})"]


def _flips(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the tests whose verdict was not the same in every repeat."""
    seen: dict[str, set[Verdict]] = {}
    for outcome in outcomes:
        for test in outcome.tests:
            seen.setdefault(test.id, set()).add(test.verdict)
    flips = [name for name, verdicts in seen.items() if len(verdicts) > 1]
    return flips or (["(build)"] if len({outcome.verdict for outcome in outcomes}) > 1 else [])
