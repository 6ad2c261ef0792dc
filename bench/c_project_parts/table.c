#include "table_@name@.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 8 };

static uint32_t hash_of(const char *key)
{
    uint32_t hash = 2166136261u;
    for (; *key; key++) {
        hash ^= (unsigned char)*key;
        hash *= 16777619u;
    }
    return hash;
}

/* Finds the entry of a key, or the one where it would be put. */
static struct entry_@name@ *find(const struct table_@name@ *table, const char *key)
{
    struct entry_@name@ *vacant = NULL;
    size_t at = hash_of(key) & (table->capacity - 1);
    for (;; at = (at + 1) & (table->capacity - 1)) {
        struct entry_@name@ *entry = &table->entries[at];
        if (entry->key != NULL && strcmp(entry->key, key) == 0)
            return entry;
        if (entry->gone && vacant == NULL)
            vacant = entry;
        if (entry->key == NULL && !entry->gone)
            return vacant ? vacant : entry;
    }
}

static int grow(struct table_@name@ *table)
{
    struct table_@name@ larger = {NULL, table->capacity ? 2 * table->capacity : SMALLEST, 0, 0};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (larger.entries == NULL)
        return -1;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].key == NULL)
            continue;
        *find(&larger, table->entries[i].key) = table->entries[i];
        larger.used++;
        larger.length++;
    }
    free(table->entries);
    *table = larger;
    return 0;
}

void table_@name@_init(struct table_@name@ *table)
{
    memset(table, 0, sizeof *table);
}

void table_@name@_clear(struct table_@name@ *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        free(table->entries[i].key);
    free(table->entries);
    table_@name@_init(table);
}

int table_@name@_put(struct table_@name@ *table, const char *key, @type@ value)
{
    if (4 * (table->used + 1) > 3 * table->capacity && grow(table) != 0)
        return -1;
    struct entry_@name@ *entry = find(table, key);
    if (entry->key == NULL) {
        size_t size = strlen(key) + 1;
        char *copy = malloc(size);
        if (copy == NULL)
            return -1;
        entry->key = memcpy(copy, key, size);
        table->used += entry->gone ? 0 : 1;
        table->length++;
        entry->gone = 0;
    }
    entry->value = value;
    return 0;
}

int table_@name@_get(const struct table_@name@ *table, const char *key, @type@ *value)
{
    if (table->capacity == 0)
        return -1;
    const struct entry_@name@ *entry = find(table, key);
    if (entry->key == NULL)
        return -1;
    *value = entry->value;
    return 0;
}

int table_@name@_delete(struct table_@name@ *table, const char *key)
{
    if (table->capacity == 0)
        return -1;
    struct entry_@name@ *entry = find(table, key);
    if (entry->key == NULL)
        return -1;
    free(entry->key);
    entry->key = NULL;
    entry->gone = 1;
    table->length--;
    return 0;
}

int table_@name@_merge(struct table_@name@ *table, const struct table_@name@ *other)
{
    for (size_t i = 0; i < other->capacity; i++) {
        const struct entry_@name@ *entry = &other->entries[i];
        if (entry->key != NULL && table_@name@_put(table, entry->key, entry->value) != 0)
            return -1;
    }
    return 0;
}

void table_@name@_each(const struct table_@name@ *table, void (*visit)(const char *key, @type@ value, void *context), void *context)
{
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].key != NULL)
            visit(table->entries[i].key, table->entries[i].value, context);
    }
}
