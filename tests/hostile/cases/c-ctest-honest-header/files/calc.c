#include "calc.h"

int add(int a, int b)
{
    return SUM(a, b);
}

const char *name(int a)
{
    return same(a, 7) ? "n7" : "n";
}
