#include <stdio.h>
#include <string.h>

#include "../calc.h"

static int check(const char *test)
{
    if (strcmp(test, "sum") == 0)
        return add(1, 2) == 3;
    if (strcmp(test, "negative") == 0)
        return add(-1, -2) == -3;
    return strcmp(name(7), "n7") == 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        int passed = check(argv[i]);
        failed += !passed;
        printf("%s: %s\n", argv[i], passed ? "passed" : "failed");
    }
    return failed != 0;
}
