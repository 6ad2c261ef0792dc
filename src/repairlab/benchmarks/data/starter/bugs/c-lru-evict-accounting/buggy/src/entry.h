#ifndef ENTRY_H
#define ENTRY_H

#include <stddef.h>

struct entry {
    struct entry *newer;
    struct entry *older;
    struct entry *chain; /* next entry of the same bucket */
    size_t size;         /* what the entry counts against the budget: key and value bytes */
    char *key;
    char *value;
};

struct entry *entry_new(const char *key, const char *value);
void entry_free(struct entry *entry);
unsigned int entry_hash(const char *key);

#endif
