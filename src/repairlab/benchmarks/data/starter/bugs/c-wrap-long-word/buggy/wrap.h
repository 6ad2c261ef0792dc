#ifndef WRAP_H
#define WRAP_H

#include <stddef.h>

/* Print a paragraph in lines of at most `width` characters, broken at spaces. */
void wrap_print(const char *text, size_t width);

#endif
