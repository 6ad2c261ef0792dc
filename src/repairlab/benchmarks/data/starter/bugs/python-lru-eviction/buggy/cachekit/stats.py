"""Counters that a cache keeps about itself."""


class Stats:
    def __init__(self):
        self.hits = 0
        self.misses = 0
        self.evictions = 0

    @property
    def ratio(self):
        """Share of lookups that were answered from the cache."""
        lookups = self.hits + self.misses
        return self.hits / lookups if lookups else 0.0
