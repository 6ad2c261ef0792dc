#include "varint.h"

int varint_write(struct buffer *buffer, uint32_t value)
{
    while (value >= 0x80) {
        if (buffer_put(buffer, (uint8_t)(value | 0x80)) != 0)
            return -1;
        value >>= 7;
    }
    return buffer_put(buffer, (uint8_t)value);
}

int varint_read(struct buffer *buffer, uint64_t *value)
{
    uint64_t total = 0;

    for (unsigned int shift = 0; shift < 64; shift += 7) {
        int byte = buffer_get(buffer);
        if (byte < 0)
            return -1;
        total |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = total;
            return 0;
        }
    }
    return -1;
}
