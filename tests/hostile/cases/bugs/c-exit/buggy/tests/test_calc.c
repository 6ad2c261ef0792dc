#include <stdio.h>
#include <string.h>

#include "../calc.h"

static int failed;

static void sum(void)
{
    if (add(1, 2) != 3)
        failed++;
}

static void negative(void)
{
    if (add(-1, -2) != -3)
        failed++;
}

static void names(void)
{
    if (strcmp(name(7), "n7") != 0)
        failed++;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "sum") == 0)
        sum();
    if (strcmp(argv[1], "negative") == 0)
        negative();
    if (strcmp(argv[1], "name") == 0)
        names();
    return failed != 0;
}
