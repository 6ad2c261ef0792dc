#ifndef WORDS_H
#define WORDS_H

#include "table.h"

/* Add the words of a text (runs of letters, cut to TABLE_KEY_MAX, in lower case) to their counts; returns 0, or -1. */
int words_count(struct table *table, const char *text);

#endif
