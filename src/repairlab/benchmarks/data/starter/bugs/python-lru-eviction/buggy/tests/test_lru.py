import pytest

from cachekit.lru import LRUCache


def filled(*keys, capacity=3):
    cache = LRUCache(capacity)
    for key in keys:
        cache.put(key, key.upper())
    return cache


def test_reading_an_entry_keeps_it():
    cache = filled("a", "b", "c")
    assert cache.get("a") == "A"
    cache.put("d", "D")
    assert "a" in cache
    assert "b" not in cache
    assert cache.keys() == ["c", "a", "d"]


def test_get_returns_what_was_put():
    cache = filled("a", "b")
    assert cache.get("a") == "A"
    assert cache.get("b") == "B"


def test_missing_key_gives_the_default():
    cache = filled("a")
    assert cache.get("z") is None
    assert cache.get("z", 7) == 7
    assert "z" not in cache


def test_oldest_entry_goes_first():
    cache = filled("a", "b", "c", "d", "e")
    assert cache.keys() == ["c", "d", "e"]
    assert cache.stats.evictions == 2


def test_overwriting_refreshes_an_entry():
    cache = filled("a", "b", "c")
    cache.put("a", "again")
    cache.put("d", "D")
    assert cache.keys() == ["c", "a", "d"]
    assert len(cache) == 3


def test_membership_is_no_use():
    cache = filled("a", "b", "c")
    assert "a" in cache
    cache.put("d", "D")
    assert "a" not in cache


def test_capacity_must_be_positive():
    with pytest.raises(ValueError):
        LRUCache(0)


def test_hits_and_misses_are_counted():
    cache = filled("a")
    cache.get("a")
    cache.get("b")
    cache.get("a")
    assert (cache.stats.hits, cache.stats.misses) == (2, 1)
    assert cache.stats.ratio == pytest.approx(2 / 3)
