"""Verdicts in the words of NL2Fix, lin-tan/clm and those who follow them: plausible, wrong, timeout, uncompilable."""

from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.foreign import field
from repairlab.core.outcome import Verdict
from repairlab.formats.format import KnownVerdict
from repairlab.metrics.published import PublishedVerdict

NOT_PLAUSIBLE = tuple(verdict for verdict in Verdict if verdict not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED))

WORDS = {
    "plausible": (Verdict.PLAUSIBLE,),
    "wrong": (Verdict.WRONG, Verdict.CRASH, Verdict.PRESENTATION, Verdict.OUT_OF_MEMORY, Verdict.OUTPUT_LIMIT),
    "timeout": (Verdict.TIMEOUT,),
    "uncompilable": (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE),
}
"""What each word may be in ours: there, a test that crashes is a wrong patch."""

PASS = KnownVerdict(word="pass", verdicts=(Verdict.PLAUSIBLE,))
FAIL = KnownVerdict(word="fail", verdicts=NOT_PLAUSIBLE)


def known(word: object) -> KnownVerdict | None:
    """Return what a word says; nothing for those that say nothing of the candidate, such as init-error."""
    return KnownVerdict(word=word, verdicts=WORDS[word]) if isinstance(word, str) and word in WORDS else None


def word(verdict: Verdict | None) -> str | None:
    """Return the word for a verdict; none when there is none to tell.

    >>> word(Verdict.CRASH)
    'wrong'
    """
    return next((name for name, verdicts in WORDS.items() if verdict in verdicts), None)


def published(verdict: Verdict | None) -> PublishedVerdict:
    """Return the published verdict that says the same as ours."""
    return PublishedVerdict(word(verdict) or PublishedVerdict.UNDECIDED)


def correctness(entry: dict[str, Any], where: str = "") -> PublishedVerdict:
    """Return what the field `correctness` says; null and init-error mean that the candidate was never run."""
    if "correctness" in entry and entry["correctness"] in (None, "init-error"):
        return PublishedVerdict.UNDECIDED
    found = field(entry, "correctness", str, where)
    if found not in WORDS:
        before = f"{where}: " if where else ""
        raise UserError(f"{before}the field 'correctness' is {found!r}; known are {', '.join(WORDS)}, init-error and null")
    return PublishedVerdict(found)
