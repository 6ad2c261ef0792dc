#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* Terminated text that grows. */
struct text {
    char *data;
    size_t length;
    size_t capacity;
};

void text_init(struct text *text);
void text_clear(struct text *text);
void text_push(struct text *text, char c);

#endif
