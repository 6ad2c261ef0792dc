"""How far two judges of the same candidates agree, such as a published evaluation and ours."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from repairlab.core.outcome import Verdict
from repairlab.core.record import record

H = TypeVar("H", bound=Hashable)


@record
class VerdictPair:
    """One candidate and what both judges say of it."""

    bug_id: str
    rank: int
    candidate_id: str
    published: str
    """The other judge's word."""
    same: tuple[Verdict, ...]
    """Our verdicts with the meaning of that word."""
    ours: Verdict
    other_source: bool = False
    """Whether the other judge's candidate was made from another text of the program: then the two say little about each other."""

    @property
    def agrees(self) -> bool:
        """Return whether both say the same."""
        return self.ours in self.same

    @property
    def agrees_on_plausible(self) -> bool:
        """Return whether both call the candidate plausible, or neither does."""
        return (self.ours is Verdict.PLAUSIBLE) == (Verdict.PLAUSIBLE in self.same)


@record
class Agreement:
    """The agreement over many candidates."""

    n: int
    """Candidates that both judged."""
    n_agree: int
    n_agree_on_plausible: int
    n_undecided: int
    """Candidates left out because our own machinery failed on them."""
    kappa: float | None
    """Cohen's kappa of plausible or not; None if undefined."""
    matrix: dict[str, dict[str, int]]
    """How often a published word met a verdict of ours."""
    other_source: dict[str, dict[str, int]]
    """The same for candidates made from another source, which count in nothing else."""
    disagreements: tuple[VerdictPair, ...]

    @property
    def n_other_source(self) -> int:
        """Return how many candidates are left out because they were made from another source."""
        return sum(sum(row.values()) for row in self.other_source.values())

    @property
    def share(self) -> float:
        """Return the share of candidates on which both agree."""
        return self.n_agree / self.n if self.n else 0.0


def agreement(pairs: Iterable[VerdictPair]) -> Agreement:
    """Compare verdict by verdict; undecided candidates, and those of another source, are left out and counted."""
    matrix: dict[str, dict[str, int]] = {}
    others: dict[str, dict[str, int]] = {}
    differing: list[VerdictPair] = []
    undecided = agree = plausible = 0
    both: dict[tuple[bool, bool], int] = {}
    for pair in pairs:
        if pair.ours is Verdict.UNDECIDED:
            undecided += 1
            continue
        row = (others if pair.other_source else matrix).setdefault(pair.published, {})
        row[pair.ours.value] = row.get(pair.ours.value, 0) + 1
        if pair.other_source:
            continue
        agree += pair.agrees
        plausible += pair.agrees_on_plausible
        cell = (Verdict.PLAUSIBLE in pair.same, pair.ours is Verdict.PLAUSIBLE)
        both[cell] = both.get(cell, 0) + 1
        if not pair.agrees:
            differing.append(pair)
    return Agreement(
        n=sum(both.values()),
        n_agree=agree,
        n_agree_on_plausible=plausible,
        n_undecided=undecided,
        kappa=cohens_kappa(both),
        matrix=matrix,
        other_source=others,
        disagreements=tuple(differing),
    )


def cohens_kappa(both: Mapping[tuple[H, H], float]) -> float | None:
    """Return Cohen's kappa of two judges (Cohen 1960) from how often a word of one met a word of the other.

    None when chance alone makes them agree always.

    >>> round(cohens_kappa({(True, True): 20, (True, False): 5, (False, True): 10, (False, False): 15}), 3)
    0.4
    """
    n = sum(both.values())
    if not n:
        return None
    observed = sum(count for (a, b), count in both.items() if a == b) / n
    words = {word for cell in both for word in cell}
    shares = [{word: sum(count for cell, count in both.items() if cell[judge] == word) / n for word in words} for judge in (0, 1)]
    chance = sum(shares[0][word] * shares[1][word] for word in words)
    return None if chance >= 1 else (observed - chance) / (1 - chance)
