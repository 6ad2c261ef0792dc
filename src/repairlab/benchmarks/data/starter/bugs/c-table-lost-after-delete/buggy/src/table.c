#include "table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16

int table_init(struct table *table)
{
    table->slots = calloc(FIRST_CAPACITY, sizeof *table->slots);
    table->capacity = FIRST_CAPACITY;
    table->filled = 0;
    table->count = 0;
    return table->slots == NULL ? -1 : 0;
}

void table_clear(struct table *table)
{
    free(table->slots);
    table->slots = NULL;
}

static size_t first_slot(const char *key, size_t capacity)
{
    uint32_t hash = 2166136261u;

    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash & (capacity - 1);
}

static struct slot *find(const struct table *table, const char *key)
{
    size_t mask = table->capacity - 1;
    size_t index = first_slot(key, table->capacity);

    for (;;) {
        struct slot *slot = &table->slots[index];
        if (slot->state == SLOT_FREE || slot->state == SLOT_REMOVED)
            return NULL;
        if (slot->state == SLOT_USED && strcmp(slot->key, key) == 0)
            return slot;
        index = (index + 1) & mask;
    }
}

static void insert(struct table *table, const char *key, long value)
{
    size_t index = first_slot(key, table->capacity);

    while (table->slots[index].state == SLOT_USED)
        index = (index + 1) & (table->capacity - 1);
    struct slot *slot = &table->slots[index];
    if (slot->state == SLOT_FREE)
        table->filled++;
    slot->state = SLOT_USED;
    strcpy(slot->key, key);
    slot->value = value;
    table->count++;
}

static int rebuild(struct table *table, size_t capacity)
{
    struct table bigger = {calloc(capacity, sizeof *table->slots), capacity, 0, 0};

    if (bigger.slots == NULL)
        return -1;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].state == SLOT_USED)
            insert(&bigger, table->slots[i].key, table->slots[i].value);
    free(table->slots);
    *table = bigger;
    return 0;
}

int table_set(struct table *table, const char *key, long value)
{
    struct slot *slot = find(table, key);

    if (slot != NULL) {
        slot->value = value;
        return 0;
    }
    if (strlen(key) > TABLE_KEY_MAX)
        return -1;
    if ((table->filled + 1) * 4 > table->capacity * 3 && rebuild(table, table->capacity * 2) != 0)
        return -1;
    insert(table, key, value);
    return 0;
}

long *table_get(const struct table *table, const char *key)
{
    struct slot *slot = find(table, key);

    return slot == NULL ? NULL : &slot->value;
}

int table_remove(struct table *table, const char *key)
{
    struct slot *slot = find(table, key);

    if (slot == NULL)
        return 0;
    slot->state = SLOT_REMOVED;
    table->count--;
    return 1;
}
