from cachekit.loader import CachedLoader


def recording_loader(capacity):
    loaded = []

    def load(key):
        loaded.append(key)
        return key * 2

    return CachedLoader(load, capacity=capacity), loaded


def test_popular_key_is_loaded_once():
    loader, loaded = recording_loader(capacity=2)
    for page in range(10, 16):
        assert loader(1) == 2
        loader(page)
    assert loaded.count(1) == 1


def test_loader_fills_the_cache():
    loader, loaded = recording_loader(capacity=4)
    assert [loader(key) for key in (1, 2, 1, 2)] == [2, 4, 2, 4]
    assert loaded == [1, 2]


def test_forget_loads_again():
    loader, loaded = recording_loader(capacity=4)
    loader(5)
    loader.forget(5)
    loader(5)
    assert loaded == [5, 5]
    assert loader.stats.hits == 0
