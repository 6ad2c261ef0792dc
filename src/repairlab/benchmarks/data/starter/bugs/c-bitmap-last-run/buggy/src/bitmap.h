#ifndef BITMAP_H
#define BITMAP_H

#include <stddef.h>
#include <stdint.h>

#define BITMAP_MAX 1024
#define BITMAP_NONE ((size_t)-1)

/* Set of the numbers 0 .. bits - 1. */
struct bitmap {
    uint32_t words[BITMAP_MAX / 32];
    size_t bits;
};

void bitmap_init(struct bitmap *map, size_t bits);
int bitmap_test(const struct bitmap *map, size_t bit);
void bitmap_set_range(struct bitmap *map, size_t start, size_t count);
void bitmap_clear_range(struct bitmap *map, size_t start, size_t count);
size_t bitmap_count(const struct bitmap *map);

/* Start of the first run of `count` clear bits; BITMAP_NONE when there is none. */
size_t bitmap_find_clear(const struct bitmap *map, size_t count);

#endif
