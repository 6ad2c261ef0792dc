"""What online judges say of a program, in their words, and our verdict for it."""

from collections.abc import Mapping

from repairlab.core.outcome import Verdict

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
"""These, abbreviations and our verdicts, in small letters."""


def verdict_said(words: str) -> Verdict | None:
    """Return the verdict that a judge's words, abbreviation, or our own word mean; none when they are not known.

    >>> verdict_said("Wrong Answer"), verdict_said("tle"), verdict_said("OUT_OF_MEMORY"), verdict_said("rejected")
    (<Verdict.WRONG: 'WRONG'>, <Verdict.TIMEOUT: 'TIMEOUT'>, <Verdict.OUT_OF_MEMORY: 'OUT_OF_MEMORY'>, None)
    """
    return JUDGE_WORDS.get(words.strip().lower())
