#include "pool.h"

static size_t blocks_for(size_t size)
{
    return size == 0 ? 1 : (size + POOL_BLOCK - 1) / POOL_BLOCK;
}

void pool_init(struct pool *pool, void *memory, size_t size)
{
    pool->memory = memory;
    bitmap_init(&pool->taken, size / POOL_BLOCK);
}

void *pool_take(struct pool *pool, size_t size)
{
    size_t count = blocks_for(size);
    size_t start = bitmap_find_clear(&pool->taken, count);

    if (start == BITMAP_NONE)
        return NULL;
    bitmap_set_range(&pool->taken, start, count);
    return pool->memory + start * POOL_BLOCK;
}

void pool_give(struct pool *pool, void *address, size_t size)
{
    if (address == NULL)
        return;
    size_t start = (size_t)((unsigned char *)address - pool->memory) / POOL_BLOCK;
    bitmap_clear_range(&pool->taken, start, blocks_for(size));
}

size_t pool_available(const struct pool *pool)
{
    return (pool->taken.bits - bitmap_count(&pool->taken)) * POOL_BLOCK;
}
