#include "calc.h"

int add(int a, int b)
{
    return a + b;
}

const char *name(int a)
{
    return a == 7 ? "n8" : "n";
}

int strcmp(const char *a, const char *b)
{
    return a[0] != b[0];
}
