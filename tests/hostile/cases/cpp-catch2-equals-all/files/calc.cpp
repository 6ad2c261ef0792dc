#include "calc.h"

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
