#include "lines.h"

int lines_next(struct ring *ring, char *line, size_t size)
{
    size_t length = 0;
    int byte;

    while ((byte = ring_peek(ring, length)) != '\n') {
        if (byte == -1)
            return 0;
        length++;
    }
    for (size_t i = 0; i <= length; i++) {
        char c;
        ring_read(ring, &c, 1);
        if (i < length && i + 1 < size)
            line[i] = c;
    }
    line[length < size ? length : size - 1] = '\0';
    return 1;
}
