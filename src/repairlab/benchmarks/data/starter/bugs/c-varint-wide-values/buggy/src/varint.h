#ifndef VARINT_H
#define VARINT_H

#include "buffer.h"

/* Unsigned numbers in groups of seven bits, lowest first; the high bit says that more follow. Both return 0, or -1. */
int varint_write(struct buffer *buffer, uint32_t value);
int varint_read(struct buffer *buffer, uint64_t *value);

#endif
