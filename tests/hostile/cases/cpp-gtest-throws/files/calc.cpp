#include "calc.h"

int add(int a, int b)
{
    throw a;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
