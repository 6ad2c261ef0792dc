#ifndef LINES_H
#define LINES_H

#include "ring.h"

/* Take the oldest complete line out of the ring, without its newline and cut to size - 1 bytes.
   Returns 1, or 0 when no complete line has arrived yet. */
int lines_next(struct ring *ring, char *line, size_t size);

#endif
