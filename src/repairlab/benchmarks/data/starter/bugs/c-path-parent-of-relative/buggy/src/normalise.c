#include "path.h"

#include <string.h>

static int is_dots(const char *part, size_t length, size_t n_dots)
{
    return length == n_dots && strncmp(part, "..", n_dots) == 0;
}

/* Add one component; returns the new length of `out`, or 0 when it does not fit. */
static size_t append(char *out, size_t used, size_t size, const char *part, size_t length)
{
    int slash = used > 0 && out[used - 1] != '/';

    if (used + (size_t)slash + length >= size)
        return 0;
    if (slash)
        out[used++] = '/';
    memcpy(out + used, part, length);
    return used + length;
}

int path_normalise(const char *path, char *out, size_t size)
{
    size_t root = path[0] == '/' ? 1 : 0;
    size_t used = root;

    if (size < 2)
        return -1;
    out[0] = '/';
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (is_dots(path, length, 2)) {
            while (used > root && out[used - 1] != '/')
                used--;
            if (used > root)
                used--;
        } else if (length > 0 && !is_dots(path, length, 1)) {
            used = append(out, used, size, path, length);
            if (used == 0)
                return -1;
        }
        path += length;
        path += strspn(path, "/");
    }
    if (used == 0)
        out[used++] = '.';
    out[used] = '\0';
    return 0;
}
