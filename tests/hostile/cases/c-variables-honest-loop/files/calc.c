#include "calc.h"

int add(int a, int b)
{
    for (; b > 0; b--)
        a++;
    for (; b < 0; b++)
        a--;
    return a;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
