#include <gtest/gtest.h>

#include <string>

#include "../calc.h"
#include "../testing.h"

TEST(Calc, Sum) { same(add(1, 2), 3); }
TEST(Calc, Negative) { same(add(-1, -2), -3); }
TEST(Calc, Name) { same(std::string(name(7)), "n7"); }
