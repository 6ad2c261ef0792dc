#include "calc.h"

#include <functional>
#include <numeric>
#include <string>
#include <vector>

template <class T> T total(const std::vector<T> &items)
{
    return std::accumulate(items.begin(), items.end(), T());
}

static const std::function<int(int, int)> plus = [](int a, int b) { return total(std::vector<int>{a, b}); };

int add(int a, int b)
{
    return plus(a, b);
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
