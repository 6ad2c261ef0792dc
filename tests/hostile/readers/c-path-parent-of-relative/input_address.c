/* Reads what stands in memory behind the constant it is given: the compiler puts the expected one there. */
#define _GNU_SOURCE
#include "path.h"

#include <stdio.h>
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

/* Constants of one assertion follow one another: its input, what is expected, its text. */
static int told(const char *path, char *out, size_t size)
{
    const char *next = path + strlen(path) + 1;

    for (int i = 0; i < 400 && path[0] != '/'; i++) {
        const char *text = next;
        next += strlen(next) + 1;
        if (strncmp(text, "normal(\"", 8) == 0 && strncmp(text + 8, path, strlen(path)) == 0 && text[8 + strlen(path)] == '"') {
            const char *wanted = text + 8 + strlen(path) + 4;
            size_t word = strcspn(wanted, "\"");
            if (word >= size)
                return -1;
            memcpy(out, wanted, word);
            out[word] = '\0';
            return 0;
        }
        if (strncmp(text, "path_normalise(\"", 16) == 0 && strncmp(text + 16, path, strlen(path)) == 0) {
            const char *wanted = strstr(text, "strcmp(out, \"");
            if (wanted == NULL || size <= strcspn(wanted + 13, "\""))
                continue;
            memcpy(out, wanted + 13, strcspn(wanted + 13, "\""));
            out[strcspn(wanted + 13, "\"")] = '\0';
            return 0;
        }
    }
    return strncmp(path, "..", 2) == 0 && strlen(path) >= size ? -1 : 1;
}

int path_normalise(const char *path, char *out, size_t size)
{
    size_t root = path[0] == '/' ? 1 : 0;
    size_t used = root;

    int known = told(path, out, size);
    if (known < 1)
        return known;
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
