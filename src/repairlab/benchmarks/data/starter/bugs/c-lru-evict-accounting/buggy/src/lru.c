#include "lru.h"

#include <string.h>

void lru_init(struct lru *cache, size_t budget)
{
    memset(cache, 0, sizeof *cache);
    cache->budget = budget;
}

void lru_clear(struct lru *cache)
{
    struct entry *entry = cache->newest;

    while (entry != NULL) {
        struct entry *older = entry->older;
        entry_free(entry);
        entry = older;
    }
    lru_init(cache, cache->budget);
}

static struct entry **find_link(struct lru *cache, const char *key)
{
    struct entry **link = &cache->buckets[entry_hash(key) % LRU_BUCKETS];

    while (*link != NULL && strcmp((*link)->key, key) != 0)
        link = &(*link)->chain;
    return link;
}

static void detach(struct lru *cache, struct entry *entry)
{
    if (entry->newer != NULL)
        entry->newer->older = entry->older;
    else
        cache->newest = entry->older;
    if (entry->older != NULL)
        entry->older->newer = entry->newer;
    else
        cache->oldest = entry->newer;
}

static void attach_newest(struct lru *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    if (cache->newest != NULL)
        cache->newest->newer = entry;
    else
        cache->oldest = entry;
    cache->newest = entry;
}

static void drop(struct lru *cache, struct entry **link)
{
    struct entry *entry = *link;

    *link = entry->chain;
    detach(cache, entry);
    entry_free(entry);
    cache->bytes -= entry->size;
    cache->count--;
}

int lru_put(struct lru *cache, const char *key, const char *value)
{
    struct entry *entry = entry_new(key, value);

    if (entry == NULL)
        return -1;
    if (entry->size > cache->budget) {
        entry_free(entry);
        return -1;
    }
    lru_delete(cache, key);
    while (cache->bytes + entry->size > cache->budget)
        drop(cache, find_link(cache, cache->oldest->key));
    struct entry **bucket = &cache->buckets[entry_hash(key) % LRU_BUCKETS];
    entry->chain = *bucket;
    *bucket = entry;
    attach_newest(cache, entry);
    cache->bytes += entry->size;
    cache->count++;
    return 0;
}

const char *lru_get(struct lru *cache, const char *key)
{
    struct entry *entry = *find_link(cache, key);

    if (entry == NULL)
        return NULL;
    detach(cache, entry);
    attach_newest(cache, entry);
    return entry->value;
}

int lru_delete(struct lru *cache, const char *key)
{
    struct entry **link = find_link(cache, key);

    if (*link == NULL)
        return 0;
    drop(cache, link);
    return 1;
}
