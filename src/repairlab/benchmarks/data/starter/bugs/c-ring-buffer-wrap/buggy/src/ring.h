#ifndef RING_H
#define RING_H

#include <stddef.h>

/* Byte queue of fixed capacity. One slot always stays free, so that head == tail means empty. */
struct ring {
    unsigned char *data;
    size_t slots;
    size_t head; /* next slot to write */
    size_t tail; /* next slot to read */
};

int ring_open(struct ring *ring, size_t capacity);
void ring_close(struct ring *ring);
size_t ring_used(const struct ring *ring);
size_t ring_free_space(const struct ring *ring);

/* Both return how many bytes were moved, which may be fewer than asked for. */
size_t ring_write(struct ring *ring, const void *bytes, size_t n);
size_t ring_read(struct ring *ring, void *bytes, size_t n);

/* Look at the byte `offset` places behind the oldest one; -1 when there are not so many. */
int ring_peek(const struct ring *ring, size_t offset);

#endif
