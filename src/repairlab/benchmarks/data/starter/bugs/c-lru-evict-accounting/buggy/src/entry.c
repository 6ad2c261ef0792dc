#include "entry.h"

#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

struct entry *entry_new(const char *key, const char *value)
{
    struct entry *entry = calloc(1, sizeof *entry);

    if (entry == NULL)
        return NULL;
    entry->key = copy_of(key);
    entry->value = copy_of(value);
    if (entry->key == NULL || entry->value == NULL) {
        entry_free(entry);
        return NULL;
    }
    entry->size = strlen(key) + strlen(value);
    return entry;
}

void entry_free(struct entry *entry)
{
    free(entry->key);
    free(entry->value);
    free(entry);
}

unsigned int entry_hash(const char *key)
{
    unsigned int hash = 5381;

    for (; *key != '\0'; key++)
        hash = hash * 33 + (unsigned char)*key;
    return hash;
}
