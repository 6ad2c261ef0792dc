#include "calc.h"

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int add(int a, int b)
{
    return a - -b;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
