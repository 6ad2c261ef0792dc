#include "check.h"

#include <stdio.h>

#include "table_@name@.h"

static void finds_what_was_put(void)
{
    struct table_@name@ table;
    @type@ value = 0;
    char key[16];
    table_@name@_init(&table);
    CHECK(table_@name@_get(&table, "nothing", &value) == -1);
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key%d", i);
        CHECK(table_@name@_put(&table, key, (@type@)i) == 0);
    }
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key%d", i);
        CHECK(table_@name@_get(&table, key, &value) == 0 && value == (@type@)i);
    }
    CHECK(table.length == 100);
    table_@name@_clear(&table);
}

static void deletes(void)
{
    struct table_@name@ table;
    @type@ value = 0;
    char key[16];
    table_@name@_init(&table);
    for (int i = 0; i < 40; i++) {
        snprintf(key, sizeof key, "k%d", i % 20);
        CHECK(table_@name@_put(&table, key, (@type@)i) == 0);
    }
    for (int i = 0; i < 20; i += 2) {
        snprintf(key, sizeof key, "k%d", i);
        CHECK(table_@name@_delete(&table, key) == 0 && table_@name@_delete(&table, key) == -1);
    }
    CHECK(table.length == 10 && table_@name@_get(&table, "k4", &value) == -1);
    CHECK(table_@name@_get(&table, "k5", &value) == 0 && value == 25);
    CHECK(table_@name@_put(&table, "k4", 3) == 0 && table_@name@_get(&table, "k4", &value) == 0 && value == 3);
    table_@name@_clear(&table);
}

static void count(const char *key, @type@ value, void *context)
{
    (void)key;
    *(double *)context += (double)value;
}

static void merges(void)
{
    struct table_@name@ one, other;
    double sum = 0;
    table_@name@_init(&one);
    table_@name@_init(&other);
    CHECK(table_@name@_put(&one, "a", 1) == 0 && table_@name@_put(&one, "b", 2) == 0);
    CHECK(table_@name@_put(&other, "b", 20) == 0 && table_@name@_put(&other, "c", 30) == 0);
    CHECK(table_@name@_merge(&one, &other) == 0 && one.length == 3);
    table_@name@_each(&one, count, &sum);
    CHECK(sum == 51);
    table_@name@_clear(&one);
    table_@name@_clear(&other);
}

const struct test table_@name@_tests[] = {{"table_@name@_finds_what_was_put", finds_what_was_put},
                                          {"table_@name@_deletes", deletes},
                                          {"table_@name@_merges", merges},
                                          {0, 0}};
