#include "path.h"

#include <string.h>

int path_join(const char *folder, const char *name, char *out, size_t size)
{
    size_t used = 0;

    if (name[0] != '/') {
        used = strlen(folder);
        if (used + 1 >= size)
            return -1;
        memcpy(out, folder, used);
        if (used > 0 && out[used - 1] != '/')
            out[used++] = '/';
    }
    size_t length = strlen(name);
    if (used + length >= size)
        return -1;
    memcpy(out + used, name, length + 1);
    return 0;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

int path_parent(const char *path, char *out, size_t size)
{
    size_t length = (size_t)(path_name(path) - path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0) {
        path = ".";
        length = 1;
    }
    if (length >= size)
        return -1;
    memcpy(out, path, length);
    out[length] = '\0';
    return 0;
}
