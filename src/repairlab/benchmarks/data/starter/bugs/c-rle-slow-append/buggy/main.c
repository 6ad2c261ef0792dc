#include <stdint.h>
#include <stdio.h>

#include "text.h"

static uint32_t checksum(const struct text *text)
{
    uint32_t sum = 1;

    for (size_t i = 0; i < text->length; i++)
        sum = sum * 31 + (unsigned char)text->data[i];
    return sum;
}

static size_t longest_run(const struct text *text)
{
    size_t longest = 0;
    size_t run = 0;

    for (size_t i = 0; i < text->length; i++) {
        run = i > 0 && text->data[i] == text->data[i - 1] ? run + 1 : 1;
        if (run > longest)
            longest = run;
    }
    return longest;
}

int main(void)
{
    struct text text;
    long count;
    char c;

    text_init(&text);
    while (scanf("%ld%c", &count, &c) == 2)
        for (long i = 0; i < count; i++)
            text_push(&text, c);
    printf("length %zu\n", text.length);
    printf("longest run %zu\n", longest_run(&text));
    printf("checksum %08x\n", (unsigned int)checksum(&text));
    if (text.length <= 60)
        printf("text %s\n", text.data);
    text_clear(&text);
    return 0;
}
