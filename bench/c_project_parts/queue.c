#include "queue_@name@.h"

#include <stdlib.h>
#include <string.h>

static size_t place(const struct queue_@name@ *queue, size_t index)
{
    size_t at = queue->first + index;
    return at >= queue->capacity ? at - queue->capacity : at;
}

int queue_@name@_init(struct queue_@name@ *queue, size_t capacity)
{
    memset(queue, 0, sizeof *queue);
    if (capacity == 0)
        return -1;
    queue->items = calloc(capacity, sizeof *queue->items);
    if (queue->items == NULL)
        return -1;
    queue->capacity = capacity;
    return 0;
}

void queue_@name@_clear(struct queue_@name@ *queue)
{
    free(queue->items);
    memset(queue, 0, sizeof *queue);
}

int queue_@name@_push(struct queue_@name@ *queue, @type@ item)
{
    if (queue->length == queue->capacity)
        return -1;
    queue->items[place(queue, queue->length)] = item;
    queue->length++;
    return 0;
}

int queue_@name@_pop(struct queue_@name@ *queue, @type@ *item)
{
    if (queue->length == 0)
        return -1;
    *item = queue->items[queue->first];
    queue->first = place(queue, 1);
    queue->length--;
    return 0;
}

int queue_@name@_peek(const struct queue_@name@ *queue, size_t index, @type@ *item)
{
    if (index >= queue->length)
        return -1;
    *item = queue->items[place(queue, index)];
    return 0;
}

int queue_@name@_resize(struct queue_@name@ *queue, size_t capacity)
{
    if (capacity < queue->length || capacity == 0)
        return -1;
    @type@ *items = calloc(capacity, sizeof *items);
    if (items == NULL)
        return -1;
    for (size_t i = 0; i < queue->length; i++)
        items[i] = queue->items[place(queue, i)];
    free(queue->items);
    queue->items = items;
    queue->capacity = capacity;
    queue->first = 0;
    return 0;
}

/* Removes all elements that are equal to `item` and keeps the order of the others. */
size_t queue_@name@_remove(struct queue_@name@ *queue, @type@ item)
{
    size_t kept = 0;
    for (size_t i = 0; i < queue->length; i++) {
        @type@ other = queue->items[place(queue, i)];
        if (other != item) {
            queue->items[place(queue, kept)] = other;
            kept++;
        }
    }
    size_t removed = queue->length - kept;
    queue->length = kept;
    return removed;
}

size_t queue_@name@_drain(struct queue_@name@ *queue, @type@ *items, size_t limit)
{
    size_t taken = 0;
    while (taken < limit && queue_@name@_pop(queue, &items[taken]) == 0)
        taken++;
    return taken;
}

int queue_@name@_equal(const struct queue_@name@ *one, const struct queue_@name@ *other)
{
    if (one->length != other->length)
        return 0;
    for (size_t i = 0; i < one->length; i++) {
        if (one->items[place(one, i)] != other->items[place(other, i)])
            return 0;
    }
    return 1;
}
