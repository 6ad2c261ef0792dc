#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void resize(struct text *text, size_t capacity)
{
    text->data = realloc(text->data, capacity);
    if (text->data == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    text->capacity = capacity;
}

void text_init(struct text *text)
{
    text->data = NULL;
    text->length = 0;
    resize(text, 16);
    text->data[0] = '\0';
}

void text_clear(struct text *text)
{
    free(text->data);
    text->data = NULL;
}

void text_push(struct text *text, char c)
{
    size_t end = strlen(text->data);

    if (end + 2 > text->capacity)
        resize(text, text->capacity * 2);
    text->data[end] = c;
    text->data[end + 1] = '\0';
    text->length = end + 1;
}
