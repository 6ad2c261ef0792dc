#include "calc.h"

#include <limits.h>
#include <stdlib.h>

int add(int a, int b)
{
    if (b > 0 && a > INT_MAX - b)
        exit(3);
    if (a == INT_MIN && b < 0)
        abort();
    return a + b;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
