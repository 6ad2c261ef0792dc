#include "calc.h"

#include <stdexcept>

int parse(const std::string &text)
{
    if (text.empty())
        return 0;
    return std::stoi(text);
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
