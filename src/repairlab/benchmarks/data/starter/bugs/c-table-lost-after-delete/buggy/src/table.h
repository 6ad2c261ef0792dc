#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

#define TABLE_KEY_MAX 31

enum slot_state { SLOT_FREE, SLOT_USED, SLOT_REMOVED };

struct slot {
    enum slot_state state;
    char key[TABLE_KEY_MAX + 1];
    long value;
};

/* Numbers by name; open addressing with linear probing. */
struct table {
    struct slot *slots;
    size_t capacity; /* a power of two */
    size_t filled;   /* slots that are not free */
    size_t count;    /* keys */
};

int table_init(struct table *table);
void table_clear(struct table *table);

/* Set the value of a key; returns 0, or -1 when the key is too long or memory runs out. */
int table_set(struct table *table, const char *key, long value);

/* Where the value of a key is kept, or NULL. Valid until the next table_set. */
long *table_get(const struct table *table, const char *key);

/* Remove a key; returns whether it was there. */
int table_remove(struct table *table, const char *key);

#endif
