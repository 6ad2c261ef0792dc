"""VerdictCache in the words of NL2Fix, lin-tan/clm and those who follow them: plausible, wrong, timeout, uncompilable."""

from repairlab.core.outcome import Verdict
from repairlab.formats.format import Known

NOT_PLAUSIBLE = tuple(verdict for verdict in Verdict if verdict not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED))

WORDS = {
    "plausible": (Verdict.PLAUSIBLE,),
    "wrong": (Verdict.WRONG, Verdict.CRASH, Verdict.PRESENTATION, Verdict.OUT_OF_MEMORY, Verdict.OUTPUT_LIMIT),
    "timeout": (Verdict.TIMEOUT,),
    "uncompilable": (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE),
}
"""What each word may be in ours: there, a test that crashes is a wrong patch."""

PASS = Known(word="pass", verdicts=(Verdict.PLAUSIBLE,))
FAIL = Known(word="fail", verdicts=NOT_PLAUSIBLE)


def known(word: object) -> Known | None:
    """Return what a word says; nothing for those that say nothing of the candidate, such as init-error."""
    return Known(word=word, verdicts=WORDS[word]) if isinstance(word, str) and word in WORDS else None


def word(verdict: Verdict | None) -> str | None:
    """Return the word for a verdict; none when there is none to tell.

    >>> word(Verdict.CRASH)
    'wrong'
    """
    return next((name for name, verdicts in WORDS.items() if verdict in verdicts), None)
