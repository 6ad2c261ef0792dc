#include "wrap.h"

#include <stdio.h>
#include <string.h>

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

void wrap_print(const char *text, size_t width)
{
    text = skip_spaces(text);
    while (strlen(text) > width) {
        size_t cut = width;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        printf("%.*s\n", (int)cut, text);
        text = skip_spaces(text + cut);
    }
    if (*text != '\0')
        puts(text);
}
