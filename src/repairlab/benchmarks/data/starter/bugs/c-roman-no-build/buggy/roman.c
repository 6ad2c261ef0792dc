#include "roman.h"

#include <string.h>

struct step {
    int value;
    const char *letters;
};

static const struct step steps[] = {
    {1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
    {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"},
};

#define N_STEPS (sizeof steps / sizeof steps[0])

int roman_write(int value, char *out, size_t size)
{
    size_t used = 0;

    if (value < 1 || value > 3999)
        return 0;
    for (size_t i = 0; i < N_STEPS; i++) {
        size_t length = strlen(steps[i].letters);
        for (; value >= steps[i].value; value -= steps[i].value) {
            if (used + length >= size)
                return 0;
            memcpy(out + used, steps[i].letters, length);
            used += length;
        }
    }
    out[used] = '\0';
    return 1;
}

static int roman_value(const char *text)
{
    const char *rest = text;
    char usual[16];
    int value = 0;

    for (size_t i = 0; i < N_STEPS; i++) {
        size_t length = strlen(steps[i].letters);
        while (strncmp(rest, steps[i].letters, length) == 0 && value < 4000) {
            value += steps[i].value;
            rest += length;
        }
    }
    if (*rest != '\0' || !roman_write(value, usual, sizeof usual))
        return 0;
    return strcmp(usual, text) == 0 ? value : 0;
}
