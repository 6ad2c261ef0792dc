"""One bucket for each client."""

from throttle.bucket import TokenBucket
from throttle.plans import plan_named


class Limiter:
    def __init__(self, clock):
        self._clock = clock
        self._buckets = {}

    def register(self, client, plan="free"):
        allowance = plan_named(plan)
        self._buckets[client] = TokenBucket(allowance.burst, allowance.per_second, self._clock())

    def allow(self, client):
        if client not in self._buckets:
            self.register(client)
        return self._buckets[client].take(self._clock())

    def retry_after(self, client):
        """Seconds that the client should wait before its next request."""
        if client not in self._buckets:
            return 0.0
        return self._buckets[client].wait_time(self._clock())
