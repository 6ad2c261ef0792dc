#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct slice slice_trim(struct slice slice)
{
    while (slice.length > 0 && isspace((unsigned char)slice.start[0])) {
        slice.start++;
        slice.length--;
    }
    while (slice.length > 0 && isspace((unsigned char)slice.start[slice.length - 1]))
        slice.length--;
    return slice;
}

char *slice_copy(struct slice slice)
{
    char *copy = malloc(slice.length + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, slice.start, slice.length);
    copy[slice.length] = '\0';
    return copy;
}

char *slice_unquote(struct slice slice)
{
    char *copy = malloc(slice.length - 1);
    size_t used = 0;

    if (copy == NULL)
        return NULL;
    for (size_t i = 1; i + 1 < slice.length; i++) {
        char c = slice.start[i];
        if (c == '\\' && i + 2 < slice.length) {
            c = slice.start[++i];
            if (c == 'n')
                c = '\n';
        }
        copy[used++] = c;
    }
    return copy;
}
