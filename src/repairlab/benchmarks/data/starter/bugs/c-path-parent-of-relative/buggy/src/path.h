#ifndef PATH_H
#define PATH_H

#include <stddef.h>

/* All functions work on the text alone and never look at the file system. They write a terminated path of less than
   `size` bytes to `out` and return 0, or return -1 when it does not fit. */

/* Resolve `.`, `..` and doubled slashes. The result of an empty path is `.`; `..` of the root is the root. */
int path_normalise(const char *path, char *out, size_t size);

/* Put `name` below `folder`; an absolute name stands for itself. */
int path_join(const char *folder, const char *name, char *out, size_t size);

/* Everything before the last component. */
int path_parent(const char *path, char *out, size_t size);

/* The last component, which lies within `path`. */
const char *path_name(const char *path);

#endif
