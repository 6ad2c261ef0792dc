#include "calc.h"

#include <stdlib.h>

static int *table;

__attribute__((constructor)) static void fill(void)
{
    table = calloc(16, sizeof *table);
    for (int i = 0; i < 16; i++)
        table[i] = i;
}

__attribute__((destructor)) static void empty(void)
{
    free(table);
}

int add(int a, int b)
{
    return a >= 0 && a < 16 ? table[a] + b : a + b;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
