"""Tokens and money: what a run's answers are worth, from its candidates, and what was paid for them, from its ledger."""

from collections.abc import Iterable

from repairlab.core.record import record
from repairlab.repairers.ledger import Request


@record
class Spent:
    """Tokens and money of one bug or run."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    """What the answers cost at their prices, whether they were asked for now or kept from earlier."""
    n_requests: int | None = None
    """None when the run has no ledger."""
    n_from_cache: int | None = None
    paid_usd: float | None = None
    """What this run itself paid, failed and repeated requests included."""

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        return Spent(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost_usd=self.cost_usd + other.cost_usd,
            n_requests=_sum(self.n_requests, other.n_requests),
            n_from_cache=_sum(self.n_from_cache, other.n_from_cache),
            paid_usd=None if self.paid_usd is None and other.paid_usd is None else (self.paid_usd or 0) + (other.paid_usd or 0),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def paid_for(requests: Iterable[Request]) -> dict[str | None, Spent]:
    """Return what was paid for each bug; none stands for what belongs to no bug, such as embeddings of examples."""
    n_requests: dict[str | None, int] = {}
    n_from_cache: dict[str | None, int] = {}
    paid: dict[str | None, float] = {}
    for request in requests:
        bug = request.bug_id
        n_requests[bug] = n_requests.get(bug, 0) + 1
        n_from_cache[bug] = n_from_cache.get(bug, 0) + request.from_cache
        paid[bug] = paid.get(bug, 0.0) + request.cost_usd
    return {bug: Spent(n_requests=n, n_from_cache=n_from_cache[bug], paid_usd=paid[bug]) for bug, n in n_requests.items()}
