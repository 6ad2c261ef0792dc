#include "ring.h"

#include <stdlib.h>
#include <string.h>

int ring_open(struct ring *ring, size_t capacity)
{
    size_t slots = capacity + 1;

    ring->data = malloc(capacity);
    if (ring->data == NULL)
        return -1;
    ring->slots = slots;
    ring->head = 0;
    ring->tail = 0;
    return 0;
}

void ring_close(struct ring *ring)
{
    free(ring->data);
    ring->data = NULL;
    ring->slots = 0;
}

size_t ring_used(const struct ring *ring)
{
    return (ring->head + ring->slots - ring->tail) % ring->slots;
}

size_t ring_free_space(const struct ring *ring)
{
    return ring->slots - 1 - ring_used(ring);
}

size_t ring_write(struct ring *ring, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    size_t space = ring_free_space(ring);

    if (n > space)
        n = space;
    size_t first = ring->slots - ring->head;
    if (first > n)
        first = n;
    memcpy(ring->data + ring->head, from, first);
    memcpy(ring->data, from + first, n - first);
    ring->head = (ring->head + n) % ring->slots;
    return n;
}

size_t ring_read(struct ring *ring, void *bytes, size_t n)
{
    unsigned char *to = bytes;
    size_t used = ring_used(ring);

    if (n > used)
        n = used;
    size_t first = ring->slots - ring->tail;
    if (first > n)
        first = n;
    memcpy(to, ring->data + ring->tail, first);
    memcpy(to + first, ring->data, n - first);
    ring->tail = (ring->tail + n) % ring->slots;
    return n;
}

int ring_peek(const struct ring *ring, size_t offset)
{
    if (offset >= ring_used(ring))
        return -1;
    return ring->data[(ring->tail + offset) % ring->slots];
}
