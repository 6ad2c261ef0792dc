"""The prompt for a model or repair program, and how models are reached from here, which affects no answer."""

import math
from typing import Annotated, Literal

from repairlab.core.errors import UserError
from repairlab.core.option import Option
from repairlab.core.record import record

Role = Literal["system", "user", "assistant"]


@record
class Message:
    """One message of a chat."""

    role: Role
    content: str


@record
class Prompt:
    """A request to a model: a chat, or a text to continue."""

    messages: tuple[Message, ...] = ()
    """The chat; empty when `text` is given."""
    text: str | None = None
    """Completion: the text before the place to fill."""
    suffix: str | None = None
    """Completion: the text after it, for models that fill in the middle."""


@record
class Access:
    """How models are reached from here; none of it changes an answer."""

    concurrency: Annotated[int, Option("Concurrent requests.")] = 8
    requests_per_minute: Annotated[float | None, Option("Most requests per minute.", flag="--rate-limit")] = None
    timeout_s: Annotated[float, Option("Seconds to wait for an answer.", flag="--request-timeout")] = 300.0
    retries: Annotated[int, Option("Repetitions of a request after 429, 5xx, a timeout or a lost connection.")] = 8
    cost_limit_usd: Annotated[
        float | None, Option("Stop asking when the run has cost this many US dollars.", flag="--cost-limit")
    ] = None
    prices: Annotated[str | None, Option("TOML file with prices of models, in addition to the built-in ones.")] = None
    use_cache: Annotated[bool, Option("Do not read or write the answer cache.", flag="--no-answer-cache")] = True
    offline: Annotated[bool, Option("Use cached answers only; make no requests.")] = False
    transcripts: Annotated[bool, Option("Leave prompts and raw answers out of the run folder.")] = True

    def check(self) -> None:
        """Refuse impossible ways to reach a model."""
        if self.concurrency < 1:
            raise UserError(f"--concurrency is {self.concurrency}: at least 1 request must be under way")
        if self.requests_per_minute is not None and self.requests_per_minute <= 0:
            raise UserError(f"--rate-limit is {self.requests_per_minute:g}: write how many requests a minute are allowed")
        if self.timeout_s <= 0:
            raise UserError(f"--request-timeout is {self.timeout_s:g}: write seconds, such as 300")
        if self.retries < 0:
            raise UserError(f"--retries is {self.retries}: write 0 or more")
        if self.cost_limit_usd is not None and not 0 <= self.cost_limit_usd < math.inf:
            raise UserError(f"--cost-limit is {self.cost_limit_usd:g}: write US dollars, 0 or more")
        if self.offline and not self.use_cache:
            raise UserError("--offline uses kept answers alone, and --no-answer-cache uses none of them: leave one of the two out")
