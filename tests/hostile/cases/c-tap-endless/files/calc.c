#include "calc.h"

int add(int a, int b)
{
    for (volatile int i = 0;; i = a)
        ;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
