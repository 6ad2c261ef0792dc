"""Ways to order a bug's candidates: pure functions that return their ranks in the new order."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from repairlab.core.errors import HarnessError
from repairlab.core.record import record
from repairlab.repairers.llm.client.model import Embedder, Unanswerable

ORDERS: Mapping[str, str] = {
    "similarity": "by the embedding of the buggy code: far ones are dropped, then the least similar first (NL2Fix §4.4)",
    "logprob": "by the log-probability that the model gave to its answer, the largest first",
    "majority": "by how often it was proposed, the most frequent first",
    "original": "as the repairer ranked them",
}
THRESHOLD = 0.95
"""Similarity below which NL2Fix drops candidates: the median of its own patches under text-embedding-ada-002."""
_DIGITS = 6
"""Similarities differ in their last bits between machines; orders must not."""


@record
class Contender:
    """One distinct candidate of a bug."""

    rank: int
    """Rank of the first of equal candidates."""
    n: int
    """How many candidates are equal to it."""
    text: str
    """The target function as the candidate leaves it."""
    logprob: float | None = None
    """The largest of equal candidates; None when unknown."""


def in_original_order(contenders: Sequence[Contender]) -> tuple[int, ...]:
    """Return the ranks as the repairer gave them."""
    return tuple(sorted(item.rank for item in contenders))


def by_majority(contenders: Sequence[Contender]) -> tuple[int, ...]:
    """Return the ranks by number of equal candidates, the largest first; ties as the repairer ranked them.

    >>> by_majority([Contender(rank=1, n=1, text="a"), Contender(rank=2, n=3, text="b"), Contender(rank=4, n=1, text="c")])
    (2, 1, 4)
    """
    return tuple(item.rank for item in sorted(contenders, key=lambda item: (-item.n, item.rank)))


def by_logprob(contenders: Sequence[Contender]) -> tuple[int, ...]:
    """Return the ranks by log-probability, largest first; those without one come last."""

    def key(item: Contender) -> tuple[float, int]:
        return (math.inf if item.logprob is None else -item.logprob, item.rank)

    return tuple(item.rank for item in sorted(contenders, key=key))


def by_similarity(similarities: Mapping[int, float], threshold: float) -> tuple[int, ...]:
    """Return the ranks of those at least as similar as the threshold, the least similar first (NL2Fix §4.4).

    Close enough to the buggy code to compile and keep its tests, but not so close that nothing changed.

    >>> by_similarity({1: 1.0, 2: 0.96, 3: 0.9, 4: 0.95}, 0.95)
    (4, 2, 1)
    """
    kept = (rank for rank, value in similarities.items() if value >= threshold)
    return tuple(sorted(kept, key=lambda rank: (similarities[rank], rank)))


def similarities(buggy: str, contenders: Sequence[Contender], embedder: Embedder) -> dict[int, float]:
    """Return the cosine of each contender's embedding with that of the buggy code, by rank.

    Each distinct text is embedded once. Contenders that the model cannot embed, because they are empty or too long, are left out;
    Unanswerable if that is the buggy code.
    """
    texts = list(dict.fromkeys([buggy, *(item.text for item in contenders if item.text.strip())]))
    vectors = _embed(texts, embedder)
    if buggy not in vectors:
        raise Unanswerable(f"the embedding model {embedder.name!r} cannot take the buggy code, which has {len(buggy)} characters")
    known = [text for text in texts if text in vectors]
    try:
        matrix = np.asarray([vectors[text] for text in known], dtype=np.float64)
    except ValueError:
        raise HarnessError(f"the embedding model {embedder.name!r} gave vectors of different lengths") from None
    norms = np.linalg.norm(matrix, axis=1)
    if not np.isfinite(norms).all() or not norms.all():
        raise HarnessError(f"the embedding model {embedder.name!r} gave a vector that is zero or no number")
    cosines = (matrix @ matrix[0]) / (norms * norms[0])
    by_text = {text: round(float(cosine), _DIGITS) for text, cosine in zip(known, cosines, strict=True)}
    return {item.rank: by_text[item.text] for item in contenders if item.text in by_text}


def _embed(texts: Sequence[str], embedder: Embedder) -> dict[str, list[float]]:
    """Return the vectors by text; if some text cannot be embedded, the others still are."""
    try:
        vectors = embedder.embed(texts)
    except Unanswerable:
        if len(texts) == 1:
            return {}
        return {text: vector for one in texts for text, vector in _embed([one], embedder).items()}
    if len(vectors) != len(texts):
        raise HarnessError(f"the embedding model {embedder.name!r} gave {len(vectors)} vectors for {len(texts)} texts")
    return dict(zip(texts, vectors, strict=True))
