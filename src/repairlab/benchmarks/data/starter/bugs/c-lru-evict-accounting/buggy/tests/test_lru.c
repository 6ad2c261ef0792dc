#include "tap.h"

#include "lru.h"

static struct lru cache;

static int cached(const char *key, const char *expected)
{
    const char *value = lru_get(&cache, key);
    return value != NULL && strcmp(value, expected) == 0;
}

static void finds_what_was_put(void)
{
    lru_init(&cache, 100);
    CHECK(lru_put(&cache, "one", "1") == 0);
    CHECK(lru_put(&cache, "two", "2") == 0);
    CHECK(cached("one", "1"));
    CHECK(cached("two", "2"));
    CHECK(lru_get(&cache, "three") == NULL);
    lru_clear(&cache);
}

static void counts_bytes(void)
{
    lru_init(&cache, 100);
    CHECK(lru_put(&cache, "abc", "defg") == 0);
    CHECK(lru_put(&cache, "h", "") == 0);
    CHECK(cache.bytes == 8);
    CHECK(cache.count == 2);
    lru_clear(&cache);
    CHECK(cache.bytes == 0);
    CHECK(cache.count == 0);
}

static void refuses_what_never_fits(void)
{
    lru_init(&cache, 6);
    CHECK(lru_put(&cache, "k", "v") == 0);
    CHECK(lru_put(&cache, "long", "value") == -1);
    CHECK(cached("k", "v"));
    lru_clear(&cache);
}

static void fills_its_budget_exactly(void)
{
    lru_init(&cache, 6);
    CHECK(lru_put(&cache, "a", "1") == 0);
    CHECK(lru_put(&cache, "b", "2") == 0);
    CHECK(lru_put(&cache, "c", "3") == 0);
    CHECK(cache.count == 3);
    CHECK(cached("a", "1"));
    lru_clear(&cache);
}

static void deleting_the_unknown_is_harmless(void)
{
    lru_init(&cache, 10);
    CHECK(lru_delete(&cache, "a") == 0);
    CHECK(lru_put(&cache, "a", "1") == 0);
    CHECK(lru_delete(&cache, "b") == 0);
    CHECK(cache.count == 1);
    lru_clear(&cache);
}

static void forgets_the_least_recent(void)
{
    lru_init(&cache, 6);
    lru_put(&cache, "a", "1");
    lru_put(&cache, "b", "2");
    lru_put(&cache, "c", "3");
    CHECK(cached("a", "1"));
    CHECK(lru_put(&cache, "d", "4") == 0);
    CHECK(lru_get(&cache, "b") == NULL);
    CHECK(cached("a", "1") && cached("c", "3") && cached("d", "4"));
    CHECK(cache.bytes == 6);
    lru_clear(&cache);
}

static void replacing_keeps_the_count(void)
{
    lru_init(&cache, 20);
    lru_put(&cache, "key", "short");
    CHECK(lru_put(&cache, "key", "rather long") == 0);
    CHECK(cached("key", "rather long"));
    CHECK(cache.count == 1);
    CHECK(cache.bytes == 14);
    lru_clear(&cache);
}

static void deleting_gives_room_back(void)
{
    lru_init(&cache, 10);
    lru_put(&cache, "a", "123456789");
    CHECK(lru_delete(&cache, "a") == 1);
    CHECK(cache.bytes == 0);
    CHECK(lru_put(&cache, "b", "123456789") == 0);
    CHECK(lru_get(&cache, "a") == NULL);
    CHECK(cached("b", "123456789"));
    lru_clear(&cache);
}

int main(int argc, char **argv)
{
    static const struct tap_test tests[] = {
        {"finds_what_was_put", finds_what_was_put},
        {"counts_bytes", counts_bytes},
        {"refuses_what_never_fits", refuses_what_never_fits},
        {"fills_its_budget_exactly", fills_its_budget_exactly},
        {"deleting_the_unknown_is_harmless", deleting_the_unknown_is_harmless},
        {"forgets_the_least_recent", forgets_the_least_recent},
        {"replacing_keeps_the_count", replacing_keeps_the_count},
        {"deleting_gives_room_back", deleting_gives_room_back},
    };
    return tap_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
