"""The verdict on one candidate, with its evidence, and what online judges call the verdicts."""

import dataclasses
import enum
from collections.abc import Mapping
from typing import Literal

from repairlab.core.amounts import count
from repairlab.core.record import record


class Verdict(enum.StrEnum):
    """What validation says of a candidate; the table of verdicts in the documentation defines each."""

    PLAUSIBLE = "PLAUSIBLE"
    WRONG = "WRONG"
    PRESENTATION = "PRESENTATION"
    CRASH = "CRASH"
    TIMEOUT = "TIMEOUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    UNCOMPILABLE = "UNCOMPILABLE"
    UNAPPLICABLE = "UNAPPLICABLE"
    UNDECIDED = "UNDECIDED"

    @property
    def code(self) -> str:
        """Return the online judge's abbreviation."""
        return _CODES[self]


_CODES = {
    Verdict.PLAUSIBLE: "AC",
    Verdict.WRONG: "WA",
    Verdict.PRESENTATION: "PE",
    Verdict.CRASH: "RE",
    Verdict.TIMEOUT: "TLE",
    Verdict.OUT_OF_MEMORY: "MLE",
    Verdict.OUTPUT_LIMIT: "OLE",
    Verdict.UNCOMPILABLE: "CE",
    Verdict.UNAPPLICABLE: "–",
    Verdict.UNDECIDED: "IE",
}


class TestVerdict(enum.StrEnum):
    """The verdict on one test or case; each but PASSED is also the verdict on a candidate that fails by it."""

    PASSED = "PASSED"
    WRONG = "WRONG"
    PRESENTATION = "PRESENTATION"
    CRASH = "CRASH"
    TIMEOUT = "TIMEOUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    UNCOMPILABLE = "UNCOMPILABLE"

    @classmethod
    def _missing_(cls, value: object) -> "TestVerdict | None":
        return cls.PASSED if value == "PLAUSIBLE" else None  # what records said when tests had the verdicts of candidates


Stage = Literal["apply", "build", "trigger", "regression", "cases"]
Policy = Literal["first-failure", "full"]
"""Stop at the first failing test (enough for pass@k), or run every test (needed for TCA@k)."""
Strength = Literal["blind", "checked", "unchecked"]
"""How strong a pass is. `blind`: the candidate could read nothing that it was judged by; `checked`: some tests were only checked by
counter-tests; `unchecked`: nothing stood against reading or forging some of them."""


STRENGTHS: tuple[Strength, ...] = ("unchecked", "checked", "blind")
"""From weak to strong."""


@record
class TestResult:
    """One test or case."""

    id: str
    verdict: TestVerdict
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0
    message: str = ""
    runs: int = 1
    """How often it ran: more than once after an unlucky time-out, or to confirm a failure."""
    flips: int = 0
    """How many of these runs contradicted the verdict; more than none means flaky."""

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return self.verdict is TestVerdict.PASSED


@record
class Outcome:
    """One verdict on one candidate."""

    candidate_id: str
    bug_id: str
    verdict: Verdict
    stage: Stage
    """The decisive stage: the one that failed, or the last one."""
    policy: Policy
    message: str = ""
    """One line to show: the compiler's first error, the failing test's message, why it did not apply."""
    tests: tuple[TestResult, ...] = ()
    """Every test that ran, in order."""
    n_tests: int = 0
    """How many tests or cases the bug has."""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0
    environment: str = ""
    """Digest of tool chain, sandbox and engine version; the run's settings hold the full text."""
    isolation: str = ""
    """The sandbox's name and `warm` or `process`: what isolated the candidate's code and how it was run."""
    cached: bool = False
    """Whether the verdict comes from an earlier run with the same bug, tools and engine."""
    equivalent_to: str | None = None
    """The candidate whose run decided this one, if both are equal after normalisation."""
    evidence: str = ""
    """Tail of the log: compiler output or the failing test's output."""
    guard: str = ""
    """What protected against a forged pass: how many tests were blind, and which counter-tests failed as they must, or why none."""
    strength: Strength | None = None
    """How strong a pass is; None if nothing passed."""

    def at_least(self, strength: Strength) -> "Outcome":
        """Return the outcome; UNDECIDED if it is a weaker pass."""
        if self.verdict is not Verdict.PLAUSIBLE or STRENGTHS.index(self.strength or "unchecked") >= STRENGTHS.index(strength):
            return self
        message = f"passes, but the pass is {self.strength or 'unchecked'}, and {strength} is the least that counts ({self.guard})"
        return dataclasses.replace(self, verdict=Verdict.UNDECIDED, message=message)

    @property
    def n_passed(self) -> int:
        """Return how many tests or cases passed."""
        return sum(test.passed for test in self.tests)

    @property
    def tests_in_words(self) -> str:
        """Say how many tests passed; of those that were not run nothing is known.

        >>> test = TestResult(id="a", verdict=TestVerdict.WRONG)
        >>> facts = {"candidate_id": "c", "bug_id": "b", "verdict": Verdict.WRONG, "stage": "trigger", "n_tests": 14}
        >>> Outcome(policy="first-failure", tests=(test,), **facts).tests_in_words
        'stopped at the first failure: 0 of 1 test run passed, 13 were not run'
        >>> Outcome(policy="full", tests=(test,) * 14, **facts).tests_in_words
        '0 of 14 tests passed'
        """
        n_run, n = len(self.tests), self.n_tests
        if not n:
            return ""
        if not n_run:
            return "no test was run"
        if n_run >= n:
            return f"{self.n_passed} of {count(n, 'test')} passed"
        were = "was" if n - n_run == 1 else "were"
        ran = f"{self.n_passed} of {n_run} test{'s' if n_run > 1 else ''} run passed, {n - n_run} {were} not run"
        return f"stopped at the first failure: {ran}" if self.policy == "first-failure" else ran


CODENET: Mapping[str, Verdict] = {
    "Compile Error": Verdict.UNCOMPILABLE,
    "Wrong Answer": Verdict.WRONG,
    "Time Limit Exceeded": Verdict.TIMEOUT,
    "Memory Limit Exceeded": Verdict.OUT_OF_MEMORY,
    "Output Limit Exceeded": Verdict.OUTPUT_LIMIT,
    "Runtime Error": Verdict.CRASH,
    "WA: Presentation Error": Verdict.PRESENTATION,
    "Accepted": Verdict.PLAUSIBLE,
}
"""The words of Project CodeNet, which FixEval uses."""
JUDGE_WORDS: Mapping[str, Verdict] = {
    **{name.lower(): verdict for name, verdict in CODENET.items()},
    **{verdict.code.lower(): verdict for verdict in CODENET.values()},
    **{verdict.value.lower(): verdict for verdict in CODENET.values()},
}
"""These, abbreviations and our verdicts, in lower case."""


def verdict_said(words: str) -> Verdict | None:
    """Return the verdict that a judge's words, abbreviation, or our own word mean; none when they are not known.

    >>> verdict_said("Wrong Answer"), verdict_said("tle"), verdict_said("OUT_OF_MEMORY"), verdict_said("rejected")
    (<Verdict.WRONG: 'WRONG'>, <Verdict.TIMEOUT: 'TIMEOUT'>, <Verdict.OUT_OF_MEMORY: 'OUT_OF_MEMORY'>, None)
    """
    return JUDGE_WORDS.get(words.strip().lower())
