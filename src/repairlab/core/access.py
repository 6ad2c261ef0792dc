"""How models are reached from a machine: what the command line says once for all runs, and no answer depends on."""

from repairlab.core.errors import UserError
from repairlab.core.record import record


@record
class Access:
    """How models are reached from here; none of it changes an answer."""

    concurrency: int = 8
    """Requests under way at the same time."""
    requests_per_minute: float | None = None
    timeout_s: float = 300.0
    """Longest wait for one answer."""
    retries: int = 8
    """How often a request is repeated after 429, 5xx, a time-out or a lost connection."""
    cost_limit_usd: float | None = None
    """Stop asking once the run has cost so much."""
    prices: str | None = None
    """TOML file with prices, in addition to the built-in ones."""
    use_cache: bool = True
    """Whether answers of earlier requests count, and new ones are kept."""
    offline: bool = False
    """Only use answers that are kept from earlier."""
    transcripts: bool = True
    """Whether prompts and raw answers become part of the run folder."""


def check_access(access: Access) -> None:
    """Refuse ways to reach a model that lead nowhere."""
    if access.concurrency < 1:
        raise UserError(f"--concurrency is {access.concurrency}: at least 1 request must be under way")
    if access.requests_per_minute is not None and access.requests_per_minute <= 0:
        raise UserError(f"--rate-limit is {access.requests_per_minute:g}: write how many requests a minute are allowed")
    if access.timeout_s <= 0:
        raise UserError(f"--request-timeout is {access.timeout_s:g}: write seconds, such as 300")
    if access.retries < 0:
        raise UserError(f"--retries is {access.retries}: write 0 or more")
    if access.cost_limit_usd is not None and access.cost_limit_usd < 0:
        raise UserError(f"--cost-limit is {access.cost_limit_usd:g}: write US dollars, 0 or more")
    if access.offline and not access.use_cache:
        raise UserError("--offline uses kept answers alone, and --no-answer-cache uses none of them: leave one of the two out")
