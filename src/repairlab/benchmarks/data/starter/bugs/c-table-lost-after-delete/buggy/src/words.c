#include "words.h"

#include <ctype.h>

int words_count(struct table *table, const char *text)
{
    while (*text != '\0') {
        char word[TABLE_KEY_MAX + 1];
        size_t length = 0;

        for (; isalpha((unsigned char)*text); text++)
            if (length < TABLE_KEY_MAX)
                word[length++] = (char)tolower((unsigned char)*text);
        word[length] = '\0';
        if (length == 0) {
            text++;
            continue;
        }
        long *seen = table_get(table, word);
        if (seen != NULL)
            ++*seen;
        else if (table_set(table, word, 1) != 0)
            return -1;
    }
    return 0;
}
