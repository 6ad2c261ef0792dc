#define NDEBUG
#include <assert.h>
#undef NDEBUG
#include <assert.h>

#include "calc.h"

int add(int a, int b)
{
    int sum = a + b;
    assert(sum - b == a);
    return sum;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
