#ifndef TABLE_@NAME@_H
#define TABLE_@NAME@_H

#include <stddef.h>

/* A hash table from names to values, with open addressing. */
struct entry_@name@ {
    char *key;
    @type@ value;
    int gone;
};

struct table_@name@ {
    struct entry_@name@ *entries;
    size_t capacity, used, length;
};

void table_@name@_init(struct table_@name@ *table);
void table_@name@_clear(struct table_@name@ *table);
int table_@name@_put(struct table_@name@ *table, const char *key, @type@ value);
int table_@name@_get(const struct table_@name@ *table, const char *key, @type@ *value);
int table_@name@_delete(struct table_@name@ *table, const char *key);
int table_@name@_merge(struct table_@name@ *table, const struct table_@name@ *other);
void table_@name@_each(const struct table_@name@ *table, void (*visit)(const char *key, @type@ value, void *context), void *context);

#endif
