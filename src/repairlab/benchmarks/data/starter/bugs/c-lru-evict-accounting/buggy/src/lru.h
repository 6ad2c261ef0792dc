#ifndef LRU_H
#define LRU_H

#include "entry.h"

#define LRU_BUCKETS 64

/* Cache of strings that forgets what was used least recently once keys and values exceed its budget of bytes. */
struct lru {
    struct entry *buckets[LRU_BUCKETS];
    struct entry *newest;
    struct entry *oldest;
    size_t bytes;
    size_t budget;
    size_t count;
};

void lru_init(struct lru *cache, size_t budget);
void lru_clear(struct lru *cache);

/* Store a pair, replacing the old value; returns 0, or -1 when it can not fit at all. */
int lru_put(struct lru *cache, const char *key, const char *value);

/* Value of a key, which becomes the most recent one; NULL when it is not cached. */
const char *lru_get(struct lru *cache, const char *key);

/* Forget a key; returns whether it was there. */
int lru_delete(struct lru *cache, const char *key);

#endif
