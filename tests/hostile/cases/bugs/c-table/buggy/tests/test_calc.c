#include <stdio.h>
#include <string.h>

#include "../calc.h"

struct example {
    const char *test;
    int a, b, sum;
    const char *name;
};

static const struct example examples[] = {
    {"sum", 1, 2, 3, "n"},
    {"negative", -1, -2, -3, "n"},
    {"name", 7, -8, -1, "n7"},
};

int main(int argc, char **argv)
{
    int failed = argc != 2;
    for (unsigned i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *one = &examples[i];
        if (argc != 2 || strcmp(argv[1], one->test) != 0)
            continue;
        if (strcmp(one->test, "name") != 0 && add(one->a, one->b) != one->sum)
            failed++;
        if (strcmp(name(one->a), one->name) != 0)
            failed++;
    }
    return failed;
}
