"""A token bucket. The caller tells the time, in seconds, at each call."""


class TokenBucket:
    def __init__(self, capacity, rate, now):
        if capacity < 1 or rate <= 0:
            raise ValueError("capacity and rate must be positive")
        self.capacity = capacity
        self.rate = rate
        self._tokens = capacity
        self._updated = now

    def _refill(self, now):
        """Add the whole tokens that have become due."""
        due = int((now - self._updated) * self.rate)
        if self._tokens + due >= self.capacity:
            self._tokens = self.capacity
            self._updated = now
        elif due > 0:
            self._tokens += due
            self._updated += due / self.rate
        else:
            self._updated = now

    def take(self, now):
        """Take one token; False when there is none."""
        self._refill(now)
        if self._tokens == 0:
            return False
        self._tokens -= 1
        return True

    def wait_time(self, now):
        """Seconds until the next token can be taken."""
        self._refill(now)
        if self._tokens > 0:
            return 0.0
        return self._updated + 1 / self.rate - now
