"""A cache of bounded size that drops what was used least recently."""

from collections import OrderedDict

from cachekit.stats import Stats


class LRUCache:
    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self.stats = Stats()
        self._entries = OrderedDict()

    def __len__(self):
        return len(self._entries)

    def __contains__(self, key):
        return key in self._entries

    def keys(self):
        """Keys from the next one to be dropped to the safest one."""
        return list(self._entries)

    def get(self, key, default=None):
        if key not in self._entries:
            self.stats.misses += 1
            return default
        self.stats.hits += 1
        return self._entries[key]

    def put(self, key, value):
        if key in self._entries:
            self._entries.move_to_end(key)
        self._entries[key] = value
        if len(self._entries) > self.capacity:
            self._entries.popitem(last=False)
            self.stats.evictions += 1

    def discard(self, key):
        self._entries.pop(key, None)
