"""Tokens and money: what a run's answers are worth, from its candidates, and what was paid for them, from its ledger."""

from collections import defaultdict
from collections.abc import Iterable

from repairlab.core.cost import total_cost
from repairlab.core.record import record
from repairlab.repairers.ledger import Request


@record
class Spent:
    """Tokens and money of one bug or run."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """What the answers cost at their prices, whether they were asked for now or kept from earlier; none when that is not known."""
    n_requests: int | None = None
    """None when the run has no ledger."""
    n_from_cache: int | None = None
    paid_usd: float | None = None
    """What this run itself paid, failed and repeated requests included; none when that is not known, or without a ledger."""
    unpriced: frozenset[str] = frozenset()
    """Models whose price is not known."""

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        booked = [part for part in (self, other) if part.n_requests is not None]
        return Spent(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost_usd=total_cost((self.cost_usd, other.cost_usd)),
            n_requests=_sum(self.n_requests, other.n_requests),
            n_from_cache=_sum(self.n_from_cache, other.n_from_cache),
            paid_usd=total_cost(part.paid_usd for part in booked) if booked else None,
            unpriced=self.unpriced | other.unpriced,
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def paid_for(requests: Iterable[Request]) -> dict[str | None, Spent]:
    """Return what was paid for each bug; none stands for what belongs to no bug, such as embeddings of examples."""
    of_bug: dict[str | None, list[Request]] = defaultdict(list)
    for request in requests:
        of_bug[request.bug_id].append(request)
    return {
        bug: Spent(
            n_requests=len(mine),
            n_from_cache=sum(request.from_cache for request in mine),
            paid_usd=total_cost(request.cost_usd for request in mine),
            unpriced=frozenset(request.model for request in mine if request.cost_usd is None),
        )
        for bug, mine in of_bug.items()
    }
