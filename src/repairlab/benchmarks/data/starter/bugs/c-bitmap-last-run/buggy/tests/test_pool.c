#include "tap.h"

#include "pool.h"

static unsigned char memory[256];
static struct pool pool;
static struct bitmap map;

static void ranges_cross_words(void)
{
    bitmap_init(&map, 100);
    bitmap_set_range(&map, 30, 40);
    CHECK(!bitmap_test(&map, 29) && bitmap_test(&map, 30));
    CHECK(bitmap_test(&map, 69) && !bitmap_test(&map, 70));
    bitmap_clear_range(&map, 31, 38);
    CHECK(bitmap_count(&map) == 2);
}

static void finds_the_first_gap(void)
{
    bitmap_init(&map, 64);
    bitmap_set_range(&map, 0, 10);
    bitmap_set_range(&map, 13, 7);
    CHECK(bitmap_find_clear(&map, 3) == 10);
    CHECK(bitmap_find_clear(&map, 4) == 20);
}

static void never_runs_over_the_end(void)
{
    bitmap_init(&map, 40);
    bitmap_set_range(&map, 0, 38);
    CHECK(bitmap_find_clear(&map, 3) == BITMAP_NONE);
    CHECK(bitmap_find_clear(&map, 41) == BITMAP_NONE);
}

static void takes_neighbouring_blocks(void)
{
    pool_init(&pool, memory, sizeof memory);
    CHECK(pool_take(&pool, 16) == memory);
    CHECK(pool_take(&pool, 17) == memory + 16);
    CHECK(pool_take(&pool, 0) == memory + 48);
    CHECK(pool_available(&pool) == 192);
}

static void reuses_what_was_given_back(void)
{
    pool_init(&pool, memory, sizeof memory);
    void *first = pool_take(&pool, 32);
    void *second = pool_take(&pool, 32);
    CHECK(second == memory + 32);
    pool_give(&pool, first, 32);
    pool_give(&pool, NULL, 32);
    CHECK(pool_take(&pool, 20) == first);
}

static void refuses_more_than_there_is(void)
{
    pool_init(&pool, memory, 100);
    CHECK(pool_available(&pool) == 96);
    CHECK(pool_take(&pool, 97) == NULL);
    CHECK(pool_take(&pool, 500) == NULL);
}

static void gap_at_the_end_is_found(void)
{
    bitmap_init(&map, 64);
    bitmap_set_range(&map, 0, 60);
    CHECK(bitmap_find_clear(&map, 4) == 60);
    bitmap_set_range(&map, 60, 3);
    CHECK(bitmap_find_clear(&map, 1) == 63);
}

static void whole_pool_can_be_taken(void)
{
    pool_init(&pool, memory, sizeof memory);
    CHECK(pool_take(&pool, sizeof memory) == memory);
    CHECK(pool_available(&pool) == 0);
    CHECK(pool_take(&pool, 1) == NULL);
}

int main(int argc, char **argv)
{
    static const struct tap_test tests[] = {
        {"ranges_cross_words", ranges_cross_words},
        {"finds_the_first_gap", finds_the_first_gap},
        {"never_runs_over_the_end", never_runs_over_the_end},
        {"takes_neighbouring_blocks", takes_neighbouring_blocks},
        {"reuses_what_was_given_back", reuses_what_was_given_back},
        {"refuses_more_than_there_is", refuses_more_than_there_is},
        {"gap_at_the_end_is_found", gap_at_the_end_is_found},
        {"whole_pool_can_be_taken", whole_pool_can_be_taken},
    };
    return tap_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
