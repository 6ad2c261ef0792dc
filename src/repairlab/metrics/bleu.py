"""BLEU over a corpus in the variants that papers of this field use.

One reference for each candidate; counts are added pair by pair, so a corpus of any size is measured in bounded memory.
"""

import math
import re
import string
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

ORDERS = 4
BleuVariant = Literal["codexglue", "codexglue-unsmoothed", "nltk", "nltk-method1", "sacrebleu-none", "sacrebleu-13a"]
BLEU_VARIANTS: dict[BleuVariant, str] = {
    "codexglue": "of CodeXGLUE and FixEval: add-one smoothing at every order",
    "codexglue-unsmoothed": "the same without smoothing: 0 where an order has no match",
    "nltk": "nltk's corpus_bleu without smoothing",
    "nltk-method1": "nltk's corpus_bleu with its smoothing method 1: 0.1 matches where there is none",
    "sacrebleu-none": "sacreBLEU with tokenize=none: halves again at every order without a match",
    "sacrebleu-13a": "sacreBLEU by default: its own tokens (mteval-v13a) instead of those between blanks",
}
"""Name and meaning; all but the last count tokens between blanks."""

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_APART = str.maketrans({sign: f" {sign} " for sign in string.punctuation if sign not in "',-."})
_APART_UNLESS_IN_NUMBERS = (
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])-"), r"\1 - "),
)
"""With the above: what 13a, the tokeniser of NIST's mteval, keeps apart."""


class BleuCounts:
    """What BLEU is made from, for any number of pairs."""

    def __init__(self) -> None:
        """Begin with no pair."""
        self.matches = [0] * ORDERS
        self.possible = [0] * ORDERS
        """N-grams of the candidates."""
        self.at_least_one = [0] * ORDERS
        """The same, where a candidate that is too short for an order counts as one."""
        self.candidate_length = self.reference_length = 0

    def add(self, candidate: Sequence[str], reference: Sequence[str]) -> None:
        """Count one pair of token lists."""
        self.candidate_length += len(candidate)
        self.reference_length += len(reference)
        for order in range(ORDERS):
            mine, theirs = ngrams(candidate, order + 1), ngrams(reference, order + 1)
            n = mine.total()
            self.matches[order] += (mine & theirs).total()
            self.possible[order] += n
            self.at_least_one[order] += max(1, n)


def bleu(counts: BleuCounts, *, variant: BleuVariant = "codexglue") -> float:
    """Return BLEU-4 between 0 and 1 (Papineni et al. 2002, §2.3), smoothed as the variant says.

    >>> counts = BleuCounts()
    >>> counts.add("return a + b ;".split(), "return a - b ;".split())
    >>> round(bleu(counts), 4), bleu(counts, variant="codexglue-unsmoothed")
    (0.4518, 0.0)
    """
    if not counts.candidate_length or (not any(counts.matches) and not variant.startswith("codexglue")):
        return 0.0
    precisions = _PRECISIONS[variant](counts)
    if min(precisions) <= 0:
        return 0.0
    return brevity_penalty(counts) * math.exp(math.fsum(math.log(item) for item in precisions) / ORDERS)


def brevity_penalty(counts: BleuCounts) -> float:
    """Return the penalty for candidates shorter than their references."""
    if counts.candidate_length >= counts.reference_length:
        return 1.0
    return math.exp(1 - counts.reference_length / counts.candidate_length) if counts.candidate_length else 0.0


def tokens_of(text: str, variant: BleuVariant) -> list[str]:
    """Return the tokens that a variant counts.

    >>> tokens_of("f(a.b, 1.5)", "sacrebleu-13a"), tokens_of("f(a.b, 1.5)", "codexglue")
    (['f', '(', 'a', '.', 'b', ',', '1.5', ')'], ['f(a.b,', '1.5)'])
    """
    if variant != "sacrebleu-13a":
        return text.split()
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    text = f" {text} "
    text = text.translate(_APART)
    for pattern, spaced in _APART_UNLESS_IN_NUMBERS:
        text = pattern.sub(spaced, text)
    return text.split()


def ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Return how often each run of `order` tokens occurs."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _plain(counts: BleuCounts) -> list[float]:
    return [matches / possible if possible else 0.0 for matches, possible in zip(counts.matches, counts.possible, strict=True)]


def _add_one(counts: BleuCounts) -> list[float]:
    return [(matches + 1) / (possible + 1) for matches, possible in zip(counts.matches, counts.possible, strict=True)]


def _least(least: float) -> Callable[[BleuCounts], list[float]]:
    """Return precisions in which no match counts as `least` matches."""
    return lambda counts: [
        (matches or least) / possible for matches, possible in zip(counts.matches, counts.at_least_one, strict=True)
    ]


def _smallest(counts: BleuCounts) -> list[float]:
    return [
        matches / possible if matches else sys.float_info.min
        for matches, possible in zip(counts.matches, counts.at_least_one, strict=True)
    ]


def _halving(counts: BleuCounts) -> list[float]:
    found = []
    share = 1.0
    for matches, possible in zip(counts.matches, counts.possible, strict=True):
        if not matches:
            share /= 2
        found.append(0.0 if not possible else matches / possible if matches else share / possible)
    return found


_PRECISIONS: dict[BleuVariant, Callable[[BleuCounts], list[float]]] = {
    "codexglue": _add_one,
    "codexglue-unsmoothed": _plain,
    "nltk": _smallest,
    "nltk-method1": _least(0.1),
    "sacrebleu-none": _halving,
    "sacrebleu-13a": _halving,
}
