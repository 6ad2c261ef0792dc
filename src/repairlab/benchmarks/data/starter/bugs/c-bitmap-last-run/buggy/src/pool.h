#ifndef POOL_H
#define POOL_H

#include "bitmap.h"

#define POOL_BLOCK 16

/* Allocator over a piece of memory that the caller owns, in blocks of POOL_BLOCK bytes. */
struct pool {
    unsigned char *memory;
    struct bitmap taken;
};

/* Manage `size` bytes; what is left over after whole blocks is not used. */
void pool_init(struct pool *pool, void *memory, size_t size);

/* At least `size` bytes, or NULL when there is no such gap. */
void *pool_take(struct pool *pool, size_t size);

/* Give back what pool_take returned for the same size. */
void pool_give(struct pool *pool, void *address, size_t size);

size_t pool_available(const struct pool *pool);

#endif
