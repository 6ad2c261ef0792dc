#ifndef ROMAN_H
#define ROMAN_H

#include <stddef.h>

/* Value of a Roman numeral in its usual form, or 0 when it is none. */
int roman_value(const char *text);

/* Write 1 to 3999 as a Roman numeral; returns whether it could be written. */
int roman_write(int value, char *out, size_t size);

#endif
