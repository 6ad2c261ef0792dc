#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Bytes that grow as they are written, with a position to read from. */
struct buffer {
    uint8_t *data;
    size_t length;
    size_t capacity;
    size_t position;
};

static inline void buffer_init(struct buffer *buffer)
{
    buffer->data = NULL;
    buffer->length = 0;
    buffer->capacity = 0;
    buffer->position = 0;
}

static inline void buffer_clear(struct buffer *buffer)
{
    free(buffer->data);
    buffer_init(buffer);
}

static inline int buffer_put(struct buffer *buffer, uint8_t byte)
{
    if (buffer->length == buffer->capacity) {
        size_t capacity = buffer->capacity == 0 ? 16 : buffer->capacity * 2;
        uint8_t *data = realloc(buffer->data, capacity);
        if (data == NULL)
            return -1;
        buffer->data = data;
        buffer->capacity = capacity;
    }
    buffer->data[buffer->length++] = byte;
    return 0;
}

/* Next byte, or -1 at the end. */
static inline int buffer_get(struct buffer *buffer)
{
    return buffer->position < buffer->length ? buffer->data[buffer->position++] : -1;
}

#endif
