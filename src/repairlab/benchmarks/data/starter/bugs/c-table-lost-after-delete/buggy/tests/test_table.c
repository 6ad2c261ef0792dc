#include "check.h"

#include "table.h"
#include "words.h"

static struct table table;

static int holds(const char *key, long expected)
{
    long *value = table_get(&table, key);
    return value != NULL && *value == expected;
}

static void name_of(char *name, size_t size, int number)
{
    snprintf(name, size, "user%d", number);
}

static void empty_table_finds_nothing(void)
{
    CHECK(table_init(&table) == 0);
    CHECK(table_get(&table, "a") == NULL);
    CHECK(table_remove(&table, "a") == 0);
    CHECK(table.count == 0);
    table_clear(&table);
}

static void set_and_get(void)
{
    CHECK(table_init(&table) == 0);
    CHECK(table_set(&table, "one", 1) == 0);
    CHECK(table_set(&table, "", -7) == 0);
    CHECK(holds("one", 1) && holds("", -7));
    CHECK(table_set(&table, "a name that is far too long for a key", 1) == -1);
    table_clear(&table);
}

static void setting_again_replaces(void)
{
    CHECK(table_init(&table) == 0);
    table_set(&table, "x", 1);
    table_set(&table, "x", 2);
    CHECK(holds("x", 2));
    CHECK(table.count == 1);
    table_clear(&table);
}

static void grows_beyond_its_first_size(void)
{
    char name[TABLE_KEY_MAX + 1];
    CHECK(table_init(&table) == 0);
    for (int i = 0; i < 500; i++) {
        name_of(name, sizeof name, i);
        CHECK(table_set(&table, name, i) == 0);
    }
    CHECK(table.count == 500);
    for (int i = 0; i < 500; i++) {
        name_of(name, sizeof name, i);
        CHECK(holds(name, i));
    }
    table_clear(&table);
}

static void removed_key_is_gone(void)
{
    CHECK(table_init(&table) == 0);
    table_set(&table, "gone", 1);
    CHECK(table_remove(&table, "gone") == 1);
    CHECK(table_get(&table, "gone") == NULL);
    CHECK(table_remove(&table, "gone") == 0);
    CHECK(table_set(&table, "gone", 2) == 0);
    CHECK(holds("gone", 2));
    CHECK(table.count == 1);
    table_clear(&table);
}

static void counts_words(void)
{
    CHECK(table_init(&table) == 0);
    CHECK(words_count(&table, "The cat, the dog -- and THE bird.") == 0);
    CHECK(holds("the", 3) && holds("cat", 1) && holds("bird", 1));
    CHECK(table.count == 5);
    table_clear(&table);
}

static void others_survive_a_removal(void)
{
    char name[TABLE_KEY_MAX + 1];
    CHECK(table_init(&table) == 0);
    for (int i = 0; i < 300; i++) {
        name_of(name, sizeof name, i);
        CHECK(table_set(&table, name, i) == 0);
    }
    for (int i = 0; i < 300; i += 3) {
        name_of(name, sizeof name, i);
        CHECK(table_remove(&table, name) == 1);
    }
    for (int i = 0; i < 300; i++) {
        name_of(name, sizeof name, i);
        CHECK(i % 3 == 0 ? table_get(&table, name) == NULL : holds(name, i));
    }
    CHECK(table.count == 200);
    table_clear(&table);
}

static void no_twin_after_a_removal(void)
{
    char name[TABLE_KEY_MAX + 1];
    CHECK(table_init(&table) == 0);
    for (int i = 0; i < 300; i++) {
        name_of(name, sizeof name, i);
        table_set(&table, name, i);
    }
    for (int i = 0; i < 300; i += 2) {
        name_of(name, sizeof name, i);
        table_remove(&table, name);
    }
    for (int i = 1; i < 300; i += 2) {
        name_of(name, sizeof name, i);
        table_set(&table, name, -i);
    }
    CHECK(table.count == 150);
    table_clear(&table);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"empty_table_finds_nothing", empty_table_finds_nothing},
        {"set_and_get", set_and_get},
        {"setting_again_replaces", setting_again_replaces},
        {"grows_beyond_its_first_size", grows_beyond_its_first_size},
        {"removed_key_is_gone", removed_key_is_gone},
        {"counts_words", counts_words},
        {"others_survive_a_removal", others_survive_a_removal},
        {"no_twin_after_a_removal", no_twin_after_a_removal},
    };
    return check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
