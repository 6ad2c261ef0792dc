#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* A piece of a longer text; not terminated. */
struct slice {
    const char *start;
    size_t length;
};

/* Drop white space at both ends. */
struct slice slice_trim(struct slice slice);

/* Copies on the heap, to be freed by the caller; NULL when out of memory. */
char *slice_copy(struct slice slice);

/* Copy of a value in double quotes, without the quotes and with \" \\ and \n resolved. */
char *slice_unquote(struct slice slice);

#endif
