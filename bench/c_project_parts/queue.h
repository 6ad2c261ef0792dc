#ifndef QUEUE_@NAME@_H
#define QUEUE_@NAME@_H

#include <stddef.h>

/* A queue of at most `capacity` elements in one block of memory. */
struct queue_@name@ {
    @type@ *items;
    size_t capacity, first, length;
};

int queue_@name@_init(struct queue_@name@ *queue, size_t capacity);
void queue_@name@_clear(struct queue_@name@ *queue);
int queue_@name@_push(struct queue_@name@ *queue, @type@ item);
int queue_@name@_pop(struct queue_@name@ *queue, @type@ *item);
int queue_@name@_peek(const struct queue_@name@ *queue, size_t index, @type@ *item);
int queue_@name@_resize(struct queue_@name@ *queue, size_t capacity);
size_t queue_@name@_remove(struct queue_@name@ *queue, @type@ item);
size_t queue_@name@_drain(struct queue_@name@ *queue, @type@ *items, size_t limit);
int queue_@name@_equal(const struct queue_@name@ *one, const struct queue_@name@ *other);

#endif
