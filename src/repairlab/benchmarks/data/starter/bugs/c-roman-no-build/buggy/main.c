#include <stdio.h>
#include <stdlib.h>

#include "roman.h"

int main(void)
{
    char word[64];

    while (scanf("%63s", word) == 1) {
        char numeral[16];
        int value = roman_value(word);

        if (value > 0)
            printf("%d\n", value);
        else if (roman_write(atoi(word), numeral, sizeof numeral))
            printf("%s\n", numeral);
        else
            printf("neither: %s\n", word);
    }
    return 0;
}
