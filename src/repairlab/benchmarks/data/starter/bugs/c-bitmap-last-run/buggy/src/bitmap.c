#include "bitmap.h"

#include <string.h>

void bitmap_init(struct bitmap *map, size_t bits)
{
    memset(map->words, 0, sizeof map->words);
    map->bits = bits < BITMAP_MAX ? bits : BITMAP_MAX;
}

int bitmap_test(const struct bitmap *map, size_t bit)
{
    return (map->words[bit / 32] >> (bit % 32)) & 1;
}

void bitmap_set_range(struct bitmap *map, size_t start, size_t count)
{
    for (size_t bit = start; bit < start + count; bit++)
        map->words[bit / 32] |= UINT32_C(1) << (bit % 32);
}

void bitmap_clear_range(struct bitmap *map, size_t start, size_t count)
{
    for (size_t bit = start; bit < start + count; bit++)
        map->words[bit / 32] &= ~(UINT32_C(1) << (bit % 32));
}

size_t bitmap_count(const struct bitmap *map)
{
    size_t total = 0;

    for (size_t bit = 0; bit < map->bits; bit++)
        total += (size_t)bitmap_test(map, bit);
    return total;
}

size_t bitmap_find_clear(const struct bitmap *map, size_t count)
{
    size_t start = 0;

    while (start + count < map->bits) {
        size_t length = 0;
        while (length < count && !bitmap_test(map, start + length))
            length++;
        if (length == count)
            return start;
        start += length + 1;
    }
    return BITMAP_NONE;
}
