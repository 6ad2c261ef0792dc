"""Reads through a cache: what is missing is loaded and kept."""

from cachekit.lru import LRUCache

_ABSENT = object()


class CachedLoader:
    def __init__(self, load, capacity=100):
        self._load = load
        self._cache = LRUCache(capacity)

    @property
    def stats(self):
        return self._cache.stats

    def __call__(self, key):
        value = self._cache.get(key, _ABSENT)
        if value is _ABSENT:
            value = self._load(key)
            self._cache.put(key, value)
        return value

    def forget(self, key):
        self._cache.discard(key)
