#include "calc.h"

#include <stdio.h>

int add(int a, int b)
{
    printf("not ok: FAILED %d + %d\n", a, b);
    fprintf(stderr, "Assertion failed: %d\n", a);
    return a + b;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
